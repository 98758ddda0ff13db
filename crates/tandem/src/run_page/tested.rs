//! The page of a test generation: the source with what is covered, the goals, who found what, and how it grew.

use std::collections::BTreeSet;

use serde_json::json;
use tandem_artifact::format::coverage::{CoverageReport, GoalState};
use tandem_artifact::gia::Gia;
use tandem_cfa::exec::Coverage;
use tandem_coop::testing::{Board, Status};

use super::{add_drawings, key, line_count, own_line, statistics};
use crate::input::Input;
use crate::page::source::{self, Line, State};
use crate::page::table::{Column, Table};
use crate::page::{Page, escape, plot};

/// How far it was at a time.
pub struct Moment {
    pub at: f64,
    pub covered: usize,
    pub unreachable: usize,
}

pub struct Tested<'a> {
    pub input: &'a Input,
    pub report: &'a CoverageReport,
    pub board: &'a Board<'a>,
    /// The tests that are in the suite, by number.
    pub kept: &'a [usize],
    pub moments: &'a [Moment],
    pub gia: &'a Gia,
}

pub fn tested(run: &Tested<'_>) -> String {
    let (covered, unreachable, open) = run.board.counts();
    let mut page = Page::new(run.input.source.file());
    let class = if open == 0 { "good" } else { "open" };
    let words = format!(
        "{covered} covered, {unreachable} unreachable, {open} open of {} goals, {} tests",
        run.board.goals.len(),
        run.kept.len()
    );
    page.lead(&format!("<p><span class=\"verdict {class}\">Coverage: {words}</span></p>\n"));
    let colours =
        key(&[("#e9f6e9", "done by a test"), ("#fdeaea", "done by none"), ("#e4e6ea", "proved: no run comes here")]);
    page.section("source", "Source", colours + &source::view(&run.input.original, &lines(run), &[]));
    page.section("goals", "Goals", goals(run));
    page.section("course", "Who found what", course(run));
    let mut passed = Coverage::new(run.board.program.edges.len());
    for test in run.kept.iter().map(|index| &run.board.tests[*index]) {
        passed.merge(&test.covered);
    }
    add_drawings(&mut page, run.board.program, Some(&passed), Some(run.gia));
    let counters = run.board.counters;
    let counters = json!({
        "runs": counters.runs, "questions": counters.questions, "answers": counters.answers,
        "questions given up": counters.gave_up, "runs that went elsewhere": counters.diverged,
    });
    page.section("statistics", "Statistics", statistics(&counters));
    page.render()
}

fn lines(run: &Tested<'_>) -> Vec<Line> {
    let mut lines = vec![Line::default(); line_count(run.input)];
    for (number, times) in &run.report.lines {
        if let Some(line) = lines.get_mut(*number as usize - 1) {
            line.times = Some(*times);
            line.state = if *times > 0 { State::Done } else { State::Never };
        }
    }
    for number in unreachable_lines(run.board) {
        if let Some(line) = lines.get_mut(number as usize - 1).filter(|line| line.state == State::Never) {
            line.state = State::Dead;
        }
    }
    for (goal, mark) in run.board.goals.iter().zip(&run.report.goals) {
        let Some(line) = lines.get_mut((mark.line as usize).saturating_sub(1)) else { continue };
        let (class, title) = match &mark.state {
            GoalState::Covered(times) => ("covered", format!("covered by {times} tests")),
            GoalState::Unreachable(by) => ("unreachable", format!("no run comes here: proved by {by}")),
            GoalState::Open => ("open", "neither covered nor proved unreachable".to_string()),
        };
        // Of many goals on one line, the table says more than the line could.
        if line.marks.len() < 8 {
            line.marks.push((class, goal.side.to_string(), title));
        }
    }
    lines
}

/// Lines of statements that can be come to only over edges of goals that are proved unreachable.
fn unreachable_lines(board: &Board<'_>) -> Vec<u32> {
    let program = board.program;
    let mut closed = Coverage::new(program.edges.len());
    for (goal, status) in board.goals.iter().zip(&board.status) {
        match status {
            Status::Unreachable(_) => goal.edges.iter().for_each(|edge| closed.insert(*edge)),
            Status::Covered | Status::Open => {}
        }
    }
    let mut open: Vec<_> =
        program.functions.iter().filter_map(|function| Some(function.body.as_ref()?.entry)).collect();
    let mut seen: BTreeSet<_> = open.iter().copied().collect();
    while let Some(node) = open.pop() {
        for edge in program.nodes[node].out.iter().filter(|edge| !closed.contains(*edge)) {
            let target = program.edges[edge].target;
            if seen.insert(target) {
                open.push(target);
            }
        }
    }
    let dead = program.statements.iter().filter(|statement| !seen.contains(&statement.node));
    dead.filter_map(|statement| own_line(program, statement.span)).collect()
}

fn goals(run: &Tested<'_>) -> String {
    let mut table = Table::new(&[
        ("goal", Column::Text, 44),
        ("line", Column::Whole, 9),
        ("state", Column::Choice, 14),
        ("proved by", Column::Choice, 16),
        ("tests", Column::Whole, 9),
    ]);
    for (goal, mark) in run.board.goals.iter().zip(&run.report.goals) {
        let (state, by, tests) = match &mark.state {
            GoalState::Covered(times) => ("covered", "", json!(times)),
            GoalState::Unreachable(by) => ("unreachable", by.as_str(), json!(0)),
            GoalState::Open => ("open", "", json!(0)),
        };
        let name = json!([goal.name, format!("#L{}", mark.line)]);
        table.row(state, vec![name, json!(mark.line), json!(state), json!(by), tests]);
    }
    table.render()
}

/// What each of them contributed, and how it grew.
fn course(run: &Tested<'_>) -> String {
    let mut who: Vec<(String, usize, usize)> = Vec::new();
    let mut add = |name: &str, tests: usize, goals: usize| match who.iter_mut().find(|(other, ..)| other == name) {
        Some((_, all_tests, all_goals)) => (*all_tests, *all_goals) = (*all_tests + tests, *all_goals + goals),
        None => who.push((name.to_string(), tests, goals)),
    };
    run.board.tests.iter().for_each(|test| add(&format!("tests by {}", test.by), 1, test.first.len()));
    for status in &run.board.status {
        match status {
            Status::Unreachable(by) => add(&format!("proofs by {by}"), 0, 1),
            Status::Covered | Status::Open => {}
        }
    }
    let rows: String = who
        .iter()
        .map(|(name, tests, goals)| {
            format!("<tr><td>{}</td><td class=\"n\">{tests}</td><td class=\"n\">{goals}</td></tr>\n", escape(name))
        })
        .collect();
    let values =
        |of: fn(&Moment) -> usize| run.moments.iter().map(|moment| (moment.at, of(moment))).collect::<Vec<_>>();
    let growth = plot::growth(&[
        ("covered".to_string(), values(|moment| moment.covered)),
        ("proved unreachable".to_string(), values(|moment| moment.unreachable)),
    ]);
    format!(
        "<div class=\"plots\"><div class=\"plot\">{growth}</div><div class=\"scroll\"><table><tr><th>who</th><th class=\"n\">tests found</th>\
         <th class=\"n\">goals decided first</th></tr>\n{rows}</table></div></div>"
    )
}
