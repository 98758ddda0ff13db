//! Runs for goals that are more than edges: what a run reads, and how much of it a test can count on. Random inputs, inputs that a solver found, inputs of a test.

use tandem_base::Budget;
use tandem_cfa::exec::{End, EventKind, Input, InputSource, Inputs, Machine, Options, Request, Run};
use tandem_cfa::{EdgeId, Program};

use super::draw::{Draw, Drawn, Mood};
use super::measure::first_doubt;
use super::walk::Walker;
use super::{MEMORY, PATH, walker};
use crate::Task;
use crate::query::PathInputs;
use crate::replay::machine;

/// Terms after which a walker begins anew.
const MOST_TERMS: usize = 3_000_000;
/// Inputs that led to something new, kept to be changed.
const MOST_SEEDS: usize = 64;

/// A run of the user's program.
pub struct Ran {
    run: Run,
    /// All edges, those of library models among them.
    edges: Vec<EdgeId>,
}

impl Ran {
    /// The inputs from functions: what a test consists of.
    pub fn inputs(&self) -> Vec<Input> {
        self.run.inputs.iter().filter(|input| input.is_of_function()).copied().collect()
    }

    /// The user's edges among the first of the run.
    pub fn path(&self, program: &Program, count: usize) -> Vec<EdgeId> {
        let is_users = |edge: &EdgeId| !program.functions[program.function_of(*edge)].is_library;
        self.edges[..count.min(self.edges.len())].iter().copied().filter(is_users).collect()
    }

    pub fn len(&self) -> usize {
        self.edges.len()
    }

    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// Whether the run came to an end of the program.
    pub fn ended(&self) -> bool {
        match self.run.end {
            End::Returned(_)
            | End::Exited(_)
            | End::ErrorReached { .. }
            | End::AssertFailed { .. }
            | End::Aborted { .. } => !self.run.path.as_ref().is_some_and(|path| path.truncated),
            End::AssumeViolated { .. }
            | End::Undefined { .. }
            | End::Unsupported { .. }
            | End::Stopped(_)
            | End::StackOverflow { .. }
            | End::OutOfMemory { .. }
            | End::NoEntry => false,
        }
    }
}

/// Runs programs, and judges the runs.
pub struct Judge<'a> {
    task: Task<'a>,
    machine: Machine<'a>,
    draw: Draw,
    walker: Option<Walker<'a>>,
    seeds: Vec<Vec<u128>>,
    drawn: u64,
}

impl<'a> Judge<'a> {
    /// No run takes more edges than `steps`.
    pub fn new(task: Task<'a>, seed: u64, steps: u64) -> Judge<'a> {
        let options = Options { steps, memory: MEMORY, path: Some(PATH), ..Options::default() };
        Judge {
            task,
            machine: machine(task, options),
            draw: Draw::new(task.program, seed),
            walker: walker(task),
            seeds: Vec::new(),
            drawn: 0,
        }
    }

    /// A run on inputs that cost nothing.
    pub fn random(&mut self, budget: &Budget) -> Option<Ran> {
        self.drawn += 1;
        let (values, mood) = match self.drawn {
            1 => (Vec::new(), Mood::Zeros),
            2 => (Vec::new(), Mood::Same(1)),
            _ if self.seeds.is_empty() || self.draw.below(2) == 0 => (Vec::new(), self.draw.mood()),
            _ => (self.changed_seed(), self.draw.mood()),
        };
        let mut inputs = Drawn { values: &values, used: 0, mood, draw: &mut self.draw };
        let run = self.machine.run(&mut inputs, budget);
        Some(Ran { edges: run.edges(self.task.program)?, run })
    }

    /// A run on the inputs that a solver found for a path. Memory that was never written is zero: no test can say otherwise.
    pub fn follow(&mut self, inputs: &[(InputSource, EdgeId, u128)], budget: &Budget) -> Option<Ran> {
        let mut inputs = OfFunctions(PathInputs::new(self.task, inputs));
        let run = self.machine.run(&mut inputs, budget);
        Some(Ran { edges: run.edges(self.task.program)?, run })
    }

    /// A run on the inputs of a test; those that it does not have are zero.
    pub fn replay(&mut self, values: &[u128], budget: &Budget) -> Option<Ran> {
        let mut inputs = Drawn { values, used: 0, mood: Mood::Zeros, draw: &mut self.draw };
        let run = self.machine.run(&mut inputs, budget);
        Some(Ran { edges: run.edges(self.task.program)?, run })
    }

    /// How many edges of a run do not depend on what no test decides: memory that was never written, addresses.
    pub fn counts(&mut self, ran: &Ran, budget: &Budget) -> usize {
        let (run, edges) = (&ran.run, &ran.edges);
        let doubt = first_doubt(edges, run, true).unwrap_or(edges.len());
        let is_unclear = run.events.iter().any(|event| matches!(event.kind, EventKind::Uninitialised(_)));
        if !is_unclear {
            return doubt;
        }
        if self.walker.as_ref().is_none_or(|one| one.size() > MOST_TERMS) {
            self.walker = walker(self.task);
        }
        let Some(walker) = &mut self.walker else { return doubt };
        let followed = walker.follow(edges, &run.end, None, budget);
        walker.ways.clear();
        let known = followed.unclean.unwrap_or(followed.edges);
        first_doubt(edges, run, false).unwrap_or(edges.len()).min(known.max(doubt))
    }

    /// A run that led to something new: its inputs are worth trying again, with changes.
    pub fn remember(&mut self, ran: &Ran) {
        let inputs = ran.inputs();
        inputs.iter().take(200).for_each(|input| self.draw.learn(input.edge, input.bits));
        let values: Vec<u128> = inputs.iter().take(1000).map(|input| input.bits).collect();
        if self.seeds.len() < MOST_SEEDS {
            self.seeds.push(values);
        } else {
            let at = self.draw.below(MOST_SEEDS);
            self.seeds[at] = values;
        }
    }

    fn changed_seed(&mut self) -> Vec<u128> {
        let mut values = self.seeds[self.draw.below(self.seeds.len())].clone();
        for _ in 0..=self.draw.below(3) {
            if !values.is_empty() {
                let at = self.draw.below(values.len());
                let scalar = tandem_cfa::Scalar::Int { bits: 64, signed: true };
                values[at] = self.draw.value(Mood::Mixed, scalar);
            }
        }
        values
    }
}

/// The inputs of a path, but for memory that was never written.
struct OfFunctions<'a>(PathInputs<'a>);

impl Inputs for OfFunctions<'_> {
    fn nondet(&mut self, request: Request<'_>) -> u128 {
        self.0.nondet(request)
    }

    fn uninitialised(&mut self, _: Request<'_>) -> u128 {
        0
    }
}
