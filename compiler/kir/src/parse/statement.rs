//! Statements: definitions, stores, loops, and the addresses in them.

use super::lexer::Kind;
use super::reader::Reader;
use super::{PARSE_DEPTH, PARSE_TERMS};
use crate::error::KirError;
use crate::hex_float;
use crate::ir::{Affine, Bound, BufferId, Carry, Elem, Loop, Op, Stmt, Value, VecType};

impl<'t> Reader<'t> {
    /// Statements up to `}` or `yield`.
    pub(super) fn block(&mut self, depth: usize) -> Result<Vec<Stmt>, KirError> {
        let mut stmts = Vec::new();
        loop {
            if self.is_word("yield") || self.peek().text == "}" {
                return Ok(stmts);
            }
            stmts.push(self.statement(depth)?);
        }
    }

    fn statement(&mut self, depth: usize) -> Result<Stmt, KirError> {
        if self.accept_word("store") {
            return self.store();
        }
        if self.accept_word("loop") {
            return self.repeat(Vec::new(), depth);
        }
        let mut names = vec![self.name("a statement or `}`")?];
        while self.accept_mark(",") {
            names.push(self.name("the name of a value")?);
        }
        self.mark("=")?;
        if self.accept_word("loop") {
            return self.repeat(names, depth);
        }
        match names[..] {
            [name] => self.define(name),
            _ => Err(self.expected("`loop`, which alone defines several values")),
        }
    }

    fn store(&mut self) -> Result<Stmt, KirError> {
        let (buffer, at) = self.place()?;
        self.mark(",")?;
        let value = self.value()?;
        let lanes = self.lanes(self.kernel.ty(value))?;
        Ok(Stmt::Store {
            buffer,
            at,
            value,
            lanes,
        })
    }

    fn define(&mut self, name: &'t str) -> Result<Stmt, KirError> {
        let operation = self.peek();
        self.advance();
        let (op, ty) = match operation.text {
            "splat" => self.splat()?,
            "load" => {
                let ty = self.ty()?;
                let (buffer, at) = self.place()?;
                (
                    Op::Load {
                        buffer,
                        at,
                        lanes: self.lanes(ty)?,
                    },
                    ty,
                )
            }
            "load_splat" => {
                let ty = self.ty()?;
                let (buffer, at) = self.place()?;
                (Op::LoadSplat { buffer, at }, ty)
            }
            "add" => self.arithmetic(|[a, b]| Op::Add(a, b))?,
            "sub" => self.arithmetic(|[a, b]| Op::Sub(a, b))?,
            "mul" => self.arithmetic(|[a, b]| Op::Mul(a, b))?,
            "neg" => self.arithmetic(|[a]| Op::Neg(a))?,
            "fma" => self.arithmetic(|[a, b, c]| Op::Fma(a, b, c))?,
            "reduce" => {
                let (op, ty) = self.arithmetic(|[a]| Op::Reduce(a))?;
                (op, VecType::scalar(ty.elem))
            }
            _ => return Err(self.expected_at("an operation", operation)),
        };
        let value = self.new_value(name, ty);
        self.show(name, value);
        Ok(Stmt::Def { value, op })
    }

    /// `splat TYPE number` or `splat TYPE value`.
    fn splat(&mut self) -> Result<(Op, VecType), KirError> {
        let ty = self.ty()?;
        let at = self.peek();
        let negative = self.accept_mark("-");
        let token = self.peek();
        let is_special = matches!(token.text, "inf" | "nan");
        if token.kind == Kind::Word && !is_special && !negative {
            return Ok((Op::Splat(self.value()?), ty));
        }
        if token.kind != Kind::Number && !is_special {
            return Err(self.expected("a hex float, `inf`, `nan` or the name of a value"));
        }
        self.advance();
        let mut text = format!("{}{}", if negative { "-" } else { "" }, token.text);
        if token.text == "nan" && self.accept_mark(":") {
            text += ":";
            text += self.advance().text;
        }
        let number = hex_float::parse(&text).map_err(|reason| self.number(at, &text, reason))?;
        Ok((Op::Const(number), ty))
    }

    /// `N` operands; the result has the type of the first.
    fn arithmetic<const N: usize>(
        &mut self,
        make: impl FnOnce([Value; N]) -> Op,
    ) -> Result<(Op, VecType), KirError> {
        let mut operands = [Value(0); N];
        for (i, operand) in operands.iter_mut().enumerate() {
            if i > 0 {
                self.mark(",")?;
            }
            *operand = self.value()?;
        }
        Ok((make(operands), self.kernel.ty(operands[0])))
    }

