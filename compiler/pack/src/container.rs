//! The container.

use crate::PackError;
use crate::PackParts;
use crate::fault::ContainerFault;

pub(crate) fn decode(_bytes: &[u8]) -> Result<PackParts, PackError> {
    Err(ContainerFault::MissingTaps.into())
}

pub(crate) fn encode(_parts: &PackParts) -> Result<Vec<u8>, PackError> {
    Err(ContainerFault::MissingTaps.into())
}
