//! What a verification found, as SARIF 2.1.0: the file that editors and code-scanning views read.
//!
//! A violation is a result with a code flow, step by step with values. What was not modelled, and every other reason not to know, is a
//! notification: it is about the tool, not about the program; so is what a verdict rests on. A proof has no result. Writes text, reads no file.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tandem_base::{Position, Span};
use tandem_cfa::{EdgeId, Program};

use crate::{Assumption, Caveat, Step, Trace, Verdict, VerdictBasis, What};

/// Code-scanning views refuse longer flows; nobody reads them either.
const LONGEST_FLOW: usize = 1000;

/// What is written.
pub struct Report<'a> {
    pub program: &'a Program,
    /// The user's file as it is.
    pub text: &'a [u8],
    pub version: &'a str,
    pub verdict: &'a Verdict,
    pub caveats: &'a [Caveat],
    pub basis: &'a VerdictBasis,
    pub violation: Option<Alarm<'a>>,
    pub exit_status: i32,
}

/// A violation, told.
pub struct Alarm<'a> {
    /// What happens at the end, such as `reach_error is called`.
    pub text: &'a str,
    pub edge: Option<EdgeId>,
    pub trace: &'a Trace,
}

/// A verification that could not begin: `place` is a file, a line and a column.
pub fn failure(version: &str, message: &str, file: &str, place: Option<(u32, u32)>) -> String {
    let mut physical = json!({ "artifactLocation": { "uri": uri(file) } });
    if let Some((line, column)) = place {
        physical["region"] = json!({ "startLine": line, "startColumn": column });
    }
    let notification = notification("bad-input", "error", message, vec![json!({ "physicalLocation": physical })]);
    let invocation = json!({
        "executionSuccessful": false,
        "exitCode": 2,
        "toolConfigurationNotifications": [notification],
    });
    document(json!({ "tool": tool(version), "invocations": [invocation], "results": [] }))
}

pub fn write(report: &Report<'_>) -> String {
    let mut writer =
        Writer { report, lines: report.text.split(|byte| *byte == b'\n').collect(), files: BTreeMap::new() };
    writer.file(report.program.source.file());
    let results: Vec<Value> = report.violation.iter().map(|alarm| writer.result(alarm)).collect();
    let mut notifications: Vec<Value> = report.caveats.iter().map(|caveat| writer.caveat(caveat)).collect();
    if let (Verdict::Unknown(reason), true) = (report.verdict, notifications.is_empty()) {
        notifications.push(notification("unknown", "warning", &format!("no verdict: {reason}"), Vec::new()));
    }
    notifications
        .extend(report.basis.notes.iter().map(|note| notification("note", "note", &note.to_string(), Vec::new())));
    notifications.extend(report.basis.assumptions.iter().map(|assumption| writer.assumption(assumption)));
    let verdict = match report.verdict {
        Verdict::True => "TRUE",
        Verdict::False => "FALSE",
        Verdict::Unknown(_) => "UNKNOWN",
    };
    let invocation = json!({
        "executionSuccessful": true,
        "exitCode": report.exit_status,
        "toolExecutionNotifications": notifications,
    });
    document(json!({
        "tool": tool(report.version),
        "invocations": [invocation],
        "artifacts": writer.artifacts(),
        "columnKind": "unicodeCodePoints",
        "results": results,
        "properties": { "verdict": verdict },
    }))
}

fn document(run: Value) -> String {
    let document = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    });
    format!("{document:#}\n")
}

/// The kinds of notifications, and what they mean.
const NOTIFICATIONS: [(&str, &str); 9] = [
    ("unsupported", "The program does something that is not modelled; nothing is proved beyond that place."),
    (
        "undefined-behaviour",
        "A run was found whose behaviour C does not define; it is neither an error nor part of a proof.",
    ),
    ("solver", "The solver gave up."),
    ("bound", "A bound of the analysis was reached."),
    ("imprecise", "The analysis is not precise enough to decide, or an alarm could not be replayed."),
    ("unknown", "There is no verdict, for the reason given."),
    ("bad-input", "The input cannot be analysed."),
    ("assumption", "The verdict rests on this; if it is not so, the verdict may be wrong."),
    ("note", "Something about the verdict that is worth knowing."),
];

fn tool(version: &str) -> Value {
    let notifications = NOTIFICATIONS.map(|(id, text)| json!({ "id": id, "shortDescription": { "text": text } }));
    let rule = json!({
        "id": "unreach-call",
        "name": "ErrorReachable",
        "shortDescription": { "text": "An error can be reached" },
        "fullDescription": {
            "text": "Some run of the program calls an error function, or an assertion fails. The run was replayed step by step."
        },
        "help": {
            "text": "Follow the code flow: it shows the inputs, the branches taken and the values on the way to the error."
        },
        "defaultConfiguration": { "level": "error" },
    });
    json!({ "driver": { "name": "tandem", "version": version, "rules": [rule], "notifications": notifications } })
}

