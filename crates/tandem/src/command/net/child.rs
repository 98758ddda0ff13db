//! One job in a process of its own: it gets the job and the text on its standard input, and is ended when its time is over, when nobody needs
//! it, or when the worker is gone.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::Value;
use tandem_artifact::job::{Answer, Checked, Found, Job, Said, Tested, Work};

use crate::arguments::Limits;
use crate::command::bench::child::{GRACE, collect, own_program, wait};

/// A job, and how it is to be done.
pub struct Order<'a> {
    pub job: &'a Job,
    pub text: &'a [u8],
    pub limits: Limits,
    pub allow_external: bool,
    pub is_needless: &'a dyn Fn() -> bool,
}

/// Does the job; how it ended is the answer, whatever happens. Before that, `tell` hears what is known so far.
pub fn perform(order: &Order<'_>, tell: &dyn Fn(Answer)) -> Answer {
    let job = order.job;
    let start = Instant::now();
    let so_far = RefCell::new(None);
    let keep = |answer: Answer| {
        if let Said::Testing(tested) = &answer.said {
            *so_far.borrow_mut() = Some(tested.clone());
        }
        tell(answer);
    };
    let said = match run(order, &keep) {
        Ok(output) => match Answer::read(&output) {
            Ok(answer) => answer.said,
            Err(_) => last_words(job, &output),
        },
        Err(reason) => unknown(job, &reason),
    };
    // Whatever became of the process, what it had found stands.
    let said = match (said, so_far.into_inner()) {
        (Said::Failed(_) | Said::Poison(_) | Said::Nothing, Some(tested)) => Said::Tested(tested),
        (Said::Tested(last), Some(tested)) if last == Tested::default() => Said::Tested(tested),
        (said, _) => said,
    };
    Answer { time_ms: start.elapsed().as_millis() as u64, said }
}

/// What the process has printed besides what it told on the way, or why it had to be ended.
fn run(order: &Order<'_>, tell: &dyn Fn(Answer)) -> Result<Vec<u8>, String> {
    let Order { job, text, limits, allow_external, is_needless } = order;
    let mut command = own_program();
    command.arg("job");
    if let Some(time) = limits.time {
        command.args(["--time-limit", &format!("{}ms", time.as_millis())]);
    }
    if let Some(memory) = limits.memory {
        command.args(["--memory-limit", &format!("{memory}B")]);
    }
    if *allow_external {
        command.arg("--allow-external");
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let start = Instant::now();
    let mut child = command.spawn().map_err(|error| format!("the process could not be started: {error}"))?;
    let (lines, stderr) = (lines(child.stdout.take()), collect(child.stderr.take()));
    let stdin = child.stdin.take();
    let output = RefCell::new(Vec::new());
    let hear = |line: Vec<u8>| match Answer::read(&line) {
        Ok(answer) if matches!(answer.said, Said::Testing(_)) => tell(answer),
        _ => output.borrow_mut().extend(line.into_iter().chain([b'\n'])),
    };
    let look = || {
        lines.try_iter().for_each(hear);
        is_needless()
    };
    let ended = std::thread::scope(|scope| {
        let feeding = scope.spawn(move || {
            let mut pipe = stdin?;
            let mut head = job.write();
            head.extend(format!("\n{}\n", text.len()).bytes());
            // A child that does not read says why on its standard output, or not at all.
            let _ = pipe.write_all(&head).and_then(|()| pipe.write_all(text)).and_then(|()| pipe.flush());
            // As long as it is open, somebody waits for the answer.
            Some(pipe)
        });
        let limit = limits.time.map_or(Duration::MAX, |time| time.saturating_add(GRACE));
        let ended = wait(&mut child, start, limit, &look);
        drop(feeding.join());
        ended
    });
    lines.iter().for_each(hear);
    let (status, output) = (ended?, output.take());
    if output.is_empty() {
        let stderr = stderr.join().unwrap_or_default();
        let said = String::from_utf8_lossy(&stderr);
        return Err(format!("no answer ({status}) {}", said.lines().next().unwrap_or_default()));
    }
    Ok(output)
}

/// The lines of a pipe as they come, until it is closed.
fn lines(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let lines = pipe.into_iter().flat_map(|pipe| BufReader::new(pipe).split(b'\n'));
        // What was read before an error is all there is.
        lines.map_while(Result::ok).try_for_each(|line| sender.send(line))
    });
    receiver
}

/// For a process that said only why it stopped.
fn last_words(job: &Job, output: &[u8]) -> Said {
    let Ok(said) = serde_json::from_slice::<Value>(output) else { return Said::Failed("no answer".into()) };
    let reason = said["reason"].as_str().unwrap_or("no reason given");
    match said["verdict"].as_str() {
        Some("UNKNOWN") => unknown(job, reason),
        _ => Said::Failed(format!("bad input: {reason}")),
    }
}

fn unknown(job: &Job, reason: &str) -> Said {
    match &job.work {
        Work::Verify(_) => Said::Checked(Checked {
            found: Found::Unknown,
            reason: Some(reason.to_string()),
            analysis: String::new(),
            caveats: Vec::new(),
            invariants: Vec::new(),
            in_bounds: false,
            is_late: reason.starts_with("time limit"),
        }),
        Work::Test(_) if reason.starts_with("time limit") => Said::Tested(Tested::default()),
        Work::Test(_) | Work::Nothing => Said::Failed(reason.to_string()),
    }
}
