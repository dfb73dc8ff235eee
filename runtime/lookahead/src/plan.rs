//! A plan: which blocks the lags are cut into, and how each is evaluated.
//!
//! ```text
//! relaxed_fft:burst:t8,f32,f128        ROUTE:FORM:LEVELS, t = time domain, f = spectrum
//! ```
//!
//! Level `i` works once every `B_i` steps and gives blocks of `B_i` outputs. With `lead` = 1 in burst
//! form and 2 in spread form:
//!
//! - the head, lags `1 .. lead * B_0 - 1`, is evaluated directly at every step;
//! - a *sliding* level evaluates the lags from `lead * B_i` to below `lead * B_(i+1)`, the last one to the end;
//! - the spectral levels of `relaxed_fft` are *relaxed*: level `i` lets the inputs of the current block of
//!   `B_(i+1)` steps act on the next `B_i` outputs, the last level lets everything older act.
//!
//! Burst form does all work of a block boundary in the commit that reaches it; spread form does it
//! during the block that follows, a slice a commit, for the block after that.

use std::fmt;
use std::str::FromStr;

use crate::LookaheadError;

/// A route that looks ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LookaheadRoute {
    /// Blocks in the time domain.
    TemporalBlock,
    /// One partition size, by transforms.
    UniformFft,
    /// Partitions that grow with the lag.
    NonuniformFft,
    /// Tiles of relaxed multiplication: the least work, in bursts.
    RelaxedFft,
}

/// When the work of a block boundary is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Form {
    /// In the commit that reaches the boundary.
    Burst,
    /// In slices, over the block that follows.
    Spread,
}

/// How a level is evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Domain {
    /// By sums over lags, several steps at once.
    Time,
    /// By products of spectra.
    Spectrum,
}

/// A level of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Level {
    /// Steps in a block.
    pub block: u32,
    /// How it is evaluated.
    pub domain: Domain,
}

/// A way to evaluate the history response.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Plan {
    /// The route.
    pub route: LookaheadRoute,
    /// When the work is done.
    pub form: Form,
    /// Levels, the smallest block first.
    pub levels: Vec<Level>,
}

/// Largest block of a plan in steps.
pub const MAX_BLOCK: u32 = 65536;
/// Most levels of a plan.
pub const MAX_LEVELS: usize = 12;

impl LookaheadRoute {
    /// Every route.
    pub const ALL: [LookaheadRoute; 4] = [
        LookaheadRoute::TemporalBlock,
        LookaheadRoute::UniformFft,
        LookaheadRoute::NonuniformFft,
        LookaheadRoute::RelaxedFft,
    ];

    /// The token.
    pub const fn name(self) -> &'static str {
        match self {
            LookaheadRoute::TemporalBlock => "temporal_block",
            LookaheadRoute::UniformFft => "uniform_fft",
            LookaheadRoute::NonuniformFft => "nonuniform_fft",
            LookaheadRoute::RelaxedFft => "relaxed_fft",
        }
    }
}

impl Plan {
    /// Blocks between the newest input used and the outputs: 1 in burst form, 2 in spread form.
    pub fn lead(&self) -> usize {
        match self.form {
            Form::Burst => 1,
            Form::Spread => 2,
        }
    }

    /// Lags `1..=head_taps` are evaluated directly at every step. At most `nh - 1` of them exist.
    pub fn head_taps(&self) -> usize {
        self.lead() * self.block(0) - 1
    }

    /// Steps in a block of level `i`; of the last when there are fewer levels.
    pub(crate) fn block(&self, i: usize) -> usize {
        self.levels
            .get(i)
            .or(self.levels.last())
            .map_or(1, |level| level.block as usize)
    }

    /// One past the last lag that the head and the levels in the time domain evaluate when the spectral
    /// levels are relaxed.
    pub(crate) fn near_end(&self) -> usize {
        let spectral = |level: &&Level| level.domain == Domain::Spectrum;
        let first = self.levels.iter().find(spectral);
        first.map_or(1, |level| level.block as usize)
    }

    /// Whether the spectral levels are relaxed.
    pub(crate) fn relaxed(&self) -> bool {
        self.route == LookaheadRoute::RelaxedFft
    }

