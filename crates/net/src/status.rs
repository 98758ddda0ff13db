//! How things stand on a server, for people.

use std::time::Duration;

use futures_util::StreamExt;
use tandem_coop::queue::Trouble;

use crate::cluster::Cluster;
use crate::coordinator::{RunRecord, now};
use crate::names::last;
use crate::present::{Crew, Present};
use crate::trouble::{explain, words};

/// What is going on.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Status {
    /// Jobs that nobody works on, and those that somebody works on.
    pub waiting: u64,
    pub running: u64,
    pub workers: Vec<Present>,
    pub runs: Vec<RunStatus>,
}

/// A run and how fast it is.
#[derive(Clone, PartialEq, Debug)]
pub struct RunStatus {
    pub record: RunRecord,
    /// Whether its coordinator has been silent for a while.
    pub is_silent: bool,
    /// Jobs a second.
    pub rate: f64,
    /// Seconds until its parts are settled, at the pace so far.
    pub left: Option<f64>,
}

/// A coordinator that has been silent for so many seconds is not there.
const SILENT: u64 = 10;
/// Runs that are looked at.
const MOST: usize = 1000;

impl Cluster {
    /// Looks around; listens to workers for as long as given.
    pub fn status(&self, listen: Duration) -> Result<Status, Trouble> {
        let crew = Crew::listen(self)?;
        std::thread::sleep(listen);
        let mut status = self.block_on(self.look()).map_err(|text| explain(self.url(), "looking around", &text))?;
        status.workers = crew.workers();
        Ok(status)
    }

    async fn look(&self) -> Result<Status, String> {
        let places = &self.link.places;
        let info = places.jobs.get_info().await.map_err(|error| words(&error))?;
        let mut consumers = places.jobs.consumers();
        let mut running = 0;
        while let Some(Ok(consumer)) = consumers.next().await {
            running += consumer.num_ack_pending as u64;
        }
        let mut runs = Vec::new();
        let subjects = places.results.info_with_subjects(self.link.names.all_runs()).await;
        let mut subjects = subjects.map_err(|error| words(&error))?.take(MOST);
        while let Some(Ok((subject, _))) = subjects.next().await {
            let Ok(message) = places.results.get_last_raw_message_by_subject(&subject).await else { continue };
            if let Ok(record) = serde_json::from_slice::<RunRecord>(&message.payload) {
                if record.run == last(&subject) {
                    runs.push(RunStatus::of(record, now()));
                }
            }
        }
        runs.sort_by_key(|run| run.record.began);
        Ok(Status { waiting: info.state.messages.saturating_sub(running), running, workers: Vec::new(), runs })
    }
}

impl RunStatus {
    fn of(record: RunRecord, now: u64) -> RunStatus {
        let elapsed = record.updated.saturating_sub(record.began) as f64;
        let per_second = |count: u64| if elapsed > 0.0 { count as f64 / elapsed } else { 0.0 };
        let settled = per_second(record.settled);
        let open = record.parts.saturating_sub(record.settled) as f64;
        RunStatus {
            is_silent: now.saturating_sub(record.updated) > SILENT,
            rate: per_second(record.done),
            left: (settled > 0.0).then(|| open / settled),
            record,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_estimated_from_the_pace() {
        let record = RunRecord {
            run: "r".into(),
            title: "t".into(),
            release: "x".into(),
            jobs: 50,
            done: 20,
            parts: 30,
            settled: 10,
            began: 100,
            updated: 110,
        };
        let status = RunStatus::of(record.clone(), 112);
        assert_eq!((status.rate, status.left, status.is_silent), (2.0, Some(20.0), false));
        assert!(RunStatus::of(record.clone(), 200).is_silent);
        assert_eq!(RunStatus::of(RunRecord { settled: 0, updated: 100, ..record }, 100).left, None);
    }
}
