//! The rules of the verifier: one name and one number each, and one passing and one failing file
//! in `filetests/verifier/`.

use std::fmt;

/// A rule of the verifier; docs/kernel-ir.md has the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// Operand and result types agree with the operation and with the buffer.
    Types,
    /// Lane counts of types are powers of two, at most [`crate::MAX_LANES`].
    VectorLanes,
    /// A value is defined once, under a name of its own, numbered in the order of the text.
    SingleDefinition,
    /// A value is used only after its definition, and only inside the loop that defines it.
    DefinitionScope,
    /// The four values of a carry have one type.
    CarryTypes,
    /// Addresses name variables in scope, ascending, once each, with coefficients other than 0.
    IndexScope,
    /// Every element accessed lies in its buffer, for all values of the variables.
    AddressBounds,
    /// A declared alignment is a power of two, at least the element size, at most
    /// [`crate::limits::MAX_ALIGN`].
    Alignment,
    /// Loads only from buffers that may be read.
    LoadAccess,
    /// Stores only to buffers that may be written.
    StoreAccess,
    /// Every element of a writeonly buffer is written exactly once.
    WriteOnce,
    /// Loop bounds and index ranges are ordered and bounded.
    LoopBounds,
    /// A loop bound is a constant or an index parameter.
    LoopBoundParam,
    /// The work of one call is bounded by [`crate::limits::MAX_WORK`].
    WorkBound,
    /// The class `separate` has no `fma`.
    Contraction,
    /// The order of the class is possible: partials are a power of two, `elementwise` sums nothing,
    /// `sequential` reduces nothing and writes only what it may read.
    ClassOrder,
    /// Constants are representable in their element type.
    ConstantExact,
    /// An extent is 1 to [`crate::limits::MAX_EXTENT`].
    Extent,
    /// Names in scope differ from one another.
    UniqueNames,
    /// Names are short identifiers, no words of the text form.
    NameForm,
    /// A load or store touches 1 to all lanes of its type.
    LaneCount,
    /// Parameters, values, statements and nesting are within [`crate::limits`].
    SizeLimit,
}

impl Rule {
    /// Every rule, in the order of the codes.
    pub const ALL: [Rule; 22] = [
        Rule::Types,
        Rule::VectorLanes,
        Rule::SingleDefinition,
        Rule::DefinitionScope,
        Rule::CarryTypes,
        Rule::IndexScope,
        Rule::AddressBounds,
        Rule::Alignment,
        Rule::LoadAccess,
        Rule::StoreAccess,
        Rule::WriteOnce,
        Rule::LoopBounds,
        Rule::LoopBoundParam,
        Rule::WorkBound,
        Rule::Contraction,
        Rule::ClassOrder,
        Rule::ConstantExact,
        Rule::Extent,
        Rule::UniqueNames,
        Rule::NameForm,
        Rule::LaneCount,
        Rule::SizeLimit,
    ];

    /// The stable number.
    pub const fn code(self) -> u32 {
        6401 + self as u32
    }

    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Rule::Types => "types",
            Rule::VectorLanes => "vector_lanes",
            Rule::SingleDefinition => "single_definition",
            Rule::DefinitionScope => "definition_scope",
            Rule::CarryTypes => "carry_types",
            Rule::IndexScope => "index_scope",
            Rule::AddressBounds => "address_bounds",
            Rule::Alignment => "alignment",
            Rule::LoadAccess => "load_access",
            Rule::StoreAccess => "store_access",
            Rule::WriteOnce => "write_once",
            Rule::LoopBounds => "loop_bounds",
            Rule::LoopBoundParam => "loop_bound_param",
            Rule::WorkBound => "work_bound",
            Rule::Contraction => "contraction",
            Rule::ClassOrder => "class_order",
            Rule::ConstantExact => "constant_exact",
            Rule::Extent => "extent",
            Rule::UniqueNames => "unique_names",
            Rule::NameForm => "name_form",
            Rule::LaneCount => "lane_count",
            Rule::SizeLimit => "size_limit",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
