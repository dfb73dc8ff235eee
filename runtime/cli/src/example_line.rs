//! The example of `tdse quickstart`: a coupled microstrip pair with its leads and receivers, computed
//! from per-unit-length matrices, as a four-port in 50 ohm.
//!
//! Problem: the quickstart needs measured-looking data that the project may give away, with the
//! features that make real interconnect hard: delay, conductor and dielectric loss, crosstalk.
//!
//! ```text
//!            lead      coupled section      lead
//!   port 1 o======o====== line A ======o======o====o port 2     Z(w) = R_int(w) + jwL     per metre
//!                       (coupled)                  R            Y(w) = jwC eps(w)/eps(w0) per metre
//!   port 3 o======o====== line B ======o======o====o port 4
//! ```
//!
//! Both matrices of a symmetric pair have the eigenvectors (1, 1) and (1, -1), the even and the odd
//! mode, so the pair is two independent lines with the scalars `L11 +- L12` and `C11 -+ |C12|`.
//! Each mode has the chain matrix `[[cosh gl, Zc sinh gl], [sinh gl / Zc, cosh gl]]`, `g = sqrt(zy)`,
//! `Zc = sqrt(z/y)`. Leads (the same line, uncoupled) and receivers (a resistance to ground at each
//! far end) multiply as chain matrices. The two-port S of a mode follows from its chain matrix, and
//! half sums and half differences of the modes' S are the entries of the four-port.
//!
//! The leads give every reflection and the crosstalk a delay, as real fixtures do: a response that
//! starts at the very instant of its cause loses half of its band-limited form to negative time.
//! The receivers take a little power at 0 Hz, where lines alone would take none.
//!
//! Invariants: causal and passive by construction. The internal impedance
//! `sqrt(R0^2 + 2 j f Rs^2)` goes from the direct-current resistance `R0` to the skin effect
//! `(1 + j) Rs sqrt(f)`, resistance and internal inductance together, and has a positive real part;
//! the permittivity is the wideband Debye form, whose real and imaginary parts belong together.
//! A resistance or a loss tangent put in alone would respond before its cause. S is symmetric, and
//! real at 0 Hz.
//!
//! Cost: a few complex functions per frequency, microseconds in all.
//!
//! Sources: C. R. Paul, *Analysis of Multiconductor Transmission Lines*, 2nd ed., Wiley 2008 (chain
//! parameters and modal decomposition); D. M. Pozar, *Microwave Engineering* (chain matrix to S);
//! A. R. Djordjevic, R. M. Biljic, V. D. Likar-Smiljanic, T. K. Sarkar, "Wideband frequency-domain
//! characterization of FR-4 and time-domain causality", IEEE Trans. EMC 43(4), 2001 (permittivity).

use num_complex::Complex;
use serde::Serialize;
use tdse_pack::sparams::SParameters;

/// The pair and its sweep. The defaults are close to a 50 ohm pair on FR-4.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct CoupledLine {
    /// Length of the coupled section in metres.
    pub(crate) length_m: f64,
    /// Length of each lead in metres.
    pub(crate) lead_m: f64,
    /// Input resistance of the receiver at each far end in ohm.
    pub(crate) receiver_ohm: f64,
    /// Self inductance in henry per metre, external.
    pub(crate) l_self: f64,
    /// Mutual inductance in henry per metre.
    pub(crate) l_mutual: f64,
    /// Diagonal of the capacitance matrix in farad per metre, at `loss_hz`.
    pub(crate) c_self: f64,
    /// Off-diagonal of the capacitance matrix, negative, in farad per metre, at `loss_hz`.
    pub(crate) c_mutual: f64,
    /// Resistance at direct current in ohm per metre.
    pub(crate) r_dc: f64,
    /// Skin-effect resistance in ohm per metre and root hertz.
    pub(crate) r_skin: f64,
    /// Loss tangent at `loss_hz`.
    pub(crate) loss_tangent: f64,
    /// Frequency in hertz at which capacitance and loss tangent are given.
    pub(crate) loss_hz: f64,
    /// Reference resistance of every port in ohm.
    pub(crate) reference_ohm: f64,
    /// Highest frequency in hertz.
    pub(crate) f_max_hz: f64,
    /// Frequency step in hertz.
    pub(crate) f_step_hz: f64,
}

