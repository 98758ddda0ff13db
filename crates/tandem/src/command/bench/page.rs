//! The page of a run, and that of two: what is wrong first, then the table of sets, the plots, and every task.

use serde_json::{Value, json};

use super::answer::{Mark, word};
use super::compare::Pair;
use super::matrix::rows;
use super::saved::{Record, Saved};
use super::table::HEADER;
use crate::page::plot::{Point, quantile, scatter};
use crate::page::table::{Column, Table};
use crate::page::{Page, escape};

/// The page of one run.
pub fn write(run: &Saved) -> String {
    let mut page = Page::new(format!("Benchmark: {}", run.setting()));
    page.lead(&alarms(&[run]));
    page.lead(&summary(run));
    page.section("sets", "Sets", sets(run));
    let solved = [("solved".to_string(), times(run, None))];
    let kinds = [
        ("proved".to_string(), times(run, Some(Mark::SolvedTrue))),
        ("refuted".to_string(), times(run, Some(Mark::SolvedFalse))),
    ];
    let plots = [quantile(&solved, limit(run)), quantile(&kinds, limit(run))];
    page.section("plots", "Plots", side_by_side(&plots));
    page.section("tasks", "Tasks", tasks(run));
    page.render()
}

/// The page of two runs.
pub fn compare(first: &Saved, second: &Saved, pairs: &[Pair<'_>]) -> String {
    let mut page = Page::new(format!("{} and {}", first.name, second.name));
    page.lead(&alarms(&[first, second]));
    for pair in pairs.iter().filter(|pair| pair.contradicts()) {
        page.lead(&format!(
            "<p class=\"alarm\">The runs contradict each other about {}.</p>",
            escape(&pair.first.name)
        ));
    }
    for run in [first, second] {
        page.lead(&format!("<p><b>{}</b>: {}</p>", escape(&run.name), escape(&run.setting())));
        page.lead(&summary(run));
    }
    let limit = limit(first).max(limit(second));
    let points: Vec<Point> = pairs.iter().filter_map(|pair| point(pair, limit)).collect();
    let series = [first, second].map(|run| (run.name.clone(), times(run, None)));
    let plots = [scatter(&points, &first.name, &second.name, limit), quantile(&series, limit)];
    let words = "<p class=\"faint\">Each point is a task that one of the runs solves; green proved, orange refuted; at the edge, the other run does not solve it. \
                 Below the diagonal the second is quicker; dashed: ten times.</p>";
    page.section("plots", "Plots", side_by_side(&plots) + words);
    page.section("tasks", "Tasks", pair_table(pairs));
    page.render()
}

fn side_by_side(plots: &[String]) -> String {
    let plots: String = plots.iter().map(|plot| format!("<div class=\"plot\">{plot}</div>")).collect();
    format!("<div class=\"plots\">{plots}</div>")
}

/// Every wrong verdict, loud.
fn alarms(runs: &[&Saved]) -> String {
    let mut text = String::new();
    for run in runs {
        for record in run.wrong() {
            let (said, expected) = (word(record.answer.verdict), word(record.expected));
            let who = if runs.len() > 1 { format!("{}: ", run.name) } else { String::new() };
            let words =
                format!("{who}{} says {said}, expected is {expected} ({})", record.name, record.answer.analysis);
            text += &format!("<p class=\"alarm\"><b>WRONG</b> {}</p>\n", escape(&words));
        }
    }
    text
}

fn summary(run: &Saved) -> String {
    let solved = run.records.iter().filter(|record| record.mark().is_solved()).count();
    let (total, wrong) = (run.records.len(), run.wrong().count());
    let class = if wrong == 0 { "good" } else { "bad" };
    let planned = run.report["planned"].as_u64().unwrap_or(total as u64);
    let cut = if planned > total as u64 {
        format!(", stopped before {} more", planned - total as u64)
    } else {
        String::new()
    };
    format!("<p><span class=\"verdict {class}\">{solved} of {total} solved, {wrong} wrong{cut}</span></p>\n")
}

fn sets(run: &Saved) -> String {
    let rows = rows(run);
    let header: String = HEADER.iter().map(|title| format!("<th class=\"n\">{title}</th>")).collect();
    let body: String = rows
        .iter()
        .map(|row| {
            let cells: String =
                row.cells().iter().map(|cell| format!("<td class=\"n\">{}</td>", escape(cell))).collect();
            let class = if row.count(Mark::Wrong) > 0 { " class=\"wrong\"" } else { "" };
            format!("<tr{class}>{cells}</tr>\n")
        })
        .collect();
    format!("<div class=\"scroll sets\"><table><tr>{header}</tr>\n{body}</table></div>")
}

fn class(mark: Mark) -> &'static str {
    match mark {
        Mark::Wrong => "wrong",
        Mark::SolvedTrue => "proved",
        Mark::SolvedFalse => "refuted",
        Mark::TimeLimit | Mark::Unsupported | Mark::Other => "",
    }
}

