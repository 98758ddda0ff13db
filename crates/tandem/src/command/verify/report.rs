//! What an analysis found out, in words for people and as JSON. Decides nothing.

use std::fmt::Write;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tandem_analyses::{Outcome, Task};
use tandem_artifact::{Assumption, Caveat, Property, Trace, Verdict, VerdictBasis, Violation};
use tandem_base::{Budget, Span, StopReason};
use tandem_cfa::exec::{Input, InputSource};

use crate::describe::{at, ending, notes, place_json, span_json};
use crate::message::Exit;
use tandem_artifact::literal;

/// Inputs that are listed for people, and for programs; a run may have millions.
const SHOWN_INPUTS: usize = 20;
const LISTED_INPUTS: usize = 10_000;
/// How long the run may be followed once more for the trace.
const TRACE: Duration = Duration::from_millis(500);

pub struct Report<'a> {
    pub task: Task<'a>,
    pub property: &'a Property,
    pub outcome: &'a Outcome,
    /// What the verdict rests on.
    pub basis: &'a VerdictBasis,
    /// The violation, told.
    pub trace: Option<&'a Trace>,
    /// Why the work was told to stop, if it was.
    pub stopped: Option<StopReason>,
    pub start: Instant,
}

/// What happens in a run that violates the property.
pub fn trace(task: Task<'_>, violation: &Violation) -> Trace {
    Trace::replay(task.program, &violation.run.inputs, &task.error.functions(), &Budget::with_time(TRACE))
}

