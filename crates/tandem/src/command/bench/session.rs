//! One run over all tasks: who works on what, what is told and saved as it comes, and what is taken over from a run that was cut off.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value;
use tandem_base::Cancel;

use super::answer::{Answer, Mark};
use super::saved::Saved;
use super::tasks::BenchTask;
use super::{Results, child, report, settings, table};
use crate::arguments_bench::Bench;
use crate::message::Failure;
use crate::output;

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

    /// Runs the tasks. Answers are told in the order of the tasks, as soon as those before are told.
    pub fn run_all(&self) -> Result<Results<'a>, Failure> {
        let next = AtomicUsize::new(0);
        let (sender, receiver) = channel();
        let results = std::thread::scope(|scope| {
            for _ in 0..self.arguments.jobs {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || self.work(next, &sender));
            }
            drop(sender);
            let mut waiting: Vec<Option<Answer>> = vec![None; self.tasks.len()];
            let mut results: Results = Vec::new();
            for (index, answer) in receiver {
                waiting[index] = Some(answer);
                while let Some(answer) = waiting.get_mut(results.len()).and_then(Option::take) {
                    results.push((&self.tasks[results.len()], answer));
                    let told = self.tell(&results);
                    if told.is_err() {
                        // Those who work would go on for nobody.
                        self.cancel.raise();
                    }
                    told?;
                }
            }
            Ok(results)
        });
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        results
    }

    fn work(&self, next: &AtomicUsize, sender: &Sender<(usize, Answer)>) {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = self.tasks.get(index).filter(|_| !self.cancel.is_raised()) else { return };
            let answer = match self.earlier.get(&task.name) {
                Some(answer) => answer.clone(),
                None => {
                    let output = self.arguments.output.as_ref().map(|directory| directory.join(&task.name));
                    let answer = child::verify(self.arguments, &task.file, output, self.cancel);
                    self.bar.iter().for_each(|bar| bar.inc(1));
                    answer
                }
            };
            // What was cut off says nothing about the task.
            if self.cancel.is_raised() || sender.send((index, answer)).is_err() {
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
