//! Invariants as C expressions, for witnesses: formulas over start symbols, written with the names that mean these variables where the
//! loop stands. What cannot be written is left out, which makes an invariant weaker, never wrong.

use std::collections::{BTreeMap, HashMap};

use tandem_artifact::Invariant;
use tandem_artifact::gia::{Scope, scope_behind};
use tandem_cfa::types::{Field, Type, TypeId};
use tandem_cfa::{Callee, EdgeId, ExprKind, FunctionId, NodeId, Op as Step, Program, Scalar, VariableId, VariableKind};
use tandem_cpa::{Flow, Point};
use tandem_smt::c::{CType, CVariable, c_expression};
use tandem_smt::{Op, Sort, Term, TermMap, Terms};

use crate::cubes::cubes;
use crate::formula::Formulas;
use crate::store::{ObjectKey, StartKey};

/// Conjuncts of one invariant.
const MOST: usize = 24;
/// Characters of one conjunct.
const LENGTH: usize = 200;
/// Characters of a formula that is written as it is; longer ones are written as alternatives, if that is shorter.
const SHORT: usize = 400;
/// Characters of a formula at most.
const LONG: usize = 20_000;
/// Atoms that are left out of one formula at most.
const LEFT_OUT: usize = 8;

/// Which call the variables of a formula belong to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Calls on the stack, the outermost counted as one.
    pub depth: u32,
    /// Calls of the same function further out.
    pub instance: u32,
}

/// The invariant at the head of a loop where one of these holds, each in its frame; nothing if it says nothing in C.
pub fn render(program: &Program, formulas: &Formulas, node: NodeId, any_of: &[(Frame, Term)]) -> Option<Invariant> {
    let function = program.nodes[node].function;
    let body = program.functions[function].body.as_ref()?;
    let statement = body.loops.iter().find(|statement| statement.head == node)?;
    let mut texts: Vec<String> = Vec::new();
    for (frame, formula) in any_of {
        let names = Names { program, formulas, function, at: statement.span.lo, frame: *frame, reach: Reach::Plain };
        let text = names.text(*formula)?;
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    let value = match texts.as_slice() {
        [] => return None,
        [one] => one.clone(),
        _ => texts.iter().map(|text| format!("({text})")).collect::<Vec<_>>().join(" || "),
    };
    Some(Invariant { function, at: statement.span, value })
}

/// The formulas that hold at points, as invariants of the loops of the source: conjuncts that C can say, over
/// variables in scope, and that hold under every stack.
pub fn render_all(flow: &Flow<'_>, formulas: &Formulas, by_point: &BTreeMap<Point, Vec<Term>>) -> Vec<Invariant> {
    let program = flow.program;
    let mut by_node: BTreeMap<NodeId, Vec<(Point, &[Term])>> = BTreeMap::new();
    // Where the program starts at the head of a loop, the first visit is the end of no block.
    for (point, known) in by_point.iter().filter(|(point, _)| point.node != flow.start().node) {
        by_node.entry(point.node).or_default().push((*point, known));
    }
    let mut contexts = Contexts { program, known: HashMap::new() };
    let mut found = Vec::new();
    for (function, definition) in program.functions.enumerate().filter(|(_, function)| !function.is_library) {
        let Some(body) = &definition.body else { continue };
        for statement in &body.loops {
            let Some(points) = by_node.get(&statement.head) else { continue };
            // A stack under which the loop was not looked at may be one under which nothing of this holds.
            if contexts.of(function) != Some(points.len() as u64) {
                continue;
            }
            let names = |point: Point| {
                let depth = flow.stacks.depth(point.stack) as u32 + 1;
                let frame = Frame { depth, instance: flow.stacks.instance(point.stack) };
                Names { program, formulas, function, at: statement.span.lo, frame, reach: Reach::Plain }
            };
            if let Some(value) = common(points, names) {
                found.push(Invariant { function, at: statement.span, value });
            }
        }
    }
    found
}

/// A formula about a point in C, with names that mean its variables behind each of the edges; nothing if there are no such words.
pub fn text_at(flow: &Flow<'_>, formulas: &Formulas, point: Point, behind: &[EdgeId], formula: Term) -> Option<String> {
    let program = flow.program;
    let frame = Frame { depth: flow.stacks.depth(point.stack) as u32 + 1, instance: flow.stacks.instance(point.stack) };
    let mut said: Option<String> = None;
    for edge in behind {
        let Scope { function, at } = scope_behind(program, *edge);
        let names = Names { program, formulas, function, at, frame, reach: Reach::Wide };
        let text = c_expression(&formulas.terms, formula, &|symbol| names.variable(symbol))?;
        let fits = text.len() <= LENGTH && !text.contains('?') && said.as_ref().is_none_or(|before| *before == text);
        fits.then_some(())?;
        said = Some(text);
    }
    said
}

/// What is said at all of the points, in the same words.
fn common<'a>(points: &[(Point, &[Term])], names: impl Fn(Point) -> Names<'a>) -> Option<String> {
    let mut said: Option<Vec<String>> = None;
    for (point, known) in points {
        let names = names(*point);
        let here: Vec<String> =
            known.iter().filter_map(|formula| names.text(*formula)).filter(|text| text.len() <= LENGTH).collect();
        said = Some(match said {
            None => here,
            Some(before) => before.into_iter().filter(|text| here.contains(text)).collect(),
        });
    }
    let mut said = said?;
    said.sort_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
    said.dedup();
    said.truncate(MOST);
    match said.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        several => Some(several.iter().map(|text| format!("({text})")).collect::<Vec<_>>().join(" && ")),
    }
}

