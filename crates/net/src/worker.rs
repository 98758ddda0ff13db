//! The side of those who work: jobs come, one for each thread that asks, and stay with it as long as the worker says that it is there.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::{PullConsumer, pull};
use async_nats::jetstream::message::Acker;
use async_nats::jetstream::stream::LastRawMessageErrorKind;
use async_nats::jetstream::{self, AckKind};
use async_nats::{SubscribeError, Subscriber};
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use tandem_artifact::job::{Answer, Job, LARGEST_ANSWER, Said};
use tandem_artifact::sha256_hex;
use tandem_base::Cancel;
use tandem_coop::queue::{JobId, Lease, Supply, Trouble};
use tokio::task::AbortHandle;

use crate::cluster::{Cluster, Link, PATIENCE};
use crate::names::{last, last_but_one};
use crate::present::{HEARTBEAT, Present};
use crate::setup::{self, SILENCE};
use crate::trouble::{explain, words};

/// How often a job may be lost with those who work on it before it is given up.
pub const DELIVERIES: i64 = 5;
/// How long a request for a job is good for.
const REQUEST: Duration = Duration::from_secs(20);
/// How long an answer waits for a server that is not there.
const HOLD: Duration = Duration::from_secs(600);
/// Bytes of a cancellation.
const LARGEST_CANCEL: usize = 1 << 20;

type Running = Arc<Mutex<HashMap<(String, JobId), Cancel>>>;

/// A worker's place in the queue.
pub struct Workplace {
    cluster: Cluster,
    consumer: PullConsumer,
    running: Running,
    /// Requests for a job that are under way, and the connection each was sent on: one that is dropped may take a job with it.
    requests: Mutex<Vec<(pull::Batch, u64)>>,
    about: Arc<About>,
    tasks: Vec<AbortHandle>,
}

/// What is said to others, and what was heard of them.
struct About {
    id: String,
    host: String,
    threads: usize,
    busy: AtomicUsize,
    done: AtomicU64,
    strangers: Mutex<Vec<String>>,
}

