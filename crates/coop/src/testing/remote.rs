//! Test generation whose testers and verifiers work elsewhere: open goals go out in batches, tests and proofs come back.
//!
//! A goal is covered by what a replay here has covered; that no run reaches one is believed: who may put answers into the queue is trusted.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use tandem_analyses::concolic::Tester;
use tandem_analyses::{NAMES, Task};
use tandem_artifact::job::{Answer, GoalWork, Job, Said, SaidTest, Tested, Work, hexadecimal, values};
use tandem_base::Budget;

use super::board::{Board, Status};
use super::cycle::{Options, TestPlan};
use super::goals::Goal;
use super::verifier::is_function;
use crate::queue::{JobId, Queue, Trouble};

/// How long the first round may take, and the longest one.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(60);
/// Answers take a moment, and so do replays: this part of the time that is left, at least and at most so much.
const RESERVE: (u32, Duration, Duration) = (6, Duration::from_millis(300), Duration::from_secs(2));
/// A round that is shorter is not worth its while.
const SHORTEST: Duration = Duration::from_millis(100);
const PAUSE: Duration = Duration::from_millis(50);
/// How long a test of somebody may run.
const REPLAY: Duration = Duration::from_secs(10);
/// Goals in a job.
const MOST: usize = 10_000;
/// Bytes of a job for the tests that others have found.
const SEEDS: usize = 128 << 10;

/// What a worker has found out about goals: `numbers` are those of the job's goals, in the order of the board's.
pub fn tested(board: &Board<'_>, numbers: &[u32]) -> Tested {
    let test = |test: &super::Accepted| {
        let inputs = test.inputs.iter().filter(|input| is_function(input)).map(|input| input.bits);
        SaidTest::new(inputs, test.by)
    };
    let proved = numbers.iter().zip(&board.status).filter_map(|(number, status)| match status {
        Status::Unreachable(by) => Some((*number, by.to_string())),
        Status::Open | Status::Covered => None,
    });
    Tested { tests: board.tests.iter().map(test).collect(), unreachable: proved.collect() }
}

/// How goals are given away.
pub struct Batches<'a> {
    /// A job of which everything but the work and the time is right.
    pub template: &'a Job,
    pub criterion: &'a str,
    pub plan: &'a str,
    pub options: &'a Options,
}

/// Lets workers decide the goals as far as the budget allows. `watch` is shown the board when it has changed, and at the end.
pub fn cycle_elsewhere<'a>(
    task: Task<'a>,
    goals: &'a [Goal],
    batches: &Batches<'_>,
    queue: &dyn Queue<Job, Answer>,
    budget: &Budget,
    watch: &mut dyn FnMut(&Board<'a>),
) -> Result<(Board<'a>, Vec<String>), Trouble> {
    let mut run = Elsewhere {
        board: Board::new(task.program, goals),
        tester: Tester::replaying(task, batches.options.seed),
        batches,
        queue,
        budget,
        jobs: HashMap::new(),
        round: 0,
        failed: 0,
        troubles: Vec::new(),
    };
    // What was found out in an earlier life stands.
    for (_, answer) in queue.earlier()? {
        run.take(&answer);
    }
    let worked = run.work(watch);
    watch(&run.board);
    let finished = queue.finish();
    if !run.board.is_decided() {
        worked?;
        finished?;
    }
    Ok((run.board, run.troubles))
}

/// What some of the workers do.
#[derive(Clone, Copy)]
struct Role<'p> {
    plan: &'p str,
    batch: usize,
    workers: usize,
    /// Whether they begin with the tests there are.
    tests: bool,
}

struct Elsewhere<'a, 'q> {
    board: Board<'a>,
    tester: Tester<'a>,
    batches: &'q Batches<'q>,
    queue: &'q dyn Queue<Job, Answer>,
    budget: &'q Budget,
    /// Jobs under way with their goals.
    jobs: HashMap<JobId, Vec<usize>>,
    round: u32,
    /// Jobs of this round that failed.
    failed: usize,
    troubles: Vec<String>,
}

