//! `tandem test --cover 'QUERY'`: tests for the goals of a coverage query, and which goals no run covers.

use std::time::Duration;

use serde_json::{Value, json};
use tandem_analyses::Task;
use tandem_artifact::format::{test_case_xml, test_metadata_xml, tests_c};
use tandem_artifact::fql::{Goals, parse};
use tandem_artifact::{ErrorCall, TestCase, input_of};
use tandem_base::Problem;
use tandem_cfa::Program;
use tandem_coop::multigoal::{GoalBoard, GoalStatus, MultiGoalOptions, Switches, recheck, solve};
use tandem_coop::testing::ending_errors;
use tandem_coop::with_hints;

use super::{budget_for, words};
use crate::arguments::{Common, Test};
use crate::artifacts::metadata;
use crate::farewell::Farewell;
use crate::goal_store::{About, GoalStore};
use crate::input::{self, Input};
use crate::message::{Exit, Failure};
use crate::output::write_file;
use crate::run_directory::{self, write_artifact};
use crate::watch::Watch;
use crate::{program, progress};

/// Goals that are listed in the object of `--json`; the file has all of them.
const LISTED: u64 = 10_000;
/// How often the last words are renewed.
const BEAT: Duration = Duration::from_millis(200);

/// Whether a criterion is a query.
pub fn is_query(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    word.eq_ignore_ascii_case("cover") && text.trim().len() > word.len() || word.eq_ignore_ascii_case("in")
}

pub fn run(arguments: &Test, text: &str, watch: &Watch, farewell: &Farewell) -> Result<Exit, Failure> {
    let common = &arguments.common;
    let in_query = |problem: Problem| Failure::in_text("query", text.as_bytes(), problem);
    let query = parse(text).map_err(in_query)?;
    let input = input::load(common)?;
    let mut program = program::build(&input)?;
    let store = match &arguments.store {
        Some(directory) => {
            Some(GoalStore::open(directory, About::new(&input, &query, arguments.fql_semantics.into()))?)
        }
        None => None,
    };
    let recalled = store.as_ref().map(GoalStore::recall).transpose()?.unwrap_or_default();
    let mut hints = Vec::new();
    if let Some((with, found)) = with_hints(&program, &recalled.predicates(&program)) {
        (program, hints) = (with, found);
    }
    let goals = Goals::new(&program, &query, arguments.fql_semantics.into()).map_err(in_query)?;
    for warning in goals.warnings() {
        eprint!("{}", in_query(warning.clone()).render_note());
    }
    if let Some(directory) = &common.output {
        run_directory::begin(directory)?;
    }
    let errors = ending_errors(&program);
    let bar = progress::line("testing", common.quiet);
    farewell.attach(bar.clone());
    let available = std::thread::available_parallelism().map_or(1, usize::from);
    let task = Task { hints: &hints, ..Task::new(&program, &errors, common.threads.map_or(available, usize::from)) };
    let options = MultiGoalOptions { switches: Switches::without(&arguments.without), seed: arguments.seed };
    let mut shown = std::time::Instant::now();
    let budget = budget_for(common, watch, 0);
    let (mut board, predicates) = solve(task, &goals, &options, &recalled.known, &budget, &mut |board: &GoalBoard| {
        if shown.elapsed() < BEAT {
            return;
        }
        shown = std::time::Instant::now();
        let (covered, infeasible, open) = board.counts();
        farewell.settle(last_words(common, board, board.tests.len(), farewell, None), exit(board));
        if let Some(bar) = &bar {
            bar.set_message(format!("{covered} covered, {infeasible} infeasible, {open} open"));
        }
    });
    if arguments.recheck > 0 {
        let runs = recheck(task, &goals, &mut board, arguments.recheck, arguments.seed, &watch.budget);
        eprintln!("{runs} random runs, {} contradictions", board.contradictions.len());
    }
    if let Some(goal) = board.contradictions.first() {
        let name = goals.describe(*goal).unwrap_or_default();
        eprintln!("goal {goal} ({name}) was called infeasible before a test covered it: this is a bug");
    }
    let kept = board.select();
    farewell.settle(last_words(common, &board, kept.len(), farewell, Some(&goals)), exit(&board));
    farewell.attach(None);
    if let Some(Err(failure)) = store.map(|store| store.keep(&program, &board, &kept, &predicates)) {
        eprint!("{}", failure.render());
    }
    if let Err(failure) = write(common, &input, &program, &goals, &board, &kept, &errors) {
        // What is known stands, whether or not it could be written down.
        eprint!("{}", failure.render());
    }
    farewell.say()
}