fn tasks(run: &Saved) -> String {
    let mut table = Table::new(&[
        ("set", Column::Choice, 20),
        ("task", Column::Text, 52),
        ("expected", Column::Choice, 11),
        ("verdict", Column::Choice, 11),
        ("status", Column::Choice, 13),
        ("time s", Column::Number(2), 10),
        ("by", Column::Choice, 14),
        ("reason", Column::Text, 40),
    ]);
    for record in &run.records {
        let output =
            run.report["tasks"].as_array().is_some_and(|tasks| tasks.iter().any(|task| task["output"].is_string()));
        let name =
            if output { json!([record.name, format!("{}/report.html", record.name)]) } else { json!(record.name) };
        table.row(class(record.mark()), cells(record, name));
    }
    table.render()
}

fn cells(record: &Record, name: Value) -> Vec<Value> {
    vec![
        json!(record.set),
        name,
        json!(record.expected.map_or("", |expected| word(Some(expected)))),
        json!(word(record.answer.verdict)),
        json!(record.mark().word()),
        json!(record.seconds()),
        json!(record.answer.analysis),
        json!(record.answer.reason),
    ]
}

fn pair_table(pairs: &[Pair<'_>]) -> String {
    let mut table = Table::new(&[
        ("set", Column::Choice, 20),
        ("task", Column::Text, 52),
        ("difference", Column::Choice, 14),
        ("first", Column::Choice, 13),
        ("second", Column::Choice, 13),
        ("first s", Column::Number(2), 10),
        ("second s", Column::Number(2), 10),
        ("ratio", Column::Number(2), 9),
    ]);
    for pair in pairs {
        let wrong = pair.first.mark() == Mark::Wrong || pair.second.mark() == Mark::Wrong || pair.contradicts();
        table.row(
            if wrong { "wrong" } else { "" },
            vec![
                json!(pair.first.set),
                json!(pair.first.name),
                json!(pair.difference()),
                json!(pair.first.mark().word()),
                json!(pair.second.mark().word()),
                json!(pair.first.seconds()),
                json!(pair.second.seconds()),
                json!(pair.ratio()),
            ],
        );
    }
    table.render()
}

/// What one of them solves; what is not solved took too long.
fn point(pair: &Pair<'_>, limit: f64) -> Option<Point> {
    let time = |record: &Record| if record.mark().is_solved() { record.seconds() } else { limit };
    let solver = [pair.first, pair.second].into_iter().find(|record| record.mark().is_solved())?;
    let colour = if solver.mark() == Mark::SolvedTrue { "#2b7d3b" } else { "#c2571a" };
    Some(Point { x: time(pair.first), y: time(pair.second), title: pair.first.name.clone(), colour })
}

/// The times of what is solved, or of what is solved in one way.
fn times(run: &Saved, kind: Option<Mark>) -> Vec<f64> {
    let wanted = |mark: Mark| kind.map_or(mark.is_solved(), |kind| mark == kind);
    run.records.iter().filter(|record| wanted(record.mark())).map(Record::seconds).collect()
}

fn limit(run: &Saved) -> f64 {
    run.report["time_limit_s"].as_f64().unwrap_or(20.0)
}
