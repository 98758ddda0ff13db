//! Violation witnesses: the places that a run passes, in order, become a counter of the program. Each place counts one further if
//! it is its turn, and the error can be reached only when all places were passed: what is left of the program is
//! what the witness describes. Runs of it that reach the error confirm the witness; a proof that there are none rejects it.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use tandem_artifact::Verdict;
use tandem_base::{Budget, Span};
use tandem_cfa::exec::{Inputs, Random, Request};
use tandem_cfa::expression::{Context, Formula, Names, parse_formula};
use tandem_cfa::{BinaryOp, EdgeId, NodeId, PlaceId, Program};

use super::formula::{asked_value, is_total};
use super::invariants::widest;
use super::places::{Places, Spot};
use super::weave::Weaver;
use super::{Flaw, Judgement, search};
use crate::Task;
use crate::replay::replay;

/// How long a run on the inputs that the witness names may take.
const RUN: Duration = Duration::from_secs(30);
/// How many runs are tried with other values of memory that was never written, and for how long.
const ATTEMPTS: u64 = 1000;
const TRYING: Duration = Duration::from_secs(2);

/// What a run to the error does, in order.
pub struct Guide {
    /// The last one follows nothing: it ends with the error.
    pub stages: Vec<Stage>,
    /// The statement whose error counts, and where it is in words; without one, every error does.
    pub target: Option<(Span, String)>,
    /// Whether a run that violates the property as the witness says has to follow the guide.
    pub exact: bool,
}

pub struct Stage {
    pub avoid: Vec<Check>,
    pub follow: Option<Check>,
}

/// Passed when control is there and the expression holds.
pub struct Check {
    pub at: At,
    /// May speak about `\result`.
    pub text: Option<String>,
    /// In words.
    pub place: String,
}

#[derive(Clone)]
pub enum At {
    Spot(Spot),
    After(Vec<EdgeId>),
    /// Only of calls.
    Before(Vec<EdgeId>),
}

pub fn judge(task: Task<'_>, guide: &Guide, budget: &Budget) -> Judgement {
    if Places::new(task.program, task.error).has_hidden_errors() {
        return Judgement::Unknown("the error may be reached by a call through a pointer".into());
    }
    let guided = match Guided::new(task, guide) {
        Ok(guided) => guided,
        Err(flaw) => return flaw.into(),
    };
    debug_assert_eq!(tandem_cfa::check::check(&guided.program), Vec::new());
    let task = Task { program: &guided.program, ..task };
    if runs_to_the_error(task, &guided, budget) {
        return Judgement::Confirmed;
    }
    match search::decide(task, budget) {
        Err(reason) => Judgement::Unknown(reason),
        Ok(outcome) => match outcome.verdict {
            Verdict::False => Judgement::Confirmed,
            Verdict::True if guide.exact && guided.is_total => {
                Judgement::Rejected("no run passes these places and reaches the error".into())
            }
            Verdict::True => Judgement::Unknown("no run was found that fits the witness".into()),
            Verdict::Unknown(reason) => Judgement::Unknown(reason),
        },
    }
}

/// Whether a run on the inputs that the witness names reaches the error. It names no values of memory that was never written:
/// where these are asked for, some are tried.
fn runs_to_the_error(task: Task<'_>, guided: &Guided, budget: &Budget) -> bool {
    let start = Instant::now();
    for attempt in 0..ATTEMPTS {
        let values = guided.values.iter().copied().collect();
        let memory = (attempt > 0).then(|| Random::new(attempt));
        let mut asked = Asked { program: &guided.program, values, memory, is_memory_asked: false };
        if replay(task, &mut asked, &budget.within(RUN)).is_ok() {
            return true;
        }
        if !asked.is_memory_asked || start.elapsed() > TRYING {
            return false;
        }
    }
    false
}

/// The inputs that the witness names, given out in its order at the calls it names them for; zeros for all others.
struct Asked<'a> {
    program: &'a Program,
    values: VecDeque<(Span, u128)>,
    /// Values of memory that was never written.
    memory: Option<Random>,
    is_memory_asked: bool,
}

impl Inputs for Asked<'_> {
    fn nondet(&mut self, request: Request<'_>) -> u128 {
        let span = self.program.edges[request.edge].span;
        match self.values.front() {
            Some((place, bits)) if *place == span => {
                let bits = *bits;
                self.values.pop_front();
                bits
            }
            _ => 0,
        }
    }

    fn uninitialised(&mut self, request: Request<'_>) -> u128 {
        self.is_memory_asked = true;
        self.memory.as_mut().map_or(0, |random| random.uninitialised(request))
    }
}

