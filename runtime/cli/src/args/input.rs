//! The small languages of `--input` and `--terminate`.

use std::path::PathBuf;
use std::str::FromStr;

/// Where the input of a run comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Input {
    /// `FILE.npy`: f64 `[steps][np]`.
    File(PathBuf),
    /// `random:SEED`: uniform on [-1, 1), see [`crate::random`].
    Random(u64),
    /// `impulse` or `impulse:PORT`: 1 at step 0 on one input, counted from 1.
    Impulse(usize),
}

impl FromStr for Input {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(seed) = text.strip_prefix("random:") {
            return seed
                .parse()
                .map(Input::Random)
                .map_err(|_| format!("the seed {seed:?} is no number from 0 to 2^64-1"));
        }
        if text == "impulse" {
            return Ok(Input::Impulse(1));
        }
        if let Some(port) = text.strip_prefix("impulse:") {
            return match port.parse() {
                Ok(port) if port > 0 => Ok(Input::Impulse(port)),
                _ => Err(format!("the port {port:?} is no number from 1")),
            };
        }
        if text.is_empty() || text == "random" {
            return Err("give FILE.npy, random:SEED or impulse:PORT".to_owned());
        }
        Ok(Input::File(text.into()))
    }
}

/// What closes the loop: `x[t] = G y[t] + s[t]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Termination {
    /// G = 0.
    Matched,
    /// G = identity: every reflection comes back with its sign.
    Open,
    /// G = minus identity.
    Short,
    /// G from a `.npy` file: f64 `[np][nq]`.
    File(PathBuf),
}

impl FromStr for Termination {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // Blind to case, as the names of backends and routes are.
        match text.to_ascii_lowercase().as_str() {
            "" => Err("give matched, open, short or FILE.npy".to_owned()),
            "matched" => Ok(Termination::Matched),
            "open" => Ok(Termination::Open),
            "short" => Ok(Termination::Short),
            _ => Ok(Termination::File(text.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_parse_or_say_why() {
        assert_eq!("random:7".parse(), Ok(Input::Random(7)));
        assert_eq!("impulse".parse(), Ok(Input::Impulse(1)));
        assert_eq!("impulse:3".parse(), Ok(Input::Impulse(3)));
        assert_eq!("x.npy".parse(), Ok(Input::File("x.npy".into())));
        for wrong in [
            "random:",
            "random",
            "random:-1",
            "impulse:0",
            "impulse:x",
            "",
        ] {
            assert!(wrong.parse::<Input>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn terminations_parse() {
        assert_eq!("open".parse(), Ok(Termination::Open));
        assert_eq!("Short".parse(), Ok(Termination::Short));
        assert_eq!("G.npy".parse(), Ok(Termination::File("G.npy".into())));
        assert!("".parse::<Termination>().is_err());
    }
}
