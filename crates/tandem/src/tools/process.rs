//! Other programs as processes: a process group of their own, limits on processor time and memory, output that is kept up to a bound, and
//! an end when the time is over. Knows no tool, and does not decide which programs are confined: `sandbox` does.

use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use tandem_base::Budget;

const INTERVAL: Duration = Duration::from_millis(10);
/// How long a process may take to end after it was asked to.
const GRACE: Duration = Duration::from_millis(200);
/// How long what it wrote is waited for: somebody that it started may keep the pipe open.
const LAST_OUTPUT: Duration = Duration::from_millis(100);
/// Bytes of output that are kept: the last ones.
const KEPT: usize = 1 << 22;
/// Processor time beyond the wall time, for processes with several threads.
const THREADS: u64 = 4;
/// What tells the processes of one piece of work from others, whatever group they put themselves in.
const MARK: &str = "TANDEM_PIECE_OF_WORK";

static NEXT: AtomicU32 = AtomicU32::new(0);

/// A program to be run.
pub struct Job<'a> {
    pub command: &'a [String],
    pub directory: &'a Path,
    pub environment: &'a [(&'a str, &'a str)],
    pub limit: Duration,
}

/// What is taken away from a program that is not trusted, beyond the limits that every program has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Confinement {
    /// How many processes it may have at once.
    pub processes: u64,
    /// How many bytes a file that it writes may have.
    pub file_size: u64,
    /// How many bytes of address space each of its processes may have, if that is limited.
    pub memory: Option<u64>,
    /// Whether it gets network and process namespaces of its own, so that it has no network and nothing of it outlives it.
    pub namespaces: bool,
    /// The user that it runs as, if that is not the user of this process.
    pub user: Option<u32>,
}

/// How it ended.
pub struct Ended {
    /// Nothing if it was stopped.
    pub status: Option<ExitStatus>,
    /// Standard output and standard error, as they came.
    pub output: String,
    /// Whether it was stopped because its time was over, or the whole work was.
    pub timed_out: bool,
}

impl Ended {
    /// What went wrong, if it did: it did not end, or not by itself.
    pub fn problem(&self) -> Option<String> {
        match self.status {
            None if self.timed_out => Some("time limit".into()),
            None => None,
            Some(status) => status.signal().map(|signal| format!("crashed (signal {signal})")),
        }
    }

    pub fn succeeded(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// The last line of the output that says something.
    pub fn last_line(&self) -> String {
        let line = self.output.lines().rev().map(str::trim).find(|line| !line.is_empty());
        line.unwrap_or("it said nothing").chars().take(200).collect()
    }
}

/// The program of this name, as the shell would find it.
pub fn find(name: &str) -> Option<PathBuf> {
    let is_program = |path: &PathBuf| {
        use std::os::unix::fs::PermissionsExt;
        std::fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
    };
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(is_program);
    }
    let paths = std::env::var_os("PATH")?;
    std::env::split_paths(&paths).map(|directory| directory.join(name)).find(is_program)
}

/// Runs a program until it ends, its time is over, or `is_done` says that there is nothing more to wait for.
pub fn run(job: &Job<'_>, budget: &Budget, is_done: &mut dyn FnMut() -> bool) -> Result<Ended, String> {
    run_confined(job, None, budget, is_done)
}

/// The same for a program that may be confined.
pub fn run_confined(
    job: &Job<'_>,
    confinement: Option<&Confinement>,
    budget: &Budget,
    is_done: &mut dyn FnMut() -> bool,
) -> Result<Ended, String> {
    let name = job.command.first().map_or("", String::as_str);
    let mark = format!("{}.{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let mut command = command(job, confinement, budget)?;
    command.env(MARK, &mark).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("`{name}` could not be started: {error}"))?;
    let output = Arc::new(Mutex::new(Vec::new()));
    let readers = [
        child.stdout.take().map(|pipe| collect(pipe, output.clone())),
        child.stderr.take().map(|pipe| collect(pipe, output.clone())),
    ];
    let (status, timed_out) = wait(&mut child, Instant::now() + job.limit, budget, is_done);
    end_the_rest(&mark);
    let late = Instant::now() + LAST_OUTPUT;
    while readers.iter().flatten().any(|reader| !reader.is_finished()) && Instant::now() < late {
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = std::mem::take(&mut *output.lock().unwrap_or_else(PoisonError::into_inner));
    let has_namespaces = confinement.is_some_and(|confinement| confinement.namespaces);
    let status = status.map(|status| if has_namespaces { signal_of_shell(status) } else { status });
    Ok(Ended { status, output: String::from_utf8_lossy(&output).into_owned(), timed_out })
}

/// The command with its limits, which a shell sets for it.
fn command(job: &Job<'_>, confinement: Option<&Confinement>, budget: &Budget) -> Result<Command, String> {
    let Some((name, arguments)) = job.command.split_first() else { return Err("there is no command".into()) };
    let program = find(name).ok_or_else(|| format!("not installed: there is no program `{name}`"))?;
    let seconds = (job.limit.as_secs() + 2) * THREADS;
    let mut limits = format!("ulimit -c 0; ulimit -t {seconds}; ");
    let memory = confinement.map_or(budget.memory, |confinement| confinement.memory);
    if let Some(memory) = memory {
        limits.push_str(&format!("ulimit -v {}; ", memory / 1024));
    }
    if let Some(Confinement { processes, file_size, .. }) = confinement {
        // The shells do not agree on the letter for the number of processes.
        limits.push_str(&format!("ulimit -f {}; ulimit -p {processes} 2>/dev/null || ", file_size.div_ceil(512)));
        limits.push_str(&format!("ulimit -u {processes} 2>/dev/null; "));
    }
    let mut command = match confinement {
        Some(Confinement { namespaces: true, .. }) => {
            // The shell stays: the first process of a namespace is not killed by its own signals.
            let mut command = Command::new("unshare");
            command.args(["-r", "-n", "-p", "-f", "--kill-child", "sh", "-c"]);
            command.arg(format!("{limits}\"$@\"; exit $?"));
            command
        }
        Some(_) | None => {
            let mut command = Command::new("sh");
            command.arg("-c").arg(format!("{limits}exec \"$@\""));
            command
        }
    };
    command.arg("sh").arg(program).args(arguments).current_dir(job.directory);
    if let Some(confinement) = confinement {
        // What the environment of this process holds is not its business.
        command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        if let Some(user) = confinement.user {
            command.uid(user).gid(user);
        }
    }
    command.envs(job.environment.iter().copied());
    Ok(command)
}

/// A shell that waits for a program reports its end by a signal as a number above 128.
fn signal_of_shell(status: ExitStatus) -> ExitStatus {
    match status.code() {
        Some(code @ 129..=192) => ExitStatus::from_raw(code - 128),
        Some(_) | None => status,
    }
}

/// The exit status, if it ended by itself; and whether its time was over.
fn wait(
    child: &mut Child,
    end: Instant,
    budget: &Budget,
    is_done: &mut dyn FnMut() -> bool,
) -> (Option<ExitStatus>, bool) {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return (Some(status), false),
            Ok(None) => {}
            Err(_) => return (None, true),
        }
        let timed_out = Instant::now() >= end || budget.exhausted().is_some();
        if timed_out || is_done() {
            stop(child);
            return (None, timed_out);
        }
        std::thread::sleep(INTERVAL);
    }
}

