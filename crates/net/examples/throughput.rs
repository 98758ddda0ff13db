//! How many jobs that do nothing get through one server: `cargo run --release -p tandem-net --example throughput -- URL [JOBS] [THREADS]`.
//!
//! Two connections take jobs and one publishes and collects them, as with two worker processes and a coordinator. Prints jobs a second and
//! bytes a job.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tandem_artifact::job::{Answer, GoalWork, Job, JobLimits, ProgramText, Said, Work};
use tandem_coop::queue::{Queue, Supply, Trouble};
use tandem_net::{Cluster, Coordinator, Server, Workplace};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let url = arguments.get(1).cloned().unwrap_or_else(|| "nats://127.0.0.1:4222".into());
    let count: u64 = arguments.get(2).map_or(Ok(20_000), |text| text.parse())?;
    let threads: usize = arguments.get(3).map_or(Ok(16), |text| text.parse())?;
    measure(&url, count, threads).map_err(|trouble| trouble.message.into())
}

fn measure(url: &str, count: u64, threads: usize) -> Result<(), Trouble> {
    let server = Server { url: url.into(), namespace: "throughput".into(), ..Server::default() };
    let release = "throughput";
    let (cluster, stop) = (Cluster::join(&server, release)?, AtomicBool::new(false));
    let run = format!("run{}", std::process::id());
    let jobs: Vec<(String, Job)> =
        (0..count).map(|number| job(release, &run, number)).map(|job| (job.id(), job)).collect();
    let size: usize = jobs.iter().map(|(_, job)| job.write().len()).sum();
    let coordinator = Coordinator::begin(&cluster, &run, "throughput")?;
    let places = [
        Workplace::open(&Cluster::join(&server, release)?, "one", threads)?,
        Workplace::open(&Cluster::join(&server, release)?, "two", threads)?,
    ];
    std::thread::scope(|scope| {
        for number in 0..threads * places.len() {
            let place = &places[number % places.len()];
            let stop = &stop;
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    if let Ok(Some(lease)) = place.take(Duration::from_millis(200)) {
                        // What is lost comes again.
                        let _ = lease.done(Answer { time_ms: 0, said: Said::Nothing });
                    }
                }
            });
        }
        let start = Instant::now();
        let counted = count_answers(&coordinator, jobs, count);
        let seconds = start.elapsed().as_secs_f64();
        stop.store(true, Ordering::Relaxed);
        coordinator.finish()?;
        counted?;
        println!(
            "{count} jobs in {seconds:.2} s: {:.0} jobs/s, {} bytes a job",
            count as f64 / seconds,
            size as u64 / count.max(1)
        );
        Ok(())
    })
}

fn count_answers(coordinator: &Coordinator, jobs: Vec<(String, Job)>, count: u64) -> Result<(), Trouble> {
    coordinator.publish(jobs)?;
    let mut seen = std::collections::HashSet::new();
    while (seen.len() as u64) < count {
        seen.extend(coordinator.collect(Duration::from_millis(200))?.into_iter().map(|(id, _)| id));
    }
    Ok(())
}

/// Jobs that differ in a number.
fn job(release: &str, run: &str, number: u64) -> Job {
    let work = GoalWork {
        criterion: "branches".into(),
        goals: Vec::new(),
        of: 0,
        plan: "cotest".into(),
        batch: 1,
        seed: number,
        round: 0,
        seeds: Vec::new(),
    };
    Job {
        release: release.into(),
        run: run.into(),
        name: format!("job {number}"),
        program: ProgramText {
            sha256: "0".repeat(64),
            identity: "0".repeat(64),
            file: "nothing.c".into(),
            is_preprocessed: false,
            data_model: "LP64".into(),
        },
        error: None,
        limits: JobLimits::default(),
        work: Work::Test(work),
    }
}
