//! `tandem fql`: what queries stand for. Decides nothing about a program.

use serde_json::json;
use tandem_artifact::fql::{Goals, Query, parse};
use tandem_base::Problem;

use crate::arguments_fql::{Explain, Fql, FqlAction};
use crate::message::{Exit, Failure};
use crate::{input, output, program};

pub fn run(arguments: &Fql) -> Result<Exit, Failure> {
    match &arguments.action {
        FqlAction::Explain(arguments) => explain(arguments),
    }
}

/// How many lines are printed at once.
const LINES: usize = 4096;

fn explain(arguments: &Explain) -> Result<Exit, Failure> {
    let in_query = |problem: Problem| Failure::in_text("query", arguments.query.as_bytes(), problem);
    let query = parse(&arguments.query).map_err(in_query)?;
    let input = input::load(&arguments.common)?;
    let program = program::build(&input)?;
    let goals = Goals::new(&program, &query, arguments.fql_semantics.into()).map_err(in_query)?;
    if arguments.common.json {
        show_json(arguments, &query, &goals)?;
        return Ok(Exit::Success);
    }
    for warning in goals.warnings() {
        eprint!("{}", in_query(warning.clone()).render_note());
    }
    let listed = if arguments.count { 0 } else { goals.count().min(arguments.limit) };
    let mut text = String::new();
    for index in 0..listed {
        text.push_str(&format!("{index}: {}\n", goals.describe(index).unwrap_or_default()));
        if index as usize % LINES == LINES - 1 {
            output::show(&text)?;
            text.clear();
        }
    }
    if listed < goals.count() && !arguments.count {
        text.push_str(&format!("... and {} more\n", goals.count() - listed));
    }
    text.push_str(&format!("Goals: {}\n", goals.count()));
    output::show(&text)?;
    Ok(Exit::Success)
}

fn show_json(arguments: &Explain, query: &Query, goals: &Goals<'_>) -> Result<(), Failure> {
    let listed = if arguments.count { 0 } else { goals.count().min(arguments.limit) };
    let described: Vec<String> = (0..listed).filter_map(|index| goals.describe(index)).collect();
    let warnings: Vec<&str> = goals.warnings().iter().map(|warning| &*warning.message).collect();
    let object = json!({
        "query": query.to_string(), "count": goals.count(), "goals": described, "predicates": goals.predicates(),
        "warnings": warnings,
    });
    output::show(&format!("{object:#}\n"))
}
