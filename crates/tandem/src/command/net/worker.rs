//! `tandem worker`: takes jobs from the queue on a server, and has each done by a process of its own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tandem_artifact::job::{Answer, Job, Said, Work};
use tandem_base::Cancel;
use tandem_coop::queue::{Lease, Supply, Texts, Trouble};
use tandem_net::{Cluster, Workplace};

use super::{child, failure, join};
use crate::arguments::Limits;
use crate::arguments_net::Worker;
use crate::message::{Exit, Failure};
use crate::watch::Watch;

/// How long a thread waits for a job before it looks whether it should stop.
const TURN: Duration = Duration::from_millis(200);
/// Before a server that does not answer is asked again.
const PAUSE: Duration = Duration::from_secs(1);
/// Bytes of texts that are kept for further jobs.
const KEPT: usize = 256 << 20;

pub fn run(arguments: &Worker, watch: &Watch) -> Result<Exit, Failure> {
    let cluster = join(&arguments.access.server(&arguments.nats))?;
    let available = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = arguments.threads.map_or(available, usize::from);
    let place = Workplace::open(&cluster, &host(), threads).map_err(failure)?;
    let worker =
        At { arguments, cluster: &cluster, place: &place, texts: Mutex::default(), stop: &watch.budget.cancel };
    worker.say(&format!("{threads} jobs at once from {}; this is {}", cluster.url(), cluster.release()));
    std::thread::scope(|scope| {
        for number in 0..threads {
            let builder = std::thread::Builder::new().name(format!("job {number}"));
            // Fewer threads do the same work.
            let _ = builder.spawn_scoped(scope, || worker.work());
        }
        while !watch.budget.cancel.is_raised() {
            for release in place.strangers() {
                worker.say(&format!("jobs for {release} are refused: this is {}", cluster.release()));
            }
            std::thread::sleep(TURN);
        }
    });
    worker.say(&format!("stopped after {} jobs", place.done()));
    Ok(Exit::Success)
}

/// The name of this machine, for people.
fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    format!("{} {}", name.trim(), std::process::id())
}

type Known = HashMap<String, Arc<[u8]>>;

struct At<'a> {
    arguments: &'a Worker,
    cluster: &'a Cluster,
    place: &'a Workplace,
    /// Texts that jobs have asked for: each travels once.
    texts: Mutex<Known>,
    stop: &'a Cancel,
}

impl At<'_> {
    fn say(&self, text: &str) {
        if !self.arguments.quiet {
            eprintln!("tandem worker: {text}");
        }
    }

    fn work(&self) {
        while !self.stop.is_raised() {
            match self.place.take(TURN) {
                Ok(Some(lease)) => self.one(lease),
                Ok(None) => {}
                Err(trouble) => {
                    // A server that is started again is found again.
                    self.say(&trouble.message);
                    std::thread::sleep(PAUSE);
                }
            }
        }
    }

    fn one(&self, lease: Box<dyn Lease<Job, Answer> + '_>) {
        let name = lease.job().name.clone();
        let answer = match self.text(lease.job()) {
            Ok(text) => self.perform(&*lease, &text),
            Err(trouble) => Answer::failed(trouble.message),
        };
        if self.stop.is_raised() {
            lease.give_back();
            return;
        }
        if let Said::Failed(why) = &answer.said {
            self.say(&format!("{name}: {why}"));
        }
        if let Err(trouble) = lease.done(answer) {
            self.say(&format!("{name}: {}", trouble.message));
        }
    }

    fn perform(&self, lease: &dyn Lease<Job, Answer>, text: &[u8]) -> Answer {
        let job = lease.job();
        if job.work == Work::Nothing {
            return Answer { time_ms: 0, said: Said::Nothing };
        }
        let memory = [job.limits.memory, self.arguments.memory_limit].into_iter().flatten().min();
        let limits = Limits { time: job.limits.time_ms.map(Duration::from_millis), memory };
        let is_needless = || lease.cancel().is_raised() || self.stop.is_raised();
        let tell = |so_far: Answer| lease.tell(so_far);
        let allow_external = self.arguments.allow_external;
        child::perform(&child::Order { job, text, limits, allow_external, is_needless: &is_needless }, &tell)
    }

    fn text(&self, job: &Job) -> Result<Arc<[u8]>, Trouble> {
        if job.work == Work::Nothing {
            return Ok(Arc::from([]));
        }
        let sha256 = &job.program.sha256;
        // Whoever needs it meanwhile waits: it travels once.
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = texts.get(sha256) {
            return Ok(text.clone());
        }
        let text = self.cluster.get(sha256)?;
        if texts.values().map(|text| text.len()).sum::<usize>() + text.len() > KEPT {
            texts.clear();
        }
        texts.insert(sha256.clone(), text.clone());
        Ok(text)
    }
}
