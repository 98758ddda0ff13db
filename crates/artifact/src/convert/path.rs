//! A run of the interpreter as a path that is reached: its edges, with the inputs it took as conditions.

use std::collections::HashMap;
use std::fmt;

use tandem_base::FastBuild;
use tandem_cfa::exec::{EventKind, Input, InputSource, Run};
use tandem_cfa::expression::Names;
use tandem_cfa::{Callee, EdgeId, ExprId, ExprKind, Op, PlaceId, PlaceKind, Program, VariableId, c_print};

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

/// The automaton with one path that is reached: that of the run, until all targets on it have been met once. Every state of the program
/// that meets the conditions takes this path.
pub fn reached_path(program: &Program, subject: Subject, targets: &[Target], run: &Run) -> Result<Gia, NoPath> {
    let is_whole = run.path.as_ref().is_some_and(|path| !path.truncated);
    let edges = run.edges(program).filter(|_| is_whole).ok_or(NoPath::NotRecorded)?;
    if run.events.iter().any(|event| event.kind == EventKind::AddressObserved) {
        return Err(NoPath::Addresses);
    }
    let last = last_new_target(program, &edges, targets).ok_or(NoPath::NoTarget)?;
    let mut naming = Naming { program, copy: None };
    let mut builder = GiaBuilder::new(subject, targets.to_vec());
    let mut at = builder.state(None);
    let taken = taken(program, &edges, &run.inputs)?;
    for (index, edge) in edges[..=last].iter().enumerate() {
        if !is_path_step(program, *edge) {
            if !taken[index].is_empty() {
                return Err(NoPath::Unnamed(*edge));
            }
            continue;
        }
        let mut guard = GuardId::TRUE;
        for input in taken[index] {
            for text in naming.conditions(*edge, input).ok_or(NoPath::Unnamed(*edge))? {
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

/// Where a target is met for the first time that no step before has met, the last such place.
fn last_new_target(program: &Program, edges: &[EdgeId], targets: &[Target]) -> Option<usize> {
    let mut of: HashMap<EdgeId, Vec<usize>, FastBuild> = HashMap::default();
    for (number, target) in targets.iter().enumerate() {
        for edge in target.edges.iter().filter(|edge| is_path_step(program, **edge)) {
            of.entry(*edge).or_default().push(number);
        }
    }
    let mut met = vec![false; targets.len()];
    let mut last = None;
    for (index, edge) in edges.iter().enumerate() {
        for target in of.get(edge).into_iter().flatten() {
            if !std::mem::replace(&mut met[*target], true) {
                last = Some(index);
            }
        }
    }
    last
}

/// The inputs that each edge took: what it read, and then at most one result of a call. An input that belongs nowhere would make
/// everything after it wrong.
fn taken<'a>(program: &Program, edges: &[EdgeId], inputs: &'a [Input]) -> Result<Vec<&'a [Input]>, NoPath> {
    let mut rest = inputs;
    let mut taken = Vec::with_capacity(edges.len());
    for edge in edges {
        // A condition is evaluated once for all edges that leave a node, whichever is taken then.
        let source = program.edges[*edge].source;
        let here = rest.iter().take_while(|input| program.edges[input.edge].source == source).count();
        let result = rest[..here].iter().position(|input| input.is_of_function());
        let (these, others) = rest.split_at(result.map_or(here, |result| result + 1));
        taken.push(these);
        rest = others;
    }
    match rest.first() {
        None => Ok(taken),
        Some(input) => Err(NoPath::Unnamed(input.edge)),
    }
}

/// Conditions for inputs.
struct Naming<'a> {
    program: &'a Program,
    copy: Option<(Program, Names)>,
}

impl Naming<'_> {
    fn conditions(&mut self, edge: EdgeId, input: &Input) -> Option<Vec<String>> {
        match input.source {
            InputSource::Function(_) => {
                let has_result = matches!(&self.program.edges[edge].op, Op::Call { callee: Callee::Direct(_), .. });
                has_result.then(|| equal("\\result", input.scalar, input.bits))?
            }
            InputSource::Variable(variable) => self.read(edge, input, Some(variable)),
            InputSource::Memory => self.read(edge, input, None),
            InputSource::NoResult => None,
        }
    }

    /// The condition for what the edge read from a variable, or through a pointer: about the only place that it can be, if that has the
    /// same value and the same name behind the edge.
    fn read(&mut self, edge: EdgeId, input: &Input, variable: Option<VariableId>) -> Option<Vec<String>> {
        let program = self.program;
        let mut places = self.places_read(edge)?;
        places.retain(|place| {
            let scalar = program.types.scalar(program.place(*place).ty);
            program.arena.root_variable(*place) == variable && scalar == Some(input.scalar)
        });
        places.sort_unstable();
        places.dedup();
        let [place] = places[..] else { return None };
        let texts = equal(&c_print::place(program, place), input.scalar, input.bits)?;
        self.means(edge, &texts[0], place).then_some(texts)
    }

    /// The places that the edge reads, if it changes none of them: it writes nothing, or a variable that nobody can point to and that
    /// it does not read itself.
    fn places_read(&self, edge: EdgeId) -> Option<Vec<PlaceId>> {
        let program = self.program;
        let (roots, written) = match &program.edges[edge].op {
            Op::Assume { condition, .. } => (vec![*condition], None),
            Op::Return { value } => (value.iter().copied().collect(), None),
            Op::Assign { place, value } => match program.place(*place).kind {
                PlaceKind::Variable(variable) if !program.variables[variable].in_memory => (vec![*value], Some(*place)),
                PlaceKind::Variable(_) | PlaceKind::Deref(_) | PlaceKind::Field(..) | PlaceKind::Index(..) => {
                    return None;
                }
            },
            Op::Skip | Op::Call { .. } | Op::Declare(_) | Op::Unsupported { .. } => return None,
        };
        let places = read_places(program, roots);
        (!written.is_some_and(|written| places.contains(&written))).then_some(places)
    }

    /// Whether the condition's first read is of this place.
    fn means(&mut self, edge: EdgeId, text: &str, place: PlaceId) -> bool {
        let original = self.program;
        let (program, names) = self.copy.get_or_insert_with(|| (original.clone(), Names::of(original)));
        guard_formula(program, names, edge, text)
            .is_ok_and(|formula| read_places(program, formula.atoms()).first() == Some(&place))
    }
}

