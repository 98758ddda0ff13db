//! A range as an exchange automaton. For the reducer, what is outside of the range counts as settled, and the residual is a C program with
//! the paths of the range, for verifiers and testers that know nothing of ranges. To be handed on, the paths of the range are candidates:
//! that claims nothing about the others.
//!
//! Steps inside library models are no steps of the automaton's paths, and calls through pointers have one edge for all functions: at the first
//! decision of such a kind a bound ends, and the range becomes larger.

use tandem_analyses::Task;
use tandem_analyses::paths::decisions_of;
use tandem_artifact::gia::{EdgeSet, Flaw, Gia, GiaBuilder, GuardId, Mark, StateId, Subject, Target};
use tandem_artifact::range::{Bound, Chain, Decisions, Range, Standing};
use tandem_base::Id;
use tandem_cfa::{Callee, EdgeId, FunctionId, NodeId, Op};
use tandem_cpa::{Callees, Flow, Step, StepKind};

/// The automaton in which everything outside of the range is settled, and whether it is exactly the range: else it is more. Not for
/// those who believe that what is settled was proved.
pub fn range_gia(
    flow: &mut Flow<'_>,
    range: &Range,
    subject: Subject,
    targets: Vec<Target>,
) -> Result<(Gia, bool), Flaw> {
    built(flow, range, GiaBuilder::new(subject, targets), Mark::Unreachable)
}

/// The automaton whose candidates are the paths of the range, and whether it is exactly the range: else it is more.
pub fn range_candidates(
    flow: &mut Flow<'_>,
    range: &Range,
    subject: Subject,
    targets: Vec<Target>,
) -> Result<(Gia, bool), Flaw> {
    built(flow, range, GiaBuilder::new(subject, targets), Mark::Candidate)
}

fn built(flow: &mut Flow<'_>, range: &Range, gia: GiaBuilder, mark: Mark) -> Result<(Gia, bool), Flaw> {
    let mut exact = true;
    let mut seen = |flow: &mut Flow<'_>, bound: &Option<Bound>| {
        let bound = bound.as_ref()?;
        let (nodes, whole) = nodes_of(flow, &bound.decisions);
        exact &= whole;
        let decisions = Decisions(bound.decisions.0[..nodes.len()].to_vec());
        Some((Bound { decisions, goes_on: bound.goes_on || !whole, test: None }, nodes))
    };
    let (lower, upper) = (seen(flow, &range.lower), seen(flow, &range.upper));
    let nodes = [&lower, &upper].map(|end| end.as_ref().map(|(_, nodes)| nodes.clone()).unwrap_or_default());
    let chain = Chain::new(&Range { lower: lower.map(|(bound, _)| bound), upper: upper.map(|(bound, _)| bound) });
    let builder = Builder { flow, chain, nodes, gia };
    Ok((if mark == Mark::Candidate { builder.candidates()? } else { builder.outside()? }, exact))
}

struct Builder<'f, 'a> {
    flow: &'f Flow<'a>,
    chain: Chain,
    /// Where the decisions of the lower and the upper bound are taken.
    nodes: [Vec<NodeId>; 2],
    gia: GiaBuilder,
}

impl Builder<'_, '_> {
    fn outside(mut self) -> Result<Gia, Flaw> {
        let Some(start) = self.chain.start() else {
            self.gia.state(Some(Mark::Unreachable));
            return self.gia.finish();
        };
        self.gia.state(None);
        let sink = self.gia.state(Some(Mark::Unreachable));
        // Inside, everything is open: the automaton has nothing more to say.
        self.along(start, None, Some(sink));
        self.gia.finish()
    }

    fn candidates(mut self) -> Result<Gia, Flaw> {
        match self.chain.start() {
            // A candidate that nothing leads to: no path is one.
            None => {
                self.gia.state(None);
                self.gia.state(Some(Mark::Candidate));
            }
            Some(Standing::Inside) => {
                self.gia.state(Some(Mark::Candidate));
            }
            Some(start) => {
                self.gia.state(None);
                let inside = self.gia.state(Some(Mark::Candidate));
                self.along(start, Some(inside), None);
            }
        }
        self.gia.finish()
    }

