//! `tandem status`: what goes on in the queue on a server.

use std::fmt::Write;
use std::time::Duration;

use serde_json::{Value, json};
use tandem_net::{Present, RunStatus, Status};

use super::{failure, join};
use crate::arguments_net::NetStatus;
use crate::message::{Exit, Failure};
use crate::output;

/// How long workers are listened to: they say a word every second.
const LISTEN: Duration = Duration::from_millis(1300);

pub fn run(arguments: &NetStatus) -> Result<Exit, Failure> {
    let cluster = join(&arguments.access.server(&arguments.nats))?;
    let status = cluster.status(LISTEN).map_err(failure)?;
    let text = if arguments.json { format!("{:#}\n", as_json(&status)) } else { as_text(&status, cluster.release()) };
    output::show(&text).map(|()| Exit::Success)
}

fn as_text(status: &Status, release: &str) -> String {
    let threads: usize = status.workers.iter().map(|worker| worker.threads).sum();
    let busy: usize = status.workers.iter().map(|worker| worker.busy).sum();
    let mut text = format!("Queue: {} waiting, {} running\n", status.waiting, status.running);
    let _ = writeln!(text, "Workers: {} for {threads} jobs at once, {busy} busy", status.workers.len());
    for worker in &status.workers {
        let Present { host, threads, busy, done, .. } = worker;
        let _ = write!(text, "  {}: {busy} of {threads} busy, {done} jobs done", shown(host));
        if worker.release != release {
            let _ = write!(text, " (another release: {})", shown(&worker.release));
        }
        text.push('\n');
    }
    let _ = writeln!(text, "Runs: {}", status.runs.len());
    for run in &status.runs {
        let RunStatus { record, rate, .. } = run;
        let _ = write!(
            text,
            "  {}: {} of {} decided; {} of {} jobs done, {rate:.1} a second",
            shown(&record.title),
            record.settled,
            record.parts,
            record.done,
            record.jobs
        );
        match run.left {
            Some(left) => drop(write!(text, "; about {left:.0} s to go")),
            None => text.push_str("; no estimate yet"),
        }
        if run.is_silent {
            text.push_str(" (its coordinator is silent; the same command goes on with it)");
        }
        text.push('\n');
    }
    text
}

/// What others say about themselves must not move the cursor.
fn shown(text: &str) -> String {
    text.chars().filter(|it| !it.is_control()).take(200).collect()
}

fn as_json(status: &Status) -> Value {
    let worker = |worker: &Present| {
        json!({
            "id": worker.id, "host": worker.host, "release": worker.release, "threads": worker.threads,
            "busy": worker.busy, "done": worker.done,
        })
    };
    let run = |run: &RunStatus| {
        let record = &run.record;
        json!({
            "run": record.run, "title": record.title, "release": record.release, "jobs": record.jobs, "done": record.done,
            "parts": record.parts, "settled": record.settled, "jobs_per_s": run.rate, "left_s": run.left,
            "silent": run.is_silent,
        })
    };
    json!({
        "waiting": status.waiting,
        "running": status.running,
        "workers": status.workers.iter().map(worker).collect::<Vec<_>>(),
        "runs": status.runs.iter().map(run).collect::<Vec<_>>(),
    })
}
