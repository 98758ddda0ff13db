//! `tandem test --nats`: workers on other machines make the tests; they are replayed here.

use tandem_analyses::Task;
use tandem_artifact::ErrorCall;
use tandem_artifact::job::JobLimits;
use tandem_base::Budget;
use tandem_coop::testing::{Batches, Board, Criterion, Goal, Options, TestPlan, cycle_elsewhere};
use tandem_net::{Coordinator, Server};

use super::query::is_query;
use crate::arguments::Test;
use crate::command::net::{Remarks, failure, join, run_name, send_text, template};
use crate::input::Input;
use crate::message::Failure;

/// What is to be covered, and how.
pub struct Question<'a> {
    pub arguments: &'a Test,
    pub input: &'a Input,
    pub criterion: &'a Criterion,
    pub options: &'a Options,
}

/// What workers do not understand is refused and not done here in silence.
pub fn can_be_sent(arguments: &Test) -> Result<(), Failure> {
    let is_query = arguments.cover.as_deref().is_some_and(is_query);
    let is_ours = arguments.plan.iter().all(|name| TestPlan::named(name).is_some());
    if arguments.server.nats.is_some() && !is_ours {
        let help = format!("with --nats, --plan accepts {}", TestPlan::NAMES.join(", "));
        return Err(Failure::file("tandem", "testers from outside are not run by workers", help));
    }
    if arguments.server.nats.is_some() && (is_query || arguments.gia.is_some()) {
        let help = "with --nats, --cover with the name of a criterion, and no --gia";
        return Err(Failure::file("tandem", "queries and automata cannot be sent to workers", help));
    }
    Ok(())
}

/// Decides the goals as far as the budget allows.
pub fn run<'a>(
    question: &Question<'_>,
    server: &Server,
    task: Task<'a>,
    goals: &'a [Goal],
    budget: &Budget,
    look: &mut dyn FnMut(&Board<'a>),
) -> Result<Board<'a>, Failure> {
    let Question { arguments, input, criterion, options } = question;
    let common = &arguments.common;
    let error = match criterion {
        Criterion::ErrorCall(call) => call.clone(),
        Criterion::Branches | Criterion::Statements | Criterion::Conditions | Criterion::Calls => ErrorCall::Usual,
    };
    let cluster = join(server)?;
    // A worker does as many jobs at once as it has threads.
    let threads = Some(common.threads.unwrap_or(1));
    let limits = JobLimits { time_ms: None, memory: common.memory_limit, threads };
    let mut job = template(input, &error, &format!("test {}", input.source.file()), limits);
    let name = name(criterion);
    let settings = format!("{name} {options:?} {:?} {limits:?}", common.time_limit);
    let program = &job.program;
    let call = job.error.clone().unwrap_or_default();
    job.run = run_name(&["test", &job.release, &program.identity, &call, &settings]);
    send_text(&cluster, input)?;
    let coordinator = Coordinator::begin(&cluster, &job.run, &job.name).map_err(failure)?;
    let mut remarks = Remarks::new(common.quiet);
    let mut watch = |board: &Board<'a>| {
        let (_, _, open) = board.counts();
        coordinator.tell(board.goals.len() - open, board.goals.len());
        remarks.look(&coordinator, &cluster);
        look(board);
    };
    let plan = arguments.plan.join(",");
    let batches = Batches { template: &job, criterion: name, plan: &plan, options };
    let done = cycle_elsewhere(task, goals, &batches, &coordinator, budget, &mut watch);
    let (board, troubles) = done.map_err(failure)?;
    for trouble in troubles.iter().take(5).filter(|_| !common.quiet) {
        eprintln!("tandem: note: {trouble}");
    }
    Ok(board)
}

fn name(criterion: &Criterion) -> &'static str {
    match criterion {
        Criterion::Branches => "branches",
        Criterion::Statements => "statements",
        Criterion::Conditions => "conditions",
        Criterion::ErrorCall(_) => "error-call",
        Criterion::Calls => "calls",
    }
}
