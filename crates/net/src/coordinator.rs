//! The side of the one who asks: jobs of one run go in, answers come out.
//!
//! A run has a name that follows from what is asked. Who asks the same again, after a crash or on another machine, finds the jobs and answers
//! that are there and goes on with them.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::context::{PublishError, PublishErrorKind};
use async_nats::jetstream::message::PublishMessage;
use bytes::Bytes;
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use tandem_artifact::job::{Answer, Job, LARGEST_JOB, Said};
use tandem_coop::queue::{JobId, Load, Queue, Trouble};

use crate::cluster::{Cluster, PATIENCE};
use crate::names::last;
use crate::present::Crew;
use crate::results::Reader;
use crate::setup;
use crate::trouble::{explain, is_passing, words};

/// How often the record of the run is renewed, and how often jobs that nobody has any more are looked for.
const RECORD: Duration = Duration::from_secs(1);
const LOOK: Duration = Duration::from_secs(5);
/// Jobs that are on their way to the server at once.
const AT_ONCE: usize = 500;

/// What everybody may know about a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunRecord {
    pub run: String,
    /// For people.
    pub title: String,
    pub release: String,
    /// Jobs so far, and those that are answered.
    pub jobs: u64,
    pub done: u64,
    /// Of this many parts of the question so many are settled: ranges, goals or tasks.
    pub parts: u64,
    pub settled: u64,
    /// Seconds since 1970.
    pub began: u64,
    pub updated: u64,
}

/// A run that is under way.
pub struct Coordinator {
    cluster: Cluster,
    run: String,
    crew: Crew,
    consumer: PullConsumer,
    reader: Mutex<Reader>,
    state: Mutex<State>,
}

struct State {
    /// Jobs without an answer.
    open: HashMap<JobId, Bytes>,
    record: RunRecord,
    recorded: Option<Instant>,
    looked: Instant,
    /// Jobs that were missing the last time.
    missing: HashSet<JobId>,
}

impl Coordinator {
    /// Begins a run, or goes on with it.
    pub fn begin(cluster: &Cluster, run: &str, title: &str) -> Result<Coordinator, Trouble> {
        let link = &cluster.link;
        let consumer = cluster.block_on(setup::consumer(&link.places, &link.url, &link.names))?;
        let crew = Crew::listen(cluster)?;
        let record = RunRecord {
            run: run.to_string(),
            title: title.chars().filter(|it| !it.is_control()).take(200).collect(),
            release: link.release.to_string(),
            jobs: 0,
            done: 0,
            parts: 0,
            settled: 0,
            began: now(),
            updated: now(),
        };
        let state =
            State { open: HashMap::new(), record, recorded: None, looked: Instant::now(), missing: HashSet::new() };
        let (reader, state) = (Mutex::default(), Mutex::new(state));
        let coordinator = Coordinator { cluster: cluster.clone(), run: run.to_string(), crew, consumer, reader, state };
        // Before any job: a worker whose run has no record stops.
        coordinator.record(true)?;
        Ok(coordinator)
    }

    pub fn run(&self) -> &str {
        &self.run
    }

    pub fn crew(&self) -> &Crew {
        &self.crew
    }

    /// Says how much of the question is settled.
    pub fn tell(&self, settled: usize, parts: usize) {
        let mut state = self.lock();
        (state.record.settled, state.record.parts) = (settled as u64, parts as u64);
    }

