//! Work that is done elsewhere: workers, what goes on, and what commands need to put jobs into the queue on a server.

mod child;
pub mod job;
pub mod status;
pub mod worker;

use std::time::{Duration, Instant};

use tandem_artifact::job::{How, Job, JobLimits, ProgramText, RangeWork, Work};
use tandem_artifact::range::Range;
use tandem_artifact::{ErrorCall, sha256_hex};
use tandem_coop::queue::{Texts, Trouble};
use tandem_net::{Cluster, Coordinator, Server};

use crate::input::Input;
use crate::message::{Exit, Failure};

/// What must be the same on both sides: another version, or another solver, may answer otherwise.
pub fn release() -> String {
    format!("tandem {} with {}", env!("CARGO_PKG_VERSION"), crate::version::solvers(", "))
}

/// Joins the server.
pub fn join(server: &Server) -> Result<Cluster, Failure> {
    Cluster::join(server, &release()).map_err(failure)
}

/// Trouble with the queue as a message. Nothing is wrong with the input, but nothing can be done.
pub fn failure(trouble: Trouble) -> Failure {
    Failure { exit: Exit::BadInput, ..Failure::file("tandem", trouble.message, trouble.help) }
}

/// A job about the input of which everything but the run and the work is right.
pub fn template(input: &Input, error: &ErrorCall, name: &str, limits: JobLimits) -> Job {
    let text = input.source.text();
    Job {
        release: release(),
        run: String::new(),
        name: plain(name, 200),
        program: ProgramText {
            sha256: sha256_hex(text),
            identity: input.identity.hash(),
            file: plain(input.source.file(), 1000),
            is_preprocessed: input.source.is_preprocessed(),
            data_model: input.model.name().to_string(),
        },
        error: match error {
            ErrorCall::Usual => None,
            ErrorCall::Function(name) => Some(name.to_string()),
        },
        limits,
        work: Work::Verify(RangeWork::new(How::Analysis(tandem_analyses::DEFAULT_RUN.into()), &Range::whole(), false)),
    }
}

fn plain(text: &str, longest: usize) -> String {
    text.chars().filter(|it| !it.is_control()).take(longest).collect()
}

/// The name of a run: it follows from what is asked, so that who asks the same again goes on with it.
pub fn run_name(parts: &[&str]) -> String {
    let all: Vec<u8> = parts.iter().flat_map(|part| format!("{} {part}\n", part.len()).into_bytes()).collect();
    sha256_hex(&all)[..16].to_string()
}

/// Leaves the text of the program where workers find it.
pub fn send_text(cluster: &Cluster, input: &Input) -> Result<(), Failure> {
    cluster.put(input.source.text()).map_err(failure)
}

/// Says once in a while why nothing happens.
pub struct Remarks {
    since: Instant,
    said: bool,
    quiet: bool,
}

/// How long workers may be missing before something is said about it.
const LONELY: Duration = Duration::from_secs(3);

impl Remarks {
    pub fn new(quiet: bool) -> Remarks {
        Remarks { since: Instant::now(), said: false, quiet }
    }

    pub fn look(&mut self, coordinator: &Coordinator, cluster: &Cluster) {
        if self.said || self.quiet || self.since.elapsed() < LONELY {
            return;
        }
        self.since = Instant::now();
        let strangers = coordinator.strangers();
        let ours = release();
        if let Some(other) = strangers.first() {
            self.said = true;
            eprintln!("tandem: note: all workers at {} are of another release: {other}; this is {ours}", cluster.url());
        } else if coordinator.crew().workers().is_empty() {
            self.said = true;
            let url = cluster.url();
            eprintln!("tandem: note: no worker has joined {url}; `tandem worker --nats {url}` starts one");
        }
    }
}
