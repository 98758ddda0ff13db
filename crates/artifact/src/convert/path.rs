//! A run of the interpreter as a path that is reached: its edges, with the inputs it took as conditions.

use std::fmt;

use tandem_cfa::exec::{EventKind, Input, InputSource, Run};
use tandem_cfa::expression::Names;
use tandem_cfa::{Callee, EdgeId, ExprKind, Op, PlaceKind, Program, VariableId};

use super::value::equal;
use crate::gia::{EdgeSet, Gia, GiaBuilder, GuardId, Mark, Subject, Target, guard_formula, is_path_step};

/// Why a run is no path of an automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoPath {
    /// The path was not recorded, or not to its end.
    NotRecorded,
    /// It reaches no target.
    NoTarget,
    /// What happened depends on the addresses that the interpreter chose.
    Addresses,
    /// An input that no C condition behind this edge can ask for.
    Unnamed(EdgeId),
}

impl fmt::Display for NoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoPath::NotRecorded => "the path of the run was not recorded to its end",
            NoPath::NoTarget => "the run reaches no target",
            NoPath::Addresses => "what the run does depends on addresses",
            NoPath::Unnamed(_) => "the run takes an input that no condition can name",
        })
    }
}

impl std::error::Error for NoPath {}

/// The automaton with one path that is reached: that of the run, up to the last target on it. Every state of the program that meets
/// the conditions takes this path.
pub fn reached_path(program: &Program, subject: Subject, targets: &[Target], run: &Run) -> Result<Gia, NoPath> {
    let is_whole = run.path.as_ref().is_some_and(|path| !path.truncated);
    let edges = run.edges(program).filter(|_| is_whole).ok_or(NoPath::NotRecorded)?;
    if run.events.iter().any(|event| event.kind == EventKind::AddressObserved) {
        return Err(NoPath::Addresses);
    }
    let is_target = |edge: &EdgeId| targets.iter().any(|target| target.edges.contains(edge));
    let last = edges.iter().rposition(is_target).ok_or(NoPath::NoTarget)?;
    let mut naming = Naming { program, copy: None };
    let mut builder = GiaBuilder::new(subject, targets.to_vec());
    let mut at = builder.state(None);
    let mut inputs = run.inputs.as_slice();
    for (index, edge) in edges[..=last].iter().enumerate() {
        let (taken, rest) = inputs.split_at(taken(inputs, *edge));
        inputs = rest;
        if !is_path_step(program, *edge) {
            if !taken.is_empty() {
                return Err(NoPath::Unnamed(*edge));
            }
            // The last target is a step of paths, or the path would end inside a model.
            if index == last {
                return Err(NoPath::NoTarget);
            }
            continue;
        }
        let mut guard = GuardId::TRUE;
        for input in taken {
            for text in naming.conditions(input).ok_or(NoPath::Unnamed(*edge))? {
                let one = builder.guards().text(&text);
                guard = builder.guards().and(guard, one);
            }
        }
        let next = builder.state((index == last).then_some(Mark::Reached));
        builder.transition(at, EdgeSet::One(*edge), guard, next);
        at = next;
    }
    builder.finish().map_err(|_| NoPath::NoTarget)
}

/// How many of the next inputs were taken by this edge: what it read, and then at most one result of a call.
fn taken(inputs: &[Input], edge: EdgeId) -> usize {
    let here = inputs.iter().take_while(|input| input.edge == edge).count();
    let result = inputs[..here].iter().position(|input| matches!(input.source, InputSource::Function(_)));
    result.map_or(here, |result| result + 1)
}

/// Conditions for inputs.
struct Naming<'a> {
    program: &'a Program,
    copy: Option<(Program, Names)>,
}

impl Naming<'_> {
    fn conditions(&mut self, input: &Input) -> Option<Vec<String>> {
        match input.source {
            InputSource::Function(_) => {
                let has_result =
                    matches!(&self.program.edges[input.edge].op, Op::Call { callee: Callee::Direct(_), .. });
                has_result.then(|| equal("\\result", input.scalar, input.bits))?
            }
            InputSource::Variable(variable) => {
                let texts = equal(&self.program.variables[variable].name, input.scalar, input.bits)?;
                (self.keeps(input.edge, variable) && self.means(input.edge, &texts[0], variable)).then_some(texts)
            }
            InputSource::Memory | InputSource::NoResult => None,
        }
    }

    /// Whether the variable has the same value behind the edge as when the edge read it. Only scalars whose address nobody knows.
    fn keeps(&self, edge: EdgeId, variable: VariableId) -> bool {
        let content = &self.program.variables[variable];
        let writes = |place| self.program.arena.root_variable(place) == Some(variable);
        let is_kept = match &self.program.edges[edge].op {
            Op::Assign { place, .. } => !writes(*place),
            Op::Assume { .. } | Op::Skip | Op::Return { .. } => true,
            Op::Call { .. } | Op::Declare(_) | Op::Unsupported { .. } => false,
        };
        is_kept && !content.in_memory && self.program.types.scalar(content.ty).is_some()
    }

    /// Whether the variable's name means the variable there.
    fn means(&mut self, edge: EdgeId, text: &str, variable: VariableId) -> bool {
        let original = self.program;
        let (program, names) = self.copy.get_or_insert_with(|| (original.clone(), Names::of(original)));
        let Ok(formula) = guard_formula(program, names, edge, text) else { return false };
        let mut open = formula.atoms();
        while let Some(expr) = open.pop() {
            match program.expr(expr).kind {
                ExprKind::Read(place) => {
                    return program.place(place).kind == PlaceKind::Variable(variable);
                }
                ExprKind::Unary(_, inner) | ExprKind::Convert(inner) => open.push(inner),
                ExprKind::Binary(_, left, right) => open.extend([right, left]),
                ExprKind::Bits(_)
                | ExprKind::Wide(_)
                | ExprKind::Zero
                | ExprKind::AddressOf(_)
                | ExprKind::Function(_) => {}
                ExprKind::Intrinsic(_, first, second) => open.extend(std::iter::once(first).chain(second)),
            }
        }
        false
    }
}