fn notification(id: &str, level: &str, text: &str, locations: Vec<Value>) -> Value {
    let index = NOTIFICATIONS.iter().position(|(known, _)| *known == id);
    let mut value = json!({
        "descriptor": { "id": id, "index": index },
        "level": level,
        "message": { "text": text },
    });
    if !locations.is_empty() {
        value["locations"] = json!(locations);
    }
    value
}

struct Writer<'a> {
    report: &'a Report<'a>,
    /// Of the user's file.
    lines: Vec<&'a [u8]>,
    /// Files that are named, and their numbers.
    files: BTreeMap<String, usize>,
}

impl Writer<'_> {
    fn file(&mut self, name: &str) -> usize {
        let next = self.files.len();
        *self.files.entry(name.to_string()).or_insert(next)
    }

    fn artifacts(&self) -> Vec<Value> {
        let mut files: Vec<(&String, usize)> = self.files.iter().map(|(name, index)| (name, *index)).collect();
        files.sort_by_key(|(_, index)| *index);
        let own = self.report.program.source.file();
        let artifact = |(name, _): (&String, usize)| {
            let mut artifact = json!({ "location": { "uri": uri(name) }, "sourceLanguage": "c" });
            if name == own {
                artifact["length"] = json!(self.report.text.len());
                artifact["hashes"] = json!({ "sha-256": crate::sha256_hex(self.report.text) });
            }
            artifact
        };
        files.into_iter().map(artifact).collect()
    }

    /// Our columns are bytes, those of SARIF are characters.
    fn column(&self, position: &Position) -> usize {
        let bytes = position.column.saturating_sub(1) as usize;
        let is_own = *position.file == *self.report.program.source.file();
        let line = self.lines.get(position.line.saturating_sub(1) as usize).filter(|_| is_own);
        match line.and_then(|line| line.get(..bytes)) {
            Some(before) => String::from_utf8_lossy(before).chars().count() + 1,
            None => bytes + 1,
        }
    }

    fn physical(&mut self, position: &Position) -> Value {
        let index = self.file(&position.file);
        json!({
            "artifactLocation": { "uri": uri(&position.file), "index": index },
            "region": { "startLine": position.line.max(1), "startColumn": self.column(position) },
        })
    }

    fn span(&mut self, span: Span) -> Vec<Value> {
        if span.is_none() {
            return Vec::new();
        }
        let position = self.report.program.source.position(span.lo);
        vec![json!({ "physicalLocation": self.physical(&position) })]
    }

    fn result(&mut self, alarm: &Alarm<'_>) -> Value {
        let program = self.report.program;
        let edge = alarm.edge.and_then(|edge| program.edges.get(edge));
        let at = edge.map_or(Span::NONE, |edge| edge.span);
        let mut locations = self.span(at);
        if let (Some(location), Some(edge)) = (locations.first_mut(), alarm.edge) {
            let function = &program.functions[program.function_of(edge)].name;
            location["logicalLocations"] = json!([{ "name": function, "kind": "function" }]);
        }
        let mut result = json!({
            "ruleId": "unreach-call",
            "ruleIndex": 0,
            "kind": "fail",
            "level": "error",
            "message": { "text": alarm.text },
            "locations": locations,
        });
        let steps = self.flow(alarm.trace);
        if !steps.is_empty() {
            result["codeFlows"] = json!([{ "threadFlows": [{ "locations": steps }] }]);
        }
        result
    }

    /// The first and the last steps of the trace.
    fn flow(&mut self, trace: &Trace) -> Vec<Value> {
        let half = LONGEST_FLOW / 2;
        let (total, mut locations) = (trace.steps.len(), Vec::new());
        for (number, step) in trace.steps.iter().enumerate() {
            if number >= half && number + half < total {
                continue;
            }
            let left_out = if number + half == total && number > half { total - 2 * half } else { 0 };
            locations.push(self.step(number, step, left_out));
        }
        locations
    }

    fn step(&mut self, number: usize, step: &Step, left_out: usize) -> Value {
        let text = match left_out {
            0 => step.what.to_string(),
            count => format!("({count} steps are left out) {}", step.what),
        };
        json!({
            "executionOrder": number + 1,
            "nestingLevel": step.depth.saturating_sub(1),
            "importance": importance(&step.what),
            "location": { "physicalLocation": self.physical(&step.position), "message": { "text": text } },
        })
    }

    fn assumption(&mut self, assumption: &Assumption) -> Value {
        let locations: Vec<Value> = assumption.places.iter().flat_map(|at| self.span(*at)).collect();
        let mut value = notification("assumption", "note", &format!("assuming: {assumption}"), locations);
        value["properties"] = json!({ "kind": assumption.kind.word(), "names": assumption.names });
        value
    }

    fn caveat(&mut self, caveat: &Caveat) -> Value {
        let (id, at) = match caveat {
            Caveat::Unsupported { at, .. } => ("unsupported", *at),
            Caveat::Undefined { at, .. } => ("undefined-behaviour", *at),
            Caveat::Solver(_) => ("solver", Span::NONE),
            Caveat::Bound(_) => ("bound", Span::NONE),
            Caveat::NotReplayed(_) | Caveat::Imprecise(_) => ("imprecise", Span::NONE),
        };
        let locations = self.span(at);
        notification(id, "warning", &caveat.to_string(), locations)
    }
}

