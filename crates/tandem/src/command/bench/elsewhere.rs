//! `tandem bench --nats`: each task is a job for workers on other machines. Looks like a queue of tasks; what a task is about is read here, so
//! that workers need no files.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tandem_artifact::job::{self, How, Job, JobLimits, RangeWork, Said, Work};
use tandem_artifact::range::Range;
use tandem_coop::queue::{JobId, Load, Queue, Trouble};
use tandem_net::{Cluster, Coordinator, Server};

use super::answer::Answer;
use super::tasks::BenchTask;
use crate::arguments::Common;
use crate::arguments_bench::Bench;
use crate::command::net::{Remarks, failure, join, run_name, send_text, template};
use crate::command::verify::error_call;
use crate::input;
use crate::message::Failure;

pub struct Elsewhere {
    cluster: Cluster,
    coordinator: Coordinator,
    jobs: Vec<Result<Job, Answer>>,
    /// Which task a job is.
    tasks: HashMap<JobId, Vec<usize>>,
    /// Answers that no worker is needed for.
    known: Mutex<VecDeque<(JobId, Answer)>>,
    remarks: Mutex<Remarks>,
    total: usize,
    settled: Mutex<usize>,
}

impl Elsewhere {
    /// Reads all tasks and sends their programs.
    pub fn begin(arguments: &Bench, tasks: &[BenchTask], server: &Server) -> Result<Elsewhere, Failure> {
        let how = how(arguments)?;
        let cluster = join(server)?;
        let mut jobs: Vec<Result<Job, Answer>> = Vec::new();
        for task in tasks {
            jobs.push(match job(arguments, task, &how, &cluster)? {
                Ok(job) => Ok(job),
                Err(bad) => Err(bad_input(&bad)),
            });
        }
        let contents: Vec<String> = jobs.iter().flatten().map(Job::id).collect();
        let run = run_name(&["bench", &contents.join(" "), &format!("{:?}", arguments.time_limit)]);
        let mut by_id: HashMap<JobId, Vec<usize>> = HashMap::new();
        for (index, job) in jobs.iter_mut().enumerate() {
            if let Ok(job) = job {
                job.run.clone_from(&run);
                by_id.entry(job.id()).or_default().push(index);
            }
        }
        let title = format!("bench of {} tasks", tasks.len());
        let coordinator = Coordinator::begin(&cluster, &run, &title).map_err(failure)?;
        coordinator.tell(0, tasks.len());
        Ok(Elsewhere {
            cluster,
            coordinator,
            jobs,
            tasks: by_id,
            known: Mutex::default(),
            remarks: Mutex::new(Remarks::new(arguments.json)),
            total: tasks.len(),
            settled: Mutex::new(0),
        })
    }

    fn answered(&self, answers: Vec<(JobId, job::Answer)>) -> Vec<(JobId, Answer)> {
        let mut found = Vec::new();
        for (id, answer) in answers {
            for index in self.tasks.get(&id).into_iter().flatten() {
                let name = self.jobs[*index].as_ref().map_or("", |job| &job.name);
                found.push((index.to_string(), told(name, &answer)));
            }
        }
        found
    }
}

/// Who is to verify.
fn how(arguments: &Bench) -> Result<How, Failure> {
    let complain = |message: &str, help: &str| Err(Failure::file("tandem", message.to_string(), help));
    if !arguments.passed_on.is_empty() {
        return complain("options of `verify` cannot be sent to workers", "with --nats, --analysis or --plan");
    }
    match &arguments.plan {
        None => Ok(How::Analysis(arguments.analysis.clone().unwrap_or_else(|| tandem_analyses::DEFAULT_RUN.into()))),
        Some(name) if name.contains('.') => {
            complain("a plan file cannot be sent to workers", "with --nats, a plan that has a name")
        }
        Some(name) => Ok(How::Plan(name.clone())),
    }
}

/// The job of a task, or what is wrong with the task.
fn job(arguments: &Bench, task: &BenchTask, how: &How, cluster: &Cluster) -> Result<Result<Job, Failure>, Failure> {
    let common = Common::of(&task.file);
    let read = input::load(&common).and_then(|input| {
        let property = input.property(&common)?;
        let error = error_call(&common, &property)?;
        let limits = JobLimits {
            time_ms: Some(arguments.time_limit.as_millis() as u64),
            memory: Some(arguments.memory_limit),
            threads: arguments.threads,
        };
        let mut job = template(&input, error, &task.name, limits);
        job.work = Work::Verify(RangeWork::new(how.clone(), &Range::whole(), false));
        Ok((input, job))
    });
    match read {
        Ok((input, job)) => send_text(cluster, &input).map(|()| Ok(job)),
        Err(failure) => Ok(Err(failure)),
    }
}

fn bad_input(failure: &Failure) -> Answer {
    let reason = format!("bad input: {}", failure.message);
    Answer { verdict: None, reason, analysis: String::new(), time: Duration::ZERO, status: Some(2) }
}

fn told(name: &str, answer: &job::Answer) -> Answer {
    let time = Duration::from_millis(answer.time_ms);
    let no = |reason: String| Answer { verdict: None, reason, analysis: String::new(), time, status: Some(3) };
    match &answer.said {
        Said::Checked(checked) => {
            let (verdict, status) = match &checked.found {
                job::Found::Proof => (Some(true), 0),
                job::Found::Violation(_) => (Some(false), 1),
                job::Found::Unknown => (None, 3),
            };
            let reason = checked.reason.clone().unwrap_or_default();
            Answer { verdict, reason, analysis: checked.analysis.clone(), time, status: Some(status) }
        }
        Said::Failed(why) => no(why.clone()),
        Said::Poison(times) => no(format!("the job `{name}` is poison: {times} workers were lost with it")),
        Said::Tested(_) | Said::Testing(_) | Said::Nothing => no("the answer is one to another question".into()),
    }
}

impl Queue<usize, Answer> for Elsewhere {
    fn publish(&self, tasks: Vec<(JobId, usize)>) -> Result<(), Trouble> {
        let earlier: HashMap<JobId, job::Answer> = self.coordinator.earlier()?.into_iter().collect();
        let mut jobs = HashMap::new();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for (id, index) in tasks {
            match &self.jobs[index] {
                Ok(job) => match earlier.get(&job.id()) {
                    Some(answer) => known.push_back((id, told(&job.name, answer))),
                    None => drop(jobs.insert(job.id(), job.clone())),
                },
                Err(answer) => known.push_back((id, answer.clone())),
            }
        }
        drop(known);
        self.coordinator.publish(jobs.into_iter().collect())
    }

    fn collect(&self, wait: Duration) -> Result<Vec<(JobId, Answer)>, Trouble> {
        let known = std::mem::take(&mut *self.known.lock().unwrap_or_else(PoisonError::into_inner));
        let mut answers: Vec<(JobId, Answer)> = known.into();
        if answers.is_empty() {
            answers = self.answered(self.coordinator.collect(wait)?);
        }
        let mut settled = self.settled.lock().unwrap_or_else(PoisonError::into_inner);
        *settled += answers.len();
        self.coordinator.tell(*settled, self.total);
        self.remarks.lock().unwrap_or_else(PoisonError::into_inner).look(&self.coordinator, &self.cluster);
        Ok(answers)
    }

    fn cancel(&self, _: &[JobId]) -> Result<(), Trouble> {
        // Tasks are cancelled all together, by the end.
        Ok(())
    }

    fn finish(&self) -> Result<(), Trouble> {
        self.coordinator.finish()
    }

    fn load(&self) -> Result<Load, Trouble> {
        self.coordinator.load()
    }
}
