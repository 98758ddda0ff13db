//! From the typed tree to the automaton.
//!
//! Every expression of the tree becomes expressions without side effects over places; every side effect becomes an edge,
//! in an order of evaluation that C allows. Where C leaves the order open, gcc's at `-O0` on x86-64 is followed as far as
//! it is regular: operands from left to right, arguments from right to left, the place of a plain assignment before its
//! value, the value of a compound assignment before the place is read. A plain variable that is the left operand of
//! a commutative operator or a comparison is read after the right operand. An operand that was evaluated already and reads
//! what a later operand may write is saved in a temporary first.
//!
//! At function entry all locals are undefined. So a `Declare` edge stands only where the lifetime of a local may begin
//! again or where it is no scalar: a scalar that is declared without an initialiser in the outermost block of a function,
//! outside of loops and behind no label, has none. An initialised local has none either, as its initialisation
//! writes all of it.
//!
//! What is not modelled becomes an `Unsupported` step where it stands. Nothing here knows an analysis, or a front end
//! other than through [`tandem_syntax`].

mod assign;
mod atomic;
mod builtin;
mod call;
mod condition;
mod function;
mod graph;
mod initial;
mod jump;
mod local;
mod make;
mod mask;
mod object;
mod operator;
mod place;
mod pointer;
mod rounding;
mod scan;
mod sink;
mod statement;
mod switch;
mod value;

use std::collections::{HashMap, HashSet};

use tandem_base::{FastBuild, IdVec, Problem, SourceText, Span};
use tandem_syntax::Unit;
use tandem_syntax::ast as tree;
use tandem_syntax::types::{IntKind, Type, TypeId};

use crate::library::LibraryUse;
use crate::model::*;
use crate::source_flow::SourceFlow;
use function::Frame;
use mask::Masks;
use object::Object;
pub(crate) use scan::Scan;

/// Lowers a unit that has no errors. The problems are warnings.
pub(crate) fn lower(unit: Unit, source: SourceText, scan: Scan) -> (Program, Vec<Problem>) {
    let (program, problems, _) = lower_with_flow(unit, source, scan);
    (program, problems)
}

/// The same, with the steps of the source that became no edges.
pub(crate) fn lower_with_flow(mut unit: Unit, source: SourceText, scan: Scan) -> (Program, Vec<Problem>, SourceFlow) {
    let types = unit.take_types();
    let program = Program {
        source,
        types,
        variables: IdVec::new(),
        functions: IdVec::new(),
        nodes: IdVec::new(),
        edges: IdVec::new(),
        decisions: IdVec::new(),
        conditions: IdVec::new(),
        statements: Vec::new(),
        arena: Arena::default(),
        entry: None,
        library_use: LibraryUse::default(),
    };
    let mut lowering = Lowering::new(&unit, scan, program);
    lowering.unit();
    (lowering.program, lowering.problems, lowering.flow)
}

/// Types that lowering needs all the time.
#[derive(Clone, Copy)]
struct Known {
    void: TypeId,
    int: TypeId,
    char_pointer: TypeId,
    size: TypeId,
    difference: TypeId,
    unsigned_wide: TypeId,
}

type Map<K, V> = HashMap<K, V, FastBuild>;

/// The state of lowering one unit.
struct Lowering<'u> {
    unit: &'u Unit,
    scan: Scan,
    program: Program,
    problems: Vec<Problem>,
    flow: SourceFlow,
    known: Known,
    objects: Map<tree::DeclId, Object>,
    functions: Map<tree::DeclId, FunctionId>,
    /// Objects with linkage and functions, by name.
    object_names: HashMap<String, Object>,
    function_names: HashMap<String, FunctionId>,
    /// The variables of string literals, one for each literal of the source: whether equal ones share an address is not specified.
    strings: HashMap<(Span, TypeId, Vec<u8>), VariableId>,
    masks: Masks,
    /// Sizes of variable-length arrays that were computed where their declaration was reached.
    pinned: Map<tree::ExprId, ExprId>,
    /// Functions with a body.
    defined: HashSet<FunctionId, FastBuild>,
    /// The parameters of functions that are defined without a prototype.
    old_style: Map<FunctionId, Vec<TypeId>>,
    /// Functions that are other names of functions, by name.
    aliases: Vec<(String, String)>,
    /// Functions that run before or after `main`.
    outside_main: Vec<String>,
    /// Objects whose initialisers are not modelled: every use of one is a marked step.
    unmodelled: HashSet<VariableId, FastBuild>,
    /// Whether the address of such an object is the initial value of another one.
    unmodelled_escapes: bool,
    /// The variable that holds the rounding mode, if the program may set one.
    rounding_mode: Option<VariableId>,
    /// The function that is being lowered.
    here: Frame,
}

impl<'u> Lowering<'u> {
    fn new(unit: &'u Unit, scan: Scan, mut program: Program) -> Lowering<'u> {
        let types = &mut program.types;
        let void = types.intern(Type::Void);
        let char = types.int(IntKind::Char);
        let known = Known {
            void,
            int: types.int(IntKind::Int),
            char_pointer: types.pointer(char),
            size: types.size_type(),
            difference: types.difference_type(),
            unsigned_wide: types.int(IntKind::UnsignedInt128),
        };
        Lowering {
            unit,
            scan,
            program,
            problems: Vec::new(),
            flow: SourceFlow::default(),
            known,
            objects: Map::default(),
            functions: Map::default(),
            object_names: HashMap::new(),
            function_names: HashMap::new(),
            strings: HashMap::new(),
            masks: Masks::default(),
            pinned: Map::default(),
            defined: HashSet::default(),
            old_style: Map::default(),
            aliases: Vec::new(),
            outside_main: Vec::new(),
            unmodelled: HashSet::default(),
            unmodelled_escapes: false,
            rounding_mode: None,
            here: Frame::default(),
        }
    }

    /// Functions first, so that calls find them; then objects, whose initialisers may name each other; then bodies.
    fn unit(&mut self) {
        let all = self.unit.top_level();
        let mut defined = Vec::new();
        let mut objects = Vec::new();
        for id in all {
            let declaration = self.unit.declaration(id);
            if !declaration.is_function {
                objects.push(id);
                continue;
            }
            let function = self.declare_function(id, &declaration);
            if declaration.body.is_some() {
                self.defined.insert(function);
                if self.signature(function).is_some_and(|signature| signature.unprototyped) {
                    let types = declaration.parameters.iter().map(|id| self.unit.declaration(*id).ty).collect();
                    self.old_style.insert(function, types);
                }
                defined.push((function, declaration));
            }
        }
        self.resolve_aliases();
        let has_body = |name: &str| self.function_names.get(name).is_some_and(|id| self.defined.contains(id));
        let uses = LibraryUse::of(self.program.source.text(), has_body);
        // What rounds is replaced here, and looked up until then as if no mode were set.
        self.program.library_use = LibraryUse { sets_rounding: false, ..uses };
        for id in objects {
            self.object(id);
        }
        if uses.sets_rounding {
            self.find_rounding_mode();
        }
        for (function, declaration) in defined {
            self.define_function(function, &declaration);
        }
        self.program.library_use = uses;
        self.program.entry = self.program.function_named("main").filter(|f| self.program.functions[*f].body.is_some());
        self.program.seal();
    }
}
