//! Ranged runs and test generation over a queue, with threads as workers that see nothing but jobs as bytes: verdicts are those of one process,
//! lies are found out, what is lost is said.

mod random;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use random::*;
use tandem_analyses::Task;
use tandem_artifact::job::{
    Answer, Checked, Found, How, Job, JobLimits, ProgramText, RangeWork, Said, SaidTest, Tested, Work,
};
use tandem_artifact::range::Range;
use tandem_artifact::{ErrorCall, Verdict, sha256_hex};
use tandem_base::Budget;
use tandem_cfa::Program;
use tandem_coop::queue::{Local, Queue, Supply};
use tandem_coop::ranges::{Plan, Splitter, checked, split, verify_elsewhere, verify_range, verify_ranges};
use tandem_coop::testing::{
    Batches, Criterion, Given, Options, TestPlan, cycle, cycle_elsewhere, ending_errors, goals, tested, told,
};

fn task(program: &Program) -> Task<'_> {
    Task::new(program, &ErrorCall::Usual, 1)
}

fn budget() -> Budget {
    Budget::with_time(Duration::from_secs(30))
}

fn template() -> Job {
    Job {
        release: "test".into(),
        run: "run".into(),
        name: "a test".into(),
        program: ProgramText {
            sha256: sha256_hex(b""),
            identity: sha256_hex(b""),
            file: "a.c".into(),
            is_preprocessed: false,
            data_model: "LP64".into(),
        },
        error: None,
        limits: JobLimits::default(),
        work: Work::Verify(RangeWork::new(How::Analysis("value".into()), &Range::whole(), false)),
    }
}

/// What an honest worker says.
fn honest(program: &Program, job: &Job) -> Said {
    match &job.work {
        Work::Verify(work) => {
            let How::Analysis(name) = &work.how else { return Said::Failed("no analysis".into()) };
            let outcome = verify_range(task(program), &work.range().unwrap(), name, &budget()).unwrap();
            Said::Checked(checked(&outcome, None, false))
        }
        Work::Test(work) => {
            let all = goals(program, &Criterion::Branches);
            assert_eq!(all.len(), work.of as usize);
            let mine: Vec<_> = work.goals.iter().map(|goal| all[*goal as usize].clone()).collect();
            let given = Given { inputs: work.seeds.iter().map(told).collect(), ..Given::default() };
            let plan = TestPlan::named(&work.plan).unwrap();
            let options = Options { batch: work.batch as usize, plan, seed: work.seed, given };
            let time = Duration::from_millis(job.limits.time_ms.unwrap());
            let errors = ending_errors(program);
            let task = Task::new(program, &errors, 1);
            let board = cycle(task, &mine, &options, &Budget::with_time(time), &mut |_| {});
            Said::Tested(tested(&board, &work.goals))
        }
        Work::Nothing => Said::Nothing,
    }
}

type Queued = Local<Vec<u8>, Vec<u8>>;

/// The queue as a coordinator sees it; everything in it is bytes.
struct Bytes<'q>(&'q Queued);

impl Queue<Job, Answer> for Bytes<'_> {
    fn publish(&self, jobs: Vec<(String, Job)>) -> Result<(), tandem_coop::queue::Trouble> {
        self.0.publish(jobs.into_iter().map(|(id, job)| (id, job.write())).collect())
    }

    fn collect(&self, wait: Duration) -> Result<Vec<(String, Answer)>, tandem_coop::queue::Trouble> {
        let answers = self.0.collect(wait)?;
        Ok(answers.into_iter().map(|(id, bytes)| (id, Answer::read(&bytes).unwrap())).collect())
    }

    fn cancel(&self, jobs: &[String]) -> Result<(), tandem_coop::queue::Trouble> {
        self.0.cancel(jobs)
    }

    fn finish(&self) -> Result<(), tandem_coop::queue::Trouble> {
        self.0.finish()
    }

    fn load(&self) -> Result<tandem_coop::queue::Load, tandem_coop::queue::Trouble> {
        self.0.load()
    }
}

/// Lets threads work with `say` while `ask` asks. Nothing said: the job is held until it is cancelled.
fn with_workers<T>(say: &(dyn Fn(&Job) -> Option<Said> + Sync), ask: impl FnOnce(&Bytes<'_>) -> T) -> T {
    let queue = Queued::new();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            let queue = &queue;
            let work = move || {
                while !queue.is_finished() {
                    let Some(lease) = queue.take(Duration::from_millis(20)).unwrap() else { continue };
                    let job = Job::read(lease.job()).unwrap();
                    match say(&job) {
                        Some(said) => lease.done(Answer { time_ms: 1, said }.write()).unwrap(),
                        None => {
                            while !lease.cancel().is_raised() {
                                std::thread::sleep(Duration::from_millis(5));
                            }
                        }
                    }
                }
            };
            std::thread::Builder::new().stack_size(1 << 28).spawn_scoped(scope, work).unwrap();
        }
        ask(&Bytes(&queue))
    })
}