    /// The releases of workers that are there but cannot take our jobs, if none is there that can.
    pub fn strangers(&self) -> Vec<String> {
        let workers = self.crew.workers();
        if workers.iter().any(|worker| worker.release == self.cluster.release()) {
            return Vec::new();
        }
        let mut releases: Vec<String> = workers.into_iter().map(|worker| worker.release).collect();
        releases.sort();
        releases.dedup();
        releases
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the record down, if it is time for that.
    fn record(&self, must: bool) -> Result<(), Trouble> {
        let record = {
            let mut state = self.lock();
            if !must && state.recorded.is_some_and(|when| when.elapsed() < RECORD) {
                return Ok(());
            }
            state.recorded = Some(Instant::now());
            state.record.updated = now();
            state.record.clone()
        };
        let bytes = serde_json::to_vec(&record).unwrap_or_default();
        let link = &self.cluster.link;
        let subject = link.names.run(&self.run);
        if must {
            return self.cluster.block_on(link.deposit("the record of the run", subject, bytes, PATIENCE));
        }
        // The next one comes in a second.
        let _ = self.cluster.block_on(link.client.publish(subject, bytes.into()));
        Ok(())
    }

    /// Sends jobs, many at once; those that are on the server already stay as they are.
    async fn send(&self, jobs: &[(JobId, Bytes)]) -> Result<(), Trouble> {
        let start = Instant::now();
        for chunk in jobs.chunks(AT_ONCE) {
            let mut left: Vec<&(JobId, Bytes)> = chunk.iter().collect();
            while !left.is_empty() {
                let (failed, passing) = self.send_once(&left).await?;
                if !failed.is_empty() {
                    if start.elapsed() > PATIENCE {
                        return Err(explain(&self.cluster.link.url, "sending jobs", &passing));
                    }
                    tokio::time::sleep(Duration::from_millis(200)).await;
                }
                left = failed;
            }
        }
        Ok(())
    }

    /// Those that should be tried again, and why.
    async fn send_once<'j>(&self, jobs: &[&'j (JobId, Bytes)]) -> Result<(Vec<&'j (JobId, Bytes)>, String), Trouble> {
        let link = &self.cluster.link;
        let mut sent = Vec::with_capacity(jobs.len());
        for job in jobs {
            let message = PublishMessage::build().payload(job.1.clone()).expected_last_subject_sequence(0);
            sent.push((*job, link.context.send_publish(link.names.job(&self.run, &job.0), message).await));
        }
        let (mut failed, mut why) = (Vec::new(), String::new());
        for (job, acknowledged) in sent {
            let result: Result<(), PublishError> = match acknowledged {
                Ok(waiting) => waiting.await.map(drop),
                Err(error) => Err(error),
            };
            match result {
                Ok(()) => {}
                // It is there already.
                Err(error) if error.kind() == PublishErrorKind::WrongLastSequence => {}
                Err(error) => {
                    why = words(&error);
                    if !is_passing(&why) {
                        return Err(explain(&link.url, "sending jobs", &why));
                    }
                    failed.push(job);
                }
            }
        }
        Ok((failed, why))
    }

    /// Sends jobs again that are neither answered nor on the server: somebody else may have ended a run of the same name.
    fn look_for_missing(&self) -> Result<(), Trouble> {
        {
            let mut state = self.lock();
            if state.looked.elapsed() < LOOK || state.open.is_empty() {
                return Ok(());
            }
            state.looked = Instant::now();
        }
        let link = &self.cluster.link;
        let there = self.cluster.block_on(async {
            // Who has joined meanwhile hears who we are.
            let _ = link.client.publish(link.names.call(), link.release.to_string().into()).await;
            let subjects = link.places.jobs.info_with_subjects(link.names.jobs_of(&self.run)).await.ok()?;
            let ids = subjects.filter_map(|subject| async { Some(last(&subject.ok()?.0).to_string()) });
            Some(ids.collect::<HashSet<JobId>>().await)
        });
        let Some(there) = there else { return Ok(()) };
        let again: Vec<(JobId, Bytes)> = {
            let mut state = self.lock();
            let missing: HashSet<JobId> = state.open.keys().filter(|id| !there.contains(*id)).cloned().collect();
            // One that was answered a moment ago is no longer there either; twice in a row is no accident.
            let before = std::mem::replace(&mut state.missing, missing);
            let lost = state.open.iter().filter(|(id, _)| before.contains(*id) && state.missing.contains(*id));
            lost.map(|(id, bytes)| (id.clone(), bytes.clone())).collect()
        };
        if again.is_empty() {
            return Ok(());
        }
        self.record(true)?;
        self.cluster.block_on(self.send(&again))
    }

    fn announce_cancel(&self, jobs: &[JobId]) -> Result<(), Trouble> {
        let link = &self.cluster.link;
        let bytes = serde_json::to_vec(jobs).unwrap_or_default();
        self.cluster.block_on(async {
            let sent = link.client.publish(link.names.cancel(&self.run), bytes.into()).await;
            sent.map_err(|error| explain(&link.url, "cancelling", &words(&error)))?;
            // Who is told too late only works for nothing.
            let _ = tokio::time::timeout(Duration::from_secs(1), link.client.flush()).await;
            Ok(())
        })
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        let reader = &mut *self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        // A subscription can end only where the runtime is.
        self.cluster.block_on(async { *reader = Reader::default() });
    }
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