/// Whether a loop was looked at under every stack there is, if it was under so many.
pub fn is_everywhere(program: &Program, node: NodeId, stacks: usize) -> bool {
    let mut contexts = Contexts { program, known: HashMap::new() };
    contexts.of(program.nodes[node].function) == Some(stacks as u64)
}

/// In how many ways a function is called.
struct Contexts<'a> {
    program: &'a Program,
    known: HashMap<FunctionId, Option<u64>>,
}

impl Contexts<'_> {
    /// Nothing: there is no end of ways, or nobody knows them all.
    fn of(&mut self, function: FunctionId) -> Option<u64> {
        if let Some(known) = self.known.get(&function) {
            return *known;
        }
        // While it is being counted, another visit means recursion.
        self.known.insert(function, None);
        let count = self.count(function);
        self.known.insert(function, count);
        count
    }

    fn count(&mut self, function: FunctionId) -> Option<u64> {
        let program = self.program;
        let is_taken = program.arena.exprs().iter().any(|expr| expr.kind == ExprKind::Function(function));
        if is_taken {
            return None;
        }
        let mut sum = u64::from(program.entry == Some(function));
        for (id, edge) in program.edges.enumerate() {
            if matches!(&edge.op, Step::Call { callee: Callee::Direct(called), .. } if *called == function) {
                sum = sum.checked_add(self.of(program.function_of(id))?)?;
            }
        }
        Some(sum)
    }
}

/// An integer that has a name where a loop stands.
pub struct Visible {
    pub variable: VariableId,
    /// The bytes of it, if it is a field: offset and size.
    pub field: Option<(u64, u64)>,
    pub text: String,
    pub scalar: Scalar,
}

/// The integers that an invariant at this place may speak about: variables, and fields of variables.
pub fn visible(program: &Program, function: FunctionId, at: u32) -> Vec<Visible> {
    let types = &program.types;
    let mut found = Vec::new();
    for (variable, definition) in program.variables.enumerate() {
        let name = &definition.name;
        if name.is_empty() || name.contains('$') || lookup(program, function, at, name) != Some(variable) {
            continue;
        }
        let mut add = |text: String, field: Option<(u64, u64)>, ty| {
            let scalar = types.scalar(ty);
            let plain = |scalar: &Scalar| matches!(scalar, Scalar::Bool | Scalar::Int { bits: 8 | 16 | 32 | 64, .. });
            if let Some(scalar) = scalar.filter(plain) {
                found.push(Visible { variable, field, text, scalar });
            }
        };
        match types.get(definition.ty) {
            Type::Record(record) => {
                for field in types.records[*record].fields.iter().filter(|field| field.bits.is_none()) {
                    if let (Some(part), Some(size)) = (&field.name, types.size(field.ty)) {
                        add(format!("{name}.{part}"), Some((field.offset, size)), field.ty);
                    }
                }
            }
            _ => add(name.to_string(), None, definition.ty),
        }
    }
    found
}