    /// The states of paths that follow the bounds, from the first state on, and where those go that come inside or get outside.
    fn along(&mut self, start: Standing, inside: Option<StateId>, outside: Option<StateId>) {
        let mut open = vec![(start, Gia::INITIAL)];
        let mut known: Vec<(Standing, StateId)> = open.clone();
        while let Some((standing, state)) = open.pop() {
            let edges = self.decision(standing);
            // What decides nothing changes nothing.
            self.gia.transition(state, EdgeSet::all_but(edges.iter().copied()), GuardId::TRUE, state);
            for edge in edges {
                let first = self.flow.program.out(self.flow.program.edges[edge].source).start;
                let rank = (edge.index() - first.index()) as u32;
                let target = match self.chain.after(standing, rank) {
                    Some(Standing::Inside) => inside,
                    None => outside,
                    // The whole upper bound is in the range; what goes on from there is not told apart.
                    Some(Standing::Upper(at)) if inside.is_some() && at as usize >= self.nodes[1].len() => inside,
                    Some(next) => match known.iter().find(|(other, _)| *other == next) {
                        Some((_, state)) => Some(*state),
                        None => {
                            let state = self.gia.state(None);
                            known.push((next, state));
                            open.push((next, state));
                            Some(state)
                        }
                    },
                };
                if let Some(target) = target {
                    self.gia.transition(state, EdgeSet::One(edge), GuardId::TRUE, target);
                }
            }
        }
    }

    /// The edges of the next decision; at the end of the upper bound, of any decision.
    fn decision(&self, standing: Standing) -> Vec<EdgeId> {
        let program = self.flow.program;
        let node = match standing {
            Standing::Both(at) => self.nodes[0].get(at as usize).or(self.nodes[1].get(at as usize)),
            Standing::Lower(at) => self.nodes[0].get(at as usize),
            Standing::Upper(at) => self.nodes[1].get(at as usize),
            Standing::Inside => return Vec::new(),
        };
        match node {
            Some(node) => program.out(*node).iter().collect(),
            None => program.edges.ids().filter(|edge| program.is_branching(*edge) && self.is_own(*edge)).collect(),
        }
    }

    fn is_own(&self, edge: EdgeId) -> bool {
        !self.flow.program.functions[self.flow.program.function_of(edge)].is_library
    }
}

/// Where the decisions of a path are taken, up to the first that an automaton cannot see; and whether that is all of them.
fn nodes_of(flow: &mut Flow<'_>, decisions: &Decisions) -> (Vec<NodeId>, bool) {
    let program = flow.program;
    let (mut nodes, mut at, mut steps) = (Vec::new(), flow.start(), Vec::new());
    // A path without an end takes no decision any more.
    let mut straight = 0;
    while nodes.len() < decisions.len() && straight <= program.nodes.len() * 64 {
        straight += 1;
        let calls_pointer =
            |edge: EdgeId| matches!(program.edges[edge].op, Op::Call { callee: Callee::Pointer(_), .. });
        if program.out(at.node).iter().any(calls_pointer) {
            return (nodes, false);
        }
        steps.clear();
        flow.steps(at, |_| Callees::Unknown, &mut steps);
        let edges = program.out(at.node);
        let step = if edges.len() > 1 {
            if program.functions[program.nodes[at.node].function].is_library {
                return (nodes, false);
            }
            straight = 0;
            let rank = decisions.0[nodes.len()] as usize;
            nodes.push(at.node);
            edges.iter().nth(rank).and_then(|edge| steps.iter().find(|step| step.edge == edge))
        } else {
            steps.first()
        };
        match step {
            Some(step) if !matches!(step.kind, StepKind::Error(_) | StepKind::Unsupported) => at = step.to,
            Some(_) | None => break,
        }
    }
    let whole = nodes.len() == decisions.len();
    (nodes, whole)
}

/// The number of the first decision that no path of the program can take after those before it, by the graph alone.
pub fn stray(task: Task<'_>, decisions: &Decisions) -> Option<usize> {
    let mut flow = task.flow()?;
    let program = task.program;
    let (mut at, mut steps, mut read) = (flow.start(), Vec::new(), 0);
    let mut straight = 0;
    while read < decisions.len() && straight <= program.nodes.len() * 64 {
        straight += 1;
        steps.clear();
        let callee = decisions.0[read..].iter().take(2).map(|rank| FunctionId(*rank));
        let callee: Vec<FunctionId> = callee.filter(|function| function.index() < program.functions.len()).collect();
        flow.steps(at, |_| Callees::These(callee.clone()), &mut steps);
        let fits =
            |step: &&Step| decisions_of(program, step).is_some_and(|ranks| decisions.0[read..].starts_with(&ranks));
        let Some(step) = steps.iter().find(fits) else { return Some(read) };
        let taken = decisions_of(program, step).map_or(0, |ranks| ranks.len());
        read += taken;
        straight = if taken > 0 { 0 } else { straight };
        at = step.to;
    }
    (read < decisions.len()).then_some(read)
}
