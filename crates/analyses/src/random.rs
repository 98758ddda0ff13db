//! Runs the program on zeros and on random inputs, again and again. Finds shallow errors, and proves nothing.

use tandem_artifact::Caveat;
use tandem_base::Budget;
use tandem_cfa::exec::{Inputs, Options, Random, Zeros};

use crate::replay::{machine, reaches_error, replay};
use crate::{Outcome, Task};

/// Edges of one run, at first and at most.
const STEPS: (u64, u64) = (10_000, 10_000_000);
/// Runs after which the next ones may be longer.
const ROUND: u64 = 200;

pub fn random(task: Task<'_>, runs: u64, budget: &Budget) -> Outcome {
    let mut steps = STEPS.0;
    let mut machine = machine(task, Options { steps, ..Options::default() });
    let (mut stopped, mut done) = (None, 0);
    for seed in 0..runs {
        if let Some(reason) = budget.exhausted() {
            stopped = Some(reason);
            break;
        }
        if seed % ROUND == ROUND - 1 && steps < STEPS.1 {
            steps *= 10;
            machine = self::machine(task, Options { steps, ..Options::default() });
        }
        let run = machine.run(&mut *inputs(seed), budget);
        done += 1;
        if reaches_error(task.error, &run.end) {
            if let Ok(violation) = replay(task, &mut *inputs(seed), budget) {
                return finish(Outcome::new("random", Some(violation), None, Vec::new()), done);
            }
        }
    }
    let caveat = Caveat::Bound("random runs prove nothing".into());
    finish(Outcome::new("random", None, stopped, vec![caveat]), done)
}

fn inputs(seed: u64) -> Box<dyn Inputs> {
    match seed {
        0 => Box::new(Zeros),
        _ => Box::new(Random::new(seed)),
    }
}

fn finish(mut outcome: Outcome, runs: u64) -> Outcome {
    outcome.statistics.insert("runs", runs);
    outcome
}
