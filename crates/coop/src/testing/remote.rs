//! Test generation whose testers and verifiers work elsewhere: open goals go out in batches, tests and proofs come back.
//!
//! A goal is covered by what a replay here has covered; that no run reaches one is believed: who may put answers into the queue is trusted.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use tandem_analyses::concolic::{Tester, Told};
use tandem_analyses::{NAMES, Task};
use tandem_artifact::job::{Answer, GoalWork, Job, Said, SaidTest, Tested, Work};
use tandem_base::Budget;

use super::board::{Board, Status};
use super::cycle::{Options, TestPlan};
use super::goals::Goal;
use crate::queue::{JobId, Queue, Trouble};

/// How long the first round may take (if the time is short, a part of it), and the longest one.
const FIRST: Duration = Duration::from_secs(1);
const PART: u32 = 5;
const LONGEST: Duration = Duration::from_secs(60);
/// Answers take a moment, and so do replays: this part of the time that is left, at least and at most so much.
const RESERVE: (u32, Duration, Duration) = (20, Duration::from_millis(200), Duration::from_secs(2));
/// A round that is shorter is not worth its while.
const SHORTEST: Duration = Duration::from_millis(100);
const PAUSE: Duration = Duration::from_millis(50);
/// How long a test of somebody may run.
const REPLAY: Duration = Duration::from_secs(10);
/// Goals in a job.
const MOST: usize = 10_000;
/// Bytes of a job for the tests that others have found, and of one of these besides its inputs.
const SEEDS: usize = 128 << 10;
const SEED: usize = 60;

/// What a worker has found out about goals: `numbers` are those of the job's goals, in the order of the board's.
pub fn tested(board: &Board<'_>, numbers: &[u32]) -> Tested {
    let test = |test: &super::Accepted| said(&test.told(), test.by);
    let proved = numbers.iter().zip(&board.status).filter_map(|(number, status)| match status {
        Status::Unreachable(by) => Some((*number, by.to_string())),
        Status::Open | Status::Covered => None,
    });
    Tested { tests: board.tests.iter().map(test).collect(), unreachable: proved.collect() }
}

fn said(test: &Told, by: &str) -> SaidTest {
    SaidTest::new(&test.values, test.steps, by)
}

/// A test of somebody else, as a start for more.
pub fn told(test: &SaidTest) -> Told {
    Told { values: test.values(), steps: test.steps }
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
        tester: Tester::replaying(task),
        batches,
        queue,
        budget,
        jobs: HashMap::new(),
        crews: Vec::new(),
        seen: HashSet::new(),
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
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    All,
    Test,
    /// They test as well, but only where proofs are hard to come by, and before there are tests.
    Prove,
}

/// Those in a role, in rounds.
struct Crew {
    role: Role,
    round: u32,
    /// Jobs of this round, and how many of them failed.
    asked: usize,
    failed: usize,
    is_over: bool,
}

impl Crew {
    fn new(role: Role) -> Crew {
        Crew { role, round: 0, asked: 0, failed: 0, is_over: false }
    }

    /// How long the next round may take: the first one shows what is easy, the next ones take the time there is (each begins anew), or more and
    /// more of it if there is no end. Who tests tells tests as they are found, and begins with the long one. None if its answers would come too
    /// late.
    fn time(&self, left: Option<Duration>) -> Option<Duration> {
        let is_long = self.round > 0 || self.role == Role::Test;
        let Some(left) = left else {
            let grown = FIRST.saturating_mul(1 << (2 * self.round.min(5)));
            return Some(if self.role == Role::Test { LONGEST } else { grown.min(LONGEST) });
        };
        let (part, least, most) = RESERVE;
        let rest = left.checked_sub((left / part).clamp(least, most)).filter(|rest| *rest >= SHORTEST)?;
        Some(if is_long { rest.min(LONGEST) } else { rest.min(FIRST).min((left / PART).max(SHORTEST)) })
    }
}

/// A job under way.
struct Given {
    crew: usize,
    goals: Vec<usize>,
}

