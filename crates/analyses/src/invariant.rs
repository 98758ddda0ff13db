//! Invariants as C expressions, for witnesses: formulas over start symbols, written with the names that mean these variables where the
//! loop stands. What cannot be written is left out, which makes an invariant weaker, never wrong.

use std::collections::{BTreeMap, HashMap};

use tandem_artifact::Invariant;
use tandem_artifact::gia::{Scope, scope_behind};
use tandem_cfa::types::Type;
use tandem_cfa::{Callee, EdgeId, ExprKind, FunctionId, NodeId, Op as Step, Program, Scalar, VariableId, VariableKind};
use tandem_cpa::{Flow, Point};
use tandem_smt::c::{CType, CVariable, c_expression};
use tandem_smt::{Op, Sort, Term, TermMap, Terms};

use crate::formula::Formulas;
use crate::store::{ObjectKey, StartKey};

/// Conjuncts of one invariant.
const MOST: usize = 24;
/// Characters of one conjunct.
const LENGTH: usize = 200;
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
        let names = Names { program, formulas, function, at: statement.span.lo, frame: *frame };
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
                Names { program, formulas, function, at: statement.span.lo, frame }
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
        let names = Names { program, formulas, function, at, frame };
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

struct Names<'a> {
    program: &'a Program,
    formulas: &'a Formulas,
    function: FunctionId,
    /// Where the loop stands.
    at: u32,
    frame: Frame,
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
        match terms.op(formula) {
            Op::True => None,
            _ => c_expression(terms, formula, &|symbol| self.variable(symbol)),
        }
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
        (usable && self.lookup(name) == Some(variable)).then_some(())?;
        let ty = self.program.variables[variable].ty;
        let types = &self.program.types;
        let (text, ty) = match (types.get(ty), bytes) {
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

    /// The variable that a name means where the loop stands: of those in scope, the one whose scope is the smallest.
    fn lookup(&self, name: &str) -> Option<VariableId> {
        let visible = self.program.variables.enumerate().filter(|(_, variable)| {
            let here = variable.function.is_none_or(|function| function == self.function);
            let named = &*variable.name == name && variable.kind != VariableKind::StringLiteral;
            here && named && variable.scope.lo <= self.at && self.at < variable.scope.hi
        });
        visible.min_by_key(|(_, variable)| variable.scope.hi - variable.scope.lo).map(|(id, _)| id)
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
