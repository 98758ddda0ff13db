//! `report.html`: complete in itself, with the source, the steps, the goals and the drawings. That browsers show it is checked by
//! scripts/check-outside.sh.

mod common;

use common::{Directory, tandem};

const QUEUE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/queue.yml");

/// The page of a run, which must fetch nothing.
fn page(directory: &Directory, arguments: &[&str], status: i32) -> String {
    let output = directory.path().join("out").display().to_string();
    let run = tandem(&[arguments, &["--output", &output, "--time-limit", "30s"]].concat());
    assert_eq!(run.status, Some(status), "{run:?}");
    let page = std::fs::read_to_string(directory.path().join("out/report.html")).unwrap();
    let without_names = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!without_names.contains("http://") && !without_names.contains("https://"));
    assert!(page.contains("default-src 'none'"));
    page
}

#[test]
fn a_violation_can_be_followed() {
    let directory = Directory::new("page-violation");
    let page = page(&directory, &["verify", QUEUE], 1);
    assert!(page.contains("Verdict: FALSE") && page.contains("id=\"L43\""));
    assert!(page.contains("class=\"line done\" id=\"L40\""), "the line of the error is passed");
    assert!(page.contains("the error: reach_error is called") && page.contains("\"main: input\""));
    assert!(page.contains("Control-flow automaton of main") && page.contains("Exchange automaton about"));
}

#[test]
fn a_plan_shows_who_worked() {
    let directory = Directory::new("page-plan");
    let file = directory.file(
        "p.c",
        "extern void reach_error(void);\nint main(void) {\n  unsigned x = 0;\n  while (x < 9)\n    x += 3;\n\
         if (x != 9)\n    reach_error();\n  return 0;\n}\n",
    );
    let page = page(&directory, &["run", "cmc", &file], 0);
    assert!(page.contains("Verdict: TRUE") && page.contains("id=\"plan\"") && page.contains(">value</text>"));
    assert!(page.contains("class=\"line dead\" id=\"L7\""), "the error call is proved unreachable");
    assert!(page.contains("Nothing was met that is not modelled"));
}

#[test]
fn the_states_of_a_search_are_drawn() {
    let directory = Directory::new("page-states");
    let text = "extern void reach_error(void);\nint main(void) {\n  unsigned x = 0;\n  while (x < 9)\n    x += 3;\n\
                if (x != 9)\n    reach_error();\n  return 0;\n}\n";
    let file = directory.file("p.c", text);
    for analysis in ["value", "symbolic", "predicate"] {
        let page = page(&directory, &["verify", &file, "--analysis", analysis], 0);
        assert!(page.contains("Abstract reachability graph") && page.contains("id=\"arg\""), "{analysis}");
    }
}

#[test]
fn goals_are_listed() {
    let directory = Directory::new("page-goals");
    let page = page(&directory, &["test", QUEUE, "--cover", "branches"], 0);
    assert!(page.contains("11 covered, 1 unreachable, 0 open of 12 goals"), "{}", &page[..3000]);
    assert!(page.contains("[\"15:9 true\",\"#L15\"],15,\"unreachable\""));
    assert!(page.contains("class=\"line dead\" id=\"L16\"") && page.contains("class=\"line done\" id=\"L17\""));
    assert!(page.contains("proved unreachable (1)"));
}
