//! `tandem test`: makes a test suite for a coverage criterion, and says what is covered, what no run reaches, and what is open.

mod elsewhere;
mod players;
mod query;
mod report;
mod suite;

use std::time::Duration;

use serde_json::{Value, json};
use tandem_analyses::Task;
use tandem_artifact::Property;
use tandem_artifact::gia::{Gia, Mark};
use tandem_base::Budget;
use tandem_coop::cooperation::checked_gia;
use tandem_coop::testing::{Board, Criterion, Given, Options, Status, cycle_with, ending_errors, given, goals};

use super::gia::{read_gia, say_doubts};
use crate::arguments::{Common, GIA, Run, Test};
use crate::farewell::Farewell;
use crate::input::{self, Input};
use crate::message::{Exit, Failure};
use crate::run_page::Moment;
use crate::watch::Watch;
use crate::{program, progress};
use players::Players;
use suite::Suite;

/// Time to write down what was found.
const LEAVING: Duration = Duration::from_millis(700);
/// The same for each goal: there may be tens of thousands.
const LEAVING_GOAL: Duration = Duration::from_micros(20);

pub fn run(arguments: &Test, watch: &Watch, farewell: &Farewell) -> Result<Exit, Failure> {
    let common = &arguments.common;
    farewell.settle(last_words(common, (0, 0, 0), 0, farewell, None), Exit::Unknown);
    elsewhere::can_be_sent(arguments)?;
    if let Some(text) = arguments.cover.as_deref().filter(|text| query::is_query(text)) {
        return query::run(arguments, text, watch, farewell);
    }
    let input = input::load(common)?;
    let criterion = criterion(arguments, &input)?;
    let players = Players::named(&arguments.plan)?;
    let program = program::build(&input)?;
    let goals = goals(&program, &criterion);
    let errors = match &criterion {
        Criterion::ErrorCall(call) => call.clone(),
        Criterion::Branches | Criterion::Statements | Criterion::Conditions | Criterion::Calls => {
            ending_errors(&program)
        }
    };
    let gia = arguments.gia.as_ref().map(|path| read_gia(path, &program, &input)).transpose()?;
    let mut suite = match &common.output {
        Some(directory) => Some(Suite::begin(directory, &input, &program, &criterion, &errors)?),
        None => None,
    };
    let bar = progress::line("testing", common.quiet);
    farewell.attach(bar.clone());
    let available = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = common.threads.map_or(available, usize::from);
    let task = Task::new(&program, &errors, threads);
    let budget = budget_for(common, watch, goals.len());
    let given = match gia {
        Some(gia) => given(task, &goals, &believed(arguments, task, gia, &budget), &watch.budget),
        None => Given::default(),
    };
    let options = Options { given, batch: arguments.batch as usize, plan: players.plan, seed: arguments.seed };
    let mut problem = None;
    let mut seen = 0;
    let mut moments = Vec::new();
    let mut look = |board: &Board<'_>| {
        if std::mem::replace(&mut seen, board.version) == board.version {
            return;
        }
        if let Some(suite) = &mut suite {
            problem = suite.grow(board).err().or(problem.take());
        }
        let counts = board.counts();
        let at = farewell.start.elapsed().as_secs_f64();
        moments.push(Moment { at, covered: counts.0, unreachable: counts.1 });
        farewell.settle(last_words(common, counts, board.tests.len(), farewell, None), exit(counts));
        if let Some(bar) = &bar {
            bar.set_message(format!("{} covered, {} unreachable, {} open", counts.0, counts.1, counts.2));
        }
    };
    let board = match arguments.server.server() {
        None => cycle_with(&players.tools(), task, &goals, &options, &budget, &mut look),
        Some(server) => {
            let question = elsewhere::Question { arguments, input: &input, criterion: &criterion, options: &options };
            elsewhere::run(&question, &server, task, &goals, &budget, &mut look)?
        }
    };
    let kept = tandem_coop::testing::select(&board.tests, goals.len());
    let counts = board.counts();
    farewell.settle(last_words(common, counts, kept.len(), farewell, Some(&board)), exit(counts));
    farewell.attach(None);
    if let Some(suite) = &mut suite {
        problem = suite.finish(&board, &kept, &moments).err().or(problem);
    }
    for trouble in &board.troubles {
        eprintln!("tandem: {trouble}");
    }
    if let Some(failure) = problem {
        // What is known stands, whether or not it could be written down.
        eprint!("{}", failure.render());
    }
    farewell.say()
}

/// What an automaton from a file may say: all of it if it is trusted, else what could be checked.
fn believed(arguments: &Test, task: Task<'_>, gia: Gia, budget: &Budget) -> Gia {
    if arguments.trust.iter().any(|name| name == GIA) {
        return gia;
    }
    // Tests of reached paths are run before they count.
    let (checked, doubts) = checked_gia(task, &gia, &[Mark::Unreachable], budget);
    say_doubts(arguments.gia.as_deref(), &doubts);
    checked
}

