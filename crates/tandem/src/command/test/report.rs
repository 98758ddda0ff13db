//! What the coverage formats show, from what is settled.

use std::collections::BTreeMap;

use tandem_artifact::format::coverage::{CoverageReport, GoalMark, GoalState};
use tandem_cfa::Program;
use tandem_coop::testing::{Board, Status};

use crate::input::Input;

/// The coverage of the tests that are kept.
pub fn report(program: &Program, input: &Input, board: &Board<'_>, kept: &[usize]) -> CoverageReport {
    let mut report = CoverageReport {
        file: input.source.file().to_string(),
        text: input.original.clone(),
        tests: kept.len(),
        ..CoverageReport::default()
    };
    let times = |wanted: &dyn Fn(&tandem_coop::testing::Accepted) -> bool| {
        kept.iter().filter(|index| wanted(&board.tests[**index])).count() as u64
    };
    for function in program.functions.iter().filter(|function| !function.is_library) {
        let (Some(body), false) = (&function.body, function.span.is_none()) else { continue };
        let position = program.source.position(function.span.lo);
        if report.is_about(&position) {
            let entered = times(&|test| body.edges.iter().any(|edge| test.covered.contains(edge)));
            report.functions.push((position.line, function.name.to_string(), entered));
        }
    }
    let mut lines: BTreeMap<u32, u64> = BTreeMap::new();
    for start in &program.statements {
        let Some(node) = program.nodes.get(start.node) else { continue };
        let position = program.source.position(start.span.lo);
        if program.functions[node.function].is_library || !report.is_about(&position) {
            continue;
        }
        let done = times(&|test| node.out.iter().any(|edge| test.covered.contains(edge)));
        let entry = lines.entry(position.line).or_default();
        *entry = (*entry).max(done);
    }
    report.lines = lines.into_iter().collect();
    let mut covering = vec![0u64; board.goals.len()];
    kept.iter().flat_map(|index| &board.tests[*index].goals).for_each(|goal| covering[*goal] += 1);
    for (number, (goal, status)) in board.goals.iter().zip(&board.status).enumerate() {
        let position = program.source.position(goal.span.lo);
        let state = match status {
            Status::Covered => GoalState::Covered(covering[number]),
            Status::Unreachable(by) => GoalState::Unreachable(by.to_string()),
            Status::Open => GoalState::Open,
        };
        let mark = GoalMark { line: position.line, column: position.column, side: goal.side.to_string(), state };
        report.goals.push(mark);
    }
    report
}