    /// Refuses levels that do not make a plan.
    pub fn check(&self) -> Result<(), LookaheadError> {
        let broken = |reason: &str| {
            Err(LookaheadError::PlanShape {
                plan: self.to_string(),
                reason: reason.into(),
            })
        };
        let blocks = || self.levels.iter().map(|level| level.block);
        if self.levels.is_empty() || self.levels.len() > MAX_LEVELS {
            return broken("a plan has 1 to 12 levels");
        }
        if blocks().any(|block| !(2..=MAX_BLOCK).contains(&block)) {
            return broken("a block has 2 to 65536 steps");
        }
        if blocks()
            .zip(blocks().skip(1))
            .any(|(a, b)| a >= b || b % a != 0)
        {
            return broken("blocks grow, and each divides the next");
        }
        if !self.levels.is_sorted_by_key(|level| level.domain) {
            return broken("levels in the time domain stand before spectral ones");
        }
        let spectral = self.spectral_levels();
        match self.route {
            LookaheadRoute::TemporalBlock if spectral != 0 => {
                broken("temporal_block has levels in the time domain only")
            }
            LookaheadRoute::UniformFft if spectral != 1 => {
                broken("uniform_fft has one spectral level")
            }
            LookaheadRoute::NonuniformFft | LookaheadRoute::RelaxedFft if spectral == 0 => {
                broken("the route has at least one spectral level")
            }
            LookaheadRoute::RelaxedFft if self.form == Form::Spread => {
                broken("relaxed_fft has no slack to spread its work over; use nonuniform_fft")
            }
            _ => Ok(()),
        }
    }

    /// Refuses, besides, a level that has no lag to evaluate in a pack of `nh` taps.
    pub fn check_for(&self, nh: usize) -> Result<(), LookaheadError> {
        self.check()?;
        let idle = self.levels.iter().enumerate().find(|&(i, level)| {
            let block = level.block as usize;
            let above = i > 0 && self.levels[i - 1].domain == Domain::Spectrum;
            let first = if self.relaxed() && above {
                // A relaxed level above another spectral one spares that one the lags from half its block.
                block / 2
            } else {
                self.lead() * block
            };
            first > nh.saturating_sub(1)
        });
        match idle {
            None => Ok(()),
            Some((_, level)) => Err(LookaheadError::PlanLength {
                plan: self.to_string(),
                block: level.block,
                nh,
            }),
        }
    }

    fn spectral_levels(&self) -> usize {
        let spectral = |level: &&Level| level.domain == Domain::Spectrum;
        self.levels.iter().filter(spectral).count()
    }
}

impl fmt::Display for LookaheadRoute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Form::Burst => "burst",
            Form::Spread => "spread",
        })
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let domain = match self.domain {
            Domain::Time => 't',
            Domain::Spectrum => 'f',
        };
        write!(f, "{domain}{}", self.block)
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:", self.route, self.form)?;
        for (i, level) in self.levels.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            write!(f, "{comma}{level}")?;
        }
        Ok(())
    }
}

impl FromStr for Plan {
    type Err = LookaheadError;

    fn from_str(text: &str) -> Result<Self, LookaheadError> {
        let broken = |reason: String| LookaheadError::PlanText {
            text: text.chars().take(200).collect(),
            reason,
        };
        let parts: Vec<&str> = text.trim().splitn(4, ':').collect();
        let &[route, form, levels] = parts.as_slice() else {
            return Err(broken("it has not three parts between colons".into()));
        };
        let route = LookaheadRoute::ALL
            .into_iter()
            .find(|known| known.name() == route)
            .ok_or_else(|| broken(format!("'{route}' is no lookahead route")))?;
        let form = match form {
            "burst" => Form::Burst,
            "spread" => Form::Spread,
            other => return Err(broken(format!("'{other}' is neither burst nor spread"))),
        };
        let levels = levels
            .split(',')
            .take(MAX_LEVELS + 1)
            .map(|level| parse_level(level).ok_or_else(|| broken(format!("'{level}' is no level"))))
            .collect::<Result<_, _>>()?;
        let plan = Plan {
            route,
            form,
            levels,
        };
        plan.check()?;
        Ok(plan)
    }
}

