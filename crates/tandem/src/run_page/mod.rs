//! `report.html`: what a run found out, for people. Takes what is written to other files anyway and decides nothing.

mod drawings;
mod journal;
mod tested;

pub use tested::{Moment, Tested, tested};

use serde_json::Value;
use tandem_artifact::convert::error_targets;
use tandem_artifact::gia::Gia;
use tandem_artifact::{Assumption, Caveat, Trace, VerdictBasis, What};
use tandem_base::Span;
use tandem_cfa::exec::Coverage;
use tandem_cfa::{EdgeId, Program};

use crate::artifacts::Evidence;
use crate::input::Input;
use crate::page::source::{self, Line, State, Step};
use crate::page::{Page, drawing, escape, facts};

/// Steps of a run that can be followed: the first and the last.
const MOST_STEPS: usize = 5000;

/// What the page of a verification shows.
pub struct Verified<'a> {
    pub evidence: &'a Evidence<'a>,
    pub trace: Option<&'a Trace>,
    pub gia: Option<&'a Gia>,
    /// As in `statistics.json`.
    pub summary: &'a Value,
}

/// The page of a verification.
pub fn verified(run: &Verified<'_>) -> String {
    let Evidence { input, task, outcome, .. } = run.evidence;
    let program = task.program;
    let word = run.summary["verdict"].as_str().unwrap_or("UNKNOWN");
    let class = match word {
        "TRUE" => "good",
        "FALSE" => "bad",
        _ => "open",
    };
    let reason = run.summary["reason"].as_str().map_or(String::new(), |reason| format!(" ({reason})"));
    let mut page = Page::new(input.source.file());
    page.lead(&format!(
        "<p><span class=\"verdict {class}\">Verdict: {}</span></p>\n",
        escape(&format!("{word}{reason}"))
    ));
    page.lead(&overview(run));
    page.lead(&basis(program, run.evidence.basis));
    let covered = outcome.violation.as_ref().map(|violation| &violation.run.coverage);
    let errors = error_targets(program, task.error);
    let dead = errors.iter().filter(|_| word == "TRUE").flat_map(|target| target.edges.iter().copied());
    let lines = lines(program, input, covered, &dead.collect::<Vec<_>>());
    let steps = run.trace.map(|trace| steps(program, trace)).unwrap_or_default();
    let key = match word {
        "FALSE" => key(&[("#e9f6e9", "passed by the run to the error")]),
        "TRUE" => key(&[("#e4e6ea", "proved: no run comes here")]),
        _ => String::new(),
    };
    page.section("source", "Source", key + &source::view(&input.original, &lines, &steps));
    page.section("modelled", "Not modelled", caveats(program, &outcome.caveats));
    if !run.summary["journal"].is_null() {
        page.section("plan", "Plan", journal::show(&run.summary["journal"]));
    }
    if let Some(arg) = &outcome.arg {
        let marks =
            self::key(&[("#a5d6a7", "covered"), ("#90caf9", "the error"), ("#fff176", "not looked at any further")]);
        page.section("arg", "Abstract states", marks + &drawing::viewer(&[drawings::states(program, arg)]));
    }
    add_drawings(&mut page, program, covered, run.gia);
    page.section("statistics", "Statistics", statistics(&run.summary["statistics"]));
    page.render()
}

fn overview(run: &Verified<'_>) -> String {
    let Evidence { input, property, .. } = run.evidence;
    let text = |key: &str| escape(run.summary[key].as_str().unwrap_or_default());
    let mut list = vec![
        ("property", escape(&tandem_artifact::format::property_file::write(property))),
        ("data model", escape(&format!("{:?}", input.model).to_uppercase())),
        ("decided by", text("analysis")),
        ("time", format!("{:.2} s", run.summary["time_s"].as_f64().unwrap_or_default())),
    ];
    if let Some(error) = run.summary["error"].as_object() {
        let words = error.get("text").and_then(Value::as_str).unwrap_or_default();
        let line = error.get("place").and_then(|place| place["line"].as_u64());
        let link = line.map_or(String::new(), |line| format!(" in <a href=\"#L{line}\">line {line}</a>"));
        list.push(("error", escape(words.strip_prefix("error: ").unwrap_or(words)) + &link));
    }
    facts(&list)
}

fn key(colours: &[(&str, &str)]) -> String {
    let one = |(colour, words): &(&str, &str)| {
        format!("<span class=\"key\"><i style=\"background:{colour}\"></i>{}</span>", escape(words))
    };
    format!("<p>{}</p>\n", colours.iter().map(one).collect::<String>())
}

/// What is known about the lines: passed by the run, or proved to be never reached.
fn lines(program: &Program, input: &Input, covered: Option<&Coverage>, dead: &[EdgeId]) -> Vec<Line> {
    let mut lines = vec![Line::default(); line_count(input)];
    let mut set = |edge: EdgeId, state: State| {
        let line = own_line(program, program.edges[edge].span);
        if let Some(line) = line.and_then(|line| lines.get_mut(line as usize - 1)) {
            line.state = state;
        }
    };
    dead.iter().for_each(|edge| set(*edge, State::Dead));
    if let Some(covered) = covered {
        program.edges.ids().filter(|edge| covered.contains(*edge)).for_each(|edge| set(edge, State::Done));
    }
    lines
}

