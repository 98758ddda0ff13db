//! The last words of the process on standard output, and who may say them: the command at its end, the watch when the
//! command does not hear, the panic hook when there is a bug. They are said once.
//!
//! A verdict that is settled is never lost to a limit. Knows no analysis and decides nothing.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use serde_json::json;

use crate::message::{Exit, Failure};
use crate::output;

/// How the last words of a command look.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Form {
    /// Nothing is promised about the last line.
    Free,
    /// The last line is a verdict, by this analysis.
    Verdict { analysis: String },
    /// The last line is what is said about a witness.
    Witness,
}

/// How long to wait for someone who is just saying the last words: a reader may be slow, or gone.
const PATIENCE: Duration = Duration::from_millis(200);

#[derive(Clone)]
pub struct Farewell {
    form: Form,
    json: bool,
    pub start: Instant,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    settled: Option<(String, Exit)>,
    said: Option<Exit>,
    progress: Option<ProgressBar>,
}

impl Farewell {
    pub fn new(form: Form, json: bool) -> Farewell {
        Farewell { form, json, start: Instant::now(), state: Arc::default() }
    }

    /// A live line that must be gone before the last words.
    pub fn attach(&self, progress: Option<ProgressBar>) {
        let earlier = std::mem::replace(&mut self.lock().progress, progress);
        if let Some(earlier) = earlier {
            earlier.finish_and_clear();
        }
    }

    /// From now on these are the last words, whoever says them.
    pub fn settle(&self, text: String, exit: Exit) {
        self.lock().settled = Some((text, exit));
    }

    /// Says what is settled.
    pub fn say(&self) -> Result<Exit, Failure> {
        let mut state = self.lock();
        let (text, exit) = state.take(|| self.unknown("stopped"));
        output::show(&text).map(|()| exit)
    }

    /// Says what is settled, and ends the process, whatever other threads are at: nobody needs it any more.
    pub fn say_and_leave(&self) -> Result<Exit, Failure> {
        let exit = self.say()?;
        // SAFETY: the system ends all threads at once. (With `exit`, libraries would clean up under the threads that use them.) Nothing is
        // left to write: standard error has no buffer, standard output was flushed, files are closed.
        #[allow(unsafe_code)]
        unsafe {
            nix::libc::_exit(exit as i32)
        }
    }

    /// Ends the process with what is settled, or else with the only verdict that is left.
    pub fn end(&self, reason: &str) -> ! {
        let start = Instant::now();
        loop {
            match self.state.try_lock() {
                Ok(mut state) => self.end_with(&mut state, reason),
                Err(TryLockError::Poisoned(state)) => self.end_with(&mut state.into_inner(), reason),
                Err(TryLockError::WouldBlock) if start.elapsed() > PATIENCE => std::process::exit(Exit::Unknown as i32),
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    fn end_with(&self, state: &mut State, reason: &str) -> ! {
        let (text, exit) = state.take(|| self.unknown(reason));
        // There is nobody left to tell that this failed.
        let _ = output::print(&text);
        std::process::exit(exit as i32)
    }

    /// The words for someone who has none.
    fn unknown(&self, reason: &str) -> String {
        let analysis = match &self.form {
            Form::Free | Form::Witness => None,
            Form::Verdict { analysis } => Some(analysis),
        };
        if self.form == Form::Witness {
            let time = self.start.elapsed().as_secs_f64();
            return match self.json {
                true => format!("{:#}\n", json!({ "witness": "unknown", "reason": reason, "time_s": time })),
                false => format!("Witness: unknown ({reason})\n"),
            };
        }
        match (self.json, analysis) {
            (true, _) => {
                let time = self.start.elapsed().as_secs_f64();
                let words = json!({ "verdict": "UNKNOWN", "reason": reason, "time_s": time, "analysis": analysis });
                format!("{words:#}\n")
            }
            (false, Some(_)) => format!("Verdict: UNKNOWN ({reason})\n"),
            (false, None) => String::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The words to say now: none if they were said.
    fn take(&mut self, unknown: impl FnOnce() -> String) -> (String, Exit) {
        if let Some(progress) = self.progress.take() {
            progress.finish_and_clear();
        }
        if let Some(exit) = self.said {
            return (String::new(), exit);
        }
        let (text, exit) = self.settled.take().unwrap_or_else(|| (unknown(), Exit::Unknown));
        self.said = Some(exit);
        (text, exit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(farewell: &Farewell, reason: &str) -> (String, Exit) {
        farewell.lock().take(|| farewell.unknown(reason))
    }

    #[test]
    fn without_a_verdict_it_is_unknown() {
        let form = Form::Verdict { analysis: "random".into() };
        let text = last(&Farewell::new(form.clone(), false), "internal error");
        assert_eq!(text, ("Verdict: UNKNOWN (internal error)\n".into(), Exit::Unknown));
        assert_eq!(last(&Farewell::new(Form::Free, false), "cancelled"), (String::new(), Exit::Unknown));
        let (text, _) = last(&Farewell::new(form, true), "time limit");
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            (&value["verdict"], &value["reason"], &value["analysis"]),
            (&json!("UNKNOWN"), &json!("time limit"), &json!("random"))
        );
        assert!(value["time_s"].is_f64());
    }

    #[test]
    fn a_settled_verdict_is_said_once() {
        let farewell = Farewell::new(Form::Free, false);
        farewell.settle("Verdict: FALSE\n".into(), Exit::Violated);
        assert_eq!(last(&farewell, "time limit"), ("Verdict: FALSE\n".into(), Exit::Violated));
        assert_eq!(last(&farewell, "time limit"), (String::new(), Exit::Violated));
    }
}