fn plan<'p>(program: &Program, analyses: &[&'p str], ranges: usize) -> Plan<'p> {
    let split = split(task(program), &Splitter::Balanced, ranges, &budget());
    Plan {
        analyses: analyses.to_vec(),
        ranges: split.ranges(),
        steal: true,
        threads: 2,
        tracked: Vec::new(),
        undefined: None,
        nudge: None,
    }
}

fn ask(program: &Program, plan: &Plan<'_>, say: &(dyn Fn(&Job) -> Option<Said> + Sync), budget: &Budget) -> Verdict {
    let result = with_workers(say, |queue| {
        verify_elsewhere(task(program), plan, &template(), queue, budget, &mut |_, _| {}).unwrap()
    });
    result.outcome.verdict
}

const DECIDED: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), a = 0;
  if (x > 0) a = a + 1; else a = a + 2;
  if (y > 0) a = a + 4; else a = a + 8;
  if (a == 3) reach_error();
  return 0; }";

#[test]
fn verdicts_do_not_depend_on_where_the_work_is_done() {
    let mut numbers = Numbers(5);
    let (mut proved, mut refuted) = (0, 0);
    for _ in 0..15 {
        let text = program_text(&mut numbers);
        let program = program(&text);
        let plan = plan(&program, &["bmc", "symbolic"], 3);
        let here = verify_ranges(task(&program), &plan, &budget()).outcome.verdict;
        let there = ask(&program, &plan, &|job| Some(honest(&program, job)), &budget());
        match (&here, &there) {
            (Verdict::True, Verdict::True) => proved += 1,
            (Verdict::False, Verdict::False) => refuted += 1,
            (Verdict::Unknown(_), Verdict::Unknown(_)) => {}
            _ => panic!("{here} here, {there} there:\n{text}"),
        }
    }
    assert!(proved > 1 && refuted > 1, "{proved} {refuted}");
}

#[test]
fn a_violation_that_cannot_be_replayed_is_none() {
    let program = program(DECIDED);
    let lie = |_: &Job| {
        let found = Found::violation([1, 2].into_iter());
        let checked = Checked {
            found,
            reason: None,
            analysis: "value".into(),
            caveats: Vec::new(),
            invariants: Vec::new(),
            in_bounds: true,
            is_late: false,
        };
        Some(Said::Checked(checked))
    };
    let verdict = ask(&program, &plan(&program, &["symbolic"], 2), &lie, &budget());
    assert!(matches!(verdict, Verdict::Unknown(_)), "{verdict}");
}

#[test]
fn jobs_that_are_lost_are_named() {
    let program = program(DECIDED);
    let first = AtomicUsize::new(0);
    let poisoned = |job: &Job| match first.fetch_add(1, Ordering::Relaxed) {
        0 => Some(Said::Poison(5)),
        _ => Some(honest(&program, job)),
    };
    let verdict = ask(&program, &plan(&program, &["symbolic"], 2), &poisoned, &budget());
    let Verdict::Unknown(reason) = verdict else { panic!("{verdict}") };
    assert!(reason.contains("symbolic on range") && reason.contains("poison"), "{reason}");
    // Another analysis may take over.
    first.store(0, Ordering::Relaxed);
    let verdict = ask(&program, &plan(&program, &["symbolic", "bmc"], 2), &poisoned, &budget());
    assert_eq!(verdict, Verdict::True);
}

#[test]
fn halves_of_a_range_that_takes_long_are_worked_on_by_others() {
    let program = program(DECIDED);
    let slow = |job: &Job| match &job.work {
        Work::Verify(RangeWork { lower: None, upper: None, .. }) => None,
        _ => Some(honest(&program, job)),
    };
    let start = Instant::now();
    let verdict = ask(&program, &plan(&program, &["symbolic"], 1), &slow, &budget());
    assert_eq!(verdict, Verdict::True, "after {:?}", start.elapsed());
}

#[test]
fn the_budget_ends_the_wait() {
    let program = program(DECIDED);
    let short = Budget::with_time(Duration::from_millis(300));
    let verdict = ask(&program, &plan(&program, &["symbolic"], 2), &|_| None, &short);
    assert_eq!(verdict, Verdict::Unknown("time limit".into()));
}

#[test]
fn goals_are_covered_by_what_is_replayed_here() {
    let program = program(DECIDED);
    let all = goals(&program, &Criterion::Branches);
    let errors = ending_errors(&program);
    let task = Task::new(&program, &errors, 1);
    let options = Options::default();
    let template = template();
    let batches = Batches { template: &template, criterion: "branches", plan: "cotest", options: &options };
    let (board, troubles) = with_workers(&|job| Some(honest(&program, job)), |queue| {
        cycle_elsewhere(task, &all, &batches, queue, &budget(), &mut |_| {}).unwrap()
    });
    assert_eq!(board.counts(), (all.len() - 1, 1, 0), "{troubles:?}");
    // Who says nothing but nonsense covers nothing, and is not asked for ever.
    let nonsense = |_: &Job| Some(Said::Failed("no".into()));
    let (board, troubles) =
        with_workers(&nonsense, |queue| cycle_elsewhere(task, &all, &batches, queue, &budget(), &mut |_| {}).unwrap());
    assert_eq!((board.counts().2, troubles), (all.len(), vec!["a job failed: no".to_string()]));
    let strange = Tested { tests: Vec::new(), unreachable: vec![(u32::MAX, "me".into())] };
    let short = Budget::with_time(Duration::from_millis(300));
    let (board, _) = with_workers(&|_| Some(Said::Tested(strange.clone())), |queue| {
        cycle_elsewhere(task, &all, &batches, queue, &short, &mut |_| {}).unwrap()
    });
    assert_eq!(board.counts().2, all.len());
}