fn line_count(input: &Input) -> usize {
    input.original.iter().filter(|byte| **byte == b'\n').count() + 1
}

/// The line in the user's file, if it is there.
fn own_line(program: &Program, span: Span) -> Option<u32> {
    if span.is_none() {
        return None;
    }
    let position = program.source.position(span.lo);
    (*position.file == *program.source.file() && position.line > 0).then_some(position.line)
}

/// The steps of a run for the page: the first and the last, if there are very many.
fn steps(program: &Program, trace: &Trace) -> Vec<Step> {
    let (half, total) = (MOST_STEPS / 2, trace.steps.len());
    let kept = trace.steps.iter().enumerate().filter(|(number, _)| *number < half || number + half >= total);
    kept.map(|(number, step)| {
        let is_own = *step.position.file == *program.source.file();
        let left_out = if number + half == total && number > half {
            format!("({} steps are left out) ", total - 2 * half)
        } else {
            String::new()
        };
        let function = &program.functions[step.function].name;
        let change = match &step.what {
            What::Assigned { place, value } => Some((format!("{function}: {place}"), value.to_string())),
            What::Entered { .. }
            | What::Returned { .. }
            | What::Branch { .. }
            | What::Input { .. }
            | What::Uninitialised { .. }
            | What::Omitted { .. }
            | What::End { .. } => None,
        };
        Step {
            line: if is_own { step.position.line } else { 0 },
            depth: step.depth,
            what: format!("{left_out}{}", step.what),
            change,
        }
    })
    .collect()
}

/// What the verdict rests on, with places that can be jumped to.
fn basis(program: &Program, basis: &VerdictBasis) -> String {
    let link = |(name, at): (&str, Option<&Span>)| match at.and_then(|at| own_line(program, *at)) {
        Some(line) => format!("<a href=\"#L{line}\">{}</a>", escape(name)),
        None => escape(name),
    };
    let assumption = |assumption: &Assumption| {
        let places = assumption.places.iter();
        let links: Vec<String> = match assumption.names.is_empty() {
            true => places
                .filter_map(|at| own_line(program, *at).map(|line| (line, at)))
                .map(|(line, at)| link((&format!("line {line}"), Some(at))))
                .collect(),
            false => assumption
                .names
                .iter()
                .enumerate()
                .map(|(number, name)| link((name, assumption.places.get(number))))
                .collect(),
        };
        let links = if links.is_empty() { String::new() } else { format!(": {}", links.join(", ")) };
        format!("<li>Assuming: {}{links}</li>\n", escape(assumption.kind.text()))
    };
    let notes = basis.notes.iter().map(|note| format!("<li>{}</li>\n", escape(&note.to_string())));
    let items: String = notes.chain(basis.assumptions.iter().map(assumption)).collect();
    if items.is_empty() { String::new() } else { format!("<ul class=\"basis\">\n{items}</ul>\n") }
}

/// Why a search was no proof, with places that can be jumped to.
fn caveats(program: &Program, caveats: &[Caveat]) -> String {
    if caveats.is_empty() {
        return "<p>Nothing was met that is not modelled.</p>".into();
    }
    let row = |caveat: &Caveat| {
        let at = match caveat {
            Caveat::Unsupported { at, .. } | Caveat::Undefined { at, .. } => *at,
            Caveat::Solver(_) | Caveat::Bound(_) | Caveat::NotReplayed(_) | Caveat::Imprecise(_) => Span::NONE,
        };
        let place = match own_line(program, at) {
            Some(line) => format!("<a href=\"#L{line}\">line {line}</a>"),
            None if at.is_none() => String::new(),
            None => escape(&program.source.position(at.lo).to_string()),
        };
        format!("<tr><td>{place}</td><td>{}</td></tr>\n", escape(&caveat.to_string()))
    };
    let rows: String = caveats.iter().map(row).collect();
    format!("<div class=\"scroll\"><table><tr><th>where</th><th>what</th></tr>\n{rows}</table></div>")
}

fn add_drawings(page: &mut Page, program: &Program, covered: Option<&Coverage>, gia: Option<&Gia>) {
    if let Some(gia) = gia {
        let marks = key(&[("#a5d6a7", "unreachable"), ("#90caf9", "reached"), ("#fff176", "candidate")]);
        let body = match drawings::exchange(program, gia) {
            Some(drawing) => marks + &drawing::viewer(&[drawing]),
            None => format!("<p>It has {} states, too many for a drawing: see gia.yml.</p>", gia.states().len()),
        };
        page.section("gia", "Exchange automaton", body);
    }
    let (functions, omitted) = drawings::functions(program, covered);
    let mut body = drawing::viewer(&functions);
    if !omitted.is_empty() {
        let names = omitted.iter().take(30).map(String::as_str).collect::<Vec<_>>().join(", ");
        body +=
            &format!("<p class=\"faint\">Not drawn, because they are too large or too many: {}</p>", escape(&names));
    }
    page.section("cfa", "Control flow", body);
}

fn statistics(counters: &Value) -> String {
    let rows: String = counters
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| {
            format!("<tr><td>{}</td><td class=\"n\">{}</td></tr>\n", escape(name), escape(&value.to_string()))
        })
        .collect();
    format!("<div class=\"scroll\"><table>{rows}</table></div>")
}
