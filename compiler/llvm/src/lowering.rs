//! A kernel as an LLVM function of one argument, the slots.

use inkwell::AddressSpace;
use inkwell::attributes::AttributeLoc;
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::Context;
use inkwell::intrinsics::Intrinsic;
use inkwell::module::Module;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{
    BasicMetadataValueEnum, BasicValueEnum, FunctionValue, IntValue, PointerValue,
};
use tdse_backend::{Pointers, Walk};
use tdse_isa::{Level, Preference};
use tdse_kir::{BufferId, Kernel, Op, Param, Stmt, Value, Var};

use crate::chunk::Chunks;
use crate::pointer;
use crate::target;

/// Name of the function in the object.
pub(crate) const FUNCTION: &str = "kernel";

/// Size of a slot in bytes.
const SLOT: i64 = 8;

/// What went wrong while IR was written; a defect of this crate or of LLVM.
#[derive(Debug)]
pub(crate) struct Broken(pub(crate) String);

impl From<BuilderError> for Broken {
    fn from(error: BuilderError) -> Self {
        Broken(error.to_string())
    }
}

/// What writing IR gives.
pub(crate) type Written<T> = Result<T, Broken>;

/// A register of a virtual vector: a scalar when it has one lane.
pub(crate) type Register<'ctx> = BasicValueEnum<'ctx>;

/// The IR of an admitted kernel.
pub(crate) fn module<'ctx>(
    kernel: &Kernel,
    context: &'ctx Context,
    level: Level,
    width: Preference,
) -> Written<Module<'ctx>> {
    let module = context.create_module(FUNCTION);
    let pointer = context.ptr_type(AddressSpace::default());
    let signature = context.void_type().fn_type(&[pointer.into()], false);
    let function = module.add_function(FUNCTION, signature, None);
    let register_bytes = target::register_bytes(level, width);
    for (key, value) in attributes(register_bytes) {
        let attribute = context.create_string_attribute(key, &value);
        function.add_attribute(AttributeLoc::Function, attribute);
    }
    let nounwind = inkwell::attributes::Attribute::get_named_enum_kind_id("nounwind");
    let nounwind = context.create_enum_attribute(nounwind, 0);
    function.add_attribute(AttributeLoc::Function, nounwind);
    let mut lowering = Lowering::new(kernel, context, &module, function);
    lowering.register_bytes = register_bytes;
    lowering.masks = target::has_masks(level);
    lowering.place_values();
    lowering.enter()?;
    lowering.block(&kernel.body)?;
    lowering.ir.build_return(None)?;
    // What it would find is a defect of this crate, which tests find.
    if cfg!(debug_assertions) {
        module.verify().map_err(|e| Broken(e.to_string()))?;
    }
    Ok(module)
}

/// No frame pointer; no type wider than the registers asked for is legal; a frame of more than a
/// page is touched page by page, so that a short stack ends at its guard page.
fn attributes(register_bytes: usize) -> [(&'static str, String); 4] {
    let bits = 8 * register_bytes;
    [
        ("frame-pointer", "none".into()),
        ("min-legal-vector-width", bits.to_string()),
        ("prefer-vector-width", bits.to_string()),
        ("probe-stack", "inline-asm".into()),
    ]
}

/// State of lowering one kernel.
pub(crate) struct Lowering<'a, 'ctx> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) context: &'ctx Context,
    pub(crate) module: &'a Module<'ctx>,
    pub(crate) function: FunctionValue<'ctx>,
    pub(crate) ir: Builder<'ctx>,
    pub(crate) pointers: Pointers<PointerValue<'ctx>>,
    /// Variables that have a value here.
    pub(crate) scope: Vec<Var>,
    /// Whether loads and stores can mask lanes.
    pub(crate) masks: bool,
    register_bytes: usize,
    indices: Vec<(Var, IntValue<'ctx>)>,
    /// Where the registers of each value stand in `registers`.
    first: Vec<usize>,
    registers: Vec<Register<'ctx>>,
}

impl<'a, 'ctx> Lowering<'a, 'ctx> {
    fn new(
        kernel: &'a Kernel,
        context: &'ctx Context,
        module: &'a Module<'ctx>,
        function: FunctionValue<'ctx>,
    ) -> Self {
        Lowering {
            kernel,
            context,
            module,
            function,
            ir: context.create_builder(),
            pointers: Pointers::default(),
            scope: Vec::new(),
            masks: false,
            register_bytes: 16,
            indices: Vec::new(),
            first: Vec::new(),
            registers: Vec::new(),
        }
    }