impl<'a, 'q> Elsewhere<'a, 'q> {
    fn work(&mut self, watch: &mut dyn FnMut(&Board<'a>)) -> Result<(), Trouble> {
        while !self.board.is_decided() && self.budget.exhausted().is_none() {
            let left = self.budget.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let Some(time) = time_of(self.round, left) else { return Ok(()) };
            self.begin_round(time)?;
            let asked = self.jobs.len();
            while !self.jobs.is_empty() && !self.board.is_decided() && self.budget.exhausted().is_none() {
                for (id, answer) in self.queue.collect(PAUSE)? {
                    self.jobs.remove(&id);
                    self.take(&answer);
                }
                watch(&self.board);
                self.cancel_useless()?;
            }
            // Nobody can do it: asking again would not help.
            if self.failed >= asked {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The open goals once more, with this time; of those in a role, each gets as many as the others.
    fn begin_round(&mut self, time: Duration) -> Result<(), Trouble> {
        let open = self.board.open();
        let load = self.queue.load()?;
        let seeds = self.seeds();
        let mut jobs = Vec::new();
        for role in self.roles((load.idle + load.running).clamp(1, 1000)) {
            let each = open.len().div_ceil(role.workers).clamp(1, MOST);
            for goals in open.chunks(each) {
                let seeds = if role.tests { seeds.clone() } else { Vec::new() };
                let job = self.job(&role, goals, seeds, jobs.len() as u64, time);
                let id = job.id();
                self.jobs.insert(id.clone(), goals.to_vec());
                jobs.push((id, job));
            }
        }
        self.round += 1;
        self.failed = 0;
        self.queue.publish(jobs)
    }

    /// Tester and verifier of the cycle are different workers if there are two or more, as they are different threads of one process. Who proves
    /// tests as well, but only where proofs are hard to come by, and before there are tests.
    fn roles(&self, workers: usize) -> Vec<Role<'q>> {
        let Batches { plan, options, template, .. } = self.batches;
        let all = Role { plan, batch: options.batch, workers, tests: true };
        if options.plan != TestPlan::Cooperative || workers < 2 || template.limits.threads != Some(1) {
            return vec![all];
        }
        let batch = if self.round == 0 { options.batch } else { 1 };
        vec![
            Role { plan: "concolic", workers: workers.div_ceil(2), ..all },
            Role { batch, workers: workers / 2, tests: false, ..all },
        ]
    }

    /// The inputs of the tests so far, the last ones first, as many as fit.
    fn seeds(&self) -> Vec<Vec<String>> {
        let mut size = 0;
        let mut seeds = Vec::new();
        for test in self.board.tests.iter().rev() {
            let inputs = test.inputs.iter().filter(|input| is_function(input));
            let inputs: Vec<String> = inputs.map(|input| hexadecimal(input.bits)).collect();
            let more = inputs.iter().map(|input| input.len() + 3).sum::<usize>() + 3;
            if size + more <= SEEDS {
                size += more;
                seeds.push(inputs);
            }
        }
        seeds
    }

    fn job(&self, role: &Role<'_>, goals: &[usize], seeds: Vec<Vec<String>>, number: u64, time: Duration) -> Job {
        let mut job = self.batches.template.clone();
        let round = self.round;
        job.name = format!("{}, goals {} in round {}", job.name, number + 1, round + 1);
        job.limits.time_ms = Some(time.as_millis() as u64);
        job.work = Work::Test(GoalWork {
            criterion: self.batches.criterion.to_string(),
            goals: goals.iter().map(|goal| *goal as u32).collect(),
            of: self.board.goals.len() as u32,
            plan: role.plan.to_string(),
            batch: u32::try_from(role.batch).unwrap_or(u32::MAX),
            // Others are to try something else.
            seed: self.batches.options.seed.wrapping_add(number).wrapping_add(u64::from(round) << 32),
            round,
            seeds,
        });
        job
    }

    fn take(&mut self, answer: &Answer) {
        match &answer.said {
            Said::Tested(tested) => {
                for test in &tested.tests {
                    self.replay(test);
                }
                for (goal, by) in &tested.unreachable {
                    if (*goal as usize) < self.board.goals.len() {
                        self.board.prove(&[*goal as usize], known(by));
                    }
                }
            }
            Said::Poison(times) => {
                let name = &self.batches.template.name;
                self.fail(format!("the job `{name}` is poison: {times} workers were lost with it"))
            }
            Said::Failed(why) => self.fail(format!("a job failed: {why}")),
            Said::Checked(_) | Said::Nothing => self.fail("an answer is one to another question".into()),
        }
    }

    fn fail(&mut self, why: String) {
        self.failed += 1;
        if !self.troubles.contains(&why) {
            self.troubles.push(why);
        }
    }

    fn replay(&mut self, test: &SaidTest) {
        let soon = Instant::now() + REPLAY;
        let budget = Budget { deadline: Some(soon), ..self.budget.clone() };
        let wanted = self.board.wanted().clone();
        if let Some(found) = self.tester.learn(&wanted, values(&test.inputs), &budget) {
            self.board.accept(found, known(&test.by));
        }
    }

    /// Takes back jobs all of whose goals are decided.
    fn cancel_useless(&mut self) -> Result<(), Trouble> {
        let is_useless = |goals: &Vec<usize>| goals.iter().all(|goal| self.board.status[*goal] != Status::Open);
        let useless: Vec<JobId> =
            self.jobs.iter().filter(|(_, goals)| is_useless(goals)).map(|(id, _)| id.clone()).collect();
        for id in &useless {
            self.jobs.remove(id);
        }
        self.queue.cancel(&useless)
    }
}

/// How long a round may take: the first one shows what is easy, the next ones take the time there is (each begins anew), or more and more of it
/// if there is no end. None if its answers would come too late.
fn time_of(round: u32, left: Option<Duration>) -> Option<Duration> {
    let grown = FIRST.saturating_mul(1 << (2 * round.min(5))).min(LONGEST);
    let Some(left) = left else { return Some(grown) };
    let (part, least, most) = RESERVE;
    let rest = left.checked_sub((left / part).clamp(least, most)).filter(|rest| *rest >= SHORTEST)?;
    Some(if round == 0 { rest.min(FIRST) } else { rest.min(LONGEST) })
}

/// The name of somebody we know.
fn known(by: &str) -> &'static str {
    let others = ["tester", "graph"];
    NAMES.iter().chain(&others).find(|name| **name == by).copied().unwrap_or("a worker")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_in_time() {
        for limit in [600, 1000, 3000, 10_000, 30_000, 900_000] {
            let mut left = Duration::from_millis(limit);
            let mut rounds = 0;
            while let Some(time) = time_of(rounds, Some(left)) {
                // What is left behind a round is enough for a replay, and the end comes.
                left = left.checked_sub(time).unwrap();
                assert!(left >= RESERVE.1 && time >= SHORTEST && time <= LONGEST, "{limit} {time:?} {left:?}");
                rounds += 1;
            }
            assert!(rounds > 0 && left <= Duration::from_secs(3), "{limit} {rounds} {left:?}");
        }
        assert_eq!(time_of(0, Some(Duration::from_millis(350))), None);
        assert_eq!(time_of(0, None), Some(FIRST));
        assert_eq!(time_of(9, None), Some(LONGEST));
    }
}
