//! Answers of a run, in the order in which the server got them, from the first one on: also those that came in before we were there.

use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, PullConsumer, pull};
use futures_util::StreamExt;
use tandem_coop::queue::Trouble;

use crate::cluster::{Link, PATIENCE};
use crate::names::last;

/// How long a request for answers is good for, and how many it is for.
const REQUEST: Duration = Duration::from_secs(5);
const MOST: usize = 1000;

/// A place in the stream of answers. Every request has a consumer of its own that begins there, so that nothing is lost with a connection
/// or a server.
#[derive(Default)]
pub struct Reader {
    after: u64,
    request: Option<(pull::Batch, u64)>,
}

impl Reader {
    /// The next answers; waits for the first one for a while. What each is called, and its bytes.
    pub async fn read(&mut self, link: &Link, run: &str, wait: Duration) -> Result<Vec<(String, Vec<u8>)>, Trouble> {
        let end = Instant::now() + wait;
        let mut answers = Vec::new();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            // Whatever is there already comes along.
            let left = if answers.is_empty() { left } else { Duration::from_millis(1) };
            let request = match self.request.take_if(|(_, connection)| *connection == link.connection()) {
                Some(request) => request,
                None => (self.ask(link, run).await?, link.connection()),
            };
            let (batch, _) = self.request.insert(request);
            match tokio::time::timeout(left.min(Duration::from_millis(250)), batch.next()).await {
                Ok(Some(Ok(message))) => {
                    if let Ok(info) = message.info() {
                        self.after = self.after.max(info.stream_sequence);
                        answers.push((last(&message.subject).to_string(), message.payload.to_vec()));
                    }
                    if answers.len() >= MOST {
                        return Ok(answers);
                    }
                }
                Ok(Some(Err(_))) => {
                    self.request = None;
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                Ok(None) => self.request = None,
                Err(_) if !answers.is_empty() || Instant::now() >= end => return Ok(answers),
                Err(_) => {}
            }
        }
    }

    async fn ask(&self, link: &Link, run: &str) -> Result<pull::Batch, Trouble> {
        let config = pull::Config {
            deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: self.after + 1 },
            ack_policy: AckPolicy::None,
            filter_subject: link.names.results_of(run),
            inactive_threshold: REQUEST * 2,
            memory_storage: true,
            ..pull::Config::default()
        };
        let make = || link.places.results.create_consumer(config.clone());
        let consumer: PullConsumer = link.persist("waiting for answers", PATIENCE, make).await?;
        let ask = || consumer.batch().max_messages(MOST).expires(REQUEST).messages();
        link.persist("waiting for answers", PATIENCE, ask).await
    }
}
