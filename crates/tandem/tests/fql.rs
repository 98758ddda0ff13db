//! `tandem fql` and `tandem test --cover QUERY`: what is counted, decided, written, and kept from run to run.

mod common;

use common::{Directory, Run, tandem};

/// A lock that is taken and given back in an endless loop.
const LOCK: &str = "extern int __VERIFIER_nondet_int(void);
int main(void) {
  int wanted, held, go;
  while (1) {
    go = __VERIFIER_nondet_int();
    if (go == 0) { goto out; } else {}
    held = 0;
    wanted = __VERIFIER_nondet_int();
    if (wanted != 0) { held = 1; } else {}
    if (wanted != 0) { if (held != 1) goto bad; held = 0; } else {}
  }
out: return 0;
bad: return 0;
}
";

const PAIRS: &str = "cover @BASICBLOCKENTRY->@BASICBLOCKENTRY";

fn last_line(run: &Run) -> &str {
    run.stdout.lines().last().unwrap_or_default()
}

#[test]
fn explain_counts_and_lists() {
    let directory = Directory::new("fql-explain");
    let file = directory.file("lock.c", LOCK);
    let run = tandem(&["fql", "explain", "cover PATHS(ID, 9)", &file, "--count"]);
    assert_eq!((run.status, last_line(&run)), (Some(0), "Goals: 524287"), "{run:?}");
    let run = tandem(&["fql", "explain", "cover @CONDITIONEDGE", &file]);
    assert_eq!(last_line(&run), "Goals: 8");
    assert_eq!(run.stdout.lines().count(), 9);
}

#[test]
fn a_query_with_a_mistake_points_to_it() {
    let directory = Directory::new("fql-mistake");
    let file = directory.file("lock.c", LOCK);
    for arguments in [vec!["fql", "explain", "cover @NOTHING", &file], vec!["test", &file, "--cover", "cover @NOTHING"]]
    {
        let run = tandem(&arguments);
        assert_eq!(run.status, Some(2), "{run:?}");
        assert!(run.stderr.contains("query:1:7"), "{run:?}");
    }
    let run = tandem(&["test", &file, "--cover", "paths"]);
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(run.stderr.contains("a query such as"), "{run:?}");
}

