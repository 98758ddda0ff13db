//! The concolic tester: runs the program on cheap inputs first, then follows runs with terms and turns them where something
//! wanted lies on the other side of a branch. Finds tests and proves nothing.
//!
//! One call of [`Tester::work`] is one run, or one question to the solver and the run that it leads to: whoever calls decides when to
//! stop, and what is still wanted. Crashing, endless and greedy runs end by the limits of the interpreter.

mod distance;
mod draw;
mod judge;
mod measure;
mod walk;

use std::time::{Duration, Instant};

use tandem_base::{Budget, IdVec};
use tandem_cfa::exec::{Coverage, EventKind, Machine, Options, Run};
use tandem_cfa::{EdgeId, NodeId, Program};

use crate::Task;
use crate::replay::machine;
use distance::{Backwards, distance};
use draw::{Draw, Drawn, Mood};
pub use judge::{Judge, Ran};
pub use measure::Test;
use measure::{ends_by_itself, first_doubt, test_of};
use walk::{Place, Tried, Walker, Way};

/// Edges of one run, at first and at most.
const STEPS: (u64, u64) = (50_000, 1_000_000_000);
/// The same for a run on inputs that somebody else has found: they lead to something.
const GIVEN: u64 = 10_000_000;
/// Edges that it may take beyond those it is known to take.
const MORE: u64 = 1000;
/// Inputs that such a run may ask for when it has no more.
const SPARE: usize = 2000;
/// Inputs of one run.
const INPUTS: usize = 1_000_000;
/// Bytes of a recorded path.
const PATH: usize = 1 << 20;
/// Bytes that the program's objects may take.
const MEMORY: u64 = 1 << 28;
/// Runs on cheap inputs before the first question to the solver.
const WARM_UP: u64 = 24;
/// How long the solver may think about one way, at first.
const QUESTION: Duration = Duration::from_millis(150);
/// Terms after which everything is forgotten: they are never given back otherwise.
const MOST_TERMS: usize = 30_000_000;
/// Inputs of one run from which values are learned.
const LEARNED: usize = 100;
/// Earlier inputs that are kept to be changed.
const MOST_SEEDS: usize = 200;
/// How long a run is followed: one that is nothing new, one that is, and one of which more might count.
const GLANCE: Duration = Duration::from_millis(20);
const LOOK: Duration = Duration::from_millis(250);
const LONG_LOOK: Duration = Duration::from_secs(3);
const LONG_LOOKS: u32 = 6;
/// Runs without anything new after which they may be longer.
const FRUITLESS: u64 = 300;
/// Tests in a row that could not be brought to an end of the program, after which that is left alone.
const ENDLESS: u32 = 16;

/// Which inputs are tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// A third of the time for cheap ones.
    Both,
    /// Zeros, random ones, changed ones.
    Cheap,
    /// Those that the solver is asked for, as long as there is something to ask.
    Solved,
}

/// Makes tests for a program.
pub struct Tester<'a> {
    pub mode: Mode,
    /// Whether runs are a start for more.
    goes_on: bool,
    task: Task<'a>,
    program: &'a Program,
    machine: Machine<'a>,
    /// For runs that may be longer, and how long they may be.
    patient: Machine<'a>,
    steps: u64,
    /// For runs on inputs of others.
    given: Option<Machine<'a>>,
    draw: Draw,
    walker: Option<Walker<'a>>,
    backwards: Backwards,
    distances: IdVec<NodeId, u32>,
    wanted: Coverage,
    aimed: Coverage,
    /// Whatever some run has taken, counted or not.
    taken: Coverage,
    seeds: Vec<Vec<u128>>,
    attempts: IdVec<EdgeId, u32>,
    fruitless: u64,
    /// Time for runs on cheap inputs, and for those that the solver was asked for.
    cheap: Duration,
    dear: Duration,
    /// How often a run was followed for long, to see what in it counts.
    long_looks: u32,
    /// Whether some run asked for an input.
    has_inputs: bool,
    /// How many tests in a row could not be brought to an end of the program.
    endless: u32,
    /// How many times in ten any way is taken instead of the one that looks best.
    pub astray: usize,
    pub counters: Counters,
}

/// Inputs of functions that somebody has found, and after how many edges a run on them is stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Told {
    pub values: Vec<u128>,
    pub steps: u64,
}

impl Told {
    /// With a run that took so many steps elsewhere.
    pub fn seen(values: Vec<u128>, steps: u64) -> Told {
        Told { values, steps: steps.saturating_add(MORE) }
    }
}

impl From<Vec<u128>> for Told {
    fn from(values: Vec<u128>) -> Told {
        Told { values, steps: GIVEN }
    }
}

