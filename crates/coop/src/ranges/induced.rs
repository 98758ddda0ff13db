//! The path that a test case induces, as a bound.
//!
//! A test case that says too little stands for the least path of those it allows: that is looked for as far as the solver can say. What
//! remains unknown (the path depends on addresses, or is too long) is not part of the bound, which is then said to go on: so it makes
//! ranges larger, never smaller.

use tandem_analyses::Task;
use tandem_analyses::paths::Paths;
use tandem_analyses::replay::machine;
use tandem_artifact::range::{Bound, Decisions};
use tandem_base::Budget;
use tandem_cfa::exec::{End, EventKind, Inputs, Options, Request};

use super::split::LONGEST;

/// A bound, and what is to be said about how it was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Induced {
    pub bound: Bound,
    /// Why the bound is not the whole path, if it is not.
    pub note: Option<String>,
}

/// Edges of the run.
const STEPS: u64 = 20_000_000;
/// Bytes of the record of the path.
const RECORD: usize = 1 << 22;

/// The bound of the path that these inputs induce. `inputs` answers the requests for inputs of functions, by their number and the request,
/// as long as there are values.
pub fn induced(task: Task<'_>, inputs: &dyn Fn(usize, Request<'_>) -> Option<u128>, budget: &Budget) -> Induced {
    // The number of inputs that the path depends on and nobody gives, found by running up to the first of them.
    let mut probe = Given { inputs, asked: 0, missing: None, total: 0 };
    let options = || Options { path: Some(RECORD), steps: STEPS, ..Options::default() };
    let run = machine(task, options()).run(&mut probe, budget);
    let observed = run.events.iter().any(|event| event.kind == EventKind::AddressObserved);
    let truncated = run.path.as_ref().is_some_and(|path| path.truncated) || is_short(&run.end);
    let note = match (probe.missing, observed, truncated) {
        (Some(_), _, _) => Some("the test case does not say all values that the path depends on"),
        (None, true, _) => Some("the path depends on addresses"),
        (None, false, true) => Some("the path is longer than a bound may be"),
        (None, false, false) => None,
    };
    let known = match probe.missing {
        // Up to the request that has no answer: the run is stopped there.
        Some(number) => {
            let mut again = Given { inputs, asked: 0, missing: None, total: 0 };
            let run = machine(task, Options { inputs: number, ..options() }).run(&mut again, budget);
            run.decisions(task.program)
        }
        None if observed => Some(Vec::new()),
        None => run.decisions(task.program),
    };
    let decisions = Decisions(known.unwrap_or_default());
    if let Some(bound) = probe.missing.and_then(|_| least(task, inputs, &decisions, budget)) {
        let note = "the test case does not say all values that the path depends on: its least path is taken";
        return Induced { note: Some(note.into()), bound };
    }
    let bound = Bound { decisions, goes_on: note.is_some(), test: None };
    Induced { bound, note: note.map(str::to_string) }
}

/// Whether a run was cut off.
fn is_short(end: &End) -> bool {
    matches!(end, End::Stopped(_) | End::StackOverflow { .. } | End::OutOfMemory { .. })
}

/// The least path that the test case allows, as far as it can be found; nothing if that is no more than what is known anyway.
fn least(
    task: Task<'_>,
    inputs: &dyn Fn(usize, Request<'_>) -> Option<u128>,
    known: &Decisions,
    budget: &Budget,
) -> Option<Bound> {
    let mut paths = Paths::new(task, budget)?;
    let spot = paths.least(inputs, LONGEST)?;
    let decisions = Decisions(spot.decisions.clone());
    if !decisions.begins_with(known) {
        return None;
    }
    // It is the whole path if a run takes just that.
    let run = paths.run(&spot, STEPS).filter(|run| !is_short(&run.end) && !matches!(run.end, End::Unsupported { .. }));
    let is_whole = run.and_then(|run| run.decisions(task.program)).is_some_and(|whole| whole == decisions.0);
    Some(Bound { decisions, goes_on: !is_whole, test: None })
}

/// Inputs that are given, and the number of the first that is not.
struct Given<'a> {
    inputs: &'a dyn Fn(usize, Request<'_>) -> Option<u128>,
    /// Requests for inputs of functions.
    asked: usize,
    missing: Option<usize>,
    /// All requests.
    total: usize,
}

impl Inputs for Given<'_> {
    fn nondet(&mut self, request: Request<'_>) -> u128 {
        let value = (self.inputs)(self.asked, request);
        self.asked += 1;
        if value.is_none() {
            self.missing.get_or_insert(self.total);
        }
        self.total += 1;
        value.unwrap_or(0)
    }

    fn uninitialised(&mut self, _: Request<'_>) -> u128 {
        self.missing.get_or_insert(self.total);
        self.total += 1;
        0
    }
}