/// A program that reaches the error only as the guide says.
struct Guided {
    program: Program,
    /// Results of calls, by the place of the call, in order.
    values: Vec<(Span, u128)>,
    is_total: bool,
}

/// What happens at a place in one stage.
struct Item {
    stage: usize,
    is_avoided: bool,
    formula: Option<Formula>,
}

/// Where items are woven in; in this order.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    /// First those that are passed less often: see `Weaver::before_node`.
    Node(std::cmp::Reverse<u32>, NodeId, Vec<Span>),
    Before(EdgeId),
    After(EdgeId),
}

struct Builder<'a> {
    names: Names,
    weaver: Weaver,
    places: Places<'a>,
    /// The stage that the run is in.
    stage: PlaceId,
    items: BTreeMap<Key, Vec<Item>>,
    values: Vec<(Span, u128)>,
    is_total: bool,
}

impl Guided {
    fn new(task: Task<'_>, guide: &Guide) -> Result<Guided, Flaw> {
        let mut weaver = Weaver::new(task.program, task.error);
        let stage = weaver.counter("stage$");
        let mut builder = Builder {
            names: Names::of(task.program),
            weaver,
            places: Places::new(task.program, task.error),
            stage,
            items: BTreeMap::new(),
            values: Vec::new(),
            is_total: true,
        };
        for (number, stage) in guide.stages.iter().enumerate() {
            for check in &stage.avoid {
                builder.add(number, true, check)?;
            }
            if let Some(check) = &stage.follow {
                builder.add(number, false, check)?;
            }
        }
        builder.weave_items();
        builder.weave_target(task, guide)?;
        let (program, _) = builder.weaver.finish();
        Ok(Guided { program, values: builder.values, is_total: builder.is_total })
    }
}

