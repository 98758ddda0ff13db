//! Jobs and answers: what travels between machines that work on one question together.
//!
//! A job says everything about one piece of work but the text of the program, which it names by its SHA-256. An answer says what came of
//! it. Both are data: who reads one from elsewhere reads it with [`Job::read`] and [`Answer::read`], which refuse what no honest sender
//! writes. Knows no network, no analysis and no file.

mod answer;
mod read;

use serde::{Deserialize, Serialize};

use crate::range::{Bound, Decisions, Range};
use crate::sha256_hex;

pub use answer::{Answer, Checked, Found, Said, SaidCaveat, SaidInvariant, SaidTest, Tested, values};
pub use read::{LARGEST_ANSWER, LARGEST_JOB, LARGEST_TEXT};

/// One piece of work.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The version of the program and of its solvers: another one may mean something else by the same words.
    pub release: String,
    /// The question that it is a part of.
    pub run: String,
    /// For people.
    pub name: String,
    pub program: ProgramText,
    /// The function whose call is the error; nothing for the usual ones.
    pub error: Option<String>,
    pub limits: JobLimits,
    pub work: Work,
}

/// Which program a job is about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramText {
    /// Of the text as the front end takes it: the name under which workers find it.
    pub sha256: String,
    /// The identity of the program, which names of runs follow from.
    pub identity: String,
    /// For people: the file is nowhere but on the machine that asked.
    pub file: String,
    /// Whether the text came out of the C preprocessor.
    pub is_preprocessed: bool,
    /// The name of the data model.
    pub data_model: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobLimits {
    /// Wall time in milliseconds.
    pub time_ms: Option<u64>,
    /// Bytes.
    pub memory: Option<u64>,
    pub threads: Option<u16>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Work {
    /// Whether a path of the range reaches an error.
    Verify(RangeWork),
    /// Tests for goals, or proofs that there are none.
    Test(GoalWork),
    /// For measuring.
    Nothing,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RangeWork {
    pub how: How,
    pub lower: Option<WrittenBound>,
    pub upper: Option<WrittenBound>,
    /// Whether loop invariants are wanted with a proof.
    pub facts: bool,
}

/// By whom.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum How {
    Analysis(String),
    /// A plan that has a name, or a single actor.
    Plan(String),
}

/// A bound without its test.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenBound {
    pub decisions: String,
    pub goes_on: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoalWork {
    /// What is to be covered, by name.
    pub criterion: String,
    /// The numbers of the goals.
    pub goals: Vec<u32>,
    /// How many goals the program has: another number means another automaton.
    pub of: u32,
    /// Who takes part, by name.
    pub plan: String,
    pub batch: u32,
    pub seed: u64,
    /// Later rounds are other jobs.
    pub round: u32,
    /// Tests that others have found: a start for more.
    pub seeds: Vec<SaidTest>,
}

impl Job {
    /// A name that follows from what is to be done: whoever asks for the same within the same run asks for the same job. How long it may take
    /// is no part of it.
    pub fn id(&self) -> String {
        let content = (&self.release, &self.run, &self.program, &self.error, &self.work);
        let text = serde_json::to_vec(&content).unwrap_or_default();
        sha256_hex(&text)[..32].to_string()
    }

    pub fn write(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }
}

impl RangeWork {
    pub fn new(how: How, range: &Range, facts: bool) -> RangeWork {
        let written = |bound: &Bound| WrittenBound { decisions: bound.decisions.to_string(), goes_on: bound.goes_on };
        RangeWork { how, lower: range.lower.as_ref().map(written), upper: range.upper.as_ref().map(written), facts }
    }

    /// The range; nothing if a bound has words that are no decisions.
    pub fn range(&self) -> Option<Range> {
        let read = |bound: &Option<WrittenBound>| match bound {
            None => Some(None),
            Some(bound) => {
                let decisions = Decisions::parse(&bound.decisions).ok()?;
                Some(Some(Bound { decisions, goes_on: bound.goes_on, test: None }))
            }
        };
        Some(Range { lower: read(&self.lower)?, upper: read(&self.upper)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub fn job() -> Job {
        let range = Range {
            lower: Some(Bound::path(Decisions(vec![0, 0, 1]))),
            upper: Some(Bound::beginning(Decisions(vec![1]))),
        };
        Job {
            release: "tandem 0.1.0".into(),
            run: "0123456789abcdef".into(),
            name: "a.c, range 1".into(),
            program: ProgramText {
                sha256: sha256_hex(b"int main(void) {}"),
                identity: sha256_hex(b"identity"),
                file: "a.c".into(),
                is_preprocessed: false,
                data_model: "LP64".into(),
            },
            error: None,
            limits: JobLimits { time_ms: Some(1000), memory: None, threads: Some(1) },
            work: Work::Verify(RangeWork::new(How::Analysis("value".into()), &range, true)),
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let job = job();
        assert_eq!(Job::read(&job.write()), Ok(job.clone()));
        let Work::Verify(work) = &job.work else { panic!("a range") };
        let range = work.range().unwrap();
        assert_eq!(RangeWork::new(work.how.clone(), &range, true), *work);
    }

    #[test]
    fn the_same_work_is_the_same_job() {
        let (one, mut other) = (job(), job());
        other.limits.time_ms = Some(7);
        other.name = "another name".into();
        assert_eq!(one.id(), other.id());
        other.run = "another".into();
        assert_ne!(one.id(), other.id());
        let mut other = job();
        other.work = Work::Nothing;
        assert_ne!(one.id(), other.id());
    }

    #[test]
    fn jobs_that_no_honest_sender_writes_are_refused() {
        let refused = |change: &dyn Fn(&mut Job)| {
            let mut job = job();
            change(&mut job);
            Job::read(&job.write()).unwrap_err()
        };
        assert!(refused(&|job| job.run = "../x".into()).contains("run"));
        assert!(refused(&|job| job.program.sha256 = "0".repeat(63)).contains("sha256"));
        assert!(refused(&|job| job.program.data_model = "LP65".into()).contains("data_model"));
        assert!(refused(&|job| job.program.file = "x".repeat(5000)).contains("file"));
        assert!(refused(&|job| job.name = "a\nb".into()).contains("name"));
        assert!(refused(&|job| job.error = Some("f();x".into())).contains("error"));
        assert!(refused(&|job| job.limits.threads = Some(0)).contains("threads"));
        assert!(refused(&|job| job.limits.time_ms = Some(u64::MAX)).contains("time"));
        let bound = |text: &str| Some(WrittenBound { decisions: text.into(), goes_on: false });
        let with_bound = |text: &'static str| {
            refused(&|job| {
                job.work = Work::Verify(RangeWork {
                    how: How::Analysis("value".into()),
                    lower: bound(text),
                    upper: None,
                    facts: false,
                });
            })
        };
        assert!(with_bound("0 x").contains("decision"));
        assert!(with_bound("0*16777215").contains("decision"));
        for hostile in [&b"{"[..], b"[]", b"null", b"\xff\xfe", b"{\"release\":1}", &[b'['; 100_000]] {
            assert!(Job::read(hostile).is_err());
        }
        assert!(Job::read(&vec![b' '; LARGEST_JOB + 1]).is_err());
    }
}
