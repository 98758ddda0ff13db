//! The predicate analysis for many goals, one after the other. The blocks of the program are encoded once; what was found out about one automaton serves
//! the next: predicates, abstractions, and the parts of the reachability graph in which both do the same.
//!
//! Finds inputs that should lead to a goal, or that there are none. Whether inputs lead there is for a replay to say.

use tandem_artifact::Caveat;
use tandem_artifact::fql::Goal;
use tandem_base::{Budget, StopReason};
use tandem_cfa::exec::InputSource;
use tandem_cfa::{EdgeId, NodeId};
use tandem_cpa::Flow;
use tandem_smt::{Term, Terms};

use super::graph::{Graph, NodeNumber};
use super::precision::Precision;
use super::product::Automaton;
use super::reuse::{Kept, similarity, transformed};
use super::segments::{Exit, Segments};
use super::{Checked, Explorer, trace};
use crate::Task;
use crate::invariant::{Frame, render};
use crate::undefined::{Bounds, first_feasible};

/// What is kept from one automaton to the next.
#[derive(Clone, Copy, Debug)]
pub struct Reuse {
    /// Reachability graphs and abstractions.
    pub graphs: bool,
    pub predicates: bool,
}

/// Terms after which everything is forgotten: they are never given back otherwise.
const MOST_TERMS: usize = 12_000_000;
/// Automata whose graphs are kept.
const KEPT: usize = 4;

/// Inputs that should lead to a goal.
pub struct Candidate {
    /// The number that the goal was given.
    pub tag: u32,
    pub inputs: Vec<(InputSource, EdgeId, u128)>,
}

/// What the search came to.
pub enum Sought {
    /// To be tried, and the result to be told with [`GoalSearch::settle`]: otherwise it comes again.
    Candidate(Candidate),
    /// Whether some run leads to the goal of this number is not known, for this reason; it is settled.
    GivenUp(u32, Caveat),
    /// No run leads to a goal that was not settled or given up.
    Nothing,
    /// Nothing can be said, for this reason.
    Unclear(Caveat),
    Stopped(StopReason),
}

/// Counters.
#[derive(Clone, Copy, Debug, Default)]
pub struct SearchCounters {
    pub automata: u64,
    pub refinements: u64,
    /// States of graphs, and how many of them were taken over.
    pub states: u64,
    pub reused: u64,
}

pub struct GoalSearch<'a> {
    task: Task<'a>,
    flow: Flow<'a>,
    explorer: Explorer<'a>,
    reuse: Reuse,
    /// Graphs of earlier automata, the latest last.
    kept: Vec<(Goal, Kept)>,
    current: Option<Goal>,
    pub counters: SearchCounters,
}