    /// A loop, after its results and the word `loop`.
    fn repeat(&mut self, results: Vec<&'t str>, depth: usize) -> Result<Stmt, KirError> {
        if depth == PARSE_DEPTH {
            return Err(self.limit("the nesting of loops", PARSE_DEPTH as u64));
        }
        let counter = self.name("the name of a loop counter")?;
        self.word("in")?;
        let lo = self.bound()?;
        self.mark("..")?;
        let hi = self.bound()?;
        let carried = self.carries(&results)?;
        self.mark("{")?;
        let var = self.open_var(counter);
        let mut carried: Vec<Carry> = carried
            .into_iter()
            .map(|(name, carry)| {
                let inner = self.new_value(name, self.kernel.ty(carry.init));
                self.show(name, inner);
                Carry { inner, ..carry }
            })
            .collect();
        let body = self.block(depth + 1)?;
        if !carried.is_empty() {
            self.word("yield")?;
        }
        for (i, carry) in carried.iter_mut().enumerate() {
            if i > 0 {
                self.mark(",")?;
            }
            carry.next = self.value()?;
        }
        self.mark("}")?;
        self.close_var();
        for (name, carry) in results.iter().zip(&carried) {
            self.show(name, carry.result);
        }
        Ok(Stmt::Loop(Loop {
            var,
            lo,
            hi,
            carried,
            body,
        }))
    }

    /// `carry (inner = init, ...)`, one for each result; the results get their numbers.
    fn carries(&mut self, results: &[&'t str]) -> Result<Vec<(&'t str, Carry)>, KirError> {
        let mut carried = Vec::new();
        if results.is_empty() {
            return Ok(carried);
        }
        self.word("carry")?;
        self.mark("(")?;
        for (i, result) in results.iter().enumerate() {
            if i > 0 {
                self.mark(",")?;
            }
            let inner = self.name("the name of a carried value")?;
            self.mark("=")?;
            let init = self.value()?;
            let result = self.new_value(result, self.kernel.ty(init));
            carried.push((
                inner,
                Carry {
                    result,
                    inner: result,
                    init,
                    next: init,
                },
            ));
        }
        self.mark(")")?;
        Ok(carried)
    }

    fn bound(&mut self) -> Result<Bound, KirError> {
        match self.peek().kind {
            Kind::Word => Ok(Bound::Param(self.var()?)),
            _ => Ok(Bound::Const(self.signed_integer()?)),
        }
    }

    /// `buffer[address]`.
    fn place(&mut self) -> Result<(BufferId, Affine), KirError> {
        let buffer = self.buffer()?;
        self.mark("[")?;
        let mut at = Affine::default();
        for count in 0.. {
            let negative = if self.accept_mark("-") {
                true
            } else if count == 0 || self.accept_mark("+") {
                false
            } else if self.accept_mark("]") {
                break;
            } else {
                return Err(self.expected("`+`, `-` or `]`"));
            };
            if count == PARSE_TERMS {
                return Err(self.limit("the number of terms of an address", PARSE_TERMS as u64));
            }
            at = self.term(at, negative)?;
        }
        Ok((buffer, at))
    }

    /// `at` plus one term: `4`, `j` or `4*j`.
    fn term(&mut self, at: Affine, negative: bool) -> Result<Affine, KirError> {
        let token = self.peek();
        let too_large = "makes the address overflow 64 bits";
        let mut coefficient = if negative { -1 } else { 1 };
        if token.kind == Kind::Number {
            coefficient = self.magnitude(negative)?;
            if !self.accept_mark("*") {
                return match at.constant.checked_add(coefficient) {
                    Some(constant) => Ok(Affine { constant, ..at }),
                    None => Err(self.number(token, token.text, too_large)),
                };
            }
        }
        let var = self.var()?;
        match at.coefficient(var).checked_add(coefficient) {
            Some(_) => Ok(at.plus(var, coefficient)),
            None => Err(self.number(token, token.text, too_large)),
        }
    }

    /// `f64x8`, or `f64` for a scalar.
    fn ty(&mut self) -> Result<VecType, KirError> {
        let token = self.peek();
        let (elem, lanes) = token.text.split_at_checked(3).unwrap_or(("", ""));
        let elem = match elem {
            "f64" => Elem::F64,
            "f32" => Elem::F32,
            _ => return Err(self.expected("a type such as f64 or f32x8")),
        };
        let lanes = match lanes.strip_prefix('x') {
            Some(count) if count.bytes().all(|b| b.is_ascii_digit()) => count.parse().ok(),
            None if lanes.is_empty() => Some(1),
            _ => None,
        };
        let Some(lanes) = lanes else {
            return Err(self.expected("a type such as f64 or f32x8"));
        };
        self.advance();
        Ok(VecType { elem, lanes })
    }

    /// `lanes n`, else all lanes of the type.
    fn lanes(&mut self, ty: VecType) -> Result<u16, KirError> {
        match self.accept_word("lanes") {
            true => self.integer("a number of lanes"),
            false => Ok(ty.lanes),
        }
    }
}
