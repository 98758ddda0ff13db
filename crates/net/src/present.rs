//! Who is there: workers say it every second, and whoever wants to know listens.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use tandem_coop::queue::Trouble;
use tokio::task::AbortHandle;

use crate::cluster::Cluster;
use crate::trouble::{explain, words};

/// How often a worker says that it is there.
pub const HEARTBEAT: Duration = Duration::from_secs(1);
/// Who has not been heard of for so long is gone.
const GONE: Duration = Duration::from_millis(3500);
/// Bytes of what a worker says about itself, and workers that are remembered.
const LARGEST: usize = 4096;
const MOST: usize = 100_000;

/// What a worker says about itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Present {
    pub id: String,
    pub host: String,
    pub release: String,
    /// Jobs that it can work on at once, and those that it works on.
    pub threads: usize,
    pub busy: usize,
    /// Jobs that it has done.
    pub done: u64,
}

type Seen = Arc<Mutex<HashMap<String, (Instant, Present)>>>;

/// The workers that have been heard of.
pub struct Crew {
    seen: Seen,
    listener: AbortHandle,
}

impl Crew {
    /// Begins to listen, and calls everybody.
    pub fn listen(cluster: &Cluster) -> Result<Crew, Trouble> {
        let link = &cluster.link;
        let subscribed = cluster.block_on(async {
            let subscriber = link.client.subscribe(link.names.all_workers()).await.map_err(|error| words(&error))?;
            // Who does not hear the call says a word within a second anyway.
            let _ = link.client.publish(link.names.call(), link.release.to_string().into()).await;
            Ok(subscriber)
        });
        let mut subscriber = subscribed.map_err(|text: String| explain(&link.url, "listening to workers", &text))?;
        let seen = Seen::default();
        let heard = seen.clone();
        let listener = cluster.spawn(async move {
            while let Some(message) = subscriber.next().await {
                if message.payload.len() > LARGEST {
                    continue;
                }
                if let Ok(present) = serde_json::from_slice::<Present>(&message.payload) {
                    let mut seen = heard.lock().unwrap_or_else(PoisonError::into_inner);
                    if seen.len() < MOST || seen.contains_key(&present.id) {
                        seen.insert(present.id.clone(), (Instant::now(), present));
                    }
                }
            }
        });
        Ok(Crew { seen, listener })
    }

    /// Those who are there now.
    pub fn workers(&self) -> Vec<Present> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.retain(|_, (when, _)| when.elapsed() < GONE);
        let mut workers: Vec<Present> = seen.values().map(|(_, present)| present.clone()).collect();
        workers.sort_by(|one, other| one.id.cmp(&other.id));
        workers
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.listener.abort();
    }
}