/// The places that expressions read, from left to right, each before those that it needs itself.
fn read_places(program: &Program, roots: Vec<ExprId>) -> Vec<PlaceId> {
    let mut found = Vec::new();
    let mut open: Vec<ExprId> = roots.into_iter().rev().collect();
    while let Some(expr) = open.pop() {
        let place = match program.expr(expr).kind {
            ExprKind::Read(place) => {
                found.push(place);
                Some(place)
            }
            ExprKind::AddressOf(place) => Some(place),
            ExprKind::Unary(_, inner) | ExprKind::Convert(inner) => {
                open.push(inner);
                None
            }
            ExprKind::Binary(_, left, right) => {
                open.extend([right, left]);
                None
            }
            ExprKind::Intrinsic(_, first, second) => {
                open.extend(second.into_iter().chain([first]));
                None
            }
            ExprKind::Bits(_) | ExprKind::Wide(_) | ExprKind::Zero | ExprKind::Function(_) => None,
        };
        let mut inside = place;
        while let Some(place) = inside {
            inside = match program.place(place).kind {
                PlaceKind::Variable(_) => None,
                PlaceKind::Deref(pointer) => {
                    open.push(pointer);
                    None
                }
                PlaceKind::Field(base, ..) => Some(base),
                PlaceKind::Index(base, index) => {
                    open.push(index);
                    Some(base)
                }
            };
        }
    }
    found
}