/// Ends the group of a process: politely, so that it can leave its files whole, then at once.
fn stop(child: &mut Child) {
    let group = Pid::from_raw(child.id() as i32);
    let _ = killpg(group, Signal::SIGTERM);
    let end = Instant::now() + GRACE;
    while Instant::now() < end && !matches!(child.try_wait(), Ok(Some(_))) {
        std::thread::sleep(Duration::from_millis(2));
    }
    let _ = killpg(group, Signal::SIGKILL);
    let _ = child.wait();
}

/// Ends what the process left behind, in whatever group: fuzzers put what they run into groups of their own.
fn end_the_rest(mark: &str) {
    let Ok(entries) = std::fs::read_dir("/proc") else { return };
    let wanted = format!("{MARK}={mark}");
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    for number in numbers.filter(|number| *number != std::process::id() as i32) {
        let environment = std::fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
        if environment.split(|byte| *byte == 0).any(|entry| entry == wanted.as_bytes()) {
            // It may just have ended.
            let _ = kill(Pid::from_raw(number), Signal::SIGKILL);
        }
    }
}

fn collect(mut pipe: impl Read + Send + 'static, kept: Arc<Mutex<Vec<u8>>>) -> std::thread::JoinHandle<()> {
    std::thread::spawn(move || {
        let mut buffer = [0; 1 << 14];
        while let Ok(count @ 1..) = pipe.read(&mut buffer) {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend_from_slice(&buffer[..count]);
            if kept.len() > 2 * KEPT {
                let surplus = kept.len() - KEPT;
                kept.drain(..surplus);
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str, limit: Duration) -> Ended {
        let command = ["sh", "-c", script].map(String::from);
        let environment = [("WORD", "hello")];
        let job = Job { command: &command, directory: Path::new("/"), environment: &environment, limit };
        run(&job, &Budget::unlimited(), &mut || false).unwrap()
    }

    #[test]
    fn output_and_status() {
        let ended = sh("echo $WORD; pwd; echo no >&2; exit 3", Duration::from_secs(10));
        // The two pipes are read side by side: only the order within each is certain.
        let mut lines: Vec<&str> = ended.output.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, ["/", "hello", "no"]);
        assert_eq!((ended.status.and_then(|status| status.code()), ended.timed_out), (Some(3), false));
        assert_eq!(sh("kill -SEGV $$", Duration::from_secs(10)).problem().unwrap(), "crashed (signal 11)");
    }

    #[test]
    fn the_whole_group_ends_and_those_who_left_it() {
        let start = Instant::now();
        let script = "trap '' TERM; sleep 98.7 & setsid sleep 98.6 & echo began; wait; sleep 98.5";
        let ended = sh(script, Duration::from_millis(300));
        assert!(ended.timed_out && ended.output.contains("began"), "{}", ended.output);
        assert!(start.elapsed() < Duration::from_secs(5));
        std::thread::sleep(Duration::from_millis(50));
        let processes = std::fs::read_dir("/proc").unwrap().filter_map(|entry| {
            let line = std::fs::read(entry.ok()?.path().join("cmdline")).ok()?;
            Some(String::from_utf8_lossy(&line).replace('\0', " "))
        });
        let left: Vec<String> = processes.filter(|line| line.starts_with("sleep 98.")).collect();
        assert!(left.is_empty(), "{left:?}");
    }

    #[test]
    fn too_much_output_is_cut() {
        let ended = sh("yes tandem | head -c 20000000; echo end", Duration::from_secs(60));
        assert!(ended.output.len() <= 2 * KEPT + (1 << 14) && ended.output.ends_with("end\n"));
    }
}