impl Builder<'_> {
    fn add(&mut self, stage: usize, is_avoided: bool, check: &Check) -> Result<(), Flaw> {
        match &check.at {
            At::Spot(spot) => {
                let formula = self.parse(check, spot, None)?;
                self.is_total &= !spot.ambiguous;
                let key = Key::Node(std::cmp::Reverse(widest(spot)), spot.node, spot.except.clone());
                self.items.entry(key).or_default().push(Item { stage, is_avoided, formula });
            }
            At::Before(edges) => {
                for edge in edges {
                    let item = Item { stage, is_avoided, formula: None };
                    self.items.entry(Key::Before(*edge)).or_default().push(item);
                }
            }
            At::After(edges) => {
                for (number, edge) in edges.iter().enumerate() {
                    let formula = self.parse_behind(check, *edge, number == 0 && !is_avoided)?;
                    self.items.entry(Key::After(*edge)).or_default().push(Item { stage, is_avoided, formula });
                }
            }
        }
        Ok(())
    }

    /// The expression as it is meant behind an edge.
    fn parse_behind(&mut self, check: &Check, edge: EdgeId, is_asked: bool) -> Result<Option<Formula>, Flaw> {
        let Some(text) = &check.text else { return Ok(None) };
        let (node, span) = (self.weaver.edge(edge).target, self.weaver.edge(edge).span);
        let function = self.weaver.function_of(node);
        let result = if text.contains("\\result") {
            let result = self.weaver.result_of(edge);
            let missing = || Flaw::Wrong(format!("{}: the call returns no value: {text}", check.place));
            Some(result.ok_or_else(missing)?)
        } else {
            None
        };
        let spot = Spot { node, except: Vec::new(), function, scope: span.hi.saturating_sub(1), ambiguous: false };
        let formula = self.parse(check, &spot, result)?;
        if let (true, Some(place), Some(formula)) = (is_asked, result, &formula) {
            let scalar = self.weaver.program.types.scalar(self.weaver.program.place(place).ty);
            let bits = scalar.and_then(|scalar| asked_value(&self.weaver.program, formula, scalar));
            self.values.extend(bits.map(|bits| (span, bits)));
        }
        Ok(formula)
    }

    fn parse(&mut self, check: &Check, spot: &Spot, result: Option<PlaceId>) -> Result<Option<Formula>, Flaw> {
        let Some(text) = &check.text else { return Ok(None) };
        let context = Context { names: &self.names, function: spot.function, at: spot.scope, result };
        let formula = parse_formula(&mut self.weaver.program, context, text)
            .map_err(|problem| Flaw::Wrong(format!("{}: {}: {text}", check.place, problem.message)))?;
        self.is_total &= is_total(&self.weaver.program, &formula);
        Ok(Some(formula))
    }

    fn weave_items(&mut self) {
        for (key, mut items) in std::mem::take(&mut self.items) {
            let (from, to) = match &key {
                Key::Node(_, node, except) => (self.weaver.before_node(*node, except), *node),
                Key::Before(edge) => self.weaver.before_edge(*edge),
                Key::After(edge) => self.weaver.after_edge(*edge),
            };
            items.sort_by_key(|item| (item.stage, !item.is_avoided));
            let stages: Vec<&[Item]> = items.chunk_by(|a, b| a.stage == b.stage).collect();
            self.dispatch(from, to, &stages);
        }
    }

    /// Finds the items of the stage that the run is in.
    fn dispatch(&mut self, from: NodeId, to: NodeId, stages: &[&[Item]]) {
        let first_of = |items: &[Item]| items.first().map_or(0, |item| item.stage);
        match stages {
            [] => {
                self.weaver.skip(from, to);
            }
            [items] => {
                let here = self.weaver.node_like(from);
                let is_turn = self.weaver.compare(BinaryOp::Eq, self.stage, first_of(items));
                self.weaver.test(from, is_turn, here, to);
                self.pass(here, to, items);
            }
            _ => {
                let (low, high) = stages.split_at(stages.len() / 2);
                let (before, after) = (self.weaver.node_like(from), self.weaver.node_like(from));
                let is_low = self.weaver.compare(BinaryOp::Lt, self.stage, first_of(high[0]));
                self.weaver.test(from, is_low, before, after);
                self.dispatch(before, to, low);
                self.dispatch(after, to, high);
            }
        }
    }

    fn pass(&mut self, from: NodeId, to: NodeId, items: &[Item]) {
        let mut at = from;
        for (index, item) in items.iter().enumerate() {
            let next = if index + 1 == items.len() { to } else { self.weaver.node_like(from) };
            let passed = self.weaver.node_like(from);
            match &item.formula {
                Some(formula) => self.weaver.decide(at, formula, passed, next),
                None => {
                    self.weaver.skip(at, passed);
                }
            }
            if item.is_avoided {
                self.weaver.stop(passed);
            } else {
                self.weaver.assign(passed, to, self.stage, item.stage + 1);
            }
            // What follows can only be reached by not passing.
            if item.formula.is_none() {
                return;
            }
            at = next;
        }
    }

    /// The error counts only in the last stage, and only at the target.
    fn weave_target(&mut self, task: Task<'_>, guide: &Guide) -> Result<(), Flaw> {
        let program = task.program;
        let is_target = |edge: EdgeId| match &guide.target {
            Some((span, _)) => span.contains(program.edges[edge].span),
            None => true,
        };
        let errors = self.places.errors();
        let (library, own): (Vec<EdgeId>, Vec<EdgeId>) =
            errors.into_iter().partition(|edge| program.source.is_appendix(program.edges[*edge].span.lo));
        let entered: Vec<EdgeId> = match library.is_empty() {
            true => Vec::new(),
            false => self.places.calls().filter(|edge| self.places.library_error(*edge)).collect(),
        };
        if let Some((_, place)) = &guide.target {
            if !own.iter().chain(&entered).any(|edge| is_target(*edge)) {
                return Err(Flaw::Wrong(format!("{place}: the statement there has no error")));
            }
        }
        let last = guide.stages.len() - 1;
        for edge in own {
            let wanted = if is_target(edge) { last } else { guide.stages.len() };
            self.gate(edge, self.stage, wanted);
        }
        if !library.is_empty() {
            let allowed = self.weaver.counter("target$");
            for edge in entered {
                let (from, to) = self.weaver.before_edge(edge);
                self.weaver.assign(from, to, allowed, usize::from(is_target(edge)));
            }
            for edge in library {
                self.gate(edge, self.stage, last);
                self.gate(edge, allowed, 1);
            }
        }
        Ok(())
    }

    /// Lets nobody by before the counter has this value.
    fn gate(&mut self, edge: EdgeId, counter: PlaceId, value: usize) {
        let (from, to) = self.weaver.before_edge(edge);
        let closed = self.weaver.node_like(from);
        let is_open = self.weaver.compare(BinaryOp::Eq, counter, value);
        self.weaver.test(from, is_open, to, closed);
        self.weaver.stop(closed);
    }
}
