//! docs/first-analysis.md is true: its code is that of the example, it compiles as a file of the crate, and does what the page says.

use std::time::Duration;

use tandem_analyses::{Outcome, Task, blocks, bmc, export, registry};
use tandem_artifact::gia::{Gia, Mark, Subject};
use tandem_artifact::{ErrorCall, Verdict};
use tandem_base::{Budget, SourceText};
use tandem_cfa::{DataModel, Program};

#[path = "../examples/first_analysis/location.rs"]
mod location;

fn program(text: &str) -> Program {
    let text = format!("extern void reach_error(void); extern int input(void);\n{text}");
    tandem_cfa::build(SourceText::plain("a.c", text.as_bytes()), DataModel::Lp64).program.unwrap()
}

fn outcome(text: &str) -> Outcome {
    let (program, error) = (program(text), ErrorCall::Usual);
    let subject = Subject::plain("a.c", b"", DataModel::Lp64);
    let task = Task { exchange: Some(&subject), ..Task::new(&program, &error, 1) };
    location::ENTRY.verify(task, None, &Budget::with_time(Duration::from_secs(10)))
}

#[test]
fn it_proves_what_the_graph_shows_and_nothing_else() {
    assert_eq!(outcome("int main(void) { return 0; reach_error(); }").verdict, Verdict::True);
    let guarded = outcome("int main(void) { if (input() != input()) reach_error(); return 0; }").verdict;
    assert_eq!(guarded, Verdict::Unknown("not precise enough: the graph has a way to the error".into()));
    let gap = outcome("int main(void) { int x; __asm__(\"nop\" : \"=r\"(x)); reach_error(); }").verdict;
    assert!(matches!(&gap, Verdict::Unknown(reason) if reason.starts_with("unsupported")), "{gap:?}");
}

/// It also says what it has settled when it has not settled all.
#[test]
fn it_leaves_what_it_has_settled() {
    let half =
        "int main(void) { if (input()) { if (input()) return 1; return 2; } if (input()) reach_error(); return 0; }";
    let settled = |outcome: &Outcome| outcome.gia.as_ref().is_some_and(|gia| gia.has(Mark::Unreachable));
    let half = outcome(half);
    assert!(matches!(half.verdict, Verdict::Unknown(_)) && settled(&half), "{half:?}");
    assert!(half.gia.as_ref().is_some_and(|gia| gia.mark(Gia::INITIAL) != Some(Mark::Unreachable)));
    let gap = outcome("int main(void) { int x; __asm__(\"nop\" : \"=r\"(x)); if (x) reach_error(); return 0; }");
    assert_eq!(gap.gia, None, "what lies behind a gap is not settled");
}

/// The blocks of code of the page, by the language that is written at their beginning.
fn blocks_of<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let parts: Vec<&str> = page.split("```").collect();
    parts.iter().skip(1).step_by(2).filter_map(|part| part.strip_prefix(language)?.strip_prefix('\n')).collect()
}

#[test]
fn the_page_shows_the_example() {
    let page = include_str!("../../../docs/first-analysis.md");
    let example = include_str!("../examples/first_analysis/location.rs");
    let rust = blocks_of(page, "rust");
    assert!(rust.first() == Some(&example), "docs/first-analysis.md and examples/first_analysis/location.rs differ");
    // The lines of the page that stand in the crate for the other analyses.
    for (line, file) in [
        ("mod location;", include_str!("../src/lib.rs")),
        ("    crate::location::ENTRY,", include_str!("../src/registry.rs")),
    ] {
        assert!(rust.contains(&format!("{line}\n").as_str()), "the page does not show `{line}`");
        let of_another = line.replace("location", "random");
        assert!(file.lines().any(|known| known == of_another), "`{of_another}` is not how it is done");
    }
}

/// The programs that the page shows have the verdicts that it says.
#[test]
fn the_programs_of_the_page_have_their_verdicts() {
    let page = include_str!("../../../docs/first-analysis.md");
    let programs = blocks_of(page, "c");
    assert_eq!(programs.len(), 2);
    for text in programs {
        let expected = text.lines().find_map(|line| line.strip_prefix("// location: ")).expect("a verdict");
        let program = tandem_cfa::build(SourceText::plain("a.c", text.as_bytes()), DataModel::Lp64).program.unwrap();
        let error = ErrorCall::Usual;
        let task = Task::new(&program, &error, 1);
        let verdict = location::ENTRY.verify(task, None, &Budget::with_time(Duration::from_secs(10))).verdict;
        assert!(verdict.to_string().starts_with(expected), "{verdict}, not {expected}\n{text}");
    }
}
