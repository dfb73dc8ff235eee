//! Run files: a kernel with inputs, and the bits that every route must give for them.
//!
//! A run file is a kernel's text with run lines in its comments:
//!
//! ```text
//! // run: h = [0x1.8p+0, -2 x 3] x = random 7 n = 3
//! //+     => y = [3, 0x1p-1074]
//! ```
//!
//! - `//+` continues a run line.
//! - Left of `=>` each index parameter and each buffer that can be read gets its value: a list
//!   (`v x n` repeats `v`), or `random SEED`, made-up numbers of both signs with zeros and
//!   subnormal ones among them. Writeonly buffers start as NaN, so that an element left out shows.
//! - Right of `=>` stand buffers after the call, bit for bit; `nan` means any NaN. Without `=>`
//!   the interpreter's result is what other routes are compared with.
//! - Numbers are hex floats, `inf`, `nan`, or decimals rounded to the element type.
//!
//! ```
//! # fn main() -> Result<(), tdse_kir::KirError> {
//! let file = tdse_kir::runfile::parse(
//!     "kernel twice { class elementwise(separate)
//!        param x : f64[2] readonly  param y : f64[2] writeonly
//!        a = load f64x2 x[0]  b = add a, a  store y[0], b }
//!      // run: x = [1.5, -0] => y = [3, -0x0p+0]",
//! )?;
//! let kernel = tdse_kir::verify(file.kernel)?;
//! for run in &file.runs {
//!     let oracle = run.interpret(&kernel)?; // compare a backend's buffers with these
//!     run.check(&kernel, &oracle)?; // and both with the numbers stated
//! }
//! # Ok(())
//! # }
//! ```

mod data;
mod line;

pub use data::Data;

use crate::error::KirError;
use crate::interpret::{KirArg, interpret};
use crate::ir::{Access, Elem, Kernel, Param};
use crate::parse::parse as parse_kernel;
use crate::verify::Verified;

/// Largest buffer of a run, in elements.
pub const MAX_RUN_EXTENT: u64 = 1 << 24;

/// A kernel and its runs.
#[derive(Debug, Clone)]
pub struct RunFile {
    /// The kernel, not yet verified.
    pub kernel: Kernel,
    /// Its runs, in the order of the file.
    pub runs: Vec<Run>,
}

/// One call and what it must give.
#[derive(Debug, Clone)]
pub struct Run {
    /// Line of the run line, from 1.
    pub line: u32,
    /// One argument for each parameter, in order, as before the call.
    pub args: Vec<Data>,
    /// Parameters stated after the call: number of the parameter, and its elements.
    pub expect: Vec<(usize, Data)>,
}

/// Reads a run file: one kernel, any number of run lines.
///
/// A run line that names no parameter, has the wrong number of elements or leaves an input out
/// fails with [`KirError::RunLine`]; wrong kernel text fails as in [`crate::parse()`].
pub fn parse(text: &str) -> Result<RunFile, KirError> {
    let kernel = parse_kernel(text)?;
    let mut runs = Vec::new();
    let mut lines = text.lines().zip(1u32..).peekable();
    while let Some((line, number)) = lines.next() {
        let Some(first) = line.trim_start().strip_prefix("// run:") else {
            continue;
        };
        let mut whole = first.to_string();
        while let Some((more, _)) = lines.next_if(|(l, _)| l.trim_start().starts_with("//+")) {
            whole.push(' ');
            whole += more.trim_start().trim_start_matches("//+");
        }
        runs.push(run(&kernel, &whole, number)?);
    }
    Ok(RunFile { kernel, runs })
}

impl Run {
    /// Runs the interpreter on copies of the arguments and returns all of them as after the call.
    pub fn interpret(&self, kernel: &Verified) -> Result<Vec<Data>, KirError> {
        let mut data = self.args.clone();
        interpret(kernel, &mut arguments(kernel, &mut data))?;
        Ok(data)
    }

    /// Compares buffers after a call with those stated; NaN equals NaN, all else bit for bit.
    ///
    /// `found` holds one entry for each parameter. Fails with [`KirError::RunMismatch`] at the
    /// first element that differs.
    pub fn check(&self, kernel: &Kernel, found: &[Data]) -> Result<(), KirError> {
        for (param, expected) in &self.expect {
            let Some(found) = found.get(*param) else {
                continue;
            };
            if let Some(element) = expected.first_difference(found) {
                return Err(KirError::RunMismatch {
                    line: self.line,
                    param: param_name(kernel, *param),
                    element,
                    expected: expected.text(element),
                    found: found.text(element),
                });
            }
        }
        Ok(())
    }
}

/// Borrows one argument for each parameter, for [`interpret`].
pub fn arguments<'a>(kernel: &Kernel, data: &'a mut [Data]) -> Vec<KirArg<'a>> {
    let writable = |p: &Param| matches!(p, Param::Buffer(b) if b.access != Access::ReadOnly);
    let borrow = |(param, data): (&Param, &'a mut Data)| match (data, writable(param)) {
        (Data::F64(v), true) => KirArg::F64Mut(v),
        (Data::F64(v), false) => KirArg::F64(v),
        (Data::F32(v), true) => KirArg::F32Mut(v),
        (Data::F32(v), false) => KirArg::F32(v),
        (Data::Index(i), _) => KirArg::Index(*i),
    };
    kernel.params.iter().zip(data).map(borrow).collect()
}

fn run(kernel: &Kernel, text: &str, line: u32) -> Result<Run, KirError> {
    let fail = |reason: String| KirError::RunLine { line, reason };
    let (given, stated) = line::read(text).map_err(fail)?;
    let resolve = |entries: Vec<(&str, line::Entry)>| {
        entries
            .into_iter()
            .map(|(name, entry)| {
                let found = (0..kernel.params.len()).find(|&i| param_name(kernel, i) == name);
                let param = found.ok_or(format!("names {name}, which is no parameter"))?;
                Ok((param, entry.data(&kernel.params[param], name)?))
            })
            .collect::<Result<Vec<(usize, Data)>, String>>()
    };
    let given = resolve(given).map_err(fail)?;
    let expect = resolve(stated).map_err(fail)?;
    let mut args = Vec::new();
    for (i, param) in kernel.params.iter().enumerate() {
        let mut of_param = given.iter().filter(|entry| entry.0 == i);
        let value = match (of_param.next(), param) {
            (Some((_, data)), _) => data.clone(),
            (None, Param::Buffer(b)) if b.access == Access::WriteOnly => {
                if b.extent > MAX_RUN_EXTENT {
                    return Err(fail(format!(
                        "needs more than {MAX_RUN_EXTENT} elements of {}",
                        b.name
                    )));
                }
                match b.elem {
                    Elem::F64 => Data::F64(vec![f64::NAN; b.extent as usize]),
                    Elem::F32 => Data::F32(vec![f32::NAN; b.extent as usize]),
                }
            }
            (None, _) => return Err(fail(format!("gives no {}", param_name(kernel, i)))),
        };
        if of_param.next().is_some() {
            return Err(fail(format!("gives {} twice", param_name(kernel, i))));
        }
        args.push(value);
    }
    Ok(Run { line, args, expect })
}

fn param_name(kernel: &Kernel, param: usize) -> String {
    match kernel.params.get(param) {
        Some(Param::Buffer(b)) => b.name.clone(),
        Some(Param::Index { var, .. }) => kernel.var_name(*var).to_string(),
        None => "?".into(),
    }
}
