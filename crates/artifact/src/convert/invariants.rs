//! Correctness witnesses as automata without marks: a state for each place with invariants, which every path that comes there visits.

use std::collections::BTreeMap;

use tandem_cfa::expression::{Context, Names, parse_formula};
use tandem_cfa::{EdgeId, Program};

use super::Converted;
use super::places::{Places, Spot};
use super::violation::finished;
use crate::gia::{EdgeSet, Gia, GiaBuilder, GuardId, StateId, Subject, Target, guard_formula};
use crate::{ExpressionFormat, InvariantKind, WitnessAutomaton, WitnessInvariant, WitnessLocation};

/// What a correctness witness of format 2 says.
pub fn gia_of_correctness(
    program: &Program,
    subject: Subject,
    targets: Vec<Target>,
    invariants: &[WitnessInvariant],
) -> Converted<Gia> {
    let places = Places::new(program);
    let mut reader = Reader { program: program.clone(), names: Names::of(program) };
    let mut lost = Vec::new();
    let mut groups: BTreeMap<Vec<EdgeId>, Vec<&str>> = BTreeMap::new();
    for invariant in invariants {
        let WitnessLocation { line, column, .. } = invariant.location;
        let spot = match invariant.kind {
            InvariantKind::Loop => places.loop_at(line, column),
            InvariantKind::Location => places.statement_at(&invariant.location).map(|(spot, _)| spot),
        };
        let is_c = invariant.format == ExpressionFormat::C;
        let edges = spot.and_then(|spot| Some((spot, places.edges_into(spot.node)?)));
        match edges.filter(|(spot, edges)| is_c && reader.means_the_same(&invariant.value, *spot, edges)) {
            Some((_, edges)) => groups.entry(edges).or_default().push(&invariant.value),
            None => lost.push(format!("line {line}: the invariant `{}`", invariant.value)),
        }
    }
    finished(builder(subject, targets, &groups), lost)
}

/// What a correctness witness of format 1 says about loops, in the words of format 2; and what is lost of it.
pub fn invariants_of(witness: &WitnessAutomaton) -> Converted<Vec<WitnessInvariant>> {
    let mut converted = Converted::whole(Vec::new());
    for edge in &witness.edges {
        let Some(invariant) = &witness.nodes[edge.target].invariant else { continue };
        match edge.start_line.filter(|_| edge.enter_loop_head) {
            Some(line) => {
                let location = WitnessLocation { column: None, ..WitnessLocation::new("", line, 1) };
                converted.value.push(WitnessInvariant::of_loop(location, invariant.clone()));
            }
            None => converted.lost.push(format!("the invariant `{invariant}`, which is not about a loop")),
        }
    }
    converted
}

struct Reader {
    program: Program,
    names: Names,
}

impl Reader {
    /// Whether the text means behind the edges what it means at the place: a name may be hidden by another there.
    fn means_the_same(&mut self, text: &str, spot: Spot, edges: &[EdgeId]) -> bool {
        let context = Context { names: &self.names, function: spot.function, at: spot.at, result: None };
        let Ok(meant) = parse_formula(&mut self.program, context, text) else { return false };
        edges.iter().all(|edge| {
            guard_formula(&mut self.program, &self.names, *edge, text).is_ok_and(|formula| formula == meant)
        })
    }
}

fn builder(subject: Subject, targets: Vec<Target>, groups: &BTreeMap<Vec<EdgeId>, Vec<&str>>) -> GiaBuilder {
    let mut builder = GiaBuilder::new(subject, targets);
    builder.state(None);
    let mut states: Vec<(StateId, EdgeSet)> = Vec::new();
    for (edges, texts) in groups {
        let mut invariant = GuardId::TRUE;
        for text in texts {
            let one = builder.guards().text(text);
            invariant = builder.guards().and(invariant, one);
        }
        let state = builder.state(None);
        builder.set_invariant(state, invariant);
        states.push((state, EdgeSet::these(edges.iter().copied())));
    }
    let rest = EdgeSet::all_but(groups.keys().flatten().copied());
    let sources: Vec<StateId> = std::iter::once(Gia::INITIAL).chain(states.iter().map(|(state, _)| *state)).collect();
    for source in sources {
        builder.transition(source, rest.clone(), GuardId::TRUE, Gia::INITIAL);
        for (state, edges) in &states {
            builder.transition(source, edges.clone(), GuardId::TRUE, *state);
        }
    }
    builder
}
