//! The queue on a real server: every job is answered, also when workers are lost, the server is started again or the one who asked is; what is
//! hostile is refused; each trouble has one message.

mod common;

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use common::NatsServer;
use tandem_artifact::job::{Answer, GoalWork, Job, JobLimits, ProgramText, Said, Work};
use tandem_artifact::sha256_hex;
use tandem_coop::queue::{JobId, Queue, Supply, Texts};
use tandem_net::{Cluster, Coordinator, Server, Workplace};

const RELEASE: &str = "a release";
const LONG: Duration = Duration::from_secs(60);
const TURN: Duration = Duration::from_millis(100);

fn server(url: &str) -> Server {
    Server { url: url.into(), namespace: "tandem".into(), ..Server::default() }
}

fn join(server_: &NatsServer) -> Cluster {
    Cluster::join(&server(&server_.url()), RELEASE).unwrap()
}

/// A job like no other of this number.
fn job(run: &str, number: u64) -> (JobId, Job) {
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
    let job = Job {
        release: RELEASE.into(),
        run: run.into(),
        name: format!("job {number}"),
        program: ProgramText {
            sha256: sha256_hex(b"x"),
            identity: sha256_hex(b"x"),
            file: "x.c".into(),
            is_preprocessed: false,
            data_model: "LP64".into(),
        },
        error: None,
        limits: JobLimits::default(),
        work: Work::Test(work),
    };
    (job.id(), job)
}

fn jobs(run: &str, count: u64) -> Vec<(JobId, Job)> {
    (0..count).map(|number| job(run, number)).collect()
}

/// Stops workers when the test is over, also by a failure.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Answers everything until told to stop; jobs may be dropped unanswered.
fn work(place: &Workplace, stop: &AtomicBool, drops: impl Fn(&Job) -> bool) -> u64 {
    let mut done = 0;
    while !stop.load(Ordering::Relaxed) {
        match place.take(TURN) {
            Ok(Some(lease)) if drops(lease.job()) => lease.give_back(),
            Ok(Some(lease)) => {
                let name = lease.job().name.clone();
                lease.done(Answer { time_ms: 1, said: Said::Failed(name) }).unwrap();
                done += 1;
            }
            Ok(None) => {}
            Err(_) => std::thread::sleep(TURN),
        }
    }
    done
}

fn collect(coordinator: &Coordinator, wanted: usize) -> HashMap<JobId, Answer> {
    let (mut answers, end) = (HashMap::new(), Instant::now() + LONG);
    while answers.len() < wanted {
        assert!(Instant::now() < end, "only {} of {wanted} answers", answers.len());
        answers.extend(coordinator.collect(TURN).unwrap());
    }
    answers
}

#[test]
fn every_job_is_answered_and_nothing_is_left() {
    let Some(nats) = NatsServer::start("answers") else { return };
    let (cluster, stop) = (join(&nats), AtomicBool::new(false));
    let coordinator = Coordinator::begin(&cluster, "run1", "a test").unwrap();
    let place = Workplace::open(&cluster, "here", 2).unwrap();
    std::thread::scope(|scope| {
        let _stop = Stop(&stop);
        scope.spawn(|| work(&place, &stop, |_| false));
        scope.spawn(|| work(&place, &stop, |_| false));
        coordinator.publish(jobs("run1", 300)).unwrap();
        // Those that are there already stay as they are.
        coordinator.publish(jobs("run1", 300)).unwrap();
        let answers = collect(&coordinator, 300);
        for (id, job) in jobs("run1", 300) {
            assert_eq!(answers[&id].said, Said::Failed(job.name));
        }
        let status = cluster.status(Duration::from_millis(1200)).unwrap();
        assert_eq!((status.workers.len(), status.workers[0].threads, status.workers[0].busy), (1, 2, 0));
        assert_eq!((status.runs.len(), status.runs[0].record.title.as_str()), (1, "a test"));
        coordinator.finish().unwrap();
        stop.store(true, Ordering::Relaxed);
    });
    assert!(place.done() >= 300);
    let status = cluster.status(Duration::ZERO).unwrap();
    assert_eq!((status.waiting, status.running, status.runs.len()), (0, 0, 0));
    let again = Coordinator::begin(&cluster, "run1", "a test").unwrap();
    assert!(again.earlier().unwrap().is_empty());
}

#[test]
fn who_asks_the_same_again_finds_the_answers() {
    let Some(nats) = NatsServer::start("again") else { return };
    let (cluster, stop) = (join(&nats), AtomicBool::new(false));
    let place = Workplace::open(&cluster, "here", 1).unwrap();
    let first = Coordinator::begin(&cluster, "run2", "a test").unwrap();
    first.publish(jobs("run2", 20)).unwrap();
    std::thread::scope(|scope| {
        let _stop = Stop(&stop);
        let worker = scope.spawn(|| work(&place, &stop, |_| false));
        collect(&first, 5);
        // The first one is gone, without a word.
        drop(first);
        let second = Coordinator::begin(&join(&nats), "run2", "a test").unwrap();
        let mut answers: HashMap<JobId, Answer> = second.earlier().unwrap().into_iter().collect();
        assert!(answers.len() >= 5, "{}", answers.len());
        let open = jobs("run2", 20).into_iter().filter(|(id, _)| !answers.contains_key(id)).collect();
        second.publish(open).unwrap();
        answers.extend(collect(&second, 20 - answers.len()));
        assert_eq!(answers.len(), 20);
        second.finish().unwrap();
        stop.store(true, Ordering::Relaxed);
        assert!(worker.join().unwrap() <= 21);
    });
}

