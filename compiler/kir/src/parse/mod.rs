//! Reads the text form.
//!
//! A recursive descent parser over untrusted text: it never panics, its depth, its time and its
//! memory are bounded ([`MAX_TEXT`], [`PARSE_DEPTH`]), and each error carries a line and a column.
//! It resolves names and infers the types of results, and leaves every other rule to
//! [`crate::verify`], so that a text which breaks a rule still parses and prints.
//!
//! Values and variables are numbered where the text defines them; the results of a loop come
//! before its counter and its carried values, and are visible only after it.

mod lexer;
mod reader;
mod statement;

use lexer::{Kind, Lexer};
use reader::Reader;

use crate::class::{Contraction, NumericClass, Order};
use crate::error::KirError;
use crate::ir::{Access, Buffer, Elem, Kernel, Param};
use crate::limits::MAX_TEXT;

/// Deepest nesting of loops that the parser follows; the verifier accepts fewer.
const PARSE_DEPTH: usize = 64;

/// Most parameters that the parser reads; the verifier accepts fewer.
const PARSE_PARAMS: usize = 256;

/// Most terms of one address as written.
const PARSE_TERMS: usize = 64;

/// Reads the one kernel of a text.
pub fn parse(text: &str) -> Result<Kernel, KirError> {
    let mut reader = open(text)?;
    let kernel = reader.kernel()?;
    match reader.peek().kind {
        Kind::End => Ok(kernel),
        _ => Err(reader.expected("the end of the text")),
    }
}

/// Reads every kernel of a text, at least one.
pub fn parse_all(text: &str) -> Result<Vec<Kernel>, KirError> {
    let mut reader = open(text)?;
    let mut kernels = vec![reader.kernel()?];
    while reader.peek().kind != Kind::End {
        kernels.push(reader.kernel()?);
    }
    Ok(kernels)
}

fn open(text: &str) -> Result<Reader<'_>, KirError> {
    if text.len() > MAX_TEXT {
        let (what, limit) = ("the length of the text", MAX_TEXT as u64);
        return Err(KirError::TextLimit {
            line: 1,
            column: 1,
            what,
            limit,
        });
    }
    Ok(Reader::new(Lexer::new(text), empty_kernel()))
}

/// A kernel of which nothing has been read.
fn empty_kernel() -> Kernel {
    Kernel {
        name: String::new(),
        class: NumericClass {
            order: Order::Elementwise,
            contraction: Contraction::Separate,
        },
        params: Vec::new(),
        body: Vec::new(),
        values: Vec::new(),
        vars: Vec::new(),
    }
}

impl Reader<'_> {
    fn kernel(&mut self) -> Result<Kernel, KirError> {
        self.kernel.name = self.kernel_name()?.into();
        self.mark("{")?;
        self.kernel.class = self.class()?;
        while self.accept_word("param") {
            self.param()?;
        }
        self.kernel.body = self.block(0)?;
        self.mark("}")?;
        Ok(self.close(empty_kernel()))
    }

    fn class(&mut self) -> Result<NumericClass, KirError> {
        self.word("class")?;
        let order = if self.accept_word("direct") {
            self.mark("(")?;
            self.word("partials")?;
            self.mark("=")?;
            let partials = self.integer("a number of partial sums")?;
            self.mark(",")?;
            Order::Direct { partials }
        } else if self.accept_word("elementwise") {
            self.mark("(")?;
            Order::Elementwise
        } else if self.accept_word("sequential") {
            self.mark("(")?;
            Order::Sequential
        } else {
            return Err(self.expected("`direct`, `elementwise` or `sequential`"));
        };
        let contraction = if self.accept_word("fma") {
            Contraction::Fma
        } else if self.accept_word("separate") {
            Contraction::Separate
        } else {
            return Err(self.expected("`fma` or `separate`"));
        };
        self.mark(")")?;
        Ok(NumericClass { order, contraction })
    }

    fn param(&mut self) -> Result<(), KirError> {
        if self.kernel.params.len() == PARSE_PARAMS {
            return Err(self.limit("the number of parameters", PARSE_PARAMS as u64));
        }
        let name = self.name("the name of a parameter")?;
        self.mark(":")?;
        if self.accept_word("index") {
            let lo = self.signed_integer()?;
            self.mark("..=")?;
            let hi = self.signed_integer()?;
            let var = self.open_var(name);
            self.kernel.params.push(Param::Index { var, lo, hi });
            return Ok(());
        }
        let elem = if self.accept_word("f64") {
            Elem::F64
        } else if self.accept_word("f32") {
            Elem::F32
        } else {
            return Err(self.expected("`f64`, `f32` or `index`"));
        };
        self.mark("[")?;
        let extent = self.integer("an extent")?;
        self.mark("]")?;
        let access = if self.accept_word("readonly") {
            Access::ReadOnly
        } else if self.accept_word("writeonly") {
            Access::WriteOnly
        } else {
            self.accept_word("readwrite");
            Access::ReadWrite
        };
        let align = match self.accept_word("align") {
            true => self.integer("an alignment in bytes")?,
            false => elem.bytes() as u32,
        };
        let buffer = Buffer {
            name: name.into(),
            elem,
            extent,
            access,
            align,
        };
        self.kernel.params.push(Param::Buffer(buffer));
        Ok(())
    }
}
