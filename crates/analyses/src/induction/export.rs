//! Invariants as C: what holds at the heads of loops, in the words of the program. What has no such words is left out.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use tandem_artifact::Invariant;
use tandem_base::{Budget, Span};
use tandem_cfa::{FunctionId, LoopStatement, NodeId, Program, Scalar, VariableId, VariableKind};
use tandem_cpa::{Flow, Point};
use tandem_smt::c::{CType, CVariable, c_expression};
use tandem_smt::{Answer, Op, Solver, Term, Terms};

use super::ByPoint;
use crate::store::{ObjectKey, StartKey};

/// Invariants of one loop that are kept.
const MOST: usize = 30;
/// Longer ones are for nobody.
const LENGTH: usize = 160;
/// How long is looked for invariants that follow from others.
const PRUNING: Duration = Duration::from_millis(300);

/// The invariants of loop statements. A loop that is met under several stacks of calls has what holds under all of them.
pub fn invariants<'k>(
    flow: &Flow<'_>,
    terms: &Terms,
    keys: impl Iterator<Item = (&'k Term, &'k StartKey)>,
    by_point: &ByPoint,
    solver: &mut dyn Solver,
) -> Vec<Invariant> {
    let soon = Budget::with_time(PRUNING);
    let mut symbols: HashMap<u32, StartKey> = HashMap::new();
    for (term, key) in keys {
        if let Op::Variable(symbol) = terms.op(*term) {
            symbols.insert(symbol, *key);
        }
    }
    let mut by_node: BTreeMap<NodeId, Vec<String>> = BTreeMap::new();
    for (point, formulas) in by_point {
        let function = flow.function(point.stack);
        let Some(place) = loop_at(flow.program, function, point.node) else { continue };
        let writer = Writer { flow, symbols: &symbols, point: *point, function, at: scope(flow.program, place) };
        let written = formulas.iter().filter_map(|formula| Some((*formula, writer.text(terms, *formula)?)));
        let mut written: Vec<(Term, String)> = written.collect();
        written.sort_by_key(|(_, text)| text.len());
        // Under several stacks other ones may be left each time, and none in all of them.
        if by_point.keys().filter(|other| other.node == point.node).count() == 1 {
            prune(terms, &mut written, solver, &soon);
        }
        let texts: Vec<String> = written.into_iter().map(|(_, text)| text).collect();
        match by_node.get_mut(&point.node) {
            Some(known) => known.retain(|text| texts.contains(text)),
            None => drop(by_node.insert(point.node, texts)),
        }
    }
    let mut all = Vec::new();
    for (node, mut texts) in by_node {
        let function = flow.program.nodes[node].function;
        let Some(place) = loop_at(flow.program, function, node) else { continue };
        texts.dedup();
        texts.truncate(MOST);
        all.extend(texts.into_iter().map(|value| Invariant { function, at: place.span, value }));
    }
    all
}

/// Drops what follows from the rest, the longest first.
fn prune(terms: &Terms, written: &mut Vec<(Term, String)>, solver: &mut dyn Solver, budget: &Budget) {
    let mut index = written.len();
    while index > 0 && budget.exhausted().is_none() {
        index -= 1;
        let rest = written.iter().enumerate().filter(|(other, _)| *other != index);
        let mut question: Vec<Term> = rest.map(|(_, (term, _))| *term).collect();
        question.push(terms.not(written[index].0));
        if solver.check(&question, budget) == Answer::Unsat {
            written.remove(index);
        }
    }
}

fn loop_at(program: &Program, function: FunctionId, node: NodeId) -> Option<&LoopStatement> {
    let function = &program.functions[function];
    let body = function.body.as_ref().filter(|_| !function.is_library)?;
    body.loops.iter().find(|statement| statement.head == node)
}

/// The byte whose scope counts: that of the controlling expression.
fn scope(program: &Program, place: &LoopStatement) -> u32 {
    let decision = program.decisions.iter().find(|decision| decision.statement == place.span);
    decision.map_or(place.span.lo, |decision| decision.span.lo)
}

struct Writer<'a> {
    flow: &'a Flow<'a>,
    symbols: &'a HashMap<u32, StartKey>,
    point: Point,
    function: FunctionId,
    at: u32,
}

impl Writer<'_> {
    fn text(&self, terms: &Terms, formula: Term) -> Option<String> {
        let name = |symbol: u32| self.variable(*self.symbols.get(&symbol)?);
        c_expression(terms, formula, &name).filter(|text| text.len() <= LENGTH && text != "1")
    }

    fn variable(&self, key: StartKey) -> Option<CVariable> {
        let program = self.flow.program;
        let id = match key {
            StartKey::Slot { variable, depth } => {
                let is_here = program.variables[variable].kind.is_static()
                    || depth as usize == self.flow.stacks.depth(self.point.stack) + 1;
                is_here.then_some(variable)?
            }
            StartKey::Cell { object: ObjectKey::Static(variable), offset: 0, size } => {
                (program.types.size(program.variables[variable].ty) == Some(size)).then_some(variable)?
            }
            StartKey::Cell { .. } | StartKey::Elements { .. } => return None,
        };
        let variable = &program.variables[id];
        let is_own = variable.kind.is_static() || variable.function == Some(self.function);
        if !is_own || !self.is_named(id) {
            return None;
        }
        let kind = match program.types.scalar(variable.ty)? {
            Scalar::Int { bits: width, signed } => CType::Integer { width, signed },
            Scalar::Bool | Scalar::Pointer { .. } | Scalar::Float(_) => return None,
        };
        Some(CVariable { text: variable.name.to_string(), kind })
    }

    /// Whether the name means this variable at the place, and no other.
    fn is_named(&self, id: VariableId) -> bool {
        let program = self.flow.program;
        let here = Span::new(self.at, self.at + 1);
        let variable = &program.variables[id];
        let is_plain = match variable.kind {
            VariableKind::Temporary | VariableKind::StringLiteral => false,
            VariableKind::Global
            | VariableKind::External
            | VariableKind::Static
            | VariableKind::Parameter
            | VariableKind::Local => !variable.name.contains('$') && !variable.name.is_empty(),
        };
        let hides = |other: VariableId| {
            let candidate = &program.variables[other];
            other != id && candidate.name == variable.name && candidate.scope.contains(here)
        };
        is_plain && variable.scope.contains(here) && !program.variables.ids().any(hides)
    }
}
