//! What came of a job. Spans are offsets into the text that the job names; they mean the same on both sides.

use serde::{Deserialize, Serialize};
use tandem_base::{Span, StopReason};
use tandem_cfa::FunctionId;

use crate::{Caveat, Invariant, SolverGap};

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// Wall time that the work took, in milliseconds.
    pub time_ms: u64,
    pub said: Said,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Said {
    Checked(Checked),
    Tested(Tested),
    /// What is known so far: the job goes on, and its answer says this as well.
    Testing(Tested),
    Nothing,
    /// The job was not begun or did not come to its end, and why.
    Failed(String),
    /// Whoever took the job was gone before the end, so many times: nobody takes it again.
    Poison(u64),
}

/// What an analysis said about a range.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checked {
    pub found: Found,
    /// Why it is not known, in words for people.
    pub reason: Option<String>,
    /// Who decided.
    pub analysis: String,
    pub caveats: Vec<SaidCaveat>,
    pub invariants: Vec<SaidInvariant>,
    /// Whether it was made sure that no run leaves an object.
    pub in_bounds: bool,
    /// Whether the time was over.
    pub is_late: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Found {
    Proof,
    /// All inputs of the run that violates the property, as hexadecimal numbers. Believed when the run was seen.
    Violation(Vec<String>),
    Unknown,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SaidCaveat {
    kind: CaveatKind,
    text: String,
    at: Option<(u32, u32)>,
    /// With a caveat of a solver: why it was stopped, if it was. Without it the text says why there is no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stopped: Option<SaidStopReason>,
}

/// [`StopReason`] in an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SaidStopReason {
    Time,
    Memory,
    Cancelled,
    Steps,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum CaveatKind {
    Unsupported,
    Undefined,
    Solver,
    Bound,
    NotReplayed,
    Imprecise,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SaidInvariant {
    pub function: u32,
    pub at: (u32, u32),
    pub value: String,
}

/// What became of goals.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tested {
    pub tests: Vec<SaidTest>,
    /// Goals that no run reaches, and who says so.
    pub unreachable: Vec<(u32, String)>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SaidTest {
    /// The values of input functions, as hexadecimal numbers.
    pub inputs: Vec<String>,
    /// After how many edges its run may be stopped.
    pub steps: u64,
    pub by: String,
}

impl Answer {
    pub fn failed(why: impl Into<String>) -> Answer {
        Answer { time_ms: 0, said: Said::Failed(why.into()) }
    }

    pub fn write(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }
}

/// A value in hexadecimal, and back.
fn hexadecimal(bits: u128) -> String {
    format!("{bits:x}")
}

impl Found {
    pub fn violation(inputs: impl Iterator<Item = u128>) -> Found {
        Found::Violation(inputs.map(hexadecimal).collect())
    }
}

impl SaidTest {
    pub fn new(inputs: &[u128], steps: u64, by: &str) -> SaidTest {
        SaidTest { inputs: inputs.iter().copied().map(hexadecimal).collect(), steps, by: by.to_string() }
    }

    pub fn values(&self) -> Vec<u128> {
        values(&self.inputs)
    }
}

/// Values that [`Answer::read`] has looked at.
pub fn values(inputs: &[String]) -> Vec<u128> {
    inputs.iter().map(|text| u128::from_str_radix(text, 16).unwrap_or(0)).collect()
}

impl SaidCaveat {
    pub fn new(caveat: &Caveat) -> SaidCaveat {
        let place = |span: &Span| (!span.is_none()).then_some((span.lo, span.hi));
        let (kind, text, at) = match caveat {
            Caveat::Unsupported { what, at } => (CaveatKind::Unsupported, what.clone(), place(at)),
            Caveat::Undefined { what, at } => (CaveatKind::Undefined, what.clone(), place(at)),
            Caveat::Solver(gap) => (CaveatKind::Solver, gap.to_string(), None),
            Caveat::Bound(text) => (CaveatKind::Bound, text.clone(), None),
            Caveat::NotReplayed(text) => (CaveatKind::NotReplayed, text.clone(), None),
            Caveat::Imprecise(text) => (CaveatKind::Imprecise, text.clone(), None),
        };
        let stopped = if let Caveat::Solver(SolverGap::Stopped(reason)) = caveat { Some(*reason) } else { None };
        let stopped = stopped.map(SaidStopReason::new);
        SaidCaveat { kind, text: text.chars().take(1000).collect(), at, stopped }
    }

    /// A place behind the text is none.
    pub fn caveat(&self, text_length: u32) -> Caveat {
        let at = span(self.at, text_length).unwrap_or(Span::NONE);
        let text = self.text.clone();
        match self.kind {
            CaveatKind::Unsupported => Caveat::Unsupported { what: text, at },
            CaveatKind::Undefined => Caveat::Undefined { what: text, at },
            CaveatKind::Solver => Caveat::Solver(match self.stopped {
                Some(stopped) => SolverGap::Stopped(stopped.reason()),
                None => SolverGap::Incomplete(text),
            }),
            CaveatKind::Bound => Caveat::Bound(text),
            CaveatKind::NotReplayed => Caveat::NotReplayed(text),
            CaveatKind::Imprecise => Caveat::Imprecise(text),
        }
    }
}

impl SaidStopReason {
    fn new(reason: StopReason) -> SaidStopReason {
        match reason {
            StopReason::Time => SaidStopReason::Time,
            StopReason::Memory => SaidStopReason::Memory,
            StopReason::Cancelled => SaidStopReason::Cancelled,
            StopReason::Steps => SaidStopReason::Steps,
        }
    }

    fn reason(self) -> StopReason {
        match self {
            SaidStopReason::Time => StopReason::Time,
            SaidStopReason::Memory => StopReason::Memory,
            SaidStopReason::Cancelled => StopReason::Cancelled,
            SaidStopReason::Steps => StopReason::Steps,
        }
    }
}

impl SaidInvariant {
    pub fn new(invariant: &Invariant) -> SaidInvariant {
        let Invariant { function, at, value } = invariant;
        SaidInvariant { function: function.0, at: (at.lo, at.hi), value: value.clone() }
    }

    /// Nothing if there is no such function or place.
    pub fn invariant(&self, functions: usize, text_length: u32) -> Option<Invariant> {
        if self.function as usize >= functions {
            return None;
        }
        let at = span(Some(self.at), text_length)?;
        Some(Invariant { function: FunctionId(self.function), at, value: self.value.clone() })
    }
}

fn span(at: Option<(u32, u32)>, text_length: u32) -> Option<Span> {
    let (lo, hi) = at?;
    (lo <= hi && hi <= text_length).then(|| Span::new(lo, hi))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let caveat = Caveat::Unsupported { what: "setjmp".into(), at: Span::new(3, 9) };
        let checked = Checked {
            found: Found::violation([0, u128::MAX, 0xff].into_iter()),
            reason: None,
            analysis: "bmc".into(),
            caveats: vec![SaidCaveat::new(&caveat)],
            invariants: vec![SaidInvariant { function: 2, at: (1, 5), value: "x >= 0".into() }],
            in_bounds: true,
            is_late: false,
        };
        let answer = Answer { time_ms: 12, said: Said::Checked(checked.clone()) };
        assert_eq!(Answer::read(&answer.write()), Ok(answer));
        let Found::Violation(inputs) = &checked.found else { panic!("a violation") };
        assert_eq!(values(inputs), [0, u128::MAX, 0xff]);
        assert_eq!(checked.caveats[0].caveat(9), caveat);
        assert_eq!(checked.caveats[0].caveat(8), Caveat::Unsupported { what: "setjmp".into(), at: Span::NONE });
        assert!(checked.invariants[0].invariant(3, 5).is_some());
        assert!(checked.invariants[0].invariant(2, 5).is_none() && checked.invariants[0].invariant(3, 4).is_none());
    }

    /// A stop reason stays a value on its way; words of a solver that read like one do not become one.
    #[test]
    fn stop_reasons_of_solvers_are_read_back_as_values() {
        let reasons = [StopReason::Time, StopReason::Memory, StopReason::Cancelled, StopReason::Steps];
        let gaps = reasons.map(SolverGap::Stopped).into_iter().chain([SolverGap::Incomplete("time limit".into())]);
        for caveat in gaps.map(Caveat::Solver) {
            let text = serde_json::to_string(&SaidCaveat::new(&caveat)).unwrap();
            let read: SaidCaveat = serde_json::from_str(&text).unwrap();
            assert_eq!(read.caveat(0), caveat, "{text}");
        }
        let old = serde_json::from_str::<SaidCaveat>(r#"{"kind":"solver","text":"too hard","at":null}"#).unwrap();
        assert_eq!(old.caveat(0), Caveat::Solver(SolverGap::Incomplete("too hard".into())));
    }

    #[test]
    fn answers_that_no_honest_worker_gives_are_refused() {
        let read = |inputs: &str| {
            Answer::read(
                format!("{{\"time_ms\":1,\"said\":{{\"tested\":{{\"tests\":[{{\"inputs\":[{inputs}],\"steps\":9,\"by\":\"tester\"}}],\"unreachable\":[]}}}}}}")
                    .as_bytes(),
            )
        };
        assert!(read("\"ff\"").is_ok());
        assert!(read("\"xyz\"").is_err() && read("\"\"").is_err() && read("7").is_err());
        assert!(read("\"1ffffffffffffffffffffffffffffffff\"").is_err());
        assert!(Answer::read(b"{\"time_ms\":-1,\"said\":\"nothing\"}").is_err());
        assert!(Answer::read(b"{\"time_ms\":1,\"said\":\"nothing\"}").is_ok());
    }
}