impl Workplace {
    /// Takes a place for so many jobs at once.
    pub fn open(cluster: &Cluster, host: &str, threads: usize) -> Result<Workplace, Trouble> {
        let link = &cluster.link;
        let consumer = cluster.block_on(setup::consumer(&link.places, &link.url, &link.names))?;
        let host: String = host.chars().filter(|it| !it.is_control()).take(100).collect();
        let nanos = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |it| it.as_nanos());
        let id = sha256_hex(format!("{host} {} {nanos}", std::process::id()).as_bytes())[..12].to_string();
        let about = Arc::new(About {
            id,
            host,
            threads,
            busy: AtomicUsize::new(0),
            done: AtomicU64::new(0),
            strangers: Mutex::default(),
        });
        let running = Running::default();
        // Before the first job: a cancellation must not be missed.
        let heard = cluster.block_on(async {
            let calls = link.client.subscribe(link.names.call()).await?;
            let cancels = link.client.subscribe(link.names.all_cancels()).await?;
            // Until the server has answered something, it need not have heard it; if it does not answer, the calls come again.
            let _ = link.context.request::<_, _, serde_json::Value>("INFO", &()).await;
            Ok::<_, SubscribeError>((calls, cancels))
        });
        let (calls, cancels) = heard.map_err(|error| explain(&link.url, "listening", &words(&error)))?;
        let tasks = vec![
            cluster.spawn(say_present(link.clone(), about.clone())),
            cluster.spawn(hear_calls(link.clone(), about.clone(), calls)),
            cluster.spawn(hear_cancels(cancels, running.clone())),
        ];
        Ok(Workplace { cluster: cluster.clone(), consumer, running, requests: Mutex::default(), about, tasks })
    }

    /// The releases of coordinators whose jobs we cannot take, since the last time.
    pub fn strangers(&self) -> Vec<String> {
        std::mem::take(&mut *self.about.strangers.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn done(&self) -> u64 {
        self.about.done.load(Ordering::Relaxed)
    }

    async fn next(&self, wait: Duration) -> Result<Option<jetstream::Message>, Trouble> {
        let link = &self.cluster.link;
        let end = Instant::now() + wait;
        loop {
            let kept = self.requests.lock().unwrap_or_else(PoisonError::into_inner).pop();
            // A server that was started again does not know the requests of before.
            let kept = kept.filter(|(_, connection)| *connection == link.connection());
            let (mut batch, connection) = match kept {
                Some(request) => request,
                None => {
                    let connection = link.connection();
                    let ask = || self.consumer.batch().max_messages(1).expires(REQUEST).messages();
                    (link.persist("asking for a job", PATIENCE, ask).await?, connection)
                }
            };
            let left = end.saturating_duration_since(Instant::now());
            match tokio::time::timeout(left, batch.next()).await {
                Ok(Some(Ok(message))) => return Ok(Some(message)),
                Ok(Some(Err(_))) => self.recover().await,
                Ok(None) => {}
                Err(_) => {
                    self.requests.lock().unwrap_or_else(PoisonError::into_inner).push((batch, connection));
                }
            }
            if Instant::now() >= end {
                return Ok(None);
            }
        }
    }

    /// A request was refused: what we ask may be gone, with all the server knew.
    async fn recover(&self) {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let link = &self.cluster.link;
        if let Ok(places) = setup::places(&link.context, &link.url, &link.names).await {
            // If that fails, the next request fails, and it is tried again.
            let _ = setup::consumer(&places, &link.url, &link.names).await;
        }
    }

    /// The job of a message; nothing if it is none that we work on, and then the one who asked was told.
    async fn accept(&self, message: jetstream::Message) -> Result<Option<Held<'_>>, Trouble> {
        let link = &self.cluster.link;
        let (run, id) = (last_but_one(&message.subject).to_string(), last(&message.subject).to_string());
        let delivered = message.info().map_or(1, |info| info.delivered);
        let refused = match Job::read(&message.payload) {
            _ if delivered > DELIVERIES => Err(Answer { time_ms: 0, said: Said::Poison(delivered as u64 - 1) }),
            Err(why) => Err(Answer::failed(format!("the job is no job: {why}"))),
            Ok(job) if *job.release != *link.release => {
                Err(Answer::failed(format!("the job is for {}; this worker is {}", job.release, link.release)))
            }
            Ok(job) if job.run != run || job.id() != id => Err(Answer::failed("the job is not what its name says")),
            Ok(job) => Ok(job),
        };
        let (_, acker) = message.split();
        match refused {
            Ok(job) => {
                let cancel = Cancel::new();
                let key = (run.clone(), id.clone());
                self.running.lock().unwrap_or_else(PoisonError::into_inner).insert(key, cancel.clone());
                self.about.busy.fetch_add(1, Ordering::Relaxed);
                let acker = Arc::new(acker);
                let care = self.cluster.spawn(keep(link.clone(), acker.clone(), run.clone(), cancel.clone()));
                Ok(Some(Held { place: self, id, run, job, cancel, acker, care, is_over: false }))
            }
            Err(answer) => {
                link.answer(&run, &id, &answer).await?;
                // If that is not heard, the job comes again and is refused again.
                let _ = acker.ack().await;
                Ok(None)
            }
        }
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
        let requests = &mut *self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        // A subscription can end only where the runtime is.
        self.cluster.block_on(async { requests.clear() });
    }
}

impl Supply<Job, Answer> for Workplace {
    fn take<'s>(&'s self, wait: Duration) -> Result<Option<Box<dyn Lease<Job, Answer> + 's>>, Trouble> {
        self.cluster.block_on(async {
            let Some(message) = self.next(wait).await? else { return Ok(None) };
            let held = self.accept(message).await?;
            Ok(held.map(|held| Box::new(held) as Box<dyn Lease<Job, Answer>>))
        })
    }
}

struct Held<'w> {
    place: &'w Workplace,
    id: JobId,
    run: String,
    job: Job,
    cancel: Cancel,
    acker: Arc<Acker>,
    care: AbortHandle,
    is_over: bool,
}

impl Lease<Job, Answer> for Held<'_> {
    fn id(&self) -> &str {
        &self.id
    }

    fn job(&self) -> &Job {
        &self.job
    }

    fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    fn tell(&self, so_far: Answer) {
        let link = &self.place.cluster.link;
        let bytes = so_far.write();
        if !self.cancel.is_raised() && bytes.len() + ENVELOPE <= link.client.max_payload() {
            let subject = link.names.result(&self.run, &self.id);
            // If the server does not hear it, the answer says it again.
            let _ = self.place.cluster.block_on(link.client.publish(subject, bytes.into()));
        }
    }

    fn done(mut self: Box<Self>, answer: Answer) -> Result<(), Trouble> {
        self.is_over = true;
        let cluster = &self.place.cluster;
        cluster.block_on(async {
            if !self.cancel.is_raised() {
                cluster.link.answer(&self.run, &self.id, &answer).await?;
                self.place.about.done.fetch_add(1, Ordering::Relaxed);
            }
            // If the server does not hear it, the job is done once more.
            let _ = self.acker.ack().await;
            Ok(())
        })
    }

    fn give_back(self: Box<Self>) {}
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.care.abort();
        let key = (self.run.clone(), self.id.clone());
        self.place.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
        self.place.about.busy.fetch_sub(1, Ordering::Relaxed);
        if !self.is_over {
            let acker = self.acker.clone();
            let kind = if self.cancel.is_raised() { AckKind::Term } else { AckKind::Nak(None) };
            self.place.cluster.block_on(async {
                let said = tokio::time::timeout(Duration::from_millis(300), async {
                    let _ = acker.ack_with(kind).await;
                    let _ = self.place.cluster.link.client.flush().await;
                });
                // Else the server finds out by our silence.
                let _ = said.await;
            });
        }
    }
}