/// `tandem run` with a plan that makes tests.
pub fn run_plan(run: &Run, asked: &Test, watch: &Watch, farewell: &Farewell) -> Result<Exit, Failure> {
    if let Some(format) = run.explain {
        print!("{}", players::explain(&Players::named(&asked.plan)?, format));
        return Ok(Exit::Success);
    }
    if run.sarif.is_some() || run.trust.iter().any(|name| name != GIA) {
        let help = "tests need no actor's word and find no alarms; `tandem verify` knows --sarif, and --trust gia is about --given";
        return Err(Failure::file("tandem", "--sarif and --trust ACTOR are not for plans that make tests", help));
    }
    self::run(asked, watch, farewell)
}

fn exit((_, _, open): (usize, usize, usize)) -> Exit {
    if open == 0 { Exit::Success } else { Exit::Unknown }
}

fn last_words(
    common: &Common,
    (covered, unreachable, open): (usize, usize, usize),
    tests: usize,
    farewell: &Farewell,
    board: Option<&Board<'_>>,
) -> String {
    let counts = [covered, unreachable, open].map(|count| count as u64);
    words(common, "test", counts, tests, farewell, || (json!(board.map(details)), json!(board.map(statistics))))
}

/// How many goals are covered, unreachable and open, as the last line or as JSON, with what `more` says of details and statistics.
fn words(
    common: &Common,
    analysis: &str,
    [covered, unreachable, open]: [u64; 3],
    tests: usize,
    farewell: &Farewell,
    more: impl FnOnce() -> (Value, Value),
) -> String {
    let goals = covered + unreachable + open;
    if !common.json {
        return format!(
            "Coverage: {covered} covered, {unreachable} unreachable, {open} open of {goals} goals, {tests} tests\n"
        );
    }
    let (details, statistics) = more();
    let object = json!({
        "verdict": if open == 0 { "DONE" } else { "UNKNOWN" },
        "reason": if open == 0 { Value::Null } else { json!(format!("{open} goals are open")) },
        "time_s": farewell.start.elapsed().as_secs_f64(),
        "analysis": analysis,
        "covered": covered,
        "unreachable": unreachable,
        "open": open,
        "goals": goals,
        "tests": tests,
        "details": details,
        "statistics": statistics,
    });
    format!("{object:#}\n")
}

fn statistics(board: &Board<'_>) -> Value {
    let counters = board.counters;
    json!({
        "runs": counters.runs, "questions": counters.questions, "answers": counters.answers,
        "gave_up": counters.gave_up, "diverged": counters.diverged,
    })
}

/// Each goal, where it is and what is known about it.
fn details(board: &Board<'_>) -> Value {
    let goal = |(goal, status): (&tandem_coop::testing::Goal, &Status)| {
        let (state, by) = match status {
            Status::Open => ("open", None),
            Status::Covered => ("covered", None),
            Status::Unreachable(by) => ("unreachable", Some(*by)),
        };
        json!({
            "name": goal.name, "side": goal.side, "state": state, "by": by,
            "place": crate::describe::span_json(board.program, goal.span),
        })
    };
    board.goals.iter().zip(&board.status).map(goal).collect()
}

/// What is to be covered: the option's, or else what the property asks for.
fn criterion(arguments: &Test, input: &Input) -> Result<Criterion, Failure> {
    let property = input.property(&arguments.common)?;
    let errors = match &property {
        Property::Unreachable(call) => call.clone(),
        Property::Cover(_) => property.error_call().clone(),
    };
    let Some(name) = &arguments.cover else {
        let asked = arguments.common.property.as_ref().and_then(|_| Criterion::of_property(&property));
        return Ok(asked.unwrap_or(Criterion::Branches));
    };
    Criterion::named(name, &errors).ok_or_else(|| unknown_criterion(name))
}

fn unknown_criterion(name: &str) -> Failure {
    let help = format!("--cover accepts {}, or a query such as 'cover @BASICBLOCKENTRY'", Criterion::NAMES.join(", "));
    Failure::file("tandem", format!("unknown criterion `{name}`"), help)
}

/// The time for the work: who is to leave something behind needs a little of it for that.
fn budget_for(common: &Common, watch: &Watch, goals: usize) -> Budget {
    let mut budget = watch.budget.clone();
    if let (Some(limit), Some(deadline)) = (common.time_limit, budget.deadline) {
        let share = if common.output.is_some() { LEAVING + LEAVING_GOAL * goals as u32 } else { LEAVING / 4 };
        budget.deadline = deadline.checked_sub((limit / 10).min(share));
    }
    budget
}
