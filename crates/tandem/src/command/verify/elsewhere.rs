//! `tandem verify --nats`: workers on other machines verify the ranges, or the whole program. Decides nothing about the program.

use tandem_analyses::{Outcome, Task};
use tandem_artifact::format::ranges_yaml;
use tandem_artifact::job::{How, Job, JobLimits, RangeWork, Work};
use tandem_artifact::range::Range;
use tandem_base::Budget;
use tandem_coop::ranges::{Plan, verify_elsewhere};
use tandem_net::{Coordinator, Server};

use super::ranged;
use crate::arguments::Verify;
use crate::command::net::{Remarks, failure, join, run_name, send_text, template};
use crate::input::Input;
use crate::message::Failure;

/// What the workers say about all ranges together.
pub fn run(
    arguments: &Verify,
    server: &Server,
    task: Task<'_>,
    input: &Input,
    budget: &Budget,
) -> Result<Outcome, Failure> {
    let cluster = join(server)?;
    let mut plan = ranged::plan(arguments, task, input, budget)?;
    let job = job(arguments, task, input, &mut plan)?;
    send_text(&cluster, input)?;
    let coordinator = Coordinator::begin(&cluster, &job.run, &job.name).map_err(failure)?;
    let mut remarks = Remarks::new(arguments.common.quiet);
    let mut watch = |proved, of| {
        coordinator.tell(proved, of);
        remarks.look(&coordinator, &cluster);
    };
    let result = verify_elsewhere(task, &plan, &job, &coordinator, budget, &mut watch).map_err(failure)?;
    Ok(ranged::finished(task, plan.ranges.len(), result, budget))
}

/// The job that all others are made of.
fn job(arguments: &Verify, task: Task<'_>, input: &Input, plan: &mut Plan<'_>) -> Result<Job, Failure> {
    let common = &arguments.common;
    // Only the whole program may use several threads: ranges are there to be worked on side by side.
    let is_whole = plan.ranges == [Range::whole()];
    let threads = common.threads.filter(|_| is_whole).or((!is_whole).then_some(1));
    let limits = JobLimits { time_ms: None, memory: common.memory_limit, threads };
    let mut job = template(input, task.error, &format!("verify {}", input.source.file()), limits);
    let how = match &arguments.plan {
        Some(name) if name.ends_with(".yml") || name.ends_with(".yaml") => {
            let help = "a plan that has a name, or no --nats: workers do not take files of plans";
            return Err(Failure::file(name, "a plan file cannot be sent to workers", help));
        }
        Some(name) => {
            plan.steal = false;
            How::Plan(name.clone())
        }
        None => How::Analysis(plan.analyses.join(",")),
    };
    let bounds: Vec<_> = plan.ranges.iter().filter_map(|range| range.upper.clone()).collect();
    let ranges = ranges_yaml::write(&input.subject(), &bounds);
    let error = job.error.clone().unwrap_or_default();
    let settings = format!("{how:?} {} {:?} {:?}", plan.steal, common.time_limit, limits);
    job.run = run_name(&["verify", &job.release, &job.program.identity, &error, &settings, &ranges]);
    let facts = task.exchange.is_some() && is_whole;
    job.work = Work::Verify(RangeWork::new(how, &Range::whole(), facts));
    Ok(job)
}
