//! A connection and everything on the server, for callers that block.

use std::error::Error;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use async_nats::Client;
use async_nats::jetstream::context::ContextBuilder;
use async_nats::jetstream::{self, Context};
use tandem_coop::queue::Trouble;
use tokio::runtime::{Builder, Runtime};

use crate::connect::{ANSWER, Server};
use crate::names::Names;
use crate::setup::{self, Places};
use crate::trouble::{explain, is_passing, words};

/// How long is tried again when the server does not answer.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// How long the first steps may take.
const FIRST: Duration = Duration::from_secs(20);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(200);

/// A server that we have joined.
#[derive(Clone)]
pub struct Cluster {
    runtime: Arc<Runtime>,
    pub(crate) link: Link,
}

/// What can be moved to another task.
#[derive(Clone)]
pub(crate) struct Link {
    pub client: Client,
    pub context: Context,
    pub places: Places,
    pub names: Names,
    pub url: Arc<str>,
    pub release: Arc<str>,
}

impl Cluster {
    /// Connects, and makes the streams if they are not there. The release is part of every job: only workers of the same take it.
    pub fn join(server: &Server, release: &str) -> Result<Cluster, Trouble> {
        if !Names::is_namespace(&server.namespace) {
            let message = format!("`{}` is no namespace", server.namespace);
            return Err(Trouble::new(message, "letters, digits, - and _"));
        }
        let runtime = Builder::new_multi_thread().worker_threads(2).thread_name("net").enable_all().build();
        let runtime = runtime.map_err(|error| {
            Trouble::new(format!("the network cannot be used: {error}"), "a machine that can start threads")
        })?;
        let names = Names::new(&server.namespace, release);
        let url = server.shown();
        let link = runtime.block_on(async {
            let client = server.connect("tandem").await?;
            let context: Context =
                ContextBuilder::new().timeout(ANSWER).ack_timeout(ANSWER).max_ack_inflight(4096).build(client.clone());
            let places = patiently(|| setup::places(&context, &url, &names)).await?;
            Ok(Link { client, context, places, names, url: url.clone().into(), release: release.into() })
        })?;
        Ok(Cluster { runtime: Arc::new(runtime), link })
    }

    pub fn release(&self) -> &str {
        &self.link.release
    }

    pub fn url(&self) -> &str {
        &self.link.url
    }

    pub(crate) fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) -> tokio::task::AbortHandle {
        self.runtime.spawn(work).abort_handle()
    }
}

/// The first steps, once more if the server is silent for a moment.
async fn patiently<T, F: Future<Output = Result<T, Trouble>>>(mut step: impl FnMut() -> F) -> Result<T, Trouble> {
    let start = Instant::now();
    loop {
        match step().await {
            Err(trouble) if is_passing(&trouble.message) && start.elapsed() < FIRST => tokio::time::sleep(PAUSE).await,
            result => return result,
        }
    }
}

impl Link {
    /// How often the connection was made: what was asked for on an earlier one is not answered any more.
    pub fn connection(&self) -> u64 {
        self.client.statistics().connects.load(Ordering::Relaxed)
    }

    /// Tries until it works, it cannot work, or patience is over.
    pub async fn persist<T, E: Error, F: Future<Output = Result<T, E>>>(
        &self,
        what: &str,
        patience: Duration,
        mut attempt: impl FnMut() -> F,
    ) -> Result<T, Trouble> {
        let start = Instant::now();
        loop {
            match attempt().await {
                Ok(value) => return Ok(value),
                Err(error) => {
                    let text = words(&error);
                    if !is_passing(&text) || start.elapsed() > patience {
                        return Err(explain(&self.url, what, &text));
                    }
                }
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Publishes to a stream, until the server has it.
    pub async fn deposit(
        &self,
        what: &str,
        subject: String,
        bytes: Vec<u8>,
        patience: Duration,
    ) -> Result<(), Trouble> {
        let bytes = bytes::Bytes::from(bytes);
        let attempt = || async {
            let sent: Result<jetstream::publish::PublishAck, jetstream::context::PublishError> =
                self.context.publish(subject.clone(), bytes.clone()).await?.await;
            sent
        };
        self.persist(what, patience, attempt).await.map(drop)
    }
}
