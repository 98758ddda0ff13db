//! The one place through which programs from outside are run natively: in a directory that holds nothing but what the run needs, without a
//! network, with limits on time, memory, processes and the size of files, with nothing to read, and ended as a whole.
//!
//! Whether the kernel has namespaces is tried once; without them, the limits remain and this is said once. Knows no program and no tool.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Once, OnceLock};
use std::time::Duration;

use tandem_base::Budget;

use crate::tools::process::{self, Confinement, Ended, Job};
use crate::tools::scratch::Scratch;

/// The user without rights that programs run as when this process has all rights.
const USER_WITHOUT_RIGHTS: u32 = 65534;
const PROCESSES: u64 = 64;
const FILE_SIZE: u64 = 64 << 20;
const MEMORY: u64 = 2 << 30;
/// How long trying out the namespaces may take.
const TRIAL: Duration = Duration::from_secs(5);

/// What a program in the sandbox may use, besides time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    pub processes: u64,
    pub file_size: u64,
    /// Bytes of address space; nothing for programs that reserve more than there is, such as those with an address sanitizer.
    pub memory: Option<u64>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { processes: PROCESSES, file_size: FILE_SIZE, memory: Some(MEMORY) }
    }
}

impl Limits {
    /// For tools that run a program again and again, and write down what they find.
    pub fn of_tool(budget: &Budget) -> Limits {
        Limits { processes: 8 * PROCESSES, file_size: 16 * FILE_SIZE, memory: budget.memory }
    }
}

/// Runs a program that lies in a directory of its own, together with all that it needs, and leaves its results there.
pub fn run(job: &Job<'_>, limits: Limits, budget: &Budget, is_done: &mut dyn FnMut() -> bool) -> Result<Ended, String> {
    let means = means();
    if !means.namespaces {
        complain();
    }
    if means.user.is_some() {
        open_to_all(job.directory);
    }
    let Limits { processes, file_size, memory } = limits;
    let confinement = Confinement { processes, file_size, memory, namespaces: means.namespaces, user: means.user };
    process::run_confined(job, Some(&confinement), budget, is_done)
}

/// Runs a program in a fresh and empty directory.
pub fn run_in_empty_directory(
    command: &[String],
    environment: &[(&str, &str)],
    limit: Duration,
    limits: Limits,
    budget: &Budget,
) -> Result<Ended, String> {
    let directory = Scratch::new()?;
    let job = Job { command, directory: directory.path(), environment, limit };
    run(&job, limits, budget, &mut || false)
}

/// What this machine offers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Means {
    namespaces: bool,
    user: Option<u32>,
}

fn means() -> Means {
    static MEANS: OnceLock<Means> = OnceLock::new();
    *MEANS.get_or_init(|| {
        let is_root = nix::unistd::geteuid().is_root();
        let users = if is_root { vec![Some(USER_WITHOUT_RIGHTS), None] } else { vec![None] };
        let choices = [true, false]
            .into_iter()
            .flat_map(|namespaces| users.iter().map(move |user| Means { namespaces, user: *user }));
        choices.into_iter().find(|means| works(*means)).unwrap_or(Means { namespaces: false, user: None })
    })
}

/// Whether a program that is confined like this starts and can write into its directory.
fn works(means: Means) -> bool {
    let Ok(directory) = Scratch::new() else { return false };
    open_to_all(directory.path());
    let command = ["sh", "-c", "true > file"].map(String::from);
    let job = Job { command: &command, directory: directory.path(), environment: &[], limit: TRIAL };
    let confinement = Confinement {
        processes: PROCESSES,
        file_size: FILE_SIZE,
        memory: Some(MEMORY),
        namespaces: means.namespaces,
        user: means.user,
    };
    let ended = process::run_confined(&job, Some(&confinement), &Budget::unlimited(), &mut || false);
    ended.is_ok_and(|ended| ended.succeeded())
}

fn complain() {
    static SAID: Once = Once::new();
    SAID.call_once(|| {
        eprintln!(
            "tandem: there are no user namespaces here (or no program `unshare`): programs from outside run with limits, but \
             the network is not taken away from them"
        );
    });
}

/// Lets every user read and write a directory and what is in it. It is a directory of ours, made for one run.
fn open_to_all(path: &Path) {
    let Ok(data) = std::fs::symlink_metadata(path) else { return };
    if data.is_symlink() {
        return;
    }
    let mode = data.permissions().mode();
    let all = if data.is_dir() || mode & 0o100 != 0 { 0o777 } else { 0o666 };
    // What cannot be opened is missed by the program, which says so.
    let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(all));
    if data.is_dir() {
        let entries = std::fs::read_dir(path).into_iter().flatten();
        entries.filter_map(Result::ok).for_each(|entry| open_to_all(&entry.path()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn sh(script: &str, limit: Duration) -> Ended {
        let command = ["sh", "-c", script].map(String::from);
        let budget = Budget::unlimited();
        run_in_empty_directory(&command, &[("WORD", "hello")], limit, Limits::default(), &budget).unwrap()
    }

    #[test]
    fn the_directory_is_empty_and_there_is_nothing_to_read() {
        let ended = sh("ls -A; cat; echo $WORD $HOME; touch file && ls", Duration::from_secs(20));
        assert_eq!(ended.output, "hello\nfile\n");
        assert_eq!(sh("exit 107", Duration::from_secs(20)).status.and_then(|status| status.code()), Some(107));
        assert!(sh("kill -ABRT $$", Duration::from_secs(20)).problem().unwrap().contains("signal 6"));
    }

    #[test]
    fn there_is_no_network() {
        if means().namespaces {
            // The only interface of a fresh network namespace is its own, and that is down.
            let ended = sh("cut -d: -f1 /proc/net/dev | tail -n +3", Duration::from_secs(20));
            assert_eq!(ended.output.trim(), "lo");
        }
    }

    #[test]
    fn files_and_memory_are_limited() {
        let ended = sh("head -c 100000000 /dev/zero > file; wc -c < file", Duration::from_secs(20));
        assert!(ended.output.lines().any(|line| line.trim() == FILE_SIZE.to_string()), "{}", ended.output);
        let ended = sh("ulimit -v", Duration::from_secs(20));
        assert_eq!(ended.output.trim(), (MEMORY / 1024).to_string());
    }

    /// Also those that forget the environment, leave the group and ignore signals.
    #[test]
    fn all_processes_end_and_there_are_not_many() {
        let script =
            "trap '' TERM HUP; for i in $(seq 200); do env -i setsid sleep 97.5 & done 2>/dev/null; sleep 97.5";
        let start = Instant::now();
        let ended = sh(script, Duration::from_millis(1500));
        assert!(start.elapsed() < Duration::from_secs(10));
        assert!(ended.timed_out || !ended.succeeded());
        if means().namespaces {
            std::thread::sleep(Duration::from_millis(100));
            let lines = std::fs::read_dir("/proc")
                .unwrap()
                .filter_map(|entry| std::fs::read(entry.ok()?.path().join("cmdline")).ok());
            assert_eq!(lines.filter(|line| line.starts_with(b"sleep\x0097.5")).count(), 0);
        }
    }
}
