//! `tandem job`: one job of a worker. What comes on standard input is from the network; it goes through the same front end and the same
//! analyses as everything else, and what it asks for is done or refused.
//!
//! Standard input has a line with the job, a line with the length of the text, and the text; then it stays open. When it ends, the worker
//! is gone and nobody waits for the answer.

use std::io::{BufRead, Read};
use std::time::{Duration, Instant};

use tandem_analyses::LibraryValues;
use tandem_analyses::{NAMES, Outcome, Task};
use tandem_artifact::job::{Answer, GoalWork, How, Job, LARGEST_JOB, LARGEST_TEXT, RangeWork, Said, Tested, Work};
use tandem_artifact::{ErrorCall, Property, Verdict, VerdictBasis, sha256_hex};
use tandem_base::{SourceText, StopReason};
use tandem_cfa::Program;
use tandem_coop::cooperation::Setting;
use tandem_coop::ranges::{checked, verify_range};
use tandem_coop::testing::{
    Board, Criterion, Given, Goal, Options, TestPlan, cycle, ending_errors, goals, tested, told,
};
use tandem_syntax::DataModel;

use crate::arguments_net::JobArguments;
use crate::command::plan::{self, Script};
use crate::command::verify::report::Report;
use crate::farewell::Farewell;
use crate::input::Input;
use crate::message::{Exit, Failure};
use crate::watch::Watch;
use crate::{output, program};

/// How often what is known so far is told.
const TELL: Duration = Duration::from_millis(500);

pub fn run(arguments: &JobArguments, watch: &Watch, farewell: &Farewell) -> Result<Exit, Failure> {
    let (job, text) = read()?;
    let performer = Performer { job: &job, allow_external: arguments.allow_external, watch, farewell };
    let said = performer.perform(text)?;
    performer.settle(said);
    farewell.say()
}

fn read() -> Result<(Job, Vec<u8>), Failure> {
    let mut input = std::io::stdin().lock();
    let job = Job::read(&line(&mut input, LARGEST_JOB)?).map_err(refused)?;
    let length = String::from_utf8(line(&mut input, 20)?).ok().and_then(|text| text.parse::<usize>().ok());
    let length = length.filter(|length| *length <= LARGEST_TEXT);
    let length = length.ok_or_else(|| refused("there is no length of the text".into()))?;
    let mut text = vec![0; length];
    input.read_exact(&mut text).map_err(|error| refused(format!("the text is not whole: {error}")))?;
    drop(input);
    if sha256_hex(&text) != job.program.sha256 {
        return Err(refused("the text is not the one that the job names".into()));
    }
    let gone = || {
        let mut byte = [0];
        while std::io::stdin().lock().read(&mut byte).is_ok_and(|read| read > 0) {}
        std::process::exit(Exit::Unknown as i32);
    };
    // Without it, the job is done to its end, for nobody.
    let _ = std::thread::Builder::new().name("worker".into()).spawn(gone);
    Ok((job, text))
}

/// A line without its end.
fn line(input: &mut impl BufRead, longest: usize) -> Result<Vec<u8>, Failure> {
    let mut line = Vec::new();
    let read = input.take(longest as u64 + 1).read_until(b'\n', &mut line);
    match (read, line.pop()) {
        (Ok(_), Some(b'\n')) => Ok(line),
        _ => Err(refused("there is no job on standard input".into())),
    }
}

fn refused(why: String) -> Failure {
    Failure::file("job", why, "a job as a worker gives it")
}

struct Performer<'a> {
    job: &'a Job,
    allow_external: bool,
    watch: &'a Watch,
    farewell: &'a Farewell,
}