#[test]
fn goals_are_decided_and_written() {
    let directory = Directory::new("fql-test");
    let file = directory.file("lock.c", LOCK);
    let out = directory.path().join("out");
    let output = out.display().to_string();
    let run = tandem(&["test", &file, "--cover", "cover PATHS(ID, 2)", "--output", &output, "--recheck", "50"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(last_line(&run).starts_with("Coverage: 7 covered, 24 unreachable, 0 open of 31 goals, "), "{run:?}");
    assert!(run.stderr.contains("50 random runs, 0 contradictions"), "{run:?}");
    let table = std::fs::read_to_string(out.join("goals.tsv")).unwrap();
    assert_eq!(table.lines().count(), 32);
    assert_eq!(table.lines().filter(|line| line.contains("\tcovered\ttest ")).count(), 7);
    assert_eq!(table.lines().filter(|line| line.contains("\tinfeasible\timpossible beginning\t")).count(), 24);
    assert!(out.join("test-suite/metadata.xml").exists() && out.join("tests.c").exists());
    // The suite by itself does what is said about it.
    let replay = tandem(&["exec", &file, "--suite", &out.join("test-suite").display().to_string()]);
    assert_eq!(replay.status, Some(0), "{replay:?}");
}

#[test]
fn json_names_every_goal() {
    let directory = Directory::new("fql-json");
    let file = directory.file("lock.c", LOCK);
    let run = tandem(&["test", &file, "--cover", PAIRS, "--json", "--quiet"]);
    let object: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(object["open"], 0, "{run:?}");
    assert_eq!(object["details"].as_array().unwrap().len() as u64, object["goals"].as_u64().unwrap());
    let infeasible = |goal: &&serde_json::Value| goal["state"] == "infeasible";
    let count = object["details"].as_array().unwrap().iter().filter(infeasible).count() as u64;
    assert_eq!(count, object["unreachable"].as_u64().unwrap());
}

#[test]
fn a_store_goes_on_where_the_last_run_ended() {
    let directory = Directory::new("fql-store");
    let file = directory.file("lock.c", LOCK);
    let store = directory.path().join("store").display().to_string();
    let arguments = ["test", &file, "--cover", PAIRS, "--store", &store, "--json", "--quiet"];
    let statistic = |run: &Run, name: &str| {
        let object: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        object["statistics"][name].as_u64().unwrap()
    };
    let first = tandem(&arguments);
    assert_eq!(first.status, Some(0), "{first:?}");
    assert!(statistic(&first, "automata") > 0);
    let second = tandem(&arguments);
    assert_eq!(second.status, Some(0), "{second:?}");
    assert_eq!((statistic(&second, "automata"), statistic(&second, "runs")), (0, 0));
    // Another program: the tests are tried, the proofs are not believed.
    directory.file("lock.c", LOCK.replace("held = 1;", "held = wanted;"));
    let changed = tandem(&arguments);
    assert_eq!(changed.status, Some(0), "{changed:?}");
    assert!(statistic(&changed, "automata") > 0);
    let object: serde_json::Value = serde_json::from_str(&changed.stdout).unwrap();
    let before: serde_json::Value = serde_json::from_str(&first.stdout).unwrap();
    assert!(object["covered"].as_u64() > before["covered"].as_u64(), "now the check can fail");
}

#[test]
fn a_damaged_store_is_refused() {
    let directory = Directory::new("fql-damage");
    let file = directory.file("lock.c", LOCK);
    let store = directory.path().join("store");
    let name = store.display().to_string();
    let arguments = ["test", &file, "--cover", PAIRS, "--store", &name];
    assert_eq!(tandem(&arguments).status, Some(0));
    let database = store.join("goals.redb");
    let whole = std::fs::read(&database).unwrap();
    // A byte of what was stored, wherever copies of it lie.
    let places = whole.windows(12).enumerate().filter(|(_, window)| *window == b"\"infeasible\"");
    let places: Vec<usize> = places.map(|(at, _)| at + 16).collect();
    assert!(!places.is_empty());
    let mut damaged = whole.clone();
    places.into_iter().for_each(|at| damaged[at] ^= 1);
    let cases = [damaged, b"nothing of the kind".to_vec(), whole[..whole.len() / 3].to_vec()];
    for content in cases {
        std::fs::write(&database, content).unwrap();
        let run = tandem(&arguments);
        assert_eq!(run.status, Some(2), "{run:?}");
        assert!(run.stderr.contains("the store cannot be used"), "{run:?}");
    }
}

/// A predicate that means nothing at a place where it is tested makes no goal infeasible.
#[test]
fn a_predicate_without_a_meaning_excludes_nothing() {
    let directory = Directory::new("fql-meaningless");
    let text = "extern int __VERIFIER_nondet_int(void);\nint main(void) {\n  int v = __VERIFIER_nondet_int(), j = 5;\n  if (v) j = 6;\n  return j;\n}\n";
    let file = directory.file("passing.c", text);
    let query = "cover @BASICBLOCKENTRY passing ^(@3.{j>0} + NOT(@3))*$";
    let run = tandem(&["test", &file, "--cover", query, "--quiet"]);
    assert!(last_line(&run).contains(" 0 unreachable"), "{run:?}");
    let text = "extern int __VERIFIER_nondet_int(void);\nint g;\nvoid f(int a) { g = a; }\nint main(void) {\n  int x = __VERIFIER_nondet_int();\n  f(x);\n  f(1);\n  return 0;\n}\n";
    let file = directory.file("call.c", text);
    let out = directory.path().join("out");
    let query = "cover EDGES(PRED(@CALL(f),{x>0}))";
    let run = tandem(&["test", &file, "--cover", query, "--quiet", "--output", &out.display().to_string()]);
    assert!(last_line(&run).contains(" 0 unreachable"), "{run:?}");
    let goals = std::fs::read_to_string(out.join("goals.tsv")).unwrap();
    assert!(goals.contains("open\ta predicate of the query has no meaning or no value"), "{goals}");
}