#[test]
fn some_test_and_some_prove_and_what_is_told_on_the_way_counts() {
    let program = program(DECIDED);
    let all = goals(&program, &Criterion::Branches);
    let errors = ending_errors(&program);
    let task = Task::new(&program, &errors, 1);
    let options = Options::default();
    let mut template = template();
    template.limits.threads = Some(1);
    let batches = Batches { template: &template, criterion: "branches", plan: "cotest", options: &options };
    let queue = Queued::new();
    let asked = Mutex::new(Vec::new());
    let so_far = |tests: &[[u128; 2]]| Tested {
        tests: tests.iter().map(|inputs| SaidTest::new(inputs, 1000, "tester")).collect(),
        unreachable: Vec::new(),
    };
    let answer = |said: Said| Answer { time_ms: 1, said }.write();
    let work = || {
        while !queue.is_finished() {
            let Some(lease) = queue.take(Duration::from_millis(20)).unwrap() else { continue };
            let job = Job::read(lease.job()).unwrap();
            let Work::Test(work) = &job.work else { panic!("goals") };
            asked.lock().unwrap().push(work.clone());
            if work.plan == "concolic" {
                // The tester tells what it finds, twice, and is never done.
                lease.tell(answer(Said::Testing(so_far(&[[1, 0x20]]))));
                lease.tell(answer(Said::Testing(so_far(&[[1, 0x20], [0, 0]]))));
                while !lease.cancel().is_raised() {
                    std::thread::sleep(Duration::from_millis(5));
                }
            } else if work.round == 0 {
                // The verifier has to be asked again, and then there are tests.
                std::thread::sleep(Duration::from_millis(200));
                lease.done(answer(Said::Tested(Tested::default()))).unwrap();
            } else {
                lease.done(answer(honest(&program, &job))).unwrap();
            }
        }
    };
    let board = std::thread::scope(|scope| {
        for _ in 0..2 {
            std::thread::Builder::new().stack_size(1 << 28).spawn_scoped(scope, work).unwrap();
        }
        // Who is there is known when they have asked for work.
        std::thread::sleep(Duration::from_millis(50));
        cycle_elsewhere(task, &all, &batches, &Bytes(&queue), &budget(), &mut |_| {}).unwrap().0
    });
    assert_eq!(board.counts(), (all.len() - 1, 1, 0));
    let asked = asked.into_inner().unwrap();
    let testers: Vec<_> = asked.iter().filter(|work| work.plan == "concolic").collect();
    let verifiers: Vec<_> = asked.iter().filter(|work| work.plan == "cotest").collect();
    assert_eq!((testers.len(), testers[0].goals.len(), testers[0].seeds.len()), (1, all.len(), 0));
    assert!(verifiers.len() > 1 && verifiers[0].goals.len() == all.len());
    assert!(verifiers[1].goals.len() < all.len() && verifiers[1].batch == 1, "{verifiers:?}");
}

/// Where all do the same, a later round begins with the tests of the ones before.
#[test]
fn tests_travel_on() {
    let program = program(DECIDED);
    let all = goals(&program, &Criterion::Branches);
    let errors = ending_errors(&program);
    let task = Task::new(&program, &errors, 1);
    let options = Options { plan: TestPlan::Concolic, ..Options::default() };
    let template = template();
    let batches = Batches { template: &template, criterion: "branches", plan: "concolic", options: &options };
    let asked = Mutex::new(Vec::new());
    let say = |job: &Job| {
        let Work::Test(work) = &job.work else { panic!("goals") };
        asked.lock().unwrap().push(work.clone());
        // One test is all that each round gives.
        let test = SaidTest::new(&[u128::from(work.round), 0x20], 1000, "tester");
        Some(Said::Tested(Tested { tests: vec![test], unreachable: Vec::new() }))
    };
    let short = Budget::with_time(Duration::from_millis(600));
    with_workers(&say, |queue| cycle_elsewhere(task, &all, &batches, queue, &short, &mut |_| {}).unwrap());
    let asked = asked.into_inner().unwrap();
    let seeds = |round: u32| {
        let of_round = asked.iter().find(|work| work.round == round).unwrap();
        of_round.seeds.iter().map(|seed| (seed.values(), seed.steps)).collect::<Vec<_>>()
    };
    assert_eq!(seeds(0), []);
    assert_eq!(seeds(1).iter().map(|seed| seed.0.clone()).collect::<Vec<_>>(), [[0, 0x20]]);
    assert_eq!(seeds(2).iter().map(|seed| seed.0.clone()).collect::<Vec<_>>(), [[1, 0x20], [0, 0x20]]);
    assert!(seeds(2).iter().all(|seed| seed.1 < 3000));
}