impl Performer<'_> {
    /// From now on this is the answer, whatever happens.
    fn settle(&self, said: Said) {
        let mut answer = self.answer(said).write();
        answer.push(b'\n');
        self.farewell.settle(String::from_utf8_lossy(&answer).into_owned(), Exit::Success);
    }

    /// What is known so far. If nobody hears it, the answer says it again.
    fn tell(&self, said: Said) {
        let mut line = self.answer(said).write();
        line.push(b'\n');
        let _ = output::print(&String::from_utf8_lossy(&line));
    }

    fn answer(&self, said: Said) -> Answer {
        Answer { time_ms: self.farewell.start.elapsed().as_millis() as u64, said }
    }

    fn perform(&self, text: Vec<u8>) -> Result<Said, Failure> {
        let of = &self.job.program;
        let model = DataModel::from_name(&of.data_model).ok_or_else(|| refused("no such data model".into()))?;
        let source = match of.is_preprocessed {
            true => SourceText::preprocessed(&of.file, text),
            false => SourceText::plain(&of.file, text),
        };
        let input = Input::sent(source, model);
        let program = program::build(&input)?;
        let error = match &self.job.error {
            Some(name) => ErrorCall::Function(name.as_str().into()),
            None => ErrorCall::Usual,
        };
        match &self.job.work {
            Work::Verify(work) => self.verify(work, &input, &program, &error),
            Work::Test(work) => self.test(work, &program, &error),
            Work::Nothing => Ok(Said::Nothing),
        }
    }

    fn threads(&self) -> usize {
        let available = std::thread::available_parallelism().map_or(1, usize::from);
        self.job.limits.threads.map_or(available, usize::from)
    }

    fn verify(&self, work: &RangeWork, input: &Input, program: &Program, error: &ErrorCall) -> Result<Said, Failure> {
        let range = work.range().ok_or_else(|| refused("a bound is none".into()))?;
        let subject = input.subject();
        let exchange = work.facts.then_some(&subject);
        let task = Task { exchange, ..Task::new(program, error, self.threads()) };
        let budget = &self.watch.budget;
        let outcome = match &work.how {
            How::Analysis(name) if NAMES.contains(&name.as_str()) => verify_range(task, &range, name, budget),
            How::Analysis(name) => return Err(refused(format!("there is no analysis `{name}`"))),
            How::Plan(_) if range != tandem_artifact::range::Range::whole() => {
                return Err(refused("a plan works on the whole program".into()));
            }
            How::Plan(name) => Some(self.plan(name, task, &subject)?),
        };
        let outcome = outcome.unwrap_or_else(|| Outcome::new("", None, Some(StopReason::Steps), Vec::new()));
        let stopped = self.watch.reason().or_else(|| budget.exhausted());
        let property = Property::Unreachable(error.clone());
        // What the verdict rests on is said by the process that asked.
        let basis = &VerdictBasis::default();
        let start = self.farewell.start;
        let report = Report { task, property: &property, outcome: &outcome, basis, trace: None, stopped, start };
        let reason = match report.verdict() {
            Verdict::Unknown(reason) => Some(reason),
            Verdict::True | Verdict::False => None,
        };
        Ok(Said::Checked(checked(&outcome, reason, stopped == Some(StopReason::Time))))
    }

    /// A plan that has a name; files of this machine are nobody's business.
    fn plan(&self, name: &str, task: Task<'_>, subject: &tandem_artifact::gia::Subject) -> Result<Outcome, Failure> {
        let script = Script::load(name, &[], None)?;
        if let Some(tool) = script.outsider().filter(|_| !self.allow_external) {
            let why = format!("the plan `{name}` runs `{tool}`, and this worker runs no programs from outside");
            return Err(Failure::file("job", why, "a worker that was started with --allow-external"));
        }
        let Task { program, error, threads, .. } = task;
        let setting = Setting { program, error, subject, threads, hints: &[], library_values: LibraryValues::Contract };
        Ok(plan::outcome(name, &script.perform(setting, None, &self.watch.budget, &|_, _| {})))
    }

    fn test(&self, work: &GoalWork, program: &Program, error: &ErrorCall) -> Result<Said, Failure> {
        let criterion = Criterion::named(&work.criterion, error);
        let criterion = criterion.ok_or_else(|| refused(format!("there is no criterion `{}`", work.criterion)))?;
        let plan = TestPlan::named(&work.plan);
        let plan = plan.ok_or_else(|| refused(format!("there is no plan `{}` for tests", work.plan)))?;
        let all = goals(program, &criterion);
        if all.len() != work.of as usize {
            return Err(refused(format!("the program has {} goals here, and {} there", all.len(), work.of)));
        }
        let errors = match &criterion {
            Criterion::ErrorCall(call) => call.clone(),
            Criterion::Branches | Criterion::Statements | Criterion::Conditions | Criterion::Calls => {
                ending_errors(program)
            }
        };
        let mine: Vec<Goal> = work.goals.iter().filter_map(|goal| all.get(*goal as usize).cloned()).collect();
        let task = Task::new(program, &errors, self.threads());
        let given = Given { inputs: work.seeds.iter().map(told).collect(), ..Given::default() };
        let options = Options { batch: work.batch as usize, plan, seed: work.seed, given };
        let mut seen = 0;
        let (mut told, mut when) = (0, Instant::now());
        self.settle(Said::Tested(Tested::default()));
        let board = cycle(task, &mine, &options, &self.watch.budget, &mut |board: &Board<'_>| {
            if std::mem::replace(&mut seen, board.version) != board.version {
                self.settle(Said::Tested(tested(board, &work.goals)));
            }
            if told != board.version && when.elapsed() >= TELL {
                (told, when) = (board.version, Instant::now());
                self.tell(Said::Testing(tested(board, &work.goals)));
            }
            // Whoever is in the midst of something need not come to its end.
            if self.watch.budget.exhausted().is_some() {
                let _ = self.farewell.say_and_leave();
            }
        });
        Ok(Said::Tested(tested(&board, &work.goals)))
    }
}
