//! The cycle: tester and verifier work on what the other has left open, until everything is decided or the budget ends. With
//! two threads they work at once, with one in turns.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tandem_analyses::Task;
use tandem_analyses::concolic::{Mode, Tester};
use tandem_base::{Budget, Pace};

use super::board::{Board, Status};
use super::exchange::Given;
use super::goals::Goal;
use super::outside::Visit;
use super::tester::{Testing, lock};
use super::verifier::{Current, Verifier, stop_if_pointless};
use crate::kernel::schedule;
use crate::outside::Tool;

/// Who takes part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TestPlan {
    /// A tester and a verifier.
    Cooperative,
    /// The tester alone.
    Concolic,
    /// Two testers in a cycle: one for cheap inputs, one for those that a solver finds.
    Conditional,
    /// Verifiers in turns, whose alarms are tests.
    Verifiers,
    /// Only programs from outside.
    Outside,
}

impl TestPlan {
    /// The names that [`TestPlan::named`] knows.
    pub const NAMES: [&str; 4] = ["cotest", "concolic", "conditional", "coveritest"];

    pub fn named(name: &str) -> Option<TestPlan> {
        Some(match name {
            "cotest" => TestPlan::Cooperative,
            "concolic" => TestPlan::Concolic,
            "conditional" => TestPlan::Conditional,
            "coveritest" => TestPlan::Verifiers,
            _ => return None,
        })
    }

    fn has_tester(self) -> bool {
        matches!(self, TestPlan::Cooperative | TestPlan::Concolic | TestPlan::Conditional)
    }

    fn has_verifier(self) -> bool {
        matches!(self, TestPlan::Cooperative | TestPlan::Verifiers)
    }

    /// How the tester is to work in its n-th batch.
    fn mode(self, batch: u64) -> Mode {
        match self {
            TestPlan::Cooperative | TestPlan::Concolic | TestPlan::Verifiers | TestPlan::Outside => Mode::Both,
            TestPlan::Conditional if batch.is_multiple_of(2) => Mode::Cheap,
            TestPlan::Conditional => Mode::Solved,
        }
    }
}

/// How the cycle works.
#[derive(Clone, Debug)]
pub struct Options {
    /// Inputs that the tester tries before it hands over.
    pub batch: usize,
    pub plan: TestPlan,
    pub seed: u64,
    pub given: Given,
}

impl Default for Options {
    fn default() -> Options {
        Options { batch: 100, plan: TestPlan::Cooperative, seed: 1, given: Given::default() }
    }
}

/// A verifier that has proved nothing for a while helps the tester for this part of that time.
const HELP: u32 = 2;
/// How often the board is shown to whoever watches.
const GLANCE: Duration = Duration::from_millis(20);

/// Decides the goals as far as the budget allows. `watch` is shown the board now and then, and at the end.
pub fn cycle<'a>(
    task: Task<'a>,
    goals: &'a [Goal],
    options: &Options,
    budget: &Budget,
    watch: &mut dyn FnMut(&Board<'a>),
) -> Board<'a> {
    cycle_with(&[], task, goals, options, budget, watch)
}

/// The same, with programs from outside that take part.
pub fn cycle_with<'a>(
    tools: &[&dyn Tool],
    task: Task<'a>,
    goals: &'a [Goal],
    options: &Options,
    budget: &Budget,
    watch: &mut dyn FnMut(&Board<'a>),
) -> Board<'a> {
    let mut board = Board::new(task.program, goals);
    board.prove(&options.given.unreachable, "given");
    let board = Mutex::new(board);
    let current = Mutex::new(None);
    let running = AtomicBool::new(true);
    // Programs from outside compute in processes of their own, which take no turns here.
    schedule(task.threads + tools.len(), Pace::Clock, budget, |session| {
        let (board, current) = (&board, &current);
        if task.threads < 2 {
            session.begin("cycle", 1, Duration::ZERO, move |budget| in_turns(task, board, options, budget, current));
        } else {
            let start = &running;
            if options.plan.has_tester() {
                session.begin("tester", 1, Duration::ZERO, move |budget| test(task, board, options, budget, start));
            }
            if options.plan.has_verifier() {
                let wait = options.plan.has_tester().then_some(start);
                session.begin("verifier", 1, Duration::ZERO, move |budget| {
                    prove(task, board, options, budget, current, wait);
                });
            }
        }
        for tool in tools {
            let is_alone = options.plan == TestPlan::Outside && tools.len() == 1;
            session.begin("outside", 1, Duration::ZERO, move |budget| {
                Visit { task, board, tool: *tool, is_alone, seed: options.seed }.work(budget);
            });
        }
        loop {
            // The members stop when all is decided, whichever decided last.
            let stop = session.running() == 0 || budget.stop_reason().is_some() || lock(board).is_decided();
            {
                let board = lock(board);
                stop_if_pointless(current, &board, stop);
                watch(&board);
            }
            if stop {
                break;
            }
            session.next_within(GLANCE);
        }
    });
    let board = board.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    watch(&board);
    board
}

fn in_turns<'a>(task: Task<'a>, board: &Mutex<Board<'a>>, options: &Options, budget: &Budget, current: &Current) {
    let mut testing = Testing::new(task, options.seed);
    testing.learn(board, &options.given.inputs, budget);
    let mut verifier = Verifier::new(task, current);
    for batch in 0.. {
        testing.tester.mode = options.plan.mode(batch);
        let mut more = options.plan.has_tester() && testing.batch(board, options.batch, budget);
        let (start, before) = (Instant::now(), proved(board));
        let asks = options.plan.has_verifier() && verifier.round(board, &mut testing.tester, budget);
        if more && asks && proved(board) == before {
            more = testing.until(board, Instant::now() + start.elapsed() / HELP, budget);
        }
        if budget.exhausted().is_some() || !more && !asks {
            break;
        }
    }
}

fn test<'a>(task: Task<'a>, board: &Mutex<Board<'a>>, options: &Options, budget: &Budget, warming: &AtomicBool) {
    let mut testing = Testing::new(task, options.seed);
    testing.learn(board, &options.given.inputs, budget);
    for batch in 0.. {
        testing.tester.mode = options.plan.mode(batch);
        if !testing.batch(board, options.batch, budget) {
            break;
        }
        warming.store(false, Ordering::Release);
    }
    warming.store(false, Ordering::Release);
}

fn prove<'a>(
    task: Task<'a>,
    board: &Mutex<Board<'a>>,
    options: &Options,
    budget: &Budget,
    current: &Current,
    warming: Option<&AtomicBool>,
) {
    let mut verifier = Verifier::new(task, current);
    let mut tester = Tester::new(task, options.seed + 1);
    // The ranges first, then what the first batch of tests has left.
    let mut more = verifier.round(board, &mut tester, budget);
    while warming.is_some_and(|warming| warming.load(Ordering::Acquire)) && budget.exhausted().is_none() {
        std::thread::sleep(Duration::from_millis(2));
    }
    let mut helper = warming.map(|_| Testing::helper(task, options.seed + 2));
    while more && budget.exhausted().is_none() {
        let (start, before) = (Instant::now(), proved(board));
        more = verifier.round(board, &mut tester, budget);
        // Where proofs are hard to come by, a part of the time is better spent on tests.
        if let Some(helper) = helper.as_mut().filter(|_| proved(board) == before) {
            let end = Instant::now() + start.elapsed() / HELP;
            helper.share(board, end, budget);
            helper.until(board, end, budget);
        }
    }
}

fn proved(board: &Mutex<Board<'_>>) -> usize {
    lock(board).status.iter().filter(|status| matches!(status, Status::Unreachable(_))).count()
}