impl Default for CoupledLine {
    fn default() -> Self {
        CoupledLine {
            length_m: 0.050,
            lead_m: 0.010,
            receiver_ohm: 10e3,
            l_self: 300e-9,
            l_mutual: 54e-9,
            c_self: 120e-12,
            c_mutual: -14e-12,
            r_dc: 6.0,
            r_skin: 1.3e-3,
            loss_tangent: 0.018,
            loss_hz: 1e9,
            reference_ohm: 50.0,
            f_max_hz: 20e9,
            f_step_hz: 40e6,
        }
    }
}

/// Names of the four ports, in order.
pub(crate) const PORT_NAMES: [&str; 4] = ["A near", "A far", "B near", "B far"];

/// Corner frequencies of the permittivity's relaxation in hertz: well below and above the sweep.
const RELAXATION_HZ: (f64, f64) = (1e4, 1e12);

impl CoupledLine {
    /// The sweep, 0 Hz to `f_max_hz`.
    pub(crate) fn sweep(&self) -> SParameters {
        let points = (self.f_max_hz / self.f_step_hz).round() as usize + 1;
        let frequencies: Vec<f64> = (0..points).map(|n| n as f64 * self.f_step_hz).collect();
        let data = frequencies
            .iter()
            .flat_map(|&f| self.four_port(f))
            .collect();
        let reference = vec![Complex::new(self.reference_ohm, 0.0); 4];
        SParameters {
            frequencies,
            ports: 4,
            data,
            reference,
        }
    }

    /// S at one frequency, row by row.
    fn four_port(&self, f: f64) -> [Complex<f64>; 16] {
        let even = self.mode(f, self.l_self + self.l_mutual, self.c_self + self.c_mutual);
        let odd = self.mode(f, self.l_self - self.l_mutual, self.c_self - self.c_mutual);
        let half_sum = |pick: fn(&TwoPort) -> Complex<f64>| 0.5 * (pick(&even) + pick(&odd));
        let half_difference = |pick: fn(&TwoPort) -> Complex<f64>| 0.5 * (pick(&even) - pick(&odd));
        let near = half_sum(|s| s.near);
        let far = half_sum(|s| s.far);
        let through = half_sum(|s| s.through);
        let near_crosstalk = half_difference(|s| s.near);
        let far_crosstalk = half_difference(|s| s.through);
        let end_crosstalk = half_difference(|s| s.far);
        [
            near,
            through,
            near_crosstalk,
            far_crosstalk, //
            through,
            far,
            far_crosstalk,
            end_crosstalk, //
            near_crosstalk,
            far_crosstalk,
            near,
            through, //
            far_crosstalk,
            end_crosstalk,
            through,
            far,
        ]
    }

    /// One mode of the whole: lead, coupled section, lead, receiver.
    fn mode(&self, f: f64, inductance: f64, capacitance: f64) -> TwoPort {
        let lead = self.section(f, self.l_self, self.c_self, self.lead_m);
        let coupled = self.section(f, inductance, capacitance, self.length_m);
        let receiver = Chain {
            c: Complex::from(self.reference_ohm / self.receiver_ohm),
            ..Chain::default()
        };
        lead.then(coupled).then(lead).then(receiver).scattering()
    }

    /// A line of some length.
    fn section(&self, f: f64, inductance: f64, capacitance: f64, length: f64) -> Chain {
        let s = Complex::new(0.0, std::f64::consts::TAU * f);
        let internal =
            Complex::new(self.r_dc * self.r_dc, 2.0 * f * self.r_skin * self.r_skin).sqrt();
        let z = (internal + s * inductance) * length;
        let y = s * capacitance * self.relative_permittivity(f) * length;
        // sinh(x)/x and cosh(x) are even functions of x = g l: no branch of the root matters, and
        // both exist at 0 Hz, where y and with it Zc have no value.
        let x = (z * y).sqrt();
        let sinhc = if x.norm() < 1e-4 {
            1.0 + z * y / 6.0
        } else {
            x.sinh() / x
        };
        let cosh = x.cosh();
        Chain {
            a: cosh,
            b: z * sinhc / self.reference_ohm,
            c: y * sinhc * self.reference_ohm,
            d: cosh,
        }
    }

    /// Permittivity over its real part at `loss_hz`.
    fn relative_permittivity(&self, f: f64) -> Complex<f64> {
        let relaxation = |f: f64| {
            let (low, high) = RELAXATION_HZ;
            (Complex::new(high, f) / Complex::new(low, f)).ln() / (high / low).ln()
        };
        let at = relaxation(self.loss_hz);
        // (1 + k relaxation(f)) with k such that -Im/Re = loss tangent at loss_hz.
        let k = -self.loss_tangent / (at.im + self.loss_tangent * at.re);
        (1.0 + k * relaxation(f)) / (1.0 + k * at.re)
    }
}