fn parse_level(text: &str) -> Option<Level> {
    let (domain, block) = if let Some(block) = text.strip_prefix('t') {
        (Domain::Time, block)
    } else {
        (Domain::Spectrum, text.strip_prefix('f')?)
    };
    let digits = (1..=5).contains(&block.len()) && block.bytes().all(|b| b.is_ascii_digit());
    let block = digits.then(|| block.parse().ok())??;
    Some(Level { block, domain })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_prints_as_it_was_parsed() {
        for text in [
            "temporal_block:burst:t5",
            "temporal_block:spread:t8,t64",
            "uniform_fft:spread:t4,f64",
            "nonuniform_fft:spread:t4,f16,f64,f256",
            "relaxed_fft:burst:f8,f32,f128,f512",
        ] {
            let plan: Plan = text.parse().unwrap();
            assert_eq!(plan.to_string(), text);
            assert_eq!(plan.to_string().parse::<Plan>().unwrap(), plan);
        }
        let plan: Plan = "nonuniform_fft:spread:t4,f16".parse().unwrap();
        assert_eq!((plan.lead(), plan.head_taps()), (2, 7));
    }

    #[test]
    fn what_is_no_plan_is_refused_by_name() {
        for (text, code) in [
            ("", 8201),
            ("relaxed_fft:burst", 8201),
            ("relaxed_fft:burst:f8:f9", 8201),
            ("fast:burst:f8", 8201),
            ("relaxed_fft:later:f8", 8201),
            ("relaxed_fft:burst:g8", 8201),
            ("relaxed_fft:burst:f", 8201),
            ("relaxed_fft:burst:f+8", 8201),
            ("relaxed_fft:burst:f999999999999", 8201),
            ("relaxed_fft:burst:f1", 8202),
            ("relaxed_fft:burst:f99999", 8202),
            ("relaxed_fft:burst:f8,f8", 8202),
            ("relaxed_fft:burst:f8,f12", 8202),
            ("relaxed_fft:burst:f8,t16", 8202),
            ("relaxed_fft:burst:t8", 8202),
            ("relaxed_fft:spread:f8", 8202),
            ("uniform_fft:burst:f8,f16", 8202),
            ("temporal_block:burst:f8", 8202),
            (
                "temporal_block:burst:t2,t4,t8,t16,t32,t64,t128,t256,t512,t1024,t2048,t4096,t8192",
                8202,
            ),
        ] {
            let error = text.parse::<Plan>().unwrap_err();
            assert_eq!(error.code(), code, "{text}: {error}");
        }
    }

    #[test]
    fn any_text_is_a_plan_that_prints_itself_or_is_refused() {
        const PIECES: [&str; 16] = [
            "relaxed_fft",
            "temporal_block",
            "uniform_fft",
            "nonuniform_fft",
            ":",
            "burst",
            "spread",
            ",",
            "t",
            "f",
            "2",
            "8",
            "64",
            "65536",
            "-1",
            "é",
        ];
        let mut state = 1u64;
        let mut next = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) as usize
        };
        let mut plans = 0;
        for _ in 0..200_000 {
            let route = PIECES[next() % 4];
            let form = PIECES[5 + next() % 2];
            let levels: String = (0..next() % 9).map(|_| PIECES[next() % 16]).collect();
            let text = format!(
                "{route}:{form}:{}{}{levels}",
                PIECES[8 + next() % 2],
                PIECES[10 + next() % 4]
            );
            if let Ok(plan) = text.parse::<Plan>() {
                assert_eq!(plan.to_string().parse::<Plan>(), Ok(plan.clone()), "{text}");
                let _ = plan.check_for(next() % 300);
                plans += 1;
            }
        }
        assert!(plans > 1000, "{plans}");
    }

    #[test]
    fn a_level_without_lags_is_refused() {
        let fits = |text: &str, nh: usize| text.parse::<Plan>().unwrap().check_for(nh).is_ok();
        assert!(fits("temporal_block:burst:t8", 9));
        assert!(!fits("temporal_block:burst:t8", 8));
        assert!(fits("temporal_block:spread:t8", 17));
        assert!(!fits("temporal_block:spread:t8", 16));
        assert!(!fits("relaxed_fft:burst:t4,f16", 16));
        assert!(fits("relaxed_fft:burst:t4,f16", 17));
        assert!(fits("relaxed_fft:burst:f8,f32", 17));
        assert!(!fits("relaxed_fft:burst:f8,f32", 16));
    }
}
