//! The parser's position in the text and the names it knows there.

use std::collections::HashMap;

use super::lexer::{Kind, Lexer, Token, short};
use crate::error::KirError;
use crate::ir::{BufferId, Kernel, Param, Value, ValueInfo, Var, VecType};

/// One token ahead of the lexer, with the kernel read so far.
pub(super) struct Reader<'t> {
    lexer: Lexer<'t>,
    ahead: Option<Token<'t>>,
    pub(super) kernel: Kernel,
    values: HashMap<&'t str, Value>,
    /// Index parameters, then the counters of the open loops.
    vars: Vec<(&'t str, Var)>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(lexer: Lexer<'t>, kernel: Kernel) -> Self {
        Reader {
            lexer,
            ahead: None,
            kernel,
            values: HashMap::new(),
            vars: Vec::new(),
        }
    }

    /// Takes the kernel read, and forgets its names.
    pub(super) fn close(&mut self, empty: Kernel) -> Kernel {
        self.values.clear();
        self.vars.clear();
        std::mem::replace(&mut self.kernel, empty)
    }

    pub(super) fn peek(&mut self) -> Token<'t> {
        let lexer = &mut self.lexer;
        *self.ahead.get_or_insert_with(|| lexer.next())
    }

    pub(super) fn advance(&mut self) -> Token<'t> {
        let token = self.peek();
        self.ahead = None;
        token
    }

    /// `kernel NAME`.
    pub(super) fn kernel_name(&mut self) -> Result<&'t str, KirError> {
        self.word("kernel")?;
        let token = self.lexer.next_kernel_name();
        match token.kind {
            Kind::Word => Ok(token.text),
            _ => Err(self.lexer.expected("the name of the kernel", token)),
        }
    }

    pub(super) fn is_word(&mut self, word: &str) -> bool {
        let token = self.peek();
        token.kind == Kind::Word && token.text == word
    }

    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.ahead = None;
        }
        found
    }

    pub(super) fn word(&mut self, word: &str) -> Result<(), KirError> {
        match self.accept_word(word) {
            true => Ok(()),
            false => Err(self.expected(format!("`{word}`"))),
        }
    }

    pub(super) fn accept_mark(&mut self, mark: &str) -> bool {
        let token = self.peek();
        let found = token.kind == Kind::Mark && token.text == mark;
        if found {
            self.ahead = None;
        }
        found
    }

    pub(super) fn mark(&mut self, mark: &str) -> Result<(), KirError> {
        match self.accept_mark(mark) {
            true => Ok(()),
            false => Err(self.expected(format!("`{mark}`"))),
        }
    }

    /// A word that is free to be a name.
    pub(super) fn name(&mut self, what: &str) -> Result<&'t str, KirError> {
        let token = self.peek();
        if token.kind != Kind::Word || crate::words::RESERVED.contains(&token.text) {
            return Err(self.expected(what));
        }
        Ok(self.advance().text)
    }

    /// An unsigned decimal integer.
    pub(super) fn integer<T: std::str::FromStr>(&mut self, what: &str) -> Result<T, KirError> {
        let token = self.peek();
        if token.kind != Kind::Number {
            return Err(self.expected(what));
        }
        self.advance();
        token
            .text
            .parse()
            .map_err(|_| self.number(token, token.text, "is no integer of this range"))
    }

    /// A decimal integer with an optional `-`.
    pub(super) fn signed_integer(&mut self) -> Result<i64, KirError> {
        let negative = self.accept_mark("-");
        self.magnitude(negative)
    }

    /// The digits of an integer whose sign has been read.
    pub(super) fn magnitude(&mut self, negative: bool) -> Result<i64, KirError> {
        let token = self.peek();
        let magnitude = i128::from(self.integer::<u64>("an integer")?);
        let value = if negative { -magnitude } else { magnitude };
        i64::try_from(value).map_err(|_| self.number(token, token.text, "does not fit 64 bits"))
    }

    /// Starts an index variable of this name.
    pub(super) fn open_var(&mut self, name: &'t str) -> Var {
        let var = Var(self.kernel.vars.len() as u32);
        self.kernel.vars.push(name.into());
        self.vars.push((name, var));
        var
    }

    /// Ends the newest index variable.
    pub(super) fn close_var(&mut self) {
        self.vars.pop();
    }

    /// The index variable of the next name; the innermost one of that name.
    pub(super) fn var(&mut self) -> Result<Var, KirError> {
        let token = self.peek();
        let name = self.name("an index variable")?;
        let found = self.vars.iter().rev().find(|known| known.0 == name);
        found
            .map(|known| known.1)
            .ok_or_else(|| self.undefined(token, "index variable"))
    }

    /// The buffer of the next name.
    pub(super) fn buffer(&mut self) -> Result<BufferId, KirError> {
        let token = self.peek();
        let name = self.name("the name of a buffer")?;
        let is_named = |p: &Param| matches!(p, Param::Buffer(b) if b.name == name);
        let found = self.kernel.params.iter().position(is_named);
        found
            .map(|i| BufferId(i as u32))
            .ok_or_else(|| self.undefined(token, "buffer"))
    }

    /// Numbers a new value; [`Reader::show`] makes it visible.
    pub(super) fn new_value(&mut self, name: &str, ty: VecType) -> Value {
        let value = Value(self.kernel.values.len() as u32);
        self.kernel.values.push(ValueInfo {
            name: name.into(),
            ty,
        });
        value
    }

    /// Makes a value visible to the text that follows, in place of an earlier one of its name.
    pub(super) fn show(&mut self, name: &'t str, value: Value) {
        self.values.insert(name, value);
    }

    /// The value of the next name.
    pub(super) fn value(&mut self) -> Result<Value, KirError> {
        let token = self.peek();
        let name = self.name("the name of a value")?;
        self.values
            .get(name)
            .copied()
            .ok_or_else(|| self.undefined(token, "value"))
    }

    /// The error that something else was expected where the reader stands.
    pub(super) fn expected(&mut self, expected: impl Into<String>) -> KirError {
        let found = self.peek();
        self.lexer.expected(expected, found)
    }

    /// The same, of a token that was read already.
    pub(super) fn expected_at(&self, expected: &str, found: Token) -> KirError {
        self.lexer.expected(expected, found)
    }

    pub(super) fn number(&self, at: Token, found: &str, reason: &'static str) -> KirError {
        let (line, column) = self.lexer.position(at.offset);
        KirError::Number {
            line,
            column,
            found: short(found),
            reason,
        }
    }

    pub(super) fn limit(&mut self, what: &'static str, limit: u64) -> KirError {
        let at = self.peek();
        let (line, column) = self.lexer.position(at.offset);
        KirError::TextLimit {
            line,
            column,
            what,
            limit,
        }
    }

    fn undefined(&self, at: Token, kind: &'static str) -> KirError {
        let (line, column) = self.lexer.position(at.offset);
        KirError::UndefinedName {
            line,
            column,
            kind,
            found: short(at.text),
        }
    }
}