#[test]
fn a_server_that_is_started_again_loses_nothing() {
    let Some(mut nats) = NatsServer::start("faults") else { return };
    let (cluster, stop) = (join(&nats), AtomicBool::new(false));
    let coordinator = Coordinator::begin(&cluster, "run3", "a test").unwrap();
    coordinator.publish(jobs("run3", 60)).unwrap();
    let place = Workplace::open(&join(&nats), "here", 1).unwrap();
    std::thread::scope(|scope| {
        let _stop = Stop(&stop);
        scope.spawn(|| {
            work(&place, &stop, |_| {
                std::thread::sleep(Duration::from_millis(20));
                false
            })
        });
        let mut answers = collect(&coordinator, 10);
        nats.kill();
        std::thread::sleep(Duration::from_millis(500));
        nats.start_again();
        // A job that was under way may be answered twice.
        while answers.len() < 60 {
            answers.extend(collect(&coordinator, 1));
        }
        coordinator.finish().unwrap();
        stop.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_job_that_nobody_survives_is_given_up() {
    let Some(nats) = NatsServer::start("poison") else { return };
    let (cluster, stop) = (join(&nats), AtomicBool::new(false));
    let coordinator = Coordinator::begin(&cluster, "run4", "a test").unwrap();
    let place = Workplace::open(&cluster, "here", 1).unwrap();
    coordinator.publish(jobs("run4", 3)).unwrap();
    std::thread::scope(|scope| {
        let _stop = Stop(&stop);
        scope.spawn(|| work(&place, &stop, |job| job.name == "job 1"));
        let answers = collect(&coordinator, 3);
        stop.store(true, Ordering::Relaxed);
        assert_eq!(answers[&job("run4", 1).0].said, Said::Poison(5));
        assert_eq!(answers[&job("run4", 2).0].said, Said::Failed("job 2".into()));
    });
}

/// A job is cancelled, and then everything: how long it took until the first worker knew.
fn cancelled(nats: &NatsServer, run: &str) -> Duration {
    let cluster = join(nats);
    let coordinator = Coordinator::begin(&cluster, run, "a test").unwrap();
    let place = Workplace::open(&join(nats), "here", 2).unwrap();
    coordinator.publish(jobs(run, 3)).unwrap();
    let (one, two) = (place.take(LONG).unwrap().unwrap(), place.take(LONG).unwrap().unwrap());
    let wait = |what: &dyn Fn() -> bool| {
        let start = Instant::now();
        while !what() {
            assert!(start.elapsed() < Duration::from_secs(10));
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    let start = Instant::now();
    coordinator.cancel(&[one.id().to_string()]).unwrap();
    wait(&|| one.cancel().is_raised());
    let time = start.elapsed();
    assert!(!two.cancel().is_raised());
    coordinator.finish().unwrap();
    wait(&|| two.cancel().is_raised());
    drop((one, two));
    assert!(place.take(Duration::from_millis(300)).unwrap().is_none());
    assert_eq!(cluster.status(Duration::ZERO).unwrap().waiting, 0);
    time
}

#[test]
fn what_is_cancelled_stops_within_a_second() {
    let Some(nats) = NatsServer::start("cancel") else { return };
    // A loaded machine may need longer once.
    let quick = ["run5", "run5b", "run5c"].iter().any(|run| cancelled(&nats, run) < Duration::from_secs(1));
    assert!(quick);
}

#[test]
fn other_releases_and_hostile_jobs_are_refused() {
    let Some(nats) = NatsServer::start("hostile") else { return };
    let cluster = join(&nats);
    let other = Cluster::join(&server(&nats.url()), "another release").unwrap();
    let stranger = Workplace::open(&other, "there", 1).unwrap();
    let coordinator = Coordinator::begin(&cluster, "run6", "a test").unwrap();
    coordinator.publish(jobs("run6", 1)).unwrap();
    assert!(stranger.take(Duration::from_millis(500)).unwrap().is_none());
    let end = Instant::now() + LONG;
    while coordinator.strangers() != ["another release"] {
        assert!(Instant::now() < end);
        std::thread::sleep(TURN);
    }
    let mut refused = stranger.strangers();
    while refused.is_empty() {
        assert!(Instant::now() < end);
        coordinator.collect(TURN).unwrap();
        refused = stranger.strangers();
    }
    assert_eq!(refused, [RELEASE]);
    let place = Workplace::open(&cluster, "here", 1).unwrap();
    let lease = place.take(LONG).unwrap().unwrap();
    let subject = format!("tandem.job.{}.run6", &sha256_hex(RELEASE.as_bytes())[..12]);
    let good = String::from_utf8(lease.job().write()).unwrap();
    lease.done(Answer { time_ms: 0, said: Said::Nothing }).unwrap();
    let bad = ["nonsense", "{}", "[[[[", &good, &good.replace("\"run6\"", "\"../../x\"")];
    for (number, content) in bad.iter().enumerate() {
        nats.send(&format!("PUB {subject}.bad{number} {}\r\n{content}\r\n", content.len()));
    }
    let mut refused = HashSet::new();
    while refused.len() < bad.len() {
        assert!(Instant::now() < end, "{refused:?}");
        assert!(place.take(Duration::from_millis(50)).unwrap().is_none());
        for (id, answer) in coordinator.collect(TURN).unwrap() {
            match answer.said {
                Said::Failed(why) => assert!(why.contains("the job is no"), "{why}"),
                other => assert_eq!(other, Said::Nothing),
            }
            if id.starts_with("bad") {
                refused.insert(id);
            }
        }
    }
    // An answer that is none is a failure, and a text whose hash is another one is refused.
    nats.send(&format!("PUB tandem.result.run6.{} 3\r\n{{]x\r\n", "f".repeat(32)));
    let answers = collect(&coordinator, 1);
    assert!(matches!(&answers[&"f".repeat(32)].said, Said::Failed(why) if why.contains("no answer")));
}

#[test]
fn texts_travel_by_their_content() {
    let Some(nats) = NatsServer::start("texts") else { return };
    let cluster = join(&nats);
    let large: Vec<u8> = (0..3_000_000u32).map(|number| (number % 251) as u8).collect();
    for text in [&b"int main(void) { return 0; }"[..], &large, b""] {
        cluster.put(text).unwrap();
        cluster.put(text).unwrap();
        assert_eq!(&*join(&nats).get(&sha256_hex(text)).unwrap(), text);
    }
    assert!(cluster.get(&sha256_hex(b"never sent")).is_err());
}

#[test]
fn each_trouble_has_its_message() {
    let message = |url: &str| {
        let trouble = Cluster::join(&server(url), RELEASE).err().unwrap();
        assert!(!trouble.help.is_empty());
        trouble.message
    };
    assert!(message("nats://127.0.0.1:1").contains("there is no NATS server"), "{}", message("nats://127.0.0.1:1"));
    assert!(message("not an address").contains("no address"));
    let Some(plain) = NatsServer::with("plain", &[]) else { return };
    assert!(message(&plain.url()).contains("has no JetStream"), "{}", message(&plain.url()));
    let closed = NatsServer::with("closed", &["-js", "--user", "me", "--pass", "secret"]).unwrap();
    assert!(message(&closed.url()).contains("does not let us in"), "{}", message(&closed.url()));
    let with_secret = closed.url().replace("nats://", "nats://me:wrong@");
    let said = message(&with_secret);
    assert!(said.contains("does not let us in") && !said.contains("wrong"), "{said}");
    assert!(Cluster::join(&server(&closed.url().replace("nats://", "nats://me:secret@")), RELEASE).is_ok());
    let taken = NatsServer::start("taken").unwrap();
    let stream = "{\"name\":\"TANDEM_JOBS\",\"subjects\":[\"something.else\"],\"retention\":\"limits\",\"storage\":\"file\",\
                  \"max_consumers\":-1,\"max_msgs\":-1,\"max_bytes\":-1,\"max_age\":0,\"discard\":\"old\",\"num_replicas\":1}";
    taken.send(&format!("PUB $JS.API.STREAM.CREATE.TANDEM_JOBS x.y {}\r\n{stream}\r\n", stream.len()));
    assert!(message(&taken.url()).contains("belong to something else"), "{}", message(&taken.url()));
    // Another namespace is the way out.
    let other = Server { namespace: "mine".into(), ..server(&taken.url()) };
    assert!(Cluster::join(&other, RELEASE).is_ok());
    let missing = Server { credentials: Some("/no/such/file".into()), ..server(&taken.url()) };
    assert!(Cluster::join(&missing, RELEASE).err().unwrap().message.contains("/no/such/file"));
}

#[test]
fn a_full_store_is_said() {
    let Some(probe) = NatsServer::with("full-config", &[]) else { return };
    let config = probe.directory().join("small.conf");
    std::fs::write(&config, "jetstream { max_file_store: 200KB, max_memory_store: 100KB }\n").unwrap();
    let small = NatsServer::with("full", &["-c", &config.display().to_string()]).unwrap();
    let cluster = join(&small);
    let trouble = cluster.put(&vec![7; 1_000_000]).unwrap_err();
    assert!(trouble.message.contains("no space left"), "{}", trouble.message);
    // Whether or not something small still fits, sooner or later nothing does.
    let mut said = None;
    for number in 0..2000 {
        let begun = Coordinator::begin(&cluster, "run7", "a test");
        if let Err(trouble) = begun.and_then(|coordinator| coordinator.publish(vec![job("run7", number)])) {
            said = Some(trouble.message);
            break;
        }
    }
    assert!(said.as_ref().is_some_and(|said| said.contains("no space left")), "{said:?}");
}
