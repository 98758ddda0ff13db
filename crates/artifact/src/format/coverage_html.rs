//! Coverage as a page: the source with the number of tests for each line, and each goal as covered, proved unreachable or open.
//! One file, without scripts and without anything from elsewhere.

use std::collections::BTreeMap;
use std::fmt::Write;

use quick_xml::escape::escape;

use super::coverage::{CoverageReport, GoalMark, GoalState};

const STYLE: &str = "body{font:14px/1.5 system-ui,sans-serif;margin:2em;color:#1a1a1a;background:#fff}\
h1{font-size:1.2em}table{border-collapse:collapse;font:13px/1.45 ui-monospace,monospace}\
td{padding:0 .7em;white-space:pre;vertical-align:top}td.n{color:#888;text-align:right}td.g{white-space:nowrap}\
tr.done td.t{background:#e9f6e9}tr.never td.t{background:#fdeaea}\
.mark{border-radius:3px;padding:0 .35em;margin-right:.3em}.covered{background:#bfe5bf}.unreachable{background:#d5d5d5}\
.open{background:#f7b9b0}";

pub fn write(report: &CoverageReport) -> String {
    let (covered, unreachable, open) = report.counts();
    let file = escape(report.file.as_str()).into_owned();
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Coverage of {file}</title>\
         <style>{STYLE}</style></head>\n<body>\n<h1>Coverage of {file}</h1>\n\
         <p>{} tests. Goals: <span class=\"mark covered\">{covered} covered</span>\
         <span class=\"mark unreachable\">{unreachable} unreachable (proved)</span>\
         <span class=\"mark open\">{open} open</span> of {}.</p>\n<table>\n",
        report.tests,
        report.goals.len()
    );
    let mut goals: BTreeMap<u32, Vec<&GoalMark>> = BTreeMap::new();
    for goal in &report.goals {
        goals.entry(goal.line).or_default().push(goal);
    }
    let lines: BTreeMap<u32, u64> = report.lines.iter().copied().collect();
    for (index, line) in report.text.split(|byte| *byte == b'\n').enumerate() {
        let number = index as u32 + 1;
        let (class, times) = match lines.get(&number) {
            Some(0) => (" class=\"never\"", "0".to_string()),
            Some(times) => (" class=\"done\"", times.to_string()),
            None => ("", String::new()),
        };
        let marks: String = goals.get(&number).into_iter().flatten().map(|goal| mark(goal)).collect();
        let source = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line)).into_owned();
        let _ = writeln!(
            text,
            "<tr{class} id=\"L{number}\"><td class=\"n\">{number}</td><td class=\"n\">{times}</td><td class=\"g\">{marks}</td>\
             <td class=\"t\">{}</td></tr>",
            escape(source.as_str())
        );
    }
    text.push_str("</table>\n</body>\n</html>\n");
    text
}

fn mark(goal: &GoalMark) -> String {
    let (class, title) = match &goal.state {
        GoalState::Covered(times) => ("covered", format!("covered by {times} tests")),
        GoalState::Unreachable(by) => ("unreachable", format!("no run reaches it: proved by {by}")),
        GoalState::Open => ("open", "neither covered nor proved unreachable".to_string()),
    };
    let side = escape(goal.side.as_str());
    format!("<span class=\"mark {class}\" title=\"column {}: {}\">{side}</span>", goal.column, escape(title.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_is_shown_as_text() {
        let goal = |state| GoalMark { line: 1, column: 5, side: "true".into(), state };
        let report = CoverageReport {
            file: "a<b>.c".into(),
            text: b"if (a < b && c) x();\n\xff\n".to_vec(),
            lines: vec![(1, 3)],
            goals: vec![goal(GoalState::Covered(3)), goal(GoalState::Open), goal(GoalState::Unreachable("bmc".into()))],
            tests: 3,
            ..CoverageReport::default()
        };
        let page = write(&report);
        assert!(page.contains("if (a &lt; b &amp;&amp; c) x();") && page.contains("a&lt;b&gt;.c"));
        assert!(page.contains("1 covered") && page.contains("1 unreachable (proved)") && page.contains("1 open"));
        assert!(page.contains("class=\"done\" id=\"L1\"") && page.contains("proved by bmc"));
    }
}