impl Queue<Job, Answer> for Coordinator {
    fn publish(&self, jobs: Vec<(JobId, Job)>) -> Result<(), Trouble> {
        let mut written = Vec::with_capacity(jobs.len());
        for (id, job) in jobs {
            let bytes = job.write();
            if bytes.len() > LARGEST_JOB {
                let message = format!("the job `{}` is too large to be sent: {} bytes", job.name, bytes.len());
                return Err(Trouble::new(message, "ranges with shorter bounds, or fewer goals"));
            }
            written.push((id, Bytes::from(bytes)));
        }
        {
            let mut state = self.lock();
            state.record.jobs += written.len() as u64;
            state.open.extend(written.iter().cloned());
        }
        self.cluster.block_on(self.send(&written))
    }

    fn collect(&self, wait: Duration) -> Result<Vec<(JobId, Answer)>, Trouble> {
        self.record(false)?;
        self.look_for_missing()?;
        let link = &self.cluster.link;
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let read = self.cluster.block_on(reader.read(link, &self.run, wait))?;
        drop(reader);
        let mut answers = Vec::with_capacity(read.len());
        for (id, bytes) in read {
            let answer = self.cluster.block_on(link.unpack(&bytes));
            if !matches!(&answer, Ok(Answer { said: Said::Testing(_), .. })) {
                let mut state = self.lock();
                if state.open.remove(&id).is_some() {
                    state.record.done += 1;
                }
            }
            answers.push((id, answer.unwrap_or_else(|why| Answer::failed(format!("the answer is no answer: {why}")))));
        }
        Ok(answers)
    }

    fn earlier(&self) -> Result<Vec<(JobId, Answer)>, Trouble> {
        let link = &self.cluster.link;
        let there = self.cluster.block_on(async {
            let ask = || link.places.results.info_with_subjects(link.names.results_of(&self.run));
            let subjects = link.persist("looking for answers", PATIENCE, ask).await?;
            Ok(subjects.count().await)
        })?;
        let (mut answers, end) = (HashMap::new(), Instant::now() + PATIENCE);
        while answers.len() < there && Instant::now() < end {
            answers.extend(self.collect(Duration::from_millis(500))?);
        }
        Ok(answers.into_iter().collect())
    }

    fn cancel(&self, jobs: &[JobId]) -> Result<(), Trouble> {
        if jobs.is_empty() {
            return Ok(());
        }
        let link = &self.cluster.link;
        {
            let mut state = self.lock();
            for id in jobs {
                state.open.remove(id);
            }
        }
        self.cluster.block_on(async {
            for id in jobs {
                // What cannot be taken back is done in vain.
                let _ = link.places.jobs.purge().filter(link.names.job(&self.run, id)).await;
            }
        });
        self.announce_cancel(jobs)
    }

    fn finish(&self) -> Result<(), Trouble> {
        // Those who work are told first: that is what others wait for.
        let told = self.announce_cancel(&[]);
        let link = &self.cluster.link;
        self.cluster.block_on(async {
            // What is left behind is taken away by its age.
            let _ = link.places.jobs.purge().filter(link.names.jobs_of(&self.run)).await;
            let _ = link.places.results.purge().filter(link.names.run(&self.run)).await;
            let _ = link.places.results.purge().filter(link.names.results_of(&self.run)).await;
        });
        told
    }

    fn load(&self) -> Result<Load, Trouble> {
        let workers = self.crew.workers();
        let ours = workers.iter().filter(|worker| worker.release == self.cluster.release());
        let idle = ours.map(|worker| worker.threads.saturating_sub(worker.busy)).sum();
        let mut consumer = self.consumer.clone();
        let info = self.cluster.block_on(async { consumer.info().await.ok().cloned() });
        // Without an answer, nothing is known to be idle.
        Ok(match info {
            Some(info) => Load { waiting: info.num_pending as usize, running: info.num_ack_pending, idle },
            None => Load { waiting: 1, running: 0, idle: 0 },
        })
    }
}
