//! CaDiCaL behind a small face: clauses, assumptions, values, failed assumptions, and a stop that is looked for while it
//! searches. Nothing here knows the graph.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use cadical_sys::{CaDiCal, Status, Terminator};
use tandem_base::{Budget, StopReason};

/// A literal as DIMACS writes it: never zero.
pub(super) type Literal = i32;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    Satisfiable,
    Unsatisfiable,
    Stopped(StopReason),
}

pub(super) struct Sat {
    solver: CaDiCal,
    watch: Rc<RefCell<Watch>>,
    variables: i32,
    clauses: u64,
}

impl Sat {
    pub fn new() -> Sat {
        let mut solver = CaDiCal::new();
        // Many small checks in a row: keep the trail from one to the next, and try no special assignments before each.
        solver.set("ilb", 1);
        solver.set("lucky", 0);
        // Bits are more often zero than one, and small numbers are easier to read.
        solver.set("phase", 0);
        let watch = Rc::new(RefCell::new(Watch::new()));
        solver.connect_terminator(SharedWatch(Rc::clone(&watch)));
        Sat { solver, watch, variables: 0, clauses: 0 }
    }

    pub fn new_literal(&mut self) -> Literal {
        self.variables += 1;
        self.variables
    }

    pub fn add_clause(&mut self, clause: &[Literal]) {
        self.clauses += 1;
        match *clause {
            [a] => self.solver.clause1(a),
            [a, b] => self.solver.clause2(a, b),
            [a, b, c] => self.solver.clause3(a, b, c),
            [a, b, c, d] => self.solver.clause4(a, b, c, d),
            _ => {
                for &literal in clause {
                    self.solver.add(literal);
                }
                self.solver.add(0);
            }
        }
    }

    pub fn solve(&mut self, assumptions: &[Literal], budget: &Budget) -> Outcome {
        if let Some(reason) = budget.exhausted() {
            return Outcome::Stopped(reason);
        }
        self.watch.borrow_mut().start(budget);
        for &literal in assumptions {
            self.solver.assume(literal);
        }
        match self.solver.solve() {
            Status::SATISFIABLE => Outcome::Satisfiable,
            Status::UNSATISFIABLE => Outcome::Unsatisfiable,
            Status::UNKNOWN => Outcome::Stopped(self.watch.borrow().reason.unwrap_or(StopReason::Cancelled)),
        }
    }

    /// After `Satisfiable`.
    pub fn value(&mut self, literal: Literal) -> bool {
        self.solver.val(literal) == literal
    }

    /// After `Unsatisfiable`: whether the assumption was needed.
    pub fn failed(&mut self, literal: Literal) -> bool {
        self.solver.failed(literal)
    }

    pub fn variables(&self) -> u64 {
        self.variables as u64
    }

    pub fn clauses(&self) -> u64 {
        self.clauses
    }

    pub fn conflicts(&self) -> u64 {
        self.solver.get_statistic_value("conflicts").max(0) as u64
    }
}

/// Looks at the budget while CaDiCaL runs, which asks every few hundred propagations.
struct Watch {
    budget: Budget,
    reason: Option<StopReason>,
    /// When the memory of the process is looked at next: reading it costs microseconds.
    next_memory: Instant,
}

const MEMORY_INTERVAL: Duration = Duration::from_millis(20);

impl Watch {
    fn new() -> Watch {
        Watch { budget: Budget::unlimited(), reason: None, next_memory: Instant::now() }
    }

    fn start(&mut self, budget: &Budget) {
        self.budget = budget.clone();
        self.reason = None;
    }

    fn look(&mut self) -> bool {
        if self.reason.is_none() {
            self.reason = self.budget.exhausted();
        }
        if let (None, Some(limit)) = (self.reason, self.budget.memory) {
            let now = Instant::now();
            if now >= self.next_memory {
                self.next_memory = now + MEMORY_INTERVAL;
                self.reason = resident_bytes().filter(|&bytes| bytes > limit).map(|_| StopReason::Memory);
            }
        }
        self.reason.is_some()
    }
}

struct SharedWatch(Rc<RefCell<Watch>>);

impl Terminator for SharedWatch {
    fn terminated(&mut self) -> bool {
        self.0.try_borrow_mut().is_ok_and(|mut watch| watch.look())
    }
}

/// Resident memory of the whole process: CaDiCaL cannot tell its own. `None` where the system does not say.
pub(super) fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}
