//! The queue between who has work to be done and who does it. One interface, two implementations: [`Local`] for threads of one process, and one
//! for many machines in a crate of its own.
//!
//! A job is known by its id. It may be done more than once (a worker may be gone, or thought to be gone): who collects answers takes the
//! first and must not mind more of them. Knows no analysis and no network.

mod local;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tandem_base::Cancel;

pub use local::Local;

/// The name of a job among all jobs of a run.
pub type JobId = String;

/// Why a queue cannot go on: a message, and what would help.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trouble {
    pub message: String,
    pub help: String,
}

impl Trouble {
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Trouble {
        Trouble { message: message.into(), help: help.into() }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// How busy everybody is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Load {
    /// Jobs that nobody has taken.
    pub waiting: usize,
    /// Jobs that are being worked on.
    pub running: usize,
    /// How many more jobs could be worked on at once.
    pub idle: usize,
}

/// The side of the one who has work.
pub trait Queue<J, A>: Sync {
    /// Puts jobs into the queue; those that are in it already stay as they are.
    fn publish(&self, jobs: Vec<(JobId, J)>) -> Result<(), Trouble>;

    /// Answers that have come in since the last time, also such that are not the last ones of their job; waits for the first of them for a while.
    fn collect(&self, wait: Duration) -> Result<Vec<(JobId, A)>, Trouble>;

    /// Answers that are there before anything was asked: somebody may have asked the same and not waited for the end.
    fn earlier(&self) -> Result<Vec<(JobId, A)>, Trouble> {
        Ok(Vec::new())
    }

    /// Nobody needs these any more: whoever works on one stops soon.
    fn cancel(&self, jobs: &[JobId]) -> Result<(), Trouble>;

    /// Nobody needs any job or answer of this run any more.
    fn finish(&self) -> Result<(), Trouble>;

    fn load(&self) -> Result<Load, Trouble>;
}

/// The side of those who work.
pub trait Supply<J, A>: Sync {
    /// The next job; nothing if there is none for a while.
    fn take<'s>(&'s self, wait: Duration) -> Result<Option<Box<dyn Lease<J, A> + 's>>, Trouble>;
}

/// A job in somebody's hands. Who drops it without a word will have others do it again.
pub trait Lease<J, A> {
    fn id(&self) -> &str;

    fn job(&self) -> &J;

    /// Raised when the job is not needed any more; then an answer is not waited for.
    fn cancel(&self) -> &Cancel;

    /// What is known so far, for whoever asked. It may be lost: the answer says it again.
    fn tell(&self, so_far: A);

    fn done(self: Box<Self>, answer: A) -> Result<(), Trouble>;

    /// Somebody else is to do it.
    fn give_back(self: Box<Self>);
}

/// Texts that jobs name by their SHA-256.
pub trait Texts: Sync {
    fn put(&self, text: &[u8]) -> Result<(), Trouble>;

    /// The text; an error also if it is not there.
    fn get(&self, sha256: &str) -> Result<Arc<[u8]>, Trouble>;
}