/// The variable that a name means at a place: of those in scope, the one whose scope is the smallest.
fn lookup(program: &Program, function: FunctionId, at: u32, name: &str) -> Option<VariableId> {
    let visible = program.variables.enumerate().filter(|(_, variable)| {
        let here = variable.function.is_none_or(|owner| owner == function);
        let named = &*variable.name == name && variable.kind != VariableKind::StringLiteral;
        here && named && variable.scope.lo <= at && at < variable.scope.hi
    });
    visible.min_by_key(|(_, variable)| variable.scope.hi - variable.scope.lo).map(|(id, _)| id)
}

struct Names<'a> {
    program: &'a Program,
    formulas: &'a Formulas,
    function: FunctionId,
    /// Where the loop stands.
    at: u32,
    frame: Frame,
    reach: Reach,
}

/// What names may speak of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Variables in scope and their fields, as in witnesses for everybody.
    Plain,
    /// Also elements, fields of fields, and variables of the whole program that are declared further down.
    Wide,
}

impl Names<'_> {
    /// The formula in C, without what cannot be written; nothing if nothing is left.
    fn text(&self, formula: Term) -> Option<String> {
        let terms = &self.formulas.terms;
        let mut formula = formula;
        let mut left_out = 0;
        for atom in atoms(terms, formula) {
            // A choice between values is C, but not what readers of witnesses expect.
            let text = c_expression(terms, atom, &|symbol| self.variable(symbol));
            if text.is_none_or(|text| text.contains('?')) {
                left_out += 1;
                if left_out > LEFT_OUT {
                    return None;
                }
                // Whatever it is.
                let side = |value: bool| {
                    let map: TermMap = [(atom, terms.bool(value))].into_iter().collect();
                    terms.substitute(formula, &map)
                };
                formula = terms.or2(side(true), side(false));
            }
        }
        if terms.op(formula) == Op::True {
            return None;
        }
        let plain = c_expression(terms, formula, &|symbol| self.variable(symbol));
        if plain.as_ref().is_some_and(|text| text.len() <= SHORT) {
            return plain;
        }
        let texts = plain.into_iter().chain(self.alternatives(formula)).filter(|text| text.len() <= LONG);
        texts.min_by_key(String::len)
    }

    /// The formula as a list of alternatives; what all have in common comes first.
    fn alternatives(&self, formula: Term) -> Option<String> {
        let terms = &self.formulas.terms;
        let mut atoms = atoms(terms, formula);
        // Those about the same symbols are best neighbours.
        atoms.sort_by_cached_key(|atom| (terms.free_variables(&[*atom]), *atom));
        let cubes = cubes(terms, formula, &atoms)?;
        let mut literals = HashMap::new();
        for literal in cubes.iter().flatten() {
            let term = if literal.1 { atoms[literal.0] } else { terms.not(atoms[literal.0]) };
            let text = c_expression(terms, term, &|symbol| self.variable(symbol))?;
            literals.insert(*literal, text);
        }
        let common: Vec<(usize, bool)> = match cubes.split_first() {
            Some((first, rest)) => {
                first.iter().copied().filter(|literal| rest.iter().all(|cube| cube.contains(literal))).collect()
            }
            None => return None,
        };
        let product =
            |cube: &[(usize, bool)]| cube.iter().map(|literal| &*literals[literal]).collect::<Vec<_>>().join(" && ");
        let rest: Vec<String> = cubes
            .iter()
            .map(|cube| cube.iter().copied().filter(|literal| !common.contains(literal)).collect::<Vec<_>>())
            .map(|cube| product(&cube))
            .collect();
        let mut parts: Vec<String> = (!common.is_empty()).then(|| product(&common)).into_iter().collect();
        // An alternative that has nothing of its own makes the others superfluous.
        if rest.iter().all(|text| !text.is_empty()) {
            let any = rest.iter().map(|text| format!("({text})")).collect::<Vec<_>>().join(" || ");
            parts.push(if parts.is_empty() { any } else { format!("({any})") });
        }
        (!parts.is_empty()).then(|| parts.join(" && "))
    }

    fn variable(&self, symbol: u32) -> Option<CVariable> {
        let key = self.formulas.start_keys.get(&self.formulas.terms.constant(symbol))?;
        match *key {
            StartKey::Slot { depth, variable } => {
                let is_static = self.program.variables[variable].kind.is_static();
                (is_static || depth == self.frame.depth).then_some(())?;
                self.named(variable, None)
            }
            StartKey::Cell { object: ObjectKey::Static(variable), offset, size } => {
                self.named(variable, Some((offset, size)))
            }
            StartKey::Cell { object: ObjectKey::Local(variable, instance), offset, size } => {
                let own = self.program.variables[variable].function == Some(self.function);
                (own && instance == self.frame.instance).then_some(())?;
                self.named(variable, Some((offset, size)))
            }
            StartKey::Cell { object: ObjectKey::Heap(..), .. } | StartKey::Elements { .. } => None,
        }
    }

    /// The variable, or the bytes of it, if its name means it where the loop stands.
    fn named(&self, variable: VariableId, bytes: Option<(u64, u64)>) -> Option<CVariable> {
        let name = &self.program.variables[variable].name;
        let usable = !name.is_empty() && !name.contains('$');
        let here = lookup(self.program, self.function, self.at, name);
        let means = match (here, self.reach) {
            (None, Reach::Wide) => self.is_only_later(variable),
            _ => here == Some(variable),
        };
        (usable && means).then_some(())?;
        let ty = self.program.variables[variable].ty;
        let types = &self.program.types;
        let (text, ty) = match (types.get(ty), bytes) {
            (_, Some((offset, _))) if self.reach == Reach::Wide => self.part(name.to_string(), ty, offset)?,
            (Type::Record(record), Some((offset, _))) => {
                let record = &types.records[*record];
                let field = record.fields.iter().find(|field| field.offset == offset && field.bits.is_none())?;
                (format!("{name}.{}", field.name.as_ref()?), field.ty)
            }
            (_, Some((offset, _))) if offset != 0 => return None,
            _ => (name.to_string(), ty),
        };
        let scalar = types.scalar(ty)?;
        bytes.is_none_or(|(_, size)| size * 8 == u64::from(scalar.bits())).then_some(())?;
        let kind = match scalar {
            Scalar::Bool => CType::Integer { width: 8, signed: false },
            Scalar::Int { bits: width @ (8 | 16 | 32 | 64), signed } => CType::Integer { width, signed },
            Scalar::Int { .. } | Scalar::Float(_) | Scalar::Pointer { .. } => return None,
        };
        Some(CVariable { text, kind })
    }
}

