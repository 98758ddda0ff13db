//! Jobs and answers from elsewhere are hostile until shown otherwise: every field has a form and a size.

use tandem_cfa::DataModel;

use super::answer::{Checked, Found, Tested};
use super::{Answer, GoalWork, How, Job, ProgramText, RangeWork, Said, Work};
use crate::range::Decisions;

/// Bytes of a job. (A server takes a megabyte.)
pub const LARGEST_JOB: usize = 512 << 10;
/// Bytes of an answer.
pub const LARGEST_ANSWER: usize = 64 << 20;
/// Bytes of a program.
pub const LARGEST_TEXT: usize = 256 << 20;
/// Decisions of a bound.
const DECISIONS: usize = 100_000;
/// Characters of a name and of what people read.
const NAME: usize = 400;
const FILE: usize = 4000;
/// A month.
const TIME_MS: u64 = 31 * 24 * 3600 * 1000;

impl Job {
    /// Reads a job; what is wrong with it, if it is none.
    pub fn read(bytes: &[u8]) -> Result<Job, String> {
        if bytes.len() > LARGEST_JOB {
            return Err(format!("a job of {} bytes; accepted are {LARGEST_JOB}", bytes.len()));
        }
        let job: Job = serde_json::from_slice(bytes).map_err(|error| format!("not a job: {error}"))?;
        is_plain(&job.release, NAME).then_some(()).ok_or("the release is no line of text")?;
        is_token(&job.run).then_some(()).ok_or("the run is no name of letters and digits")?;
        is_plain(&job.name, NAME).then_some(()).ok_or("the name is no line of text")?;
        check_program(&job.program)?;
        if !job.error.as_deref().is_none_or(is_identifier) {
            return Err("the error is no name of a function".into());
        }
        if job.limits.threads.is_some_and(|threads| !(1..=1024).contains(&threads)) {
            return Err("threads are 1 to 1024".into());
        }
        if job.limits.time_ms.is_some_and(|time| time > TIME_MS) {
            return Err("the time is longer than a month".into());
        }
        match &job.work {
            Work::Verify(work) => check_range(work)?,
            Work::Test(work) => check_goals(work)?,
            Work::Nothing => {}
        }
        Ok(job)
    }
}

fn check_program(program: &ProgramText) -> Result<(), String> {
    let is_hash = |text: &str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hash(&program.sha256) || !is_hash(&program.identity) {
        return Err("sha256 or identity is no SHA-256".into());
    }
    if !is_plain(&program.file, FILE) {
        return Err("the file is no line of text".into());
    }
    match DataModel::from_name(&program.data_model) {
        Some(_) => Ok(()),
        None => Err("data_model is ILP32 or LP64".into()),
    }
}

fn check_range(work: &RangeWork) -> Result<(), String> {
    let (How::Analysis(name) | How::Plan(name)) = &work.how;
    if !is_token(name) {
        return Err("the analysis or plan is no name".into());
    }
    for bound in work.lower.iter().chain(&work.upper) {
        // Counted before anything is unfolded: `0*16777215` is a short text.
        let repeats = bound.decisions.split_whitespace().map(|word| {
            word.split_once('*').map_or(Some(1), |(_, times)| times.parse::<usize>().ok()).unwrap_or(DECISIONS + 1)
        });
        if repeats.fold(0usize, usize::saturating_add) > DECISIONS {
            return Err(format!("a bound has more than {DECISIONS} decisions"));
        }
        Decisions::parse(&bound.decisions).map_err(|word| {
            let word: String = word.chars().take(40).collect();
            format!("`{word}` is no decision")
        })?;
    }
    Ok(())
}

fn check_goals(work: &GoalWork) -> Result<(), String> {
    if !is_token(&work.criterion) || !is_token(&work.plan) {
        return Err("the criterion or the plan is no name".into());
    }
    work.seeds.iter().try_for_each(|test| check_values(&test.inputs))?;
    match work.goals.iter().find(|goal| **goal >= work.of) {
        Some(goal) => Err(format!("there is no goal {goal} of {}", work.of)),
        None if work.batch == 0 => Err("a batch has at least one input".into()),
        None => Ok(()),
    }
}

impl Answer {
    /// Reads an answer; what is wrong with it, if it is none.
    pub fn read(bytes: &[u8]) -> Result<Answer, String> {
        if bytes.len() > LARGEST_ANSWER {
            return Err(format!("an answer of {} bytes; accepted are {LARGEST_ANSWER}", bytes.len()));
        }
        let answer: Answer = serde_json::from_slice(bytes).map_err(|error| format!("not an answer: {error}"))?;
        match &answer.said {
            Said::Checked(checked) => check_checked(checked)?,
            Said::Tested(tested) | Said::Testing(tested) => check_tested(tested)?,
            Said::Failed(_) | Said::Poison(_) | Said::Nothing => {}
        }
        Ok(answer)
    }
}

fn check_checked(checked: &Checked) -> Result<(), String> {
    if !is_plain(&checked.analysis, NAME) {
        return Err("the analysis is no line of text".into());
    }
    match &checked.found {
        Found::Violation(inputs) => check_values(inputs),
        Found::Proof if !checked.caveats.is_empty() => Err("a proof has no caveats".into()),
        Found::Proof | Found::Unknown => Ok(()),
    }
}

fn check_tested(tested: &Tested) -> Result<(), String> {
    tested.tests.iter().try_for_each(|test| check_values(&test.inputs))
}

fn check_values(values: &[String]) -> Result<(), String> {
    let is_value = |text: &String| u128::from_str_radix(text, 16).is_ok() && !text.starts_with('+');
    if values.iter().all(is_value) { Ok(()) } else { Err("an input is no hexadecimal number".into()) }
}

fn is_plain(text: &str, longest: usize) -> bool {
    text.len() <= longest && !text.chars().any(char::is_control)
}

/// Letters, digits and few other characters: part of subjects and of command lines.
fn is_token(text: &str) -> bool {
    let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=100).contains(&text.len()) && text.bytes().all(is_fit) && !text.starts_with('-')
}

fn is_identifier(text: &str) -> bool {
    (1..=NAME).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !text.starts_with(|first: char| first.is_ascii_digit())
}
