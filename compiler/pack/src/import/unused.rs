//! Options that an importer would pass over. A choice that changes nothing without a word misleads, so it is
//! refused. Options at their defaults count as not given.

use super::ImportOptions;
use super::kind::Kind;
use crate::fault::ImportFault;
use crate::sparams::BuildOptions;
use crate::wav::WavOptions;

/// Refuses the first option given that has no effect on files of this kind.
pub(super) fn check(kind: Kind, options: &ImportOptions) -> Result<(), ImportFault> {
    let network = matches!(kind, Kind::Touchstone | Kind::Admittance);
    let option = match kind {
        _ if kind != Kind::Admittance && options.admittance_reference.is_some() => {
            Some("--reference")
        }
        Kind::Pack => None,
        Kind::Wav => changed(&options.build),
        _ if options.wav.inputs != WavOptions::default().inputs => Some("--inputs"),
        _ if network => None,
        _ => changed(&options.build),
    };
    match option {
        None => Ok(()),
        Some(option) => Err(ImportFault::UnusedOption {
            option,
            format: kind.name(),
        }),
    }
}

/// The first builder's option that is not at its default, as on the command line.
fn changed(options: &BuildOptions) -> Option<&'static str> {
    // No `..`: a new option must find its place here.
    let BuildOptions {
        window,
        dc,
        interpolation,
        df,
        fmax,
        nh,
        energy,
        target,
        transform,
        taper,
        allow_extrapolated,
        cap_points,
    } = options;
    let plain = BuildOptions::default();
    [
        (*nh != plain.nh, "--nh"),
        (*window != plain.window, "--window"),
        (*dc != plain.dc, "--dc"),
        (*interpolation != plain.interpolation, "--interpolation"),
        (*df != plain.df, "--df"),
        (*fmax != plain.fmax, "--fmax"),
        (*energy != plain.energy, "--energy"),
        (*target != plain.target, "--param"),
        (*transform != plain.transform, "--transform"),
        (*taper != plain.taper, "--taper"),
        (
            *allow_extrapolated != plain.allow_extrapolated,
            "--allow-extrapolated",
        ),
        (*cap_points != plain.cap_points, "--cap-points"),
    ]
    .into_iter()
    .find_map(|(given, option)| given.then_some(option))
}