/// A chain matrix, voltages over reference resistance: `b` and `c` have no unit.
#[derive(Debug, Clone, Copy)]
struct Chain {
    a: Complex<f64>,
    b: Complex<f64>,
    c: Complex<f64>,
    d: Complex<f64>,
}

impl Default for Chain {
    /// A through.
    fn default() -> Self {
        let (one, zero) = (Complex::new(1.0, 0.0), Complex::new(0.0, 0.0));
        Chain {
            a: one,
            b: zero,
            c: zero,
            d: one,
        }
    }
}

impl Chain {
    /// This two-port followed by another.
    fn then(self, next: Chain) -> Chain {
        Chain {
            a: self.a * next.a + self.b * next.c,
            b: self.a * next.b + self.b * next.d,
            c: self.c * next.a + self.d * next.c,
            d: self.c * next.b + self.d * next.d,
        }
    }

    /// S of a reciprocal chain (`ad - bc = 1`).
    fn scattering(self) -> TwoPort {
        let Chain { a, b, c, d } = self;
        let denominator = a + b + c + d;
        TwoPort {
            near: (a + b - c - d) / denominator,
            far: (d + b - c - a) / denominator,
            through: 2.0 / denominator,
        }
    }
}

/// S of one mode.
struct TwoPort {
    near: Complex<f64>,
    far: Complex<f64>,
    through: Complex<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn direct_current_sees_two_resistors() {
        let line = CoupledLine::default();
        let s = line.four_port(0.0);
        // Series resistance of the conductor, then the receiver in parallel with the far port.
        let series = line.r_dc * (line.length_m + 2.0 * line.lead_m);
        let load = 1.0 / (1.0 / line.receiver_ohm + 1.0 / line.reference_ohm);
        let seen = series + load;
        let near = (seen - line.reference_ohm) / (seen + line.reference_ohm);
        assert!((s[0].re - near).abs() < 1e-15, "{}", s[0]);
        assert!(
            (s[1].re - (1.0 + near) * load / seen).abs() < 1e-15,
            "{}",
            s[1]
        );
        assert!(s.iter().all(|v| v.im == 0.0));
        assert!(s[2].norm() < 1e-15 && s[3].norm() < 1e-15 && s[7].norm() < 1e-15);
    }

    #[test]
    fn four_port_is_reciprocal_and_passive() {
        let line = CoupledLine::default();
        for n in 0..=500 {
            let s = line.four_port(f64::from(n) * 40e6);
            let matrix = nalgebra::DMatrix::from_row_slice(4, 4, &s);
            assert_eq!(matrix, matrix.transpose());
            let norm = matrix.singular_values().max();
            assert!(norm < 1.0, "{n} {norm}");
        }
    }

    #[test]
    fn loss_tangent_is_the_one_asked_for() {
        let line = CoupledLine::default();
        let eps = line.relative_permittivity(line.loss_hz);
        assert!((eps.re - 1.0).abs() < 1e-12, "{eps}");
        assert!(
            (-eps.im / eps.re - line.loss_tangent).abs() < 1e-12,
            "{eps}"
        );
    }

    #[test]
    fn section_agrees_with_a_ladder_of_short_pieces() {
        // The same section as 20000 lumped pieces: an independent way to the chain matrix.
        let line = CoupledLine::default();
        let f = 3e9;
        let (l, c) = (line.l_self + line.l_mutual, line.c_self + line.c_mutual);
        let pieces = 20_000;
        let step = line.length_m / f64::from(pieces);
        let s = Complex::new(0.0, std::f64::consts::TAU * f);
        let internal = Complex::new(line.r_dc.powi(2), 2.0 * f * line.r_skin.powi(2)).sqrt();
        let z = (internal + s * l) * step / line.reference_ohm;
        let y = s * c * line.relative_permittivity(f) * step * line.reference_ohm;
        let half = Chain {
            b: z * 0.5,
            ..Chain::default()
        };
        let shunt = Chain {
            c: y,
            ..Chain::default()
        };
        let piece = half.then(shunt).then(half);
        let ladder = (0..pieces).fold(Chain::default(), |sum, _| sum.then(piece));
        let found = line.section(f, l, c, line.length_m);
        for (a, b) in [
            (found.a, ladder.a),
            (found.b, ladder.b),
            (found.c, ladder.c),
            (found.d, ladder.d),
        ] {
            assert!((a - b).norm() < 1e-7, "{a} {b}");
        }
    }
}