/// A viewer may fold what is not essential.
fn importance(what: &What) -> &'static str {
    match what {
        What::Input { .. } | What::Uninitialised { .. } | What::Branch { .. } | What::End { .. } => "essential",
        What::Entered { .. } | What::Returned { .. } | What::Assigned { .. } | What::Omitted { .. } => "important",
    }
}

/// A file name as a reference: absolute names as `file:` addresses, others as they are, with what is not allowed there escaped.
fn uri(file: &str) -> String {
    let mut uri = if file.starts_with('/') { "file://".to_string() } else { String::new() };
    for byte in file.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(byte as char),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_base::{Budget, SourceText};
    use tandem_cfa::exec::{End, Machine, Options, Zeros};

    const BUG: &str = "extern void reach_error(void);\nint main(void) {\n  int x = 3; /* \u{e4}\u{e4} */ x = x + 1;\n  reach_error();\n}\n";

    fn report_of(text: &str, caveats: &[Caveat], basis: &VerdictBasis) -> Value {
        let source = SourceText::plain("a b.c", text.as_bytes());
        let program = tandem_cfa::build(source, tandem_cfa::DataModel::Lp64).program.unwrap();
        let options = Options { error_functions: vec!["reach_error".into()], trace: Some(100), ..Options::default() };
        let run = Machine::new(&program, options).run(&mut Zeros, &Budget::unlimited());
        let trace = Trace::of(&program, &run);
        let edge = match run.end {
            End::ErrorReached { edge, .. } => Some(edge),
            _ => None,
        };
        let verdict = if edge.is_some() { Verdict::False } else { Verdict::Unknown("bound".into()) };
        let violation = edge.map(|_| Alarm { text: "reach_error is called", edge, trace: &trace });
        let text = write(&Report {
            program: &program,
            text: text.as_bytes(),
            version: "1.2.3",
            verdict: &verdict,
            caveats,
            basis,
            violation,
            exit_status: 1,
        });
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn a_violation_has_a_flow_with_values() {
        let run = report_of(BUG, &[], &VerdictBasis::default())["runs"][0].clone();
        let result = &run["results"][0];
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["region"], json!({ "startLine": 4, "startColumn": 3 }));
        assert_eq!(place["artifactLocation"], json!({ "uri": "a%20b.c", "index": 0 }));
        let steps = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap();
        let texts: Vec<&str> = steps.iter().map(|step| step["location"]["message"]["text"].as_str().unwrap()).collect();
        assert_eq!(texts, ["x = 3", "x = 4", "the error: reach_error is called"]);
        // Columns count characters: two bytes are one there.
        assert_eq!(steps[1]["location"]["physicalLocation"]["region"]["startColumn"], 23);
        assert_eq!(run["tool"]["driver"]["rules"][0]["id"], result["ruleId"]);
    }

    #[test]
    fn what_is_not_modelled_is_a_notification() {
        let caveat = Caveat::Unsupported { what: "setjmp".into(), at: Span::new(31, 34) };
        let text = "extern void reach_error(void);\nint main(void) { return 0; }\n";
        let run = report_of(text, &[caveat], &VerdictBasis::default())["runs"][0].clone();
        assert_eq!(run["results"], json!([]));
        let notification = &run["invocations"][0]["toolExecutionNotifications"][0];
        assert_eq!(notification["descriptor"]["id"], "unsupported");
        assert_eq!(notification["locations"][0]["physicalLocation"]["region"]["startLine"], 2);
    }

    #[test]
    fn what_a_verdict_rests_on_is_a_notification() {
        let kind = crate::AssumptionKind::FunctionsWithoutBody { pointers: false };
        let assumption = Assumption { kind, names: vec!["reach_error".into()], places: vec![Span::new(0, 3)] };
        let basis = VerdictBasis { assumptions: vec![assumption], notes: vec![crate::VerdictNote::DefinedRun] };
        let run = report_of(BUG, &[], &basis)["runs"][0].clone();
        let notifications = run["invocations"][0]["toolExecutionNotifications"].as_array().unwrap();
        assert_eq!(notifications.len(), 2);
        let about = &notifications[1];
        assert_eq!((&about["descriptor"]["id"], &about["level"]), (&"assumption".into(), &"note".into()));
        assert_eq!(about["locations"][0]["physicalLocation"]["region"]["startLine"], 1);
        let index = about["descriptor"]["index"].as_u64().unwrap() as usize;
        assert_eq!(run["tool"]["driver"]["notifications"][index]["id"], "assumption");
    }

    #[test]
    fn names_of_files_are_references() {
        assert_eq!(uri("/tmp/a b.c"), "file:///tmp/a%20b.c");
        assert_eq!(uri("src/x+y.c"), "src/x%2By.c");
    }
}