/// What the tester has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    pub runs: u64,
    pub questions: u64,
    pub answers: u64,
    pub gave_up: u64,
    /// Runs that did not go where the solver said.
    pub diverged: u64,
}

impl<'a> Tester<'a> {
    pub fn new(task: Task<'a>, seed: u64) -> Tester<'a> {
        let program = task.program;
        let nothing = Coverage::new(program.edges.len());
        Tester {
            mode: Mode::Both,
            goes_on: true,
            task,
            program,
            machine: machine_for(task, STEPS.0),
            patient: machine_for(task, STEPS.0 * 8),
            steps: STEPS.0 * 8,
            given: None,
            draw: Draw::new(program, seed),
            walker: walker(task),
            backwards: Backwards::of(program),
            distances: IdVec::filled(u32::MAX, program.nodes.len()),
            wanted: nothing.clone(),
            aimed: nothing.clone(),
            taken: nothing,
            seeds: Vec::new(),
            attempts: IdVec::filled(0, program.edges.len()),
            fruitless: 0,
            cheap: Duration::ZERO,
            dear: Duration::ZERO,
            long_looks: 0,
            has_inputs: false,
            endless: 0,
            astray: 1,
            counters: Counters::default(),
        }
    }

    /// One that looks what tests of others cover, and is not asked for more.
    pub fn replaying(task: Task<'a>) -> Tester<'a> {
        Tester { goes_on: false, ..Tester::new(task, 1) }
    }

    /// Whether more work leads to nothing new: the program takes no inputs, and its run has ended.
    pub fn is_done(&self) -> bool {
        !self.has_inputs && self.counters.runs > 2 && self.steps >= STEPS.1
    }

    /// One run, or one question and what it leads to. A test if something wanted is covered.
    pub fn work(&mut self, wanted: &Coverage, budget: &Budget) -> Option<Test> {
        self.want(wanted);
        if self.walker.as_ref().is_some_and(|walker| walker.size() > MOST_TERMS) {
            self.walker = walker(self.task);
        }
        let start = Instant::now();
        let is_warm = self.counters.runs >= WARM_UP;
        let asks = match self.mode {
            Mode::Both => self.cheap >= self.dear / 2,
            Mode::Cheap => false,
            Mode::Solved => true,
        };
        if is_warm && asks {
            if let Some(way) = self.next_way() {
                let test = self.turn(way, budget);
                self.dear += start.elapsed();
                return test;
            }
        }
        let test = self.try_cheap(budget);
        self.cheap += start.elapsed();
        test
    }

    /// Takes a test from somebody else as a start for more.
    pub fn learn(&mut self, wanted: &Coverage, told: &Told, budget: &Budget) -> Option<Test> {
        self.want(wanted);
        let given = self.given.get_or_insert_with(|| machine_for(self.task, GIVEN));
        given.limit_inputs(told.values.len() + SPARE);
        given.limit_steps(told.steps.min(STEPS.1));
        let mut drawn = Drawn { values: &told.values, used: 0, mood: Mood::Zeros, draw: &mut self.draw };
        let run = given.run(&mut drawn, budget);
        self.look(run, &told.values, None, budget)
    }

    /// A run that somebody has seen on inputs and on memory that was never written, as a test that counts for nothing.
    pub fn doubtful(&self, run: &Run) -> Option<Test> {
        let edges = run.edges(self.program)?;
        Some(Test {
            covered: Coverage::new(self.program.edges.len()),
            ..test_of(self.program, run, &edges, 0, &self.wanted)
        })
    }

    fn want(&mut self, wanted: &Coverage) {
        if self.wanted != *wanted {
            self.wanted = wanted.clone();
            if self.goes_on {
                self.aim();
            }
        }
    }

    /// Aims at what no run has come by, counted or not, as long as there is something left.
    fn aim(&mut self) {
        let mut fresh = Coverage::new(self.program.edges.len());
        self.wanted.iter().filter(|edge| !self.taken.contains(*edge)).for_each(|edge| fresh.insert(edge));
        self.aimed = if fresh.is_empty() { self.wanted.clone() } else { fresh };
        self.distances = self.backwards.distances(self.program, &self.aimed);
    }

    fn try_cheap(&mut self, budget: &Budget) -> Option<Test> {
        if self.fruitless > FRUITLESS && self.steps < STEPS.1 || !self.has_inputs && self.counters.runs > 1 {
            self.steps = (self.steps * 8).min(STEPS.1);
            self.patient = machine_for(self.task, self.steps);
            self.fruitless = 0;
        }
        let (values, mood) = match self.counters.runs {
            0 => (Vec::new(), Mood::Zeros),
            1 => (Vec::new(), Mood::Same(1)),
            _ if self.seeds.is_empty() || self.draw.below(2) == 0 => (Vec::new(), self.draw.mood()),
            _ => (self.changed_seed(), self.draw.mood()),
        };
        self.run(&values, mood, None, budget)
    }

    /// Inputs that covered something new, with some of them changed.
    fn changed_seed(&mut self) -> Vec<u128> {
        let mut values = self.seeds[self.draw.below(self.seeds.len())].clone();
        if self.draw.below(3) == 0 {
            values.truncate(self.draw.below(values.len() + 1));
        }
        for _ in 0..=self.draw.below(3) {
            if !values.is_empty() {
                let at = self.draw.below(values.len());
                let scalar = tandem_cfa::Scalar::Int { bits: 64, signed: true };
                values[at] = match self.draw.below(4) {
                    0 => values[at].wrapping_add(1),
                    1 => values[at].wrapping_sub(1),
                    2 => values[at] ^ 1 << self.draw.below(32),
                    _ => self.draw.value(Mood::Mixed, scalar),
                };
            }
        }
        values
    }

    /// The way that looks best: near to what is wanted, seldom tried, not deep.
    fn next_way(&mut self) -> Option<Way> {
        let program = self.program;
        let (distances, wanted, attempts) = (&self.distances, &self.aimed, &self.attempts);
        let ways = &mut self.walker.as_mut()?.ways;
        ways.retain(|way| distance(program, distances, wanted, way.edge) < u32::MAX);
        let cost = |way: &Way| {
            let far = u64::from(distance(program, distances, wanted, way.edge)).min(1 << 20);
            let tried = u64::from(attempts[way.edge]) * 2 + u64::from(way.tries) * 16 + u64::from(!way.is_clean()) * 8;
            (far * 4 + tried, way.depth())
        };
        let best = match self.draw.below(10) {
            // Now and then any: what looks best may lead nowhere.
            below if below < self.astray => Some(self.draw.below(ways.len())).filter(|index| *index < ways.len()),
            _ => (0..ways.len()).min_by_key(|index| cost(&ways[*index])),
        };
        best.map(|index| ways.swap_remove(index))
    }

    /// Asks for inputs that go another way, and runs them.
    fn turn(&mut self, mut way: Way, budget: &Budget) -> Option<Test> {
        let edge = way.edge;
        self.attempts[edge] += 1;
        self.counters.questions += 1;
        let time = QUESTION * (1 << (2 * way.tries));
        let walker = self.walker.as_mut()?;
        match walker.attempt(&way, &budget.within(time)) {
            Tried::Impossible => None,
            Tried::GaveUp => {
                self.counters.gave_up += 1;
                way.tries += 1;
                if way.tries < 3 {
                    walker.ways.push(way);
                }
                None
            }
            Tried::Inputs(values, place) => {
                self.counters.answers += 1;
                let mood = if self.draw.below(3) == 0 { Mood::Zeros } else { self.draw.mood() };
                self.run(&values, mood, Some((place, edge)), budget)
            }
        }
    }

    fn run(&mut self, values: &[u128], mood: Mood, to: Option<(Place, EdgeId)>, budget: &Budget) -> Option<Test> {
        let depth = to.as_ref().map_or(0, |(place, _)| place.depth() as u64);
        // Most runs are short. Programs without inputs have one run only.
        let is_patient = depth > STEPS.0 / 2 || to.is_none() && (!self.has_inputs || self.counters.runs % 32 == 31);
        let machine = if is_patient { &mut self.patient } else { &mut self.machine };
        let mut inputs = Drawn { values, used: 0, mood, draw: &mut self.draw };
        let run = machine.run(&mut inputs, budget);
        self.look(run, values, to, budget)
    }

    /// What a run on these values is worth.
    fn look(&mut self, run: Run, values: &[u128], to: Option<(Place, EdgeId)>, budget: &Budget) -> Option<Test> {
        self.counters.runs += 1;
        self.has_inputs |= run.inputs.iter().any(|input| input.is_of_function());
        let is_new = self.taken.merge(&run.coverage);
        let is_wanted = self.wanted.iter().any(|edge| run.coverage.contains(edge));
        let aimed = if self.goes_on { &self.aimed } else { &self.wanted };
        let is_aimed_at = aimed.iter().any(|edge| run.coverage.contains(edge));
        self.fruitless = if is_new { 0 } else { self.fruitless + 1 };
        if is_new {
            self.keep_seed(&run);
        }
        if is_new || to.is_some() {
            // The last one may be what ended the run.
            let known = if to.is_some() { values.len() } else { LEARNED }.min(run.inputs.len().saturating_sub(1));
            run.inputs.iter().take(known).for_each(|input| self.draw.learn(input.edge, input.bits));
        }
        // What depends on memory that was never written seldom counts: not every such run is worth a look.
        let is_clear = run.events.iter().all(|event| !matches!(event.kind, EventKind::Uninitialised(_)));
        let looked_at = is_new || to.is_some() || is_wanted && (is_clear || self.fruitless < FRUITLESS / 2);
        if !looked_at {
            return None;
        }
        let edges = run.edges(self.program)?;
        // The far end of a run that is nothing new is not worth much.
        let look = budget.within(if is_new { LOOK } else { GLANCE });
        let clean = self.follow(&run, &edges, to, &look);
        let test = test_of(self.program, &run, &edges, clean, &self.wanted);
        let counts = self.wanted.iter().any(|edge| test.covered.contains(edge));
        if is_aimed_at && !counts && self.goes_on {
            self.aim();
        }
        if counts
            && self.goes_on
            && let Some(ended) = self.ended(&test, budget)
        {
            return Some(ended);
        }
        (counts || is_aimed_at).then_some(test)
    }

    /// The same test with more inputs, if it was cut and the program comes to its end with them: people can run it as it is.
    fn ended(&mut self, test: &Test, budget: &Budget) -> Option<Test> {
        if ends_by_itself(&test.end) || self.endless >= ENDLESS {
            return None;
        }
        let values: Vec<u128> = test.inputs.iter().map(|input| input.bits).collect();
        for mood in [Mood::Zeros, Mood::Same(1)] {
            let mut inputs = Drawn { values: &values, used: 0, mood, draw: &mut self.draw };
            let run = self.machine.run(&mut inputs, budget);
            let Some(edges) = run.edges(self.program).filter(|_| ends_by_itself(&run.end)) else { continue };
            let clean = self.follow(&run, &edges, None, &budget.within(GLANCE));
            let ended = test_of(self.program, &run, &edges, clean, &self.wanted);
            if self.wanted.iter().all(|edge| ended.covered.contains(edge) || !test.covered.contains(edge)) {
                self.taken.merge(&run.coverage);
                self.endless = 0;
                return Some(ended);
            }
        }
        self.endless += 1;
        None
    }

    /// Follows the run with terms; how many of its edges do not depend on what no test decides.
    fn follow(&mut self, run: &Run, edges: &[EdgeId], to: Option<(Place, EdgeId)>, look: &Budget) -> usize {
        let doubt = first_doubt(edges, run, true).unwrap_or(edges.len());
        let is_unclear = run.events.iter().any(|event| matches!(event.kind, EventKind::Uninitialised(_)));
        let Some(walker) = self.walker.as_mut().filter(|_| is_unclear || self.goes_on) else { return doubt };
        let place = to.and_then(|(place, edge)| {
            let arrived = walker.is_on(edges, &place, edge);
            self.counters.diverged += u64::from(!arrived);
            arrived.then_some(place)
        });
        let behind = || edges[doubt..].iter().any(|edge| self.wanted.contains(*edge));
        let is_long = is_unclear && self.long_looks < LONG_LOOKS && behind();
        self.long_looks += u32::from(is_long);
        let longer = look.longer(if is_long { LONG_LOOK } else { Duration::ZERO });
        let followed = walker.follow(edges, &run.end, place, &longer);
        if !is_unclear {
            return doubt;
        }
        let known = followed.unclean.unwrap_or(followed.edges);
        let known = if followed.edges == edges.len() && followed.unclean.is_none() { edges.len() } else { known };
        first_doubt(edges, run, false).unwrap_or(edges.len()).min(known.max(doubt))
    }

    fn keep_seed(&mut self, run: &Run) {
        let from_functions = run.inputs.iter().filter(|input| input.is_of_function());
        let values: Vec<u128> = from_functions.take(1000).map(|input| input.bits).collect();
        if self.seeds.len() < MOST_SEEDS {
            self.seeds.push(values);
        } else {
            let at = self.draw.below(MOST_SEEDS);
            self.seeds[at] = values;
        }
    }
}

fn machine_for(task: Task<'_>, steps: u64) -> Machine<'_> {
    let options = Options { steps, memory: MEMORY, inputs: INPUTS, path: Some(PATH), ..Options::default() };
    machine(task, options)
}

fn walker(task: Task<'_>) -> Option<Walker<'_>> {
    Walker::new(task.program, &task.error.functions(), task.error.includes_assert())
}