/// Says that the job is worked on, and looks whether it still should be.
async fn keep(link: Link, acker: Arc<Acker>, run: String, cancel: Cancel) {
    for round in 1u64.. {
        tokio::time::sleep(SILENCE / 4).await;
        // If the server does not hear it, somebody else does the job as well.
        let _ = acker.ack_with(AckKind::Progress).await;
        if round % 4 == 0 {
            let record = link.places.results.get_last_raw_message_by_subject(&link.names.run(&run)).await;
            // A cancellation may have been missed; a run that is over has no record.
            if record.is_err_and(|error| error.kind() == LastRawMessageErrorKind::NoMessageFound) {
                cancel.raise();
            }
        }
    }
}

async fn say_present(link: Link, about: Arc<About>) {
    loop {
        about.say(&link).await;
        tokio::time::sleep(HEARTBEAT).await;
    }
}

/// Who calls wants to know who is there, and says what release it is of.
async fn hear_calls(link: Link, about: Arc<About>, mut calls: Subscriber) {
    while let Some(message) = calls.next().await {
        about.say(&link).await;
        let release: String = String::from_utf8_lossy(&message.payload).chars().take(200).collect();
        if *release != *link.release {
            let mut strangers = about.strangers.lock().unwrap_or_else(PoisonError::into_inner);
            if strangers.len() < 10 && !strangers.contains(&release) {
                strangers.push(release);
            }
        }
    }
}

/// Raises the flags of jobs that nobody needs any more.
async fn hear_cancels(mut cancels: Subscriber, running: Running) {
    while let Some(message) = cancels.next().await {
        if message.payload.len() > LARGEST_CANCEL {
            continue;
        }
        let Ok(jobs) = serde_json::from_slice::<Vec<String>>(&message.payload) else { continue };
        let run = last(&message.subject);
        for ((of, job), cancel) in running.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            if of == run && (jobs.is_empty() || jobs.contains(job)) {
                cancel.raise();
            }
        }
    }
}

impl About {
    async fn say(&self, link: &Link) {
        let present = Present {
            id: self.id.clone(),
            host: self.host.clone(),
            release: link.release.to_string(),
            threads: self.threads,
            busy: self.busy.load(Ordering::Relaxed),
            done: self.done.load(Ordering::Relaxed),
        };
        let bytes = serde_json::to_vec(&present).unwrap_or_default();
        // The next word comes in a second.
        let _ = link.client.publish(link.names.worker(&self.id), bytes.into()).await;
    }
}

/// An answer that is too large for a message is a text in the store, and this is in its place.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    stored: String,
}

/// What a message has besides its content.
const ENVELOPE: usize = 4096;

impl Link {
    /// Leaves an answer for whoever asked.
    async fn answer(&self, run: &str, job: &str, answer: &Answer) -> Result<(), Trouble> {
        let mut bytes = answer.write();
        if bytes.len() > LARGEST_ANSWER {
            bytes = Answer::failed(format!("the answer has {} bytes and is too large to be sent", bytes.len())).write();
        }
        if bytes.len() + ENVELOPE > self.client.max_payload() {
            let sha256 = sha256_hex(&bytes);
            self.put(&sha256, &bytes).await?;
            bytes = serde_json::to_vec(&Stored { stored: sha256 }).unwrap_or_default();
        }
        self.deposit("an answer", self.names.result(run, job), bytes, HOLD).await
    }

    /// The answer in a message, or in the store.
    pub async fn unpack(&self, bytes: &[u8]) -> Result<Answer, String> {
        match serde_json::from_slice::<Stored>(bytes) {
            Ok(Stored { stored }) => {
                let text = self.get(&stored).await.map_err(|trouble| trouble.message)?;
                Answer::read(&text)
            }
            Err(_) => Answer::read(bytes),
        }
    }
}