    /// Makes room for the registers of every value.
    fn place_values(&mut self) {
        let mut total = 0;
        for info in &self.kernel.values {
            self.first.push(total);
            total += Chunks::of(info.ty, self.register_bytes).count;
        }
        let none = self.context.f64_type().get_poison();
        self.registers = vec![none.into(); total];
    }

    /// The first block: reads every slot.
    fn enter(&mut self) -> Written<()> {
        let block = self.context.append_basic_block(self.function, "");
        self.ir.position_at_end(block);
        let slots = self
            .function
            .get_first_param()
            .ok_or_else(|| Broken("the function has no parameter".into()))?
            .into_pointer_value();
        let pointer = self.context.ptr_type(AddressSpace::default());
        for (i, param) in self.kernel.params.iter().enumerate() {
            let slot = self.displaced(slots, i as i64 * SLOT)?;
            match param {
                Param::Buffer(_) => {
                    let walk = Walk {
                        buffer: BufferId(i as u32),
                        terms: Vec::new(),
                    };
                    let start = self.ir.build_load(pointer, slot, "")?;
                    self.pointers.push(walk, start.into_pointer_value());
                }
                Param::Index { var, .. } => {
                    let index = self.ir.build_load(self.context.i64_type(), slot, "")?;
                    self.scope.push(*var);
                    self.indices.push((*var, index.into_int_value()));
                }
            }
        }
        Ok(())
    }

    /// Lowers statements in order.
    pub(crate) fn block(&mut self, body: &[Stmt]) -> Written<()> {
        for stmt in body {
            match stmt {
                Stmt::Def {
                    value,
                    op: Op::Reduce(of),
                } => {
                    let sum = self.reduce(*of)?;
                    self.define(*value, 0, sum);
                }
                Stmt::Def { value, op } => self.lane_wise(*value, op)?,
                Stmt::Store {
                    buffer,
                    at,
                    value,
                    lanes,
                } => self.store(*buffer, at, *value, *lanes)?,
                Stmt::Loop(l) => self.repeat(l)?,
            }
        }
        Ok(())
    }

    /// How a value splits.
    pub(crate) fn chunks(&self, value: Value) -> Chunks {
        Chunks::of(self.kernel.ty(value), self.register_bytes)
    }

    /// Register `chunk` of a value that has been defined.
    pub(crate) fn register(&self, value: Value, chunk: usize) -> Register<'ctx> {
        self.registers[self.first[value.0 as usize] + chunk]
    }

    /// Notes which register is register `chunk` of a value.
    pub(crate) fn define(&mut self, value: Value, chunk: usize, register: Register<'ctx>) {
        self.registers[self.first[value.0 as usize] + chunk] = register;
    }

    /// The register of an index parameter.
    pub(crate) fn index(&self, var: Var) -> IntValue<'ctx> {
        let found = self.indices.iter().find(|i| i.0 == var);
        // The verifier admits index parameters only, as bounds and outside loops.
        found.map_or_else(|| self.integer(0), |i| i.1)
    }

    /// A 64-bit constant.
    pub(crate) fn integer(&self, value: i64) -> IntValue<'ctx> {
        self.context.i64_type().const_int(value as u64, true)
    }

    /// `pointer + bytes`.
    pub(crate) fn displaced(
        &self,
        pointer: PointerValue<'ctx>,
        bytes: i64,
    ) -> Written<PointerValue<'ctx>> {
        if bytes == 0 {
            return Ok(pointer);
        }
        let bytes = self.integer(bytes);
        Ok(pointer::displaced(&self.ir, self.context, pointer, bytes)?)
    }

    /// `pointer + factor * index`, in bytes.
    pub(crate) fn advanced(
        &self,
        pointer: PointerValue<'ctx>,
        index: IntValue<'ctx>,
        factor: i64,
    ) -> Written<PointerValue<'ctx>> {
        let by = self.ir.build_int_mul(index, self.integer(factor), "")?;
        Ok(pointer::displaced(&self.ir, self.context, pointer, by)?)
    }

    /// Calls an intrinsic; the code generator must have instructions for it.
    pub(crate) fn intrinsic(
        &self,
        name: &str,
        types: &[BasicTypeEnum<'ctx>],
        arguments: &[BasicMetadataValueEnum<'ctx>],
    ) -> Written<Option<BasicValueEnum<'ctx>>> {
        let function = Intrinsic::find(name).and_then(|i| i.get_declaration(self.module, types));
        let function = function.ok_or_else(|| Broken(format!("this LLVM has no {name}")))?;
        let call = self.ir.build_call(function, arguments, "")?;
        Ok(call.try_as_basic_value().basic())
    }
}