fn exit(board: &GoalBoard) -> Exit {
    if board.is_decided() { Exit::Success } else { Exit::Unknown }
}

fn last_words(
    common: &Common,
    board: &GoalBoard,
    tests: usize,
    farewell: &Farewell,
    goals: Option<&Goals<'_>>,
) -> String {
    let (covered, unreachable, open) = board.counts();
    let statistics = board.statistics;
    words(common, "goals", [covered, unreachable, open], tests, farewell, || {
        let counted = json!({
            "runs": statistics.runs, "automata": statistics.automata, "candidates": statistics.candidates,
            "refinements": statistics.refinements, "states": statistics.states, "reused": statistics.reused,
            "checks": statistics.checks, "tests_found": board.tests.len(),
            "contradictions": board.contradictions.len(),
        });
        (json!(goals.map(|goals| details(goals, board))), counted)
    })
}

/// What is known about a goal, and from whom.
fn state(board: &GoalBoard, goal: u64) -> (&'static str, String) {
    match board.status(goal) {
        GoalStatus::Open(reason) => {
            let reason = reason.and_then(|reason| board.reasons.get(reason as usize));
            ("open", reason.cloned().unwrap_or_default())
        }
        GoalStatus::Covered(test) => ("covered", format!("test {}", test + 1)),
        GoalStatus::Infeasible(proof) => ("infeasible", proof.name().to_string()),
    }
}

fn details(goals: &Goals<'_>, board: &GoalBoard) -> Value {
    let one = |goal: u64| {
        let (state, by) = state(board, goal);
        json!({ "goal": goal, "name": goals.describe(goal), "state": state, "by": by })
    };
    (0..board.goals().min(LISTED)).map(one).collect()
}

/// Writes the suite, and a line for each goal.
fn write(
    common: &Common,
    input: &Input,
    program: &Program,
    goals: &Goals<'_>,
    board: &GoalBoard,
    kept: &[usize],
    errors: &ErrorCall,
) -> Result<(), Failure> {
    let Some(directory) = &common.output else { return Ok(()) };
    let suite = directory.join("test-suite");
    run_directory::begin_suite(&suite)?;
    write_file(&suite, "metadata.xml", &test_metadata_xml::write(&metadata(input, "FQL".to_string())))?;
    let mut functions = Vec::new();
    for index in kept {
        let test = &board.tests[*index];
        let inputs = test.inputs.iter().map(|input| input_of(program, input)).collect();
        let remark = format!("found by {}, covers {} goals, {} of them first", test.by, test.goals.len(), test.first);
        let case = TestCase { inputs, covers_error: false };
        write_file(&suite, &format!("testcase-{}.xml", index + 1), &test_case_xml::write_with(&case, &[remark]))?;
        functions.push(tests_c::TestFunction {
            number: index + 1,
            inputs: &test.inputs,
            goals: &[],
            covers_error: false,
        });
    }
    write_artifact(directory, "tests.c", &tests_c::write(program, &functions, &errors.functions()))?;
    let file = std::fs::canonicalize(input.source.file());
    let file = file.map_or_else(|_| input.source.file().to_string(), |path| path.display().to_string());
    write_artifact(directory, "CMakeLists.txt", &tests_c::write_cmake(program, &file, &functions))?;
    let mut table = String::from("goal\tstate\tby\tname\n");
    for goal in 0..board.goals() {
        let (state, by) = state(board, goal);
        let name = goals.describe(goal).unwrap_or_default();
        table.push_str(&format!("{goal}\t{state}\t{by}\t{name}\n"));
    }
    write_artifact(directory, "goals.tsv", &table)
}
