//! One task in a process of its own, which is ended if it does not end itself. Knows no set and no expected verdict.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tandem_base::Cancel;

use super::answer::Answer;
use crate::arguments_bench::Bench;

/// How long a process may take to end after its time is over.
pub const GRACE: Duration = Duration::from_secs(3);
const INTERVAL: Duration = Duration::from_millis(5);

/// Verifies a task.
pub fn verify(arguments: &Bench, task: &Path, output: Option<PathBuf>, cancel: &Cancel) -> Answer {
    let start = Instant::now();
    let mut command = command(arguments, task, output);
    match command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn() {
        Err(error) => unknown(format!("the process could not be started: {error}"), start),
        Ok(child) => watch(child, start, arguments.time_limit + GRACE, cancel),
    }
}

/// The program that runs now, also when another one has been built in its place meanwhile.
pub fn own_program() -> Command {
    let own = Path::new("/proc/self/exe");
    let program = if own.exists() { own.to_path_buf() } else { std::env::current_exe().unwrap_or("tandem".into()) };
    let mut command = Command::new(program);
    command.arg0("tandem");
    command
}

fn command(arguments: &Bench, task: &Path, output: Option<PathBuf>) -> Command {
    let mut command = own_program();
    command.arg("verify").arg(task).args(["--json", "--quiet"]);
    command.args(["--time-limit", &format!("{}ms", arguments.time_limit.as_millis())]);
    command.args(["--memory-limit", &format!("{}B", arguments.memory_limit)]);
    if let Some(analysis) = &arguments.analysis {
        command.args(["--analysis", analysis]);
    }
    if let Some(plan) = &arguments.plan {
        command.args(["--plan", plan]);
    }
    if let Some(threads) = arguments.threads {
        command.args(["--threads", &threads.to_string()]);
    }
    if let Some(output) = output {
        command.arg("--output").arg(output);
    }
    command.args(&arguments.passed_on);
    command
}

fn watch(mut child: Child, start: Instant, limit: Duration, cancel: &Cancel) -> Answer {
    // Both pipes are emptied all the time: a full one would stop the child.
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());
    let ended = wait(&mut child, start, limit, &|| cancel.is_raised());
    let mut answer = unknown(String::new(), start);
    let status = match ended {
        Ok(status) => status,
        Err(reason) => {
            answer.reason = reason;
            return answer;
        }
    };
    answer.status = status.code();
    let said: Option<Value> = serde_json::from_slice(&stdout.join().unwrap_or_default()).ok();
    match said {
        Some(said) => listen(&mut answer, &said),
        None => answer.reason = describe(status, &stderr.join().unwrap_or_default()),
    }
    answer
}

/// The exit status, or why the process had to be killed.
pub fn wait(
    child: &mut Child,
    start: Instant,
    limit: Duration,
    is_needless: &dyn Fn() -> bool,
) -> Result<ExitStatus, String> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) => std::thread::sleep(INTERVAL),
            Err(error) => return Err(format!("the process is lost: {error}")),
        }
        let reason = match (is_needless(), start.elapsed() > limit) {
            (true, _) => "cancelled",
            (false, true) => "time limit (killed: it did not end in time)",
            (false, false) => continue,
        };
        // It may just have ended; either way nothing of it is left.
        let _ = child.kill();
        let _ = child.wait();
        return Err(reason.into());
    }
}

pub fn collect(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error is all there is.
        let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
        bytes
    })
}

fn listen(answer: &mut Answer, said: &Value) {
    let text = |key: &str| said[key].as_str().unwrap_or_default().to_string();
    (answer.reason, answer.analysis) = (text("reason"), text("analysis"));
    match (text("verdict").as_str(), answer.status) {
        ("TRUE", Some(0)) => answer.verdict = Some(true),
        ("FALSE", Some(1)) => answer.verdict = Some(false),
        ("UNKNOWN", Some(3)) => {}
        ("ERROR", Some(2)) => answer.reason = format!("bad input: {}", answer.reason),
        (verdict, status) => answer.reason = format!("says `{verdict}` with exit status {status:?}"),
    }
}

/// For a process that said nothing we understand.
fn describe(status: ExitStatus, stderr: &[u8]) -> String {
    let stderr = String::from_utf8_lossy(stderr);
    format!("no answer ({status}) {}", stderr.lines().next().unwrap_or_default())
}

fn unknown(reason: String, start: Instant) -> Answer {
    Answer { verdict: None, reason, analysis: String::new(), time: start.elapsed(), status: None }
}
