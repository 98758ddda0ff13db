//! One run over all tasks: who works on what, what is told and saved as it comes, and what is taken over from a run that was cut off.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value;
use tandem_base::Cancel;
use tandem_coop::queue::{Local, Queue, Supply};

use super::answer::{Answer, Mark};
use super::elsewhere::Elsewhere;
use super::saved::Saved;
use super::tasks::BenchTask;
use super::{Results, child, report, settings, table};
use crate::arguments_bench::Bench;
use crate::command::net::failure;
use crate::message::Failure;
use crate::output;

/// How long is waited before somebody looks whether to stop.
const TURN: Duration = Duration::from_millis(100);

pub struct Session<'a> {
    arguments: &'a Bench,
    tasks: &'a [BenchTask],
    cancel: &'a Cancel,
    /// Answers of an earlier run, by the names of the tasks.
    earlier: BTreeMap<String, Answer>,
    bar: Option<ProgressBar>,
}

impl<'a> Session<'a> {
    pub fn new(arguments: &'a Bench, tasks: &'a [BenchTask], cancel: &'a Cancel) -> Result<Session<'a>, Failure> {
        let earlier = match &arguments.output {
            Some(directory) if arguments.resume => earlier(arguments, directory, tasks)?,
            Some(_) | None => BTreeMap::new(),
        };
        let left = tasks.len() - tasks.iter().filter(|task| earlier.contains_key(&task.name)).count();
        let bar = progress(left as u64, arguments.quiet);
        Ok(Session { arguments, tasks, cancel, earlier, bar })
    }

    /// Runs the tasks: by processes of this machine, or by workers elsewhere.
    pub fn run_all(&self) -> Result<Results<'a>, Failure> {
        let results = match self.arguments.server.server() {
            Some(server) => self.ask(&Elsewhere::begin(self.arguments, self.tasks, &server)?),
            None => {
                let queue = Local::new();
                std::thread::scope(|scope| {
                    for _ in 0..self.arguments.jobs {
                        scope.spawn(|| self.work(&queue));
                    }
                    self.ask(&queue)
                })
            }
        };
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        results
    }

    /// Puts all tasks into the queue that have no answer yet.
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

    /// Answers are told in the order of the tasks, as soon as those before are told.
    fn listen(&self, queue: &dyn Queue<usize, Answer>) -> Result<Results<'a>, Failure> {
        let mut waiting: Vec<Option<Answer>> =
            self.tasks.iter().map(|task| self.earlier.get(&task.name).cloned()).collect();
        let open = (0..self.tasks.len()).filter(|index| waiting[*index].is_none());
        queue.publish(open.map(|index| (index.to_string(), index)).collect()).map_err(failure)?;
        let mut results: Results = Vec::new();
        loop {
            while let Some(answer) = waiting.get_mut(results.len()).and_then(Option::take) {
                results.push((&self.tasks[results.len()], answer));
                self.tell(&results)?;
            }
            if results.len() == self.tasks.len() || self.cancel.is_raised() {
                return Ok(results);
            }
            for (id, answer) in queue.collect(TURN).map_err(failure)? {
                if let Some(place) = id.parse().ok().and_then(|index: usize| waiting.get_mut(index)) {
                    *place = Some(answer);
                    self.bar.iter().for_each(|bar| bar.inc(1));
                }
            }
        }
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
        let Some((task, answer)) = results.last() else { return Ok(()) };
        if !self.arguments.json {
            let (total, width) = (self.tasks.len(), self.tasks.len().to_string().len());
            let line = format!("[{:width$}/{total}] {}\n", results.len(), answer.line(task));
            match &self.bar {
                Some(bar) => bar.suspend(|| output::show(&line))?,
                None => output::show(&line)?,
            }
        }
        match &self.arguments.output {
            // What was read need not be written.
            Some(directory) if !self.earlier.contains_key(&task.name) => {
                let report = report(self.arguments, self.tasks.len(), results);
                output::write_file(directory, "results.json", &format!("{report:#}\n"))
            }
            Some(_) | None => Ok(()),
        }
    }

    pub fn table(&self, results: &Results<'_>) -> String {
        let mut text = table::render(&table::rows_of(results));
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
}

/// How far the work is, and how long it may still take; nothing if nobody looks.
fn progress(tasks: u64, quiet: bool) -> Option<ProgressBar> {
    if quiet || !std::io::stderr().is_terminal() {
        return None;
    }
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} after {elapsed}, about {eta} left").ok()?;
    Some(ProgressBar::with_draw_target(Some(tasks), ProgressDrawTarget::stderr()).with_style(style))
}

/// The answers in the directory. Those of a run with other settings would be compared with what they cannot be compared with.
fn earlier(arguments: &Bench, directory: &Path, tasks: &[BenchTask]) -> Result<BTreeMap<String, Answer>, Failure> {
    if !directory.join("results.json").exists() {
        return Ok(BTreeMap::new());
    }
    let saved = Saved::load(directory)?;
    let own = settings(arguments);
    for (key, value) in own.as_object().into_iter().flatten() {
        let other = saved.report.get(key).unwrap_or(&Value::Null);
        if other != value {
            let message =
                format!("the results here are of a run with other settings: {key} was {other}, and is {value}");
            let help = "the same settings, another directory, or no --resume";
            return Err(Failure::file(&directory.display().to_string(), message, help));
        }
    }
    let files: BTreeMap<&str, String> =
        tasks.iter().map(|task| (&*task.name, task.file.display().to_string())).collect();
    let same = |name: &str, file: &str| files.get(name).is_some_and(|own| own == file);
    let kept = saved.records.into_iter().filter(|record| same(&record.name, &record.task));
    Ok(kept.map(|record| (record.name, record.answer)).collect())
}