struct Elsewhere<'a, 'q> {
    board: Board<'a>,
    tester: Tester<'a>,
    batches: &'q Batches<'q>,
    queue: &'q dyn Queue<Job, Answer>,
    budget: &'q Budget,
    jobs: HashMap<JobId, Given>,
    crews: Vec<Crew>,
    /// Inputs and steps of tests that were replayed.
    seen: HashSet<(Vec<String>, u64)>,
    troubles: Vec<String>,
}

impl<'a> Elsewhere<'a, '_> {
    fn work(&mut self, watch: &mut dyn FnMut(&Board<'a>)) -> Result<(), Trouble> {
        let roles = if self.are_apart(self.workers()?) { &[Role::Test, Role::Prove][..] } else { &[Role::All] };
        self.crews = roles.iter().map(|role| Crew::new(*role)).collect();
        while !self.board.is_decided() && self.budget.exhausted().is_none() {
            for crew in 0..self.crews.len() {
                if !self.crews[crew].is_over && self.jobs.values().all(|job| job.crew != crew) {
                    self.begin_round(crew)?;
                }
            }
            if self.jobs.is_empty() {
                return Ok(());
            }
            for (id, answer) in self.queue.collect(PAUSE)? {
                let has_failed = !self.take(&answer);
                if !matches!(answer.said, Said::Testing(_))
                    && let Some(job) = self.jobs.remove(&id)
                {
                    self.crews[job.crew].failed += usize::from(has_failed);
                }
            }
            watch(&self.board);
            self.cancel_useless()?;
        }
        Ok(())
    }

    fn workers(&self) -> Result<usize, Trouble> {
        let load = self.queue.load()?;
        Ok((load.idle + load.running).clamp(1, 1000))
    }

    /// Tester and verifier of the cycle are different workers if there are two or more, as they are different threads of one process.
    fn are_apart(&self, workers: usize) -> bool {
        let Batches { options, template, .. } = self.batches;
        options.plan == TestPlan::Cooperative && workers > 1 && template.limits.threads == Some(1)
    }

    /// The open goals once more; of a crew, each gets as many as the others.
    fn begin_round(&mut self, number: usize) -> Result<(), Trouble> {
        let left = self.budget.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let crew = &self.crews[number];
        // If nobody can do it, asking again would not help.
        let has_failed = crew.round > 0 && crew.failed >= crew.asked;
        let Some(time) = crew.time(left).filter(|_| !has_failed) else {
            self.crews[number].is_over = true;
            return Ok(());
        };
        let workers = match crew.role {
            Role::All => self.workers()?,
            Role::Test => self.workers()?.div_ceil(2),
            Role::Prove => (self.workers()? / 2).max(1),
        };
        let open = self.board.open();
        let mut jobs = Vec::new();
        for goals in open.chunks(open.len().div_ceil(workers).clamp(1, MOST)) {
            let job = self.job(number, goals, jobs.len() as u64, time);
            let id = job.id();
            self.jobs.insert(id.clone(), Given { crew: number, goals: goals.to_vec() });
            jobs.push((id, job));
        }
        let crew = &mut self.crews[number];
        (crew.round, crew.asked, crew.failed) = (crew.round + 1, jobs.len(), 0);
        self.queue.publish(jobs)
    }

    fn job(&self, crew: usize, goals: &[usize], number: u64, time: Duration) -> Job {
        let Batches { template, criterion, plan, options } = self.batches;
        let Crew { role, round, .. } = self.crews[crew];
        let (what, plan, batch) = match role {
            Role::All => ("goals", *plan, options.batch),
            Role::Test => ("tests", "concolic", options.batch),
            Role::Prove => ("proofs", *plan, if round == 0 { options.batch } else { 1 }),
        };
        let mut job = (*template).clone();
        job.name = format!("{}, {what} {} in round {}", job.name, number + 1, round + 1);
        job.limits.time_ms = Some(time.as_millis() as u64);
        // Others are to try something else.
        let seed =
            options.seed.wrapping_add(number).wrapping_add((crew as u64) << 16).wrapping_add(u64::from(round) << 32);
        job.work = Work::Test(GoalWork {
            criterion: criterion.to_string(),
            goals: goals.iter().map(|goal| *goal as u32).collect(),
            of: self.board.goals.len() as u32,
            plan: plan.to_string(),
            batch: u32::try_from(batch).unwrap_or(u32::MAX),
            seed,
            round,
            seeds: if role == Role::Prove { Vec::new() } else { self.seeds() },
        });
        job
    }

    /// The tests so far, the last ones first, as many as fit.
    fn seeds(&self) -> Vec<SaidTest> {
        let mut size = 0;
        let mut seeds = Vec::new();
        for test in self.board.tests.iter().rev() {
            let seed = said(&test.told(), test.by);
            let more = seed.inputs.iter().map(|input| input.len() + 3).sum::<usize>() + SEED;
            if size + more <= SEEDS {
                size += more;
                seeds.push(seed);
            }
        }
        seeds
    }

    /// False if it says nothing.
    fn take(&mut self, answer: &Answer) -> bool {
        let why = match &answer.said {
            Said::Tested(tested) | Said::Testing(tested) => {
                for test in &tested.tests {
                    // What is told on the way is told again.
                    if self.seen.insert((test.inputs.clone(), test.steps)) {
                        self.replay(test);
                    }
                }
                for (goal, by) in &tested.unreachable {
                    if (*goal as usize) < self.board.goals.len() {
                        self.board.prove(&[*goal as usize], known(by));
                    }
                }
                return true;
            }
            Said::Poison(times) => {
                format!("the job `{}` is poison: {times} workers were lost with it", self.batches.template.name)
            }
            Said::Failed(why) => format!("a job failed: {why}"),
            Said::Checked(_) | Said::Nothing => "an answer is one to another question".into(),
        };
        if !self.troubles.contains(&why) {
            self.troubles.push(why);
        }
        false
    }

    fn replay(&mut self, test: &SaidTest) {
        let soon = Instant::now() + REPLAY;
        let budget = Budget { deadline: Some(soon), ..self.budget.clone() };
        let wanted = self.board.wanted().clone();
        if let Some(found) = self.tester.learn(&wanted, &told(test), &budget) {
            self.board.accept(found, known(&test.by));
        }
    }

    /// Takes back jobs all of whose goals are decided.
    fn cancel_useless(&mut self) -> Result<(), Trouble> {
        let is_useless = |job: &Given| job.goals.iter().all(|goal| self.board.status[*goal] != Status::Open);
        let useless: Vec<JobId> =
            self.jobs.iter().filter(|(_, job)| is_useless(job)).map(|(id, _)| id.clone()).collect();
        for id in &useless {
            self.jobs.remove(id);
        }
        self.queue.cancel(&useless)
    }
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
        for role in [Role::All, Role::Test, Role::Prove] {
            for limit in [600, 1000, 3000, 10_000, 30_000, 900_000] {
                let mut left = Duration::from_millis(limit);
                let mut crew = Crew::new(role);
                while let Some(time) = crew.time(Some(left)) {
                    // What is left behind a round is enough for a replay, and the end comes.
                    left = left.checked_sub(time).unwrap();
                    assert!(left >= RESERVE.1 && time >= SHORTEST && time <= LONGEST, "{limit} {time:?} {left:?}");
                    crew.round += 1;
                }
                assert!(crew.round > 0 && left <= Duration::from_secs(3), "{limit} {} {left:?}", crew.round);
            }
            assert_eq!(Crew::new(role).time(Some(Duration::from_millis(250))), None);
        }
        assert_eq!(Crew::new(Role::All).time(None), Some(FIRST));
        assert_eq!(Crew::new(Role::Test).time(None), Some(LONGEST));
        assert_eq!(Crew { round: 9, ..Crew::new(Role::Prove) }.time(None), Some(LONGEST));
    }
}
