//! Coverage as a tracefile of lcov. A goal that was proved unreachable is written as one that was never come to (`-`), an open one as
//! one that was not taken (`0`).

use std::fmt::Write;

use super::coverage::{CoverageReport, GoalState};

pub fn write(report: &CoverageReport) -> String {
    let mut text = format!("TN:\nSF:{}\n", report.file);
    for (line, name, _) in &report.functions {
        let _ = writeln!(text, "FN:{line},{name}");
    }
    for (_, name, times) in &report.functions {
        let _ = writeln!(text, "FNDA:{times},{name}");
    }
    let entered = report.functions.iter().filter(|(_, _, times)| *times > 0).count();
    let _ = writeln!(text, "FNF:{}\nFNH:{entered}", report.functions.len());
    let (mut block, mut branch, mut last) = (0, 0, None);
    let mut goals: Vec<_> = report.goals.iter().collect();
    goals.sort_by_key(|goal| (goal.line, goal.column));
    for goal in goals {
        let place = (goal.line, goal.column);
        match last {
            Some((line, _)) if line != goal.line => (block, branch) = (0, 0),
            Some(other) if other != place => (block, branch) = (block + 1, 0),
            Some(_) => branch += 1,
            None => {}
        }
        last = Some(place);
        let taken = match &goal.state {
            GoalState::Covered(times) => times.to_string(),
            GoalState::Unreachable(_) => "-".to_string(),
            GoalState::Open => "0".to_string(),
        };
        let _ = writeln!(text, "BRDA:{},{block},{branch},{taken}", goal.line);
    }
    let _ = writeln!(text, "BRF:{}\nBRH:{}", report.goals.len(), report.counts().0);
    for (line, times) in &report.lines {
        let _ = writeln!(text, "DA:{line},{times}");
    }
    let done = report.lines.iter().filter(|(_, times)| *times > 0).count();
    let _ = writeln!(text, "LF:{}\nLH:{done}\nend_of_record", report.lines.len());
    text
}

#[cfg(test)]
mod tests {
    use super::super::coverage::GoalMark;
    use super::*;

    #[test]
    fn branches_are_numbered_in_their_line() {
        let mark = |line, column, state| GoalMark { line, column, side: "true".into(), state };
        let report = CoverageReport {
            file: "a.c".into(),
            functions: vec![(1, "main".into(), 2)],
            lines: vec![(2, 2), (3, 0)],
            goals: vec![
                mark(2, 7, GoalState::Covered(1)),
                mark(2, 7, GoalState::Open),
                mark(2, 20, GoalState::Covered(2)),
                mark(3, 1, GoalState::Unreachable("bmc".into())),
            ],
            ..CoverageReport::default()
        };
        assert_eq!(
            write(&report),
            "TN:\nSF:a.c\nFN:1,main\nFNDA:2,main\nFNF:1\nFNH:1\nBRDA:2,0,0,1\nBRDA:2,0,1,0\nBRDA:2,1,0,2\nBRDA:3,0,0,-\n\
             BRF:4\nBRH:2\nDA:2,2\nDA:3,0\nLF:2\nLH:1\nend_of_record\n"
        );
    }
}
