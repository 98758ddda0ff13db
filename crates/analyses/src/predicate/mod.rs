//! Predicate abstraction: the program is explored block by block, and behind each block only a combination of predicates is kept.
//! A path to an error that the abstraction allows and the program does not teaches new predicates. When nothing is left to
//! explore, that is a proof.

mod abstraction;
pub mod components;
pub mod goals;
mod graph;
mod implicant;
pub mod landmarks;
mod precision;
mod product;
mod reuse;
mod segments;
mod trace;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::Duration;

use tandem_artifact::{Caveat, Invariant, Verdict, Violation};
use tandem_base::{Budget, FastBuild, StopReason};
use tandem_cfa::{EdgeId, NodeId};
use tandem_cpa::{Flow, Point, StackId};
use tandem_smt::{Model, Op, Term, Terms};

use crate::arg::{Arg, ArgState};
use crate::blocks::Gap;
use crate::bmc::no_entry;
use crate::exchange::{BoardReader, News};
use crate::invariant::{Frame, is_everywhere, render};
use crate::query::{Feasible, PathSolver, feasible, solver};
use crate::registry::{AnalysisEntry, AnalysisLimit, Approximation, ContributionKind};
use crate::undefined::first_feasible;
use crate::{Outcome, Task};

pub use abstraction::{Abstractor, Predicate};

use graph::{Graph, NodeNumber};
use precision::{Precision, atoms};
use segments::{Exit, Hop, Segments};
use trace::Direction;

/// How long a reason is looked for in one direction.
const SEARCH: Duration = Duration::from_millis(1500);

pub const ENTRY: AnalysisEntry = AnalysisEntry {
    name: "predicate",
    about: "abstraction of the states between blocks by predicates, which are learned from interpolants of infeasible paths",
    reads: &[
        ContributionKind::SettledPaths,
        ContributionKind::Goals,
        ContributionKind::Precision,
        ContributionKind::Candidates,
        ContributionKind::Facts,
    ],
    gives: &[ContributionKind::Goals, ContributionKind::Facts, ContributionKind::Precision],
    hands_over_paths: false,
    follows_whole_program: false,
    approximation: Approximation::Both,
    limits: &[
        AnalysisLimit {
            name: "time of a refinement",
            value: SEARCH.as_millis() as u64,
            unit: "milliseconds",
            about: "how long predicates for an infeasible path are looked for in one direction",
        },
        AnalysisLimit {
            name: "predicates that are given",
            value: TRACKED as u64,
            unit: "conditions",
            about: "how many predicates are left for an analysis that begins anew",
        },
    ],
    default_share: 3,
    run: |task, _, budget| predicate(task, budget),
};

/// What an abstraction depends on: the state before, the block and its end, what else is assumed there, the predicates.
type Asked = (Term, Hop, Option<Term>, Vec<Term>);

pub fn predicate(task: Task<'_>, budget: &Budget) -> Outcome {
    let Some(mut flow) = task.flow() else {
        return Outcome::new("predicate", None, None, vec![no_entry()]);
    };
    let mut explorer = match Explorer::new(task, &mut flow, budget) {
        Ok(explorer) => explorer,
        Err(outcome) => return *outcome,
    };
    let ended = explorer.run(&mut flow, budget);
    explorer.outcome(&flow, ended, budget)
}

/// Predicates that are told to whoever begins anew.
const TRACKED: usize = 200;

struct Explorer<'a> {
    task: Task<'a>,
    terms: Terms,
    segments: Segments<'a>,
    solver: PathSolver,
    abstractor: Abstractor,
    graph: Graph,
    precision: Precision,
    abstracted: HashMap<Asked, Term, FastBuild>,
    caveats: Vec<Caveat>,
    refinements: u64,
    /// Points whose hints are tracked already.
    seeded: HashSet<Point, FastBuild>,
    /// Errors that are not looked for any more, by what is written at their end as an edge.
    settled: HashSet<EdgeId, FastBuild>,
    /// What other analyses of the program have proved.
    reader: BoardReader<'a>,
    facts: HashMap<Point, Vec<Term>, FastBuild>,
}

