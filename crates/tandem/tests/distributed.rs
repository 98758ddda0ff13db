//! Work on several machines, here several processes and a real NATS server: the same verdicts and coverage as in one process, whoever is killed in
//! between; and what goes wrong is said in one message.

mod common;
#[path = "../../net/tests/common/mod.rs"]
mod nats;

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{Directory, Run, tandem};
use nats::NatsServer;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

const SAFE: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  int a = 0, b = 0;
  if (x >= 0) {
    while (a < x) { a++; b++; }
  } else {
    a = 10;
    b = 10;
  }
  if (a != b) reach_error();
  return 0;
}
";

const BUG: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  int y = __VERIFIER_nondet_int();
  if (x > 1000 && y == x * 3 && x < 100000) reach_error();
  return 0;
}
";

/// Nobody decides it.
const ENDLESS: &str = "extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
  unsigned long long n = __VERIFIER_nondet_uint(), i = 0, s = 0;
  for (;;) { i = i * 6364136223846793005ULL + n; s ^= i >> 7; if (s == 0x123456789abcdefULL) reach_error(); }
}
";

/// A worker process, killed at the end.
struct Worker(Child);

impl Worker {
    fn start(url: &str, arguments: &[&str]) -> Worker {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
        command.args(["worker", "--nats", url, "--quiet"]).args(arguments);
        Worker(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
    }
}

fn last_line(run: &Run) -> &str {
    run.stdout.lines().last().unwrap_or_default()
}

fn status(url: &str) -> Value {
    let run = tandem(&["status", "--nats", url, "--json"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn verdicts_are_those_of_one_process() {
    let Some(server) = NatsServer::start("verdicts") else { return };
    let url = server.url();
    let _workers = [Worker::start(&url, &["--threads", "1"]), Worker::start(&url, &["--threads", "1"])];
    let directory = Directory::new("distributed-verdicts");
    let (safe, bug) = (directory.file("safe.c", SAFE), directory.file("bug.c", BUG));
    let endless = directory.file("endless.c", ENDLESS);
    let out = directory.path().join("out").display().to_string();
    let verify = |arguments: &[&str]| tandem(&[&["verify", "--nats", &url], arguments].concat());
    let ranged = ["--analysis", "k-induction,predicate", "--splitter", "lb3", "--time-limit", "50s"];
    let proved = verify(&[&[safe.as_str(), "--output", &out], &ranged[..]].concat());
    assert_eq!((last_line(&proved), proved.status), ("Verdict: TRUE", Some(0)), "{proved:?}");
    let valid = tandem(&["witness", "validate", &format!("{out}/witness.yml"), &safe, "--time-limit", "50s"]);
    assert_eq!(valid.status, Some(0), "{valid:?}");
    let refuted = verify(&[&bug, "--time-limit", "50s", "--output", &out]);
    assert_eq!((last_line(&refuted), refuted.status), ("Verdict: FALSE", Some(1)), "{refuted:?}");
    assert!(std::fs::read_to_string(format!("{out}/test-suite/testcase-1.xml")).unwrap().contains("<input"));
    let planned = verify(&[&safe, "--plan", "cc-gia", "--time-limit", "50s"]);
    assert_eq!((last_line(&planned), planned.status), ("Verdict: TRUE", Some(0)), "{planned:?}");
    let unknown = verify(&[&endless, "--analysis", "bmc", "--time-limit", "3s"]);
    assert_eq!((last_line(&unknown), unknown.status), ("Verdict: UNKNOWN (time limit)", Some(3)), "{unknown:?}");
    // Nothing is left in the queue, and nobody works on.
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let status = status(&url);
        assert_eq!(status["workers"].as_array().unwrap().len(), 2, "{status:#}");
        if status["waiting"] == 0 && status["running"] == 0 && status["runs"].as_array().unwrap().is_empty() {
            break;
        }
        assert!(Instant::now() < end, "{status:#}");
    }
}

#[test]
fn tests_and_proofs_of_workers_count() {
    let Some(server) = NatsServer::start("coverage") else { return };
    let url = server.url();
    let _workers = [Worker::start(&url, &["--threads", "1"]), Worker::start(&url, &["--threads", "1"])];
    let directory = Directory::new("distributed-coverage");
    let file = directory.file("safe.c", SAFE);
    let out = directory.path().join("out").display().to_string();
    let options = ["--cover", "branches", "--time-limit", "50s"];
    let here = tandem(&[&["test", file.as_str()], &options[..]].concat());
    let there = tandem(&[&["test", file.as_str(), "--nats", &url, "--output", &out], &options[..]].concat());
    let counted = |run: &Run| last_line(run).split(" of ").next().unwrap().to_string();
    assert_eq!((counted(&here), here.status), (counted(&there), there.status), "{here:?} {there:?}");
    assert_eq!(there.status, Some(0));
    let replayed = tandem(&["exec", &file, "--suite", &format!("{out}/test-suite")]);
    assert!(replayed.stdout.contains("branches") || replayed.status.is_some(), "{replayed:?}");
}

/// A set of tasks with their expected verdicts.
fn tasks(directory: &Directory, copies: usize) -> String {
    directory.file("p.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    let mut set = String::new();
    for number in 0..copies {
        for (name, text, expected) in [("safe", SAFE, "true"), ("bug", BUG, "false")] {
            // Each is another program, so that none is done by the answer to another.
            directory.file(&format!("{name}{number}.c"), format!("{text}/* {number} */\n"));
            let task = format!(
                "format_version: '2.0'\ninput_files: {name}{number}.c\nproperties:\n  - property_file: p.prp\n    \
                 expected_verdict: {expected}\noptions:\n  language: C\n  data_model: LP64\n"
            );
            directory.file(&format!("{name}{number}.yml"), task);
            set += &format!("{name}{number}.yml\n");
        }
    }
    directory.file("all.set", set)
}

fn bench(url: &str, set: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
    command.args(["bench", set, "--time-limit", "50s", "--threads", "1", "--json", "--nats", url]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What a bench found, after it ended.
fn verdicts(child: Child) -> Vec<String> {
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let report: Value = serde_json::from_str(&text)
        .unwrap_or_else(|_| panic!("{:?} {text} {}", output.status, String::from_utf8_lossy(&output.stderr)));
    let tasks = report["tasks"].as_array().unwrap();
    tasks.iter().map(|task| format!("{} {}", task["verdict"], task["reason"])).collect()
}

fn expected(copies: usize) -> Vec<String> {
    (0..copies).flat_map(|_| ["\"TRUE\" \"\"".to_string(), "\"FALSE\" \"\"".to_string()]).collect()
}

#[test]
fn a_bench_is_done_by_workers() {
    let Some(server) = NatsServer::start("bench") else { return };
    let _worker = Worker::start(&server.url(), &["--threads", "2"]);
    let directory = Directory::new("distributed-bench");
    let set = tasks(&directory, 2);
    directory.file("broken.c", "int main(void) { return 0 }\n");
    let broken = directory.file("broken.yml", "format_version: '2.0'\ninput_files: broken.c\nproperties: []\n");
    let child = bench(&server.url(), &set).arg(&broken).spawn().unwrap();
    let mut found = verdicts(child);
    let last = found.pop().unwrap();
    assert_eq!(found, expected(2));
    assert!(last.starts_with("\"UNKNOWN\" \"bad input: "), "{last}");
}

/// Random numbers that follow from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

fn signal(pid: u32, signal: Signal) {
    kill(Pid::from_raw(pid as i32), signal).unwrap();
}

/// One run in which somebody is killed at some moment: a worker, the server, or the coordinator.
fn faulty_run(server: &mut NatsServer, workers: &mut [Worker], random: &mut Random, directory: &Directory) {
    const COPIES: usize = 3;
    let url = server.url();
    let set = tasks(directory, COPIES);
    let mut child = bench(&url, &set).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(random.below(1500)));
    let fault = random.below(3);
    match fault {
        0 => {
            let victim = &mut workers[random.below(2) as usize];
            victim.kill();
            *victim = Worker::start(&url, &["--threads", "1"]);
        }
        1 => {
            server.kill();
            std::thread::sleep(Duration::from_millis(random.below(500)));
            server.start_again();
        }
        _ => {
            let _ = child.kill();
            let _ = child.wait();
            child = bench(&url, &set).spawn().unwrap();
        }
    }
    assert_eq!(verdicts(child), expected(COPIES), "after fault {fault}");
}

/// `TANDEM_FAULTS=50 cargo test -p tandem --test distributed faults` runs more of them; `TANDEM_SEED` says which.
#[test]
fn faults_lose_no_result() {
    let Some(mut server) = NatsServer::start("faults") else { return };
    let number =
        |name: &str, default: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (runs, seed) = (number("TANDEM_FAULTS", 4), number("TANDEM_SEED", 1));
    let url = server.url();
    let mut workers = [Worker::start(&url, &["--threads", "1"]), Worker::start(&url, &["--threads", "1"])];
    let directory = Directory::new("distributed-faults");
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for run in 0..runs {
        let start = Instant::now();
        faulty_run(&mut server, &mut workers, &mut random, &directory);
        eprintln!("run {run}: {:.1} s", start.elapsed().as_secs_f64());
    }
}

#[test]
fn a_partition_is_survived() {
    let Some(server) = NatsServer::start("partition") else { return };
    let url = server.url();
    let _workers = [Worker::start(&url, &["--threads", "1"]), Worker::start(&url, &["--threads", "1"])];
    let directory = Directory::new("distributed-partition");
    let set = tasks(&directory, 3);
    let child = bench(&url, &set).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(700));
    signal(server.pid(), Signal::SIGSTOP);
    std::thread::sleep(Duration::from_secs(10));
    signal(server.pid(), Signal::SIGCONT);
    assert_eq!(verdicts(child), expected(3));
}

#[test]
fn after_a_violation_everything_else_stops() {
    let Some(server) = NatsServer::start("stop") else { return };
    let url = server.url();
    let _worker = Worker::start(&url, &["--threads", "2"]);
    let directory = Directory::new("distributed-stop");
    // One side of the first decision goes on for ever, the other has the error.
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n  int x = __VERIFIER_nondet_int();\n  \
                if (x > 5) { unsigned long long s = x; while (1) { s = s * 6364136223846793005ULL + 7; if (s == 12) return 1; } }\n  \
                reach_error();\n  return 0;\n}\n";
    let file = directory.file("both.c", text);
    let run = tandem(&[
        "verify",
        &file,
        "--nats",
        &url,
        "--analysis",
        "symbolic",
        "--splitter",
        "rdm",
        "--time-limit",
        "60s",
    ]);
    assert_eq!((last_line(&run), run.status), ("Verdict: FALSE", Some(1)), "{run:?}");
    assert!(run.time < Duration::from_secs(50), "{run:?}");
    let start = Instant::now();
    loop {
        let status = status(&url);
        if status["running"] == 0 && status["workers"][0]["busy"] == 0 {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(10), "{status:#}");
    }
}

#[test]
fn jobs_go_elsewhere_only_if_they_can() {
    let directory = Directory::new("distributed-messages");
    let file = directory.file("safe.c", SAFE);
    let nobody = tandem(&["verify", &file, "--nats", "nats://127.0.0.1:1"]);
    assert_eq!(nobody.status, Some(2), "{nobody:?}");
    assert!(nobody.stderr.contains("error: nats://127.0.0.1:1: there is no NATS server"), "{nobody:?}");
    assert_eq!(nobody.stderr.lines().count(), 2, "{nobody:?}");
    for command in ["worker", "status"] {
        let run = tandem(&[command, "--nats", "nonsense url"]);
        assert_eq!(run.status, Some(2), "{run:?}");
        assert!(run.stderr.contains("no address"), "{run:?}");
    }
    let query = "cover edges(@DECISIONEDGE)";
    let query = tandem(&["test", &file, "--cover", query, "--nats", "nats://127.0.0.1:1"]);
    assert_eq!(query.status, Some(2), "{query:?}");
    assert!(query.stderr.contains("cannot be sent to workers"), "{query:?}");
    let Some(server) = NatsServer::start("messages") else { return };
    let alone = tandem(&["verify", &file, "--nats", &server.url(), "--time-limit", "5s"]);
    assert_eq!((last_line(&alone), alone.status), ("Verdict: UNKNOWN (time limit)", Some(3)), "{alone:?}");
    assert!(alone.stderr.contains("note: no worker has joined"), "{alone:?}");
    // A plan with a program from outside needs a worker that runs such programs.
    let _worker = Worker::start(&server.url(), &[]);
    let outside = tandem(&["verify", &file, "--nats", &server.url(), "--plan", "klee", "--time-limit", "30s"]);
    assert_eq!(outside.status, Some(3), "{outside:?}");
    assert!(last_line(&outside).contains("runs no programs from outside"), "{outside:?}");
}

#[test]
fn a_hostile_job_is_refused() {
    let run = |input: &str| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tandem"))
            .arg("job")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    for input in ["", "\n", "{}\n5\nhello", "nonsense", "{\"release\":\"x\"}\n99999999999999999\n", "null\n0\n"] {
        let (status, stdout) = run(input);
        assert_eq!(status, Some(2), "{input:?} {stdout}");
        assert!(stdout.contains("\"ERROR\""), "{input:?} {stdout}");
    }
}
