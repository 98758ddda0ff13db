//! `tandem bench`: verifies many tasks, each in a process of its own, and compares the verdicts with the expected ones.

mod answer;
pub mod child;
mod elsewhere;
mod table;
mod tasks;

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tandem_base::Cancel;
use tandem_coop::queue::{Local, Queue, Supply};

use super::net::failure;
use crate::arguments::Bench;
use crate::message::{Exit, Failure};
use crate::output;
use crate::watch::Watch;
use answer::{Answer, Mark};
use elsewhere::Elsewhere;
use tasks::BenchTask;

pub fn run(arguments: &Bench, watch: &Watch) -> Result<Exit, Failure> {
    let tasks = tasks::collect(&arguments.sets, arguments.every)?;
    if let Some(directory) = &arguments.output {
        output::prepare(directory)?;
    }
    let session = Session { arguments, tasks: &tasks, cancel: &watch.budget.cancel };
    let results = session.run_all()?;
    let rows = table::rows(&results);
    let text = session.table(&results);
    if let Some(directory) = &arguments.output {
        output::write_file(directory, "table.md", &text)?;
    }
    let report = session.report(&results);
    output::show(&if arguments.json { format!("{report:#}\n") } else { format!("\n{text}") })?;
    let wrong = rows.iter().any(|row| row.count(Mark::Wrong) > 0);
    Ok(match (wrong, results.len() < tasks.len() || watch.budget.cancel.is_raised()) {
        (true, _) => Exit::Violated,
        (false, true) => Exit::Unknown,
        (false, false) => Exit::Success,
    })
}

/// How long is waited before somebody looks whether to stop.
const TURN: Duration = Duration::from_millis(100);

struct Session<'a> {
    arguments: &'a Bench,
    tasks: &'a [BenchTask],
    cancel: &'a Cancel,
}

type Results<'a> = Vec<(&'a BenchTask, Answer)>;

impl<'a> Session<'a> {
    /// Runs the tasks: by processes of this machine, or by workers elsewhere.
    fn run_all(&self) -> Result<Results<'a>, Failure> {
        if let Some(server) = self.arguments.server.server() {
            let queue = Elsewhere::begin(self.arguments, self.tasks, &server)?;
            return self.ask(&queue);
        }
        let queue = Local::new();
        std::thread::scope(|scope| {
            for _ in 0..self.arguments.jobs {
                scope.spawn(|| self.work(&queue));
            }
            self.ask(&queue)
        })
    }

    /// Puts all tasks into the queue. Answers are told in the order of the tasks, as soon as those before are told.
    fn ask(&self, queue: &dyn Queue<usize, Answer>) -> Result<Results<'a>, Failure> {
        let told = self.listen(queue);
        // Those who work would go on for nobody.
        let finished = queue.finish().map_err(failure);
        let results = told?;
        if results.len() < self.tasks.len() {
            finished?;
        }
        Ok(results)
    }

    fn listen(&self, queue: &dyn Queue<usize, Answer>) -> Result<Results<'a>, Failure> {
        queue.publish((0..self.tasks.len()).map(|index| (index.to_string(), index)).collect()).map_err(failure)?;
        let mut waiting: Vec<Option<Answer>> = vec![None; self.tasks.len()];
        let mut results: Results = Vec::new();
        while results.len() < self.tasks.len() && !self.cancel.is_raised() {
            for (id, answer) in queue.collect(TURN).map_err(failure)? {
                if let Some(place) = id.parse().ok().and_then(|index: usize| waiting.get_mut(index)) {
                    *place = Some(answer);
                }
            }
            while let Some(answer) = waiting.get_mut(results.len()).and_then(Option::take) {
                results.push((&self.tasks[results.len()], answer));
                self.tell(&results)?;
            }
        }
        Ok(results)
    }

    fn work(&self, queue: &Local<usize, Answer>) {
        while !queue.is_finished() {
            let Ok(Some(lease)) = queue.take(TURN) else { continue };
            let task = &self.tasks[*lease.job()];
            let output = self.arguments.output.as_ref().map(|directory| directory.join(&task.name));
            let answer = child::verify(self.arguments, &task.file, output, lease.cancel());
            // What was cut off says nothing about the task; then the flag is raised, and the queue drops the answer.
            if lease.done(answer).is_err() {
                return;
            }
        }
    }

    /// Says what came of the last task, and saves all results so far.
    fn tell(&self, results: &Results<'_>) -> Result<(), Failure> {
        if let Some((task, answer)) = results.last().filter(|_| !self.arguments.json) {
            let (total, width) = (self.tasks.len(), self.tasks.len().to_string().len());
            output::show(&format!("[{:width$}/{total}] {}\n", results.len(), answer.line(task)))?;
        }
        match &self.arguments.output {
            Some(directory) => self.save(directory, results),
            None => Ok(()),
        }
    }

    fn save(&self, directory: &Path, results: &Results<'_>) -> Result<(), Failure> {
        output::write_file(directory, "results.json", &format!("{:#}\n", self.report(results)))
    }

    fn table(&self, results: &Results<'_>) -> String {
        let mut text = table::render(&table::rows(results));
        for (task, answer) in results {
            if answer.mark(task.facts.expected) == Mark::Wrong {
                text += &format!("\n{}\n", answer.line(task));
            }
        }
        if results.len() < self.tasks.len() {
            text += &format!("\nStopped after {} of {} tasks.\n", results.len(), self.tasks.len());
        }
        text
    }

    fn report(&self, results: &Results<'_>) -> Value {
        // Workers elsewhere leave their files nowhere.
        let with_output = self.arguments.output.is_some() && self.arguments.server.nats.is_none();
        json!({
            "analysis": self.arguments.analysis,
            "time_limit_s": self.arguments.time_limit.as_secs_f64(),
            "memory_limit": self.arguments.memory_limit,
            "jobs": self.arguments.jobs,
            "threads": self.arguments.threads,
            "every": self.arguments.every,
            "passed_on": self.arguments.passed_on,
            "planned": self.tasks.len(),
            "sets": table::rows(results).iter().map(table::Row::json).collect::<Vec<_>>(),
            "tasks": results.iter().map(|(task, answer)| answer.json(task, with_output)).collect::<Vec<_>>(),
        })
    }
}