/// What is known about a path to an exit.
enum Checked {
    /// It can be taken; by whom, the model says.
    Possible(Vec<Hop>, Box<Model>),
    /// The abstraction excludes it now.
    Refuted,
    GivenUp(Caveat),
}

/// What became of a path to an exit.
enum Followed {
    Violation(Box<Violation>),
    /// The abstraction excludes it now.
    Refuted,
    /// Neither: the exit is not looked at again from there.
    GivenUp(Caveat),
}

/// Why the exploration ended before everything was seen.
enum Ended {
    Violation(Box<Violation>),
    Stopped(StopReason),
}

impl From<StopReason> for Ended {
    fn from(reason: StopReason) -> Ended {
        Ended::Stopped(reason)
    }
}

impl<'a> Explorer<'a> {
    /// An outcome if there is nothing to explore.
    fn new(task: Task<'a>, flow: &mut Flow<'a>, budget: &Budget) -> Result<Explorer<'a>, Box<Outcome>> {
        Explorer::over(task, Segments::new(flow, budget))
    }

    fn over(
        task: Task<'a>,
        segments: Result<Result<Segments<'a>, Gap>, StopReason>,
    ) -> Result<Explorer<'a>, Box<Outcome>> {
        let segments = match segments {
            Ok(Ok(segments)) => segments,
            Ok(Err(gap)) => {
                let caveat = Caveat::Unsupported { what: gap.what, at: gap.at };
                return Err(Box::new(Outcome::new("predicate", None, None, vec![caveat])));
            }
            Err(reason) => return Err(Box::new(Outcome::new("predicate", None, Some(reason), Vec::new()))),
        };
        let terms = segments.terms.clone();
        Ok(Explorer {
            task,
            terms: terms.clone(),
            segments,
            solver: solver(&terms),
            abstractor: Abstractor::new(&terms),
            graph: Graph::default(),
            precision: Precision::default(),
            abstracted: HashMap::default(),
            caveats: Vec::new(),
            refinements: 0,
            seeded: HashSet::default(),
            settled: HashSet::default(),
            reader: BoardReader::new(task),
            facts: HashMap::default(),
        })
    }

    /// Takes over what other analyses of the program have found out: facts strengthen all states at their points, also those that exist already.
    fn read_news(&mut self, flow: &mut Flow<'a>) {
        for news in self.reader.news(flow, self.segments.formulas_mut()) {
            match news {
                News::Fact(point, term) => {
                    self.facts.entry(point).or_default().push(term);
                    // Where the program starts at the head of a loop, the first visit is one of which the fact does not speak.
                    let is_visit = |number: &NodeNumber| self.graph.nodes[*number].parent.is_some();
                    let visits: Vec<NodeNumber> = self.graph.live_at(point).into_iter().filter(is_visit).collect();
                    for number in visits {
                        self.graph.nodes[number].state = self.terms.and2(self.graph.nodes[number].state, term);
                        self.graph.uncover(number);
                    }
                }
                News::Precision(point, term) => {
                    for atom in atoms(&self.terms, term) {
                        self.precision.add(flow.program, point.node, atom);
                    }
                }
                News::SafeCutPoints(_) => {}
            }
        }
    }

    /// A state together with what is known at its point.
    fn with_facts(&self, point: Point, state: Term) -> Term {
        let facts = self.facts.get(&point).map_or(&[][..], Vec::as_slice);
        facts.iter().fold(state, |state, fact| self.terms.and2(state, *fact))
    }

    /// Tracks from the beginning what the task suggests for a place.
    fn seed(&mut self, flow: &Flow<'a>, point: Point) {
        if self.task.hints.is_empty() || !self.seeded.insert(point) {
            return;
        }
        for hint in self.task.hints.iter().filter(|hint| hint.node == point.node) {
            if let Some(formula) = self.segments.formula_at(flow, point, &hint.formula) {
                for atom in atoms(&self.terms, formula) {
                    self.precision.add(flow.program, point.node, atom);
                }
            }
        }
    }

    fn run(&mut self, flow: &mut Flow<'a>, budget: &Budget) -> Result<(), Ended> {
        while let Some((number, exit)) = self.next_path(flow, budget)? {
            self.decide(flow, number, exit, budget)?;
        }
        Ok(())
    }

    /// Explores until the abstraction allows a path to an error, or to something that is not modelled: the node, and how its block is
    /// left. Nothing if there is none.
    fn next_path(&mut self, flow: &mut Flow<'a>, budget: &Budget) -> Result<Option<(NodeNumber, Exit)>, StopReason> {
        if self.graph.nodes.is_empty() {
            let start = self.terms.bool(true);
            self.graph.add(flow.start(), 0, start, None);
        }
        while let Some(number) = self.graph.next() {
            if let Some(reason) = budget.exhausted() {
                return Err(reason);
            }
            self.read_news(flow);
            if !self.graph.nodes[number].expanded && self.is_covered(number, budget) {
                continue;
            }
            self.graph.nodes[number].expanded = true;
            if let Some(exit) = self.next_exit(number, budget) {
                // It is not done with.
                self.graph.wait(number);
                return Ok(Some((number, exit)));
            }
            self.add_successors(flow, number, budget)?;
        }
        match budget.exhausted() {
            Some(reason) => Err(reason),
            None => Ok(None),
        }
    }

    /// Follows a path, and learns from it or gives it up.
    fn decide(&mut self, flow: &Flow<'a>, number: NodeNumber, exit: Exit, budget: &Budget) -> Result<(), Ended> {
        if let Some(reason) = budget.exhausted() {
            return Err(reason.into());
        }
        match self.follow(flow, number, exit, budget) {
            Followed::Violation(violation) => return Err(Ended::Violation(violation)),
            Followed::Refuted => {}
            Followed::GivenUp(caveat) => self.give_up(number, exit, caveat),
        }
        Ok(())
    }

    /// The exit is not looked at again from there.
    fn give_up(&mut self, number: NodeNumber, exit: Exit, caveat: Caveat) {
        if !self.caveats.contains(&caveat) {
            self.caveats.push(caveat);
        }
        let at = self.place_of(number, exit);
        self.graph.nodes[number].given_up.insert(at);
    }

    fn outcome(&mut self, flow: &Flow<'a>, ended: Result<(), Ended>, budget: &Budget) -> Outcome {
        let (violation, stopped) = match ended {
            Ok(()) => (None, None),
            Err(Ended::Violation(violation)) => (Some(*violation), None),
            Err(Ended::Stopped(reason)) => (None, Some(reason)),
        };
        let mut outcome = Outcome::new("predicate", violation, stopped, self.caveats.clone());
        if outcome.verdict == Verdict::True {
            outcome.in_bounds = self.stays_inside(budget);
            outcome.invariants = self.invariants(flow);
        } else if stopped.is_some() {
            outcome.precision = self.tracked(flow);
        }
        outcome.arg = self.task.exchange.and_then(|_| self.arg(flow));
        let mut count = |name: &'static str, value: usize| outcome.statistics.insert(name, value as u64);
        count("refinements", self.refinements as usize);
        count("predicates", self.precision.len());
        count("blocks", self.segments.len());
        count("states", self.graph.nodes.len());
        count("live states", self.graph.live().count());
        count("checks", self.abstractor.checks as usize);
        outcome
    }

    /// Whether no state of the proof allows an access beyond an object.
    fn stays_inside(&mut self, budget: &Budget) -> bool {
        let mut inside = budget.exhausted().is_none() && !self.segments.has_unclear_bounds();
        for node in self.graph.live().filter(|node| node.covered_by.is_empty()) {
            let block = self.segments.block(node.segment).clone();
            inside &= first_feasible(&self.terms, &mut self.solver, &[node.state], &block.beyond, budget).are_kept();
        }
        inside
    }

    /// The abstract states, for people.
    fn arg(&self, flow: &Flow<'a>) -> Option<Arg> {
        let numbers: Vec<NodeNumber> =
            (0..self.graph.nodes.len()).filter(|number| !self.graph.nodes[*number].removed).collect();
        let place: HashMap<NodeNumber, usize> = numbers.iter().enumerate().map(|(at, number)| (*number, at)).collect();
        let state = |number: &NodeNumber| {
            let node = &self.graph.nodes[*number];
            let stack = node.point.stack;
            let frame = Frame { depth: flow.stacks.depth(stack) as u32 + 1, instance: flow.stacks.instance(stack) };
            let said = render(flow.program, self.segments.formulas(), node.point.node, &[(frame, node.state)]);
            ArgState {
                node: node.point.node,
                from: node.parent.and_then(|(parent, _)| Some((*place.get(&parent)?, None))).into_iter().collect(),
                covered_by: node.covered_by.iter().filter_map(|by| place.get(by).copied()).collect(),
                is_open: !node.expanded && node.covered_by.is_empty(),
                is_target: false,
                holds: said.map(|said| said.value),
            }
        };
        (numbers.len() <= Arg::MOST).then(|| Arg { states: numbers.iter().map(state).collect() })
    }

    /// The predicates that are tracked at the heads of loops, as far as C has words for them.
    fn tracked(&self, flow: &Flow<'a>) -> Vec<Invariant> {
        let mut frames: HashMap<NodeId, Frame> = HashMap::new();
        for node in self.graph.live() {
            let stack = node.point.stack;
            let (depth, instance) = (flow.stacks.depth(stack) as u32 + 1, flow.stacks.instance(stack));
            frames.entry(node.point.node).or_insert(Frame { depth, instance });
        }
        let words = |(node, predicate): (NodeId, Term)| {
            render(flow.program, self.segments.formulas(), node, &[(*frames.get(&node)?, predicate)])
        };
        self.precision.all().into_iter().filter_map(words).take(TRACKED).collect()
    }

    /// What holds at the heads of loops, whatever the calls that led there.
    fn invariants(&self, flow: &Flow<'a>) -> Vec<Invariant> {
        let mut states: BTreeMap<NodeId, Vec<(Frame, Term)>> = BTreeMap::new();
        let mut stacks: BTreeMap<NodeId, BTreeSet<StackId>> = BTreeMap::new();
        // Where the program starts at the head of a loop, the first visit is no state of the graph.
        let start = flow.start().node;
        for node in self.graph.live().filter(|node| node.point.node != start) {
            let stack = node.point.stack;
            stacks.entry(node.point.node).or_default().insert(stack);
            let (depth, instance) = (flow.stacks.depth(stack) as u32 + 1, flow.stacks.instance(stack));
            let here = states.entry(node.point.node).or_default();
            match here.iter_mut().find(|(frame, _)| *frame == Frame { depth, instance }) {
                Some((_, state)) => *state = self.terms.or2(*state, node.state),
                None => here.push((Frame { depth, instance }, node.state)),
            }
        }
        let formulas = self.segments.formulas();
        // What can lead to no error was not followed: a loop that is also met there has no invariant here.
        let everywhere = |node: &NodeId| is_everywhere(flow.program, *node, stacks.get(node).map_or(0, BTreeSet::len));
        let known = states.iter().filter(|(node, _)| everywhere(node));
        known.filter_map(|(node, any_of)| render(flow.program, formulas, *node, any_of)).collect()
    }

    /// Looks for nodes that make this one superfluous.
    fn is_covered(&mut self, number: NodeNumber, budget: &Budget) -> bool {
        let state = self.graph.nodes[number].state;
        let others = self.graph.coverers(number);
        for other in &others {
            let wider = self.graph.nodes[*other].state;
            if self.abstractor.entails(state, wider, budget) {
                self.graph.cover(number, vec![*other]);
                return true;
            }
        }
        if others.len() < 2 {
            return false;
        }
        let all: Vec<Term> = others.iter().map(|other| self.graph.nodes[*other].state).collect();
        let all = self.terms.or(&all);
        let covered = self.abstractor.entails(state, all, budget);
        if covered {
            self.graph.cover(number, others);
        }
        covered
    }

    fn add_successors(&mut self, flow: &mut Flow<'a>, number: NodeNumber, budget: &Budget) -> Result<(), StopReason> {
        let segment = self.graph.nodes[number].segment;
        let block = self.segments.block(segment).clone();
        for (index, (point, _)) in block.ends.iter().enumerate() {
            if self.graph.has_child(number, index) {
                continue;
            }
            let hop = Hop { segment, exit: Exit::End(index) };
            self.seed(flow, *point);
            let predicates = self.precision.of(flow, self.segments.formulas(), *point);
            let state = self.after(self.graph.nodes[number].state, hop, predicates, budget);
            if let Some(reason) = budget.exhausted() {
                return Err(reason);
            }
            let state = self.with_facts(*point, state);
            if self.terms.op(state) != Op::False {
                let next = self.segments.from(flow, *point, budget)?;
                self.graph.add(*point, next, state, Some((number, index)));
            }
        }
        Ok(())
    }

    /// What holds behind a block, in terms of predicates; false if it cannot be passed.
    fn after(&mut self, state: Term, hop: Hop, predicates: Vec<Term>, budget: &Budget) -> Term {
        let (root, also) = self.segments.root(hop);
        let asked = (state, root, also, predicates);
        if let Some(known) = self.abstracted.get(&asked) {
            return *known;
        }
        let there = self.segments.at_end(hop, &asked.3);
        let pairs = asked.3.iter().zip(there);
        let predicates: Vec<Predicate> = pairs.map(|(term, there)| Predicate { term: *term, there }).collect();
        let mut conditions = self.segments.path(hop).conditions();
        conditions.push(state);
        let found = self.abstractor.combination(&conditions, &predicates, budget);
        self.abstracted.insert(asked, found);
        found
    }

    /// A number for an error or gap of the block of a node.
    fn place_of(&self, number: NodeNumber, exit: Exit) -> usize {
        let errors = self.segments.block(self.graph.nodes[number].segment).errors.len();
        match exit {
            Exit::Error(index) | Exit::End(index) => index,
            Exit::Gap(index) => errors + index,
        }
    }

    /// An error, or something that is not modelled, that the abstraction allows to be reached from the node.
    fn next_exit(&mut self, number: NodeNumber, budget: &Budget) -> Option<Exit> {
        let node = &self.graph.nodes[number];
        let (segment, state) = (node.segment, node.state);
        let block = self.segments.block(segment).clone();
        let is_wanted = |error: &usize| !self.settled.contains(&block.errors[*error].edge);
        let errors = (0..block.errors.len()).filter(is_wanted).map(Exit::Error);
        // One caveat is enough to make a proof impossible: then gaps do not matter any more.
        let gaps = if self.caveats.is_empty() { block.gaps.len() } else { 0 };
        let exits = errors.chain((0..gaps).map(Exit::Gap));
        let exits: Vec<Exit> =
            exits.filter(|exit| !self.graph.nodes[number].given_up.contains(&self.place_of(number, *exit))).collect();
        let mut alternatives = Vec::new();
        for exit in &exits {
            let conditions = self.segments.path(Hop { segment, exit: *exit }).conditions();
            alternatives.push(self.terms.and(&conditions));
        }
        if exits.is_empty() {
            return None;
        }
        let any = self.terms.or(&alternatives);
        match feasible(&mut self.solver, &[state, any], budget) {
            Feasible::No => None,
            Feasible::Yes(model) => {
                let at = alternatives.iter().position(|condition| self.terms.holds(*condition, &model));
                exits.get(at.unwrap_or(0)).copied()
            }
            Feasible::Unknown(_) => exits.first().copied(),
        }
    }

    /// Follows a path that the abstraction allows.
    fn follow(&mut self, flow: &Flow<'a>, number: NodeNumber, exit: Exit, budget: &Budget) -> Followed {
        match self.check(flow, number, exit, budget) {
            Checked::Refuted => Followed::Refuted,
            Checked::GivenUp(caveat) => Followed::GivenUp(caveat),
            Checked::Possible(hops, model) => {
                match trace::confirm(self.task, &mut self.segments, &mut self.solver, &hops, &model, budget) {
                    Ok(violation) => Followed::Violation(Box::new(violation)),
                    Err(caveat) => Followed::GivenUp(caveat),
                }
            }
        }
    }

    /// Whether a path that the abstraction allows can be taken; learns from it if not.
    fn check(&mut self, flow: &Flow<'a>, number: NodeNumber, exit: Exit, budget: &Budget) -> Checked {
        let hops = self.graph.hops(number, exit);
        let parts = trace::parts(&mut self.segments, &hops);
        let all: Vec<Term> = parts.iter().flatten().copied().collect();
        match (feasible(&mut self.solver, &all, budget), exit) {
            (Feasible::Unknown(reason), _) => Checked::GivenUp(Caveat::Solver(reason)),
            (Feasible::Yes(_), Exit::Gap(index)) => {
                let gap = &self.segments.block(self.graph.nodes[number].segment).gaps[index];
                Checked::GivenUp(Caveat::Unsupported { what: gap.what.clone(), at: gap.at })
            }
            (Feasible::Yes(model), _) => Checked::Possible(hops, model),
            (Feasible::No, _) => {
                self.refinements += 1;
                match self.refine(flow, number, &hops, parts, budget) {
                    true => Checked::Refuted,
                    false => Checked::GivenUp(Caveat::Imprecise("no reason was found why a path is impossible".into())),
                }
            }
        }
    }

    /// Learns from a path that cannot be taken; false if there was nothing to learn.
    fn refine(
        &mut self,
        flow: &Flow<'a>,
        number: NodeNumber,
        hops: &[Hop],
        parts: Vec<Vec<Term>>,
        budget: &Budget,
    ) -> bool {
        let path = self.graph.path(number);
        let states: Vec<(Term, Point)> =
            path.iter().map(|number| (self.graph.nodes[*number].state, self.graph.nodes[*number].point)).collect();
        let models = self.models(flow, &states, hops, budget);
        let way = trace::one_way(&mut self.segments, hops, &models);
        let way = trace::without_counters(&mut self.segments, &mut self.solver, hops, way, budget);
        let reasons = self.reasons(&way, budget);
        let points: Vec<Point> = path[1..].iter().map(|number| self.graph.nodes[*number].point).collect();
        if self.learn_best(flow, &path, &points, &reasons) || budget.exhausted().is_some() {
            return true;
        }
        let parts = trace::without_counters(&mut self.segments, &mut self.solver, hops, parts, budget);
        let reasons = self.reasons(&parts, budget);
        self.learn_best(flow, &path, &points, &reasons)
            || reasons.first().is_some_and(|reason| self.strengthen(&path, reason, budget))
            || budget.exhausted().is_some()
    }

    /// Interpolants of a contradictory path, one sequence for each direction that has some.
    fn reasons(&mut self, parts: &[Vec<Term>], budget: &Budget) -> Vec<Vec<Term>> {
        let directions = [Direction::Backwards, Direction::Forwards].into_iter();
        let found = directions.filter_map(|direction| {
            trace::interpolants(&self.segments, &mut self.solver, parts, direction, &budget.within(SEARCH)).ok()
        });
        found.collect()
    }

    /// For each block of a path a model of a way through it, such that neighbours agree on the predicates that are tracked.
    fn models(&mut self, flow: &Flow<'a>, states: &[(Term, Point)], hops: &[Hop], budget: &Budget) -> Vec<Model> {
        let mut models: Vec<Model> = Vec::new();
        let mut wanted: Vec<(Term, bool)> = Vec::new();
        for ((state, point), hop) in states.iter().zip(hops).rev() {
            let mut conditions = self.segments.path(*hop).conditions();
            conditions.push(*state);
            let predicates: Vec<Term> = wanted.iter().map(|(predicate, _)| *predicate).collect();
            let there = self.segments.at_end(*hop, &predicates);
            let agreed = there.into_iter().zip(&wanted).map(|(term, (_, holds))| match holds {
                true => term,
                false => self.terms.not(term),
            });
            let strict: Vec<Term> = conditions.iter().copied().chain(agreed).collect();
            let model = match feasible(&mut self.solver, &strict, budget) {
                Feasible::Yes(model) => *model,
                Feasible::No | Feasible::Unknown(_) => match feasible(&mut self.solver, &conditions, budget) {
                    Feasible::Yes(model) => *model,
                    Feasible::No | Feasible::Unknown(_) => Model::default(),
                },
            };
            let tracked = self.precision.of(flow, self.segments.formulas(), *point);
            wanted = tracked.into_iter().map(|predicate| (predicate, self.terms.holds(predicate, &model))).collect();
            models.push(model);
        }
        models.reverse();
        models
    }

    /// Learns from the reason that needs the fewest new predicates.
    fn learn_best(&mut self, flow: &Flow<'a>, path: &[NodeNumber], points: &[Point], reasons: &[Vec<Term>]) -> bool {
        let best = self.best(flow, points, reasons);
        best.is_some_and(|reason| self.learn(flow, path, reason))
    }

    /// The reason that needs the fewest new predicates, of those that need any.
    fn best<'r>(&self, flow: &Flow<'a>, points: &[Point], reasons: &'r [Vec<Term>]) -> Option<&'r Vec<Term>> {
        let mut best: Option<(usize, &Vec<Term>)> = None;
        for reason in reasons {
            let mut count = 0;
            for (interpolant, point) in reason.iter().zip(points) {
                let tracked = self.precision.of(flow, self.segments.formulas(), *point);
                count += atoms(&self.terms, *interpolant).iter().filter(|atom| !tracked.contains(atom)).count();
            }
            if count > 0 && best.is_none_or(|(least, _)| count < least) {
                best = Some((count, reason));
            }
        }
        best.map(|(_, reason)| reason)
    }

    /// Adds the predicates of interpolants; what was explored with too few of them is forgotten.
    fn learn(&mut self, flow: &Flow<'a>, path: &[NodeNumber], interpolants: &[Term]) -> bool {
        let mut first = None;
        let mut learned: Vec<(Point, Term)> = Vec::new();
        for (interpolant, number) in interpolants.iter().zip(&path[1..]) {
            let point = self.graph.nodes[*number].point;
            for atom in atoms(&self.terms, *interpolant) {
                if self.precision.add(flow.program, point.node, atom) {
                    first.get_or_insert(*number);
                    learned.push((point, atom));
                }
            }
        }
        self.reader.post_precision(flow, self.segments.formulas(), learned.into_iter());
        if let Some(first) = first {
            self.graph.remove(first);
        }
        first.is_some()
    }

    /// Adds the interpolants themselves to the states on the path: each holds on every run that takes it.
    fn strengthen(&mut self, path: &[NodeNumber], interpolants: &[Term], budget: &Budget) -> bool {
        let mut changed = false;
        for (interpolant, number) in interpolants.iter().zip(&path[1..]) {
            let state = self.graph.nodes[*number].state;
            if self.abstractor.entails(state, *interpolant, budget) {
                continue;
            }
            changed = true;
            let stronger = self.terms.and2(state, *interpolant);
            self.graph.nodes[*number].state = stronger;
            self.graph.uncover(*number);
        }
        changed
    }
}