impl Names<'_> {
    /// Whether it is the only variable of the whole program that has its name, and is declared behind the place.
    fn is_only_later(&self, variable: VariableId) -> bool {
        let is_wide = |id: VariableId| self.program.variables[id].function.is_none();
        let name = &self.program.variables[variable].name;
        let mut others =
            self.program.variables.enumerate().filter(|(id, other)| *id != variable && other.name == *name);
        is_wide(variable) && self.at < self.program.variables[variable].scope.lo && others.all(|(id, _)| !is_wide(id))
    }

    /// The innermost part of an object of this type at this offset, and its type.
    fn part(&self, text: String, ty: TypeId, offset: u64) -> Option<(String, TypeId)> {
        let types = &self.program.types;
        match types.get(ty) {
            Type::Record(record) => {
                let mut fields = types.records[*record].fields.iter().filter(|field| field.bits.is_none());
                let is_in = |field: &&Field| {
                    types.size(field.ty).is_some_and(|length| field.offset <= offset && offset < field.offset + length)
                };
                let field = fields.find(is_in)?;
                self.part(format!("{text}.{}", field.name.as_ref()?), field.ty, offset - field.offset)
            }
            Type::Array { element, .. } => {
                let length = types.size(*element).filter(|length| *length > 0)?;
                self.part(format!("{text}[{}]", offset / length), *element, offset % length)
            }
            _ => (offset == 0).then_some((text, ty)),
        }
    }
}

/// The conditions that a formula combines.
fn atoms(terms: &Terms, formula: Term) -> Vec<Term> {
    let mut found = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut open = vec![formula];
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        let args = terms.args(term);
        match args.iter().all(|arg| terms.sort(*arg) == Sort::Bool) && !args.is_empty() {
            true => open.extend(args),
            false if matches!(terms.op(term), Op::True | Op::False) => {}
            false => found.push(term),
        }
    }
    found
}