impl<'a> GoalSearch<'a> {
    /// Nothing if the program has no entry; a reason if its start is not modelled. Searches over one pool of terms can tell each other what they track.
    pub fn new(task: Task<'a>, terms: &Terms, reuse: Reuse, budget: &Budget) -> Option<Result<GoalSearch<'a>, Caveat>> {
        let mut flow = task.flow()?.whole();
        let explorer = match Explorer::over(task, Segments::observed(&mut flow, terms.clone(), budget)) {
            Ok(explorer) => explorer,
            Err(outcome) => {
                let reason = outcome.caveats.into_iter().next();
                return Some(Err(reason.unwrap_or_else(|| Caveat::Bound("the time is up".into()))));
            }
        };
        let counters = SearchCounters::default();
        Some(Ok(GoalSearch { task, flow, explorer, reuse, kept: Vec::new(), current: None, counters }))
    }

    /// Whether it is better to begin anew: terms are never given back.
    pub fn is_full(&self) -> bool {
        self.explorer.terms.len() > MOST_TERMS
    }

    /// Looks for runs that the automaton accepts, from now on. `tags` has a number for each of its states. False if it tests predicates.
    pub fn begin(&mut self, goal: Goal, tags: Vec<u32>, budget: &Budget) -> Result<bool, StopReason> {
        let Some(automaton) = Automaton::new(goal.clone(), tags) else { return Ok(false) };
        self.counters.automata += 1;
        let graph = std::mem::take(&mut self.explorer.graph);
        self.counters.states += graph.nodes.len() as u64;
        if let (Some(before), true) = (self.current.take(), self.reuse.graphs) {
            let kept = Kept::new(graph, &self.explorer.segments);
            if self.kept.len() >= KEPT {
                self.kept.remove(0);
            }
            self.kept.push((before, kept));
        }
        if !self.reuse.graphs {
            self.explorer.abstracted.clear();
        }
        if !self.reuse.predicates {
            self.explorer.precision = Precision::default();
            self.explorer.seeded.clear();
        }
        self.explorer.settled.clear();
        self.explorer.caveats.clear();
        let first = self.explorer.segments.watch(automaton);
        self.explorer.graph = self.taken_over(&goal, first, budget)?;
        self.current = Some(goal);
        Ok(true)
    }

    /// The graph to start with: from the automaton whose graph has the most in common with the new one, or nothing but the start.
    fn taken_over(&mut self, goal: &Goal, first: usize, budget: &Budget) -> Result<Graph, StopReason> {
        let similar = self.kept.iter().map(|(old, kept)| (similarity(old, goal), kept));
        let best = similar.min_by_key(|(similarity, kept)| (similarity.excluded.len(), usize::MAX - kept.len()));
        let (explorer, flow) = (&mut self.explorer, &mut self.flow);
        let graph = match best {
            Some((similarity, kept)) => transformed(kept, &similarity, &mut explorer.segments, flow, first, budget)?,
            None => Graph::default(),
        };
        if !graph.nodes.is_empty() {
            self.counters.reused += graph.nodes.len() as u64 - 1;
            return Ok(graph);
        }
        let mut graph = Graph::default();
        graph.add(flow.start(), first, explorer.terms.bool(true), None);
        Ok(graph)
    }

    /// Explores and refines until there is a candidate, or nothing is left.
    pub fn next(&mut self, budget: &Budget) -> Sought {
        loop {
            let (number, exit) = match self.explorer.next_path(&mut self.flow, budget) {
                Ok(Some(path)) => path,
                Ok(None) => return self.nothing(budget),
                Err(reason) => return Sought::Stopped(reason),
            };
            match self.explorer.check(&self.flow, number, exit, budget) {
                Checked::Refuted => self.counters.refinements += 1,
                Checked::Possible(hops, model) => {
                    let tag = self.tag(number, exit);
                    let inputs = trace::inputs(&mut self.explorer.segments, &hops, &model);
                    return Sought::Candidate(Candidate { tag, inputs });
                }
                Checked::GivenUp(caveat) => {
                    if let Some(reason) = budget.exhausted() {
                        return Sought::Stopped(reason);
                    }
                    // A path to a goal concerns that goal alone; what is not modelled concerns everything behind it.
                    return match exit {
                        Exit::Gap(_) | Exit::End(_) => Sought::Unclear(caveat),
                        Exit::Error(_) => {
                            let tag = self.tag(number, exit);
                            self.settle([tag]);
                            Sought::GivenUp(tag, caveat)
                        }
                    };
                }
            }
        }
    }

    fn tag(&self, number: NodeNumber, exit: Exit) -> u32 {
        let block = self.explorer.segments.block(self.explorer.graph.nodes[number].segment);
        match exit {
            Exit::Error(index) => block.errors[index].edge.0,
            Exit::End(_) | Exit::Gap(_) => u32::MAX,
        }
    }

    /// A search that found nothing says so only if no run leaves an object.
    fn nothing(&mut self, budget: &Budget) -> Sought {
        let explorer = &mut self.explorer;
        if explorer.segments.has_unclear_bounds() {
            return Sought::Unclear(Caveat::Imprecise("it is not clear whether a run leaves an object".into()));
        }
        for node in explorer.graph.live().filter(|node| node.covered_by.is_empty()) {
            let block = explorer.segments.block(node.segment).clone();
            if block.beyond.is_empty() {
                continue;
            }
            match first_feasible(&explorer.terms, &mut explorer.solver, &[node.state], &block.beyond, budget) {
                Bounds::Kept => {}
                Bounds::Left(caveat) => return Sought::Unclear(caveat),
                Bounds::Unclear => {
                    return Sought::Unclear(Caveat::Imprecise("it is not clear whether a run leaves an object".into()));
                }
            }
        }
        match budget.exhausted() {
            Some(reason) => Sought::Stopped(reason),
            None => Sought::Nothing,
        }
    }

    /// The goals of these numbers are not looked for any more.
    pub fn settle(&mut self, tags: impl IntoIterator<Item = u32>) {
        self.explorer.settled.extend(tags.into_iter().map(EdgeId));
    }

    /// The predicates that are tracked at heads of loops, as C.
    pub fn predicates(&self) -> Vec<tandem_artifact::Invariant> {
        let formulas = self.explorer.segments.formulas();
        let mut found = Vec::new();
        for node in self.explorer.graph.live() {
            let point = node.point;
            let depth = self.flow.stacks.depth(point.stack) as u32 + 1;
            let frame = Frame { depth, instance: self.flow.stacks.instance(point.stack) };
            for predicate in self.explorer.precision.of(&self.flow, formulas, point) {
                found.extend(render(self.task.program, formulas, point.node, &[(frame, predicate)]));
            }
        }
        found.sort_by(|a, b| (a.at.lo, &a.value).cmp(&(b.at.lo, &b.value)));
        found.dedup();
        found
    }

    /// What is tracked where: for a search over the same terms.
    pub fn tracked(&self) -> Vec<(NodeId, Term)> {
        self.explorer.precision.all()
    }

    /// Tracks this from now on, where it makes sense.
    pub fn track(&mut self, tracked: &[(NodeId, Term)]) {
        for (node, predicate) in tracked {
            self.explorer.precision.add(self.task.program, *node, *predicate);
        }
    }
}