impl Report<'_> {
    pub fn exit(&self) -> Exit {
        match self.outcome.verdict {
            Verdict::True => Exit::Success,
            Verdict::False => Exit::Violated,
            Verdict::Unknown(_) => Exit::Unknown,
        }
    }

    /// The verdict with the reason people look for: a stop before the bounds of an analysis, something that is not
    /// modelled or undefined before a stop (more time would not make it a proof).
    pub fn verdict(&self) -> Verdict {
        let Verdict::Unknown(reason) = &self.outcome.verdict else { return self.outcome.verdict.clone() };
        let is_final = |caveat: &&Caveat| matches!(caveat, Caveat::Unsupported { .. } | Caveat::Undefined { .. });
        let unsupported = self.outcome.caveats.iter().find(is_final);
        // A bug is never the fault of a limit.
        if reason.starts_with("internal error") {
            return self.outcome.verdict.clone();
        }
        Verdict::Unknown(match (self.stopped, unsupported) {
            (Some(StopReason::Cancelled), _) => StopReason::Cancelled.to_string(),
            (_, Some(caveat)) => caveat.to_string(),
            (Some(reason), None) => reason.to_string(),
            (None, None) => reason.clone(),
        })
    }

    pub fn text(&self) -> String {
        let mut text = String::new();
        if let Some(violation) = &self.outcome.violation {
            self.explain(&mut text, violation);
        }
        for line in self.basis.lines() {
            let _ = writeln!(text, "{}", one_line(&line));
        }
        let _ = writeln!(text, "Verdict: {}", one_line(&self.verdict().to_string()));
        text
    }

    /// What happens in a run that violates the property.
    fn explain(&self, text: &mut String, violation: &Violation) {
        let (program, run) = (self.task.program, &violation.run);
        let end = ending(program, self.property, &run.end);
        let what = end.text.strip_prefix("error: ").unwrap_or(&end.text);
        let _ = writeln!(text, "Error: {what}{}", at(program, end.edge));
        if let Some(trace) = self.trace {
            text.push_str("Trace:\n");
            for line in trace.render(program).lines() {
                let _ = writeln!(text, "  {line}");
            }
        }
        if !run.inputs.is_empty() {
            text.push_str("Inputs:\n");
        }
        for input in run.inputs.iter().take(SHOWN_INPUTS) {
            let value = literal(input.scalar, input.bits);
            let _ = writeln!(text, "  {} = {value}{}", self.name(input), at(program, Some(input.edge)));
        }
        if run.inputs.len() > SHOWN_INPUTS {
            let _ = writeln!(text, "  and {} more", run.inputs.len() - SHOWN_INPUTS);
        }
        for (_, note, edge) in notes(program, run) {
            let _ = writeln!(text, "Note: {note}{}", at(program, Some(edge)));
        }
    }

    fn name(&self, input: &Input) -> String {
        let program = self.task.program;
        match input.source {
            InputSource::Function(function) => format!("{}()", program.functions[function].name),
            InputSource::Variable(variable) => format!("uninitialised {}", program.variables[variable].name),
            InputSource::Memory => "uninitialised memory".into(),
            InputSource::NoResult => "the result of a function that returned nothing".into(),
        }
    }

    pub fn json(&self) -> Value {
        let (verdict, reason) = match self.verdict() {
            Verdict::True => ("TRUE", None),
            Verdict::False => ("FALSE", None),
            Verdict::Unknown(reason) => ("UNKNOWN", Some(reason)),
        };
        let mut object = json!({
            "verdict": verdict,
            "reason": reason,
            "time_s": self.start.elapsed().as_secs_f64(),
            "analysis": self.outcome.analysis,
            "statistics": self.outcome.statistics,
            "caveats": self.outcome.caveats.iter().map(|caveat| self.caveat(caveat)).collect::<Vec<_>>(),
            "assumptions": self.basis.assumptions.iter().map(|one| self.assumption(one)).collect::<Vec<_>>(),
            "notes": self.notes(),
        });
        if let Some(violation) = &self.outcome.violation {
            self.add_violation(&mut object, violation);
        }
        object
    }

    fn add_violation(&self, object: &mut Value, violation: &Violation) {
        let (program, run) = (self.task.program, &violation.run);
        let end = ending(program, self.property, &run.end);
        object["error"] = json!({ "text": end.text, "place": place_json(program, end.edge) });
        let input = |input: &Input| {
            json!({
                "kind": match input.source {
                    InputSource::Function(_) => "function",
                    InputSource::Variable(_) | InputSource::Memory | InputSource::NoResult => "uninitialised",
                },
                "name": self.name(input),
                "value": literal(input.scalar, input.bits).to_string(),
                "place": place_json(program, Some(input.edge)),
            })
        };
        object["inputs"] = run.inputs.iter().take(LISTED_INPUTS).map(input).collect();
        object["input_count"] = json!(run.inputs.len());
    }

    /// What was noted on the way of a violation, and what is to be noted about the verdict itself.
    fn notes(&self) -> Vec<Value> {
        let program = self.task.program;
        let on_the_way = self.outcome.violation.iter().flat_map(|violation| notes(program, &violation.run));
        let on_the_way = on_the_way
            .map(|(kind, text, edge)| json!({ "kind": kind, "text": text, "place": place_json(program, Some(edge)) }));
        let about_it = self.basis.notes.iter();
        let about_it = about_it.map(|note| json!({ "kind": note.word(), "text": note.to_string(), "place": null }));
        on_the_way.chain(about_it).collect()
    }

    fn assumption(&self, assumption: &Assumption) -> Value {
        json!({
            "kind": assumption.kind.word(),
            "text": assumption.to_string(),
            "names": assumption.names,
            "places": assumption.places.iter().map(|at| span_json(self.task.program, *at)).collect::<Vec<_>>(),
        })
    }

    fn caveat(&self, caveat: &Caveat) -> Value {
        let (kind, place) = match caveat {
            Caveat::Undefined { at, .. } => ("undefined", *at),
            Caveat::Unsupported { at, .. } => ("unsupported", *at),
            Caveat::Solver(_) => ("solver", Span::NONE),
            Caveat::Bound(_) => ("bound", Span::NONE),
            Caveat::NotReplayed(_) => ("not-replayed", Span::NONE),
            Caveat::Imprecise(_) => ("imprecise", Span::NONE),
        };
        json!({ "kind": kind, "text": caveat.to_string(), "place": span_json(self.task.program, place) })
    }
}

/// The verdict must stay on one line, whatever the words in it.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
