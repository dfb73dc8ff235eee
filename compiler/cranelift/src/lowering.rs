//! A kernel as a CLIF function of one argument, the slots.

use cranelift_codegen::ir::{
    AbiParam, Function, InstBuilder, MemFlagsData, Signature, UserFuncName, Value as Register,
    types,
};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use tdse_backend::{Pointers, Walk};
use tdse_kir::{BufferId, Kernel, Op, Param, Stmt, Value, Var};

use crate::chunk::Chunks;
use crate::run;

/// Size of a slot in bytes.
const SLOT: i32 = 8;

/// The CLIF of an admitted kernel.
pub(crate) fn function(kernel: &Kernel, isa: &dyn TargetIsa) -> Function {
    let mut signature = Signature::new(isa.default_call_conv());
    signature.params.push(AbiParam::new(types::I64));
    let mut function = Function::with_name_signature(UserFuncName::default(), signature);
    let mut context = FunctionBuilderContext::new();
    let mut lowering = Lowering::new(kernel, FunctionBuilder::new(&mut function, &mut context));
    lowering.enter();
    lowering.block(&kernel.body);
    lowering.clif.ins().return_(&[]);
    lowering.clif.seal_all_blocks();
    lowering.clif.finalize(isa.frontend_config());
    function
}

/// State of lowering one kernel.
pub(crate) struct Lowering<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) clif: FunctionBuilder<'a>,
    pub(crate) pointers: Pointers<Register>,
    /// Variables that have a value here.
    pub(crate) scope: Vec<Var>,
    /// Values that are +0 in every lane.
    pub(crate) zeros: Vec<Value>,
    indices: Vec<(Var, Register)>,
    /// Where the registers of each value stand in `registers`.
    first: Vec<usize>,
    registers: Vec<Register>,
}

impl<'a> Lowering<'a> {
    fn new(kernel: &'a Kernel, clif: FunctionBuilder<'a>) -> Self {
        let mut first = Vec::with_capacity(kernel.values.len());
        let mut total = 0;
        for info in &kernel.values {
            first.push(total);
            total += Chunks::of(info.ty).count;
        }
        Lowering {
            kernel,
            clif,
            pointers: Pointers::default(),
            scope: Vec::new(),
            zeros: Vec::new(),
            indices: Vec::new(),
            first,
            registers: vec![Register::from_u32(0); total],
        }
    }

    /// The first block: reads every slot.
    fn enter(&mut self) {
        let block = self.clif.create_block();
        self.clif.append_block_params_for_function_params(block);
        self.clif.switch_to_block(block);
        let slots = self.clif.block_params(block)[0];
        for (i, param) in self.kernel.params.iter().enumerate() {
            let flags = MemFlagsData::trusted();
            let value = self
                .clif
                .ins()
                .load(types::I64, flags, slots, i as i32 * SLOT);
            match param {
                Param::Buffer(_) => {
                    let buffer = BufferId(i as u32);
                    self.pointers.push(
                        Walk {
                            buffer,
                            terms: Vec::new(),
                        },
                        value,
                    );
                }
                Param::Index { var, .. } => {
                    self.scope.push(*var);
                    self.indices.push((*var, value));
                }
            }
        }
    }

    /// Lowers statements in order.
    pub(crate) fn block(&mut self, mut body: &[Stmt]) {
        while let Some(stmt) = body.first() {
            let run = run::leading_run(self.kernel, body);
            body = &body[run.len().max(1)..];
            match stmt {
                Stmt::Def {
                    value,
                    op: Op::Reduce(of),
                } => {
                    let sum = self.reduce(*of);
                    self.define(*value, 0, sum);
                }
                Stmt::Def { value, .. } => self.run(run, self.chunks(*value).count),
                Stmt::Store {
                    buffer,
                    at,
                    value,
                    lanes,
                } => {
                    self.store(*buffer, at, *value, *lanes);
                }
                Stmt::Loop(l) => self.repeat(l),
            }
        }
    }

    /// Lowers a run of operations on `count` registers each, register by register, or operation by
    /// operation where that keeps fewer values.
    fn run(&mut self, run: &[Stmt], count: usize) {
        for (value, op) in run.iter().filter_map(run::lane_wise) {
            if matches!(op, Op::Const(number) if number.to_bits() == 0) {
                self.zeros.push(value);
            }
        }
        if run::shares_elements(run) {
            for (value, op) in run.iter().filter_map(run::lane_wise) {
                (0..count).for_each(|chunk| self.part(value, op, chunk));
            }
            return;
        }
        for chunk in 0..count {
            for (value, op) in run.iter().filter_map(run::lane_wise) {
                self.part(value, op, chunk);
            }
        }
    }

    /// Defines register `chunk` of a value.
    fn part(&mut self, value: Value, op: &Op, chunk: usize) {
        let register = if chunk > 0 && run::uniform(op) {
            self.register(value, 0)
        } else {
            self.lane_op(value, op, chunk)
        };
        self.define(value, chunk, register);
    }

    /// How a value splits.
    pub(crate) fn chunks(&self, value: Value) -> Chunks {
        Chunks::of(self.kernel.ty(value))
    }

    /// Register `chunk` of a value that has been defined.
    pub(crate) fn register(&self, value: Value, chunk: usize) -> Register {
        self.registers[self.first[value.0 as usize] + chunk]
    }

    /// Notes which register is register `chunk` of a value.
    pub(crate) fn define(&mut self, value: Value, chunk: usize, register: Register) {
        self.registers[self.first[value.0 as usize] + chunk] = register;
    }

    /// The register of an index parameter.
    pub(crate) fn index(&mut self, var: Var) -> Register {
        match self.indices.iter().find(|i| i.0 == var) {
            Some(&(_, register)) => register,
            // The verifier admits index parameters only, as bounds and outside loops.
            None => self.clif.ins().iconst(types::I64, 0),
        }
    }

    /// `base + factor * index`, in bytes.
    pub(crate) fn advanced(&mut self, base: Register, index: Register, factor: i64) -> Register {
        let by = self.clif.ins().imul_imm_s(index, factor);
        self.clif.ins().iadd(base, by)
    }
}
