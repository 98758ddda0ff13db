//! docs/first-analysis.md is true: its code is that of the example, and the example does what the page says.

#[path = "../examples/location.rs"]
mod example;

use tandem_analyses::Task;
use tandem_artifact::{ErrorCall, Verdict};
use tandem_base::{Budget, SourceText};
use tandem_cfa::DataModel;

fn verdict(text: &str) -> Verdict {
    let program = tandem_cfa::build(SourceText::plain("a.c", text.as_bytes()), DataModel::Lp64).program.unwrap();
    let error = ErrorCall::Usual;
    example::location(Task::new(&program, &error, 1), &Budget::unlimited()).verdict
}

#[test]
fn it_proves_what_the_graph_shows_and_nothing_else() {
    let start = "extern void reach_error(void); extern int input(void);\n";
    assert_eq!(verdict(&format!("{start}int main(void) {{ return 0; reach_error(); }}")), Verdict::True);
    let guarded = verdict(&format!("{start}int main(void) {{ if (input() != input()) reach_error(); return 0; }}"));
    assert_eq!(guarded, Verdict::Unknown("not precise enough: the graph has a way to the error".into()));
    let gap = verdict(&format!("{start}int main(void) {{ int x; __asm__(\"nop\" : \"=r\"(x)); reach_error(); }}"));
    assert!(matches!(&gap, Verdict::Unknown(reason) if reason.starts_with("unsupported")), "{gap:?}");
}

#[test]
fn the_page_shows_the_example() {
    let page = include_str!("../../../docs/first-analysis.md");
    let example = include_str!("../examples/location.rs");
    let begin = example.find("struct Location;").unwrap();
    let end = example.find("#[allow(dead_code)]").unwrap();
    assert!(page.contains(example[begin..end].trim()), "docs/first-analysis.md and examples/location.rs differ");
}
