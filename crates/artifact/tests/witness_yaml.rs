//! Witnesses of format 2.x: what is written exactly, what others write, and what is refused with which words and where.

use tandem_artifact::format::witness_yaml::{read, write};
use tandem_artifact::{
    Branch, ExpressionFormat, InvariantKind, Producer, Segment, Waypoint, WaypointKind, Witness, WitnessContent,
    WitnessInvariant, WitnessLocation, WitnessTask, WitnessVersion,
};
use tandem_cfa::DataModel;

const REACHABILITY: &str = "CHECK( init(main()), LTL(G ! call(reach_error())) )";

/// Everything between double quotes, one key per line, long paths.
const CORRECTNESS: &str = include_str!("witnesses/correctness.yml");

/// Plain and single-quoted scalars, flow style, keys that nobody knows, a truth value and a number as constraints.
const VIOLATION: &str = include_str!("witnesses/violation.yml");

#[test]
fn reads_a_correctness_witness() {
    let witnesses = read(CORRECTNESS).unwrap();
    let [witness] = &witnesses[..] else { panic!("{} entries", witnesses.len()) };
    assert_eq!(witness.metadata.format_version, WitnessVersion::V2_0);
    assert_eq!(witness.metadata.creation_time, "2024-11-16T09:13:21+01:00");
    assert_eq!(witness.metadata.producer.configuration.as_deref(), Some("svcomp"));
    assert_eq!(witness.metadata.producer.description, None);
    assert_eq!(witness.metadata.task.input_file_hashes["../programs/loop.i"], "511f45a8d763ef520f6f92e4135572da");
    assert_eq!(witness.metadata.task.specification.trim(), REACHABILITY);
    assert_eq!(witness.metadata.task.data_model, DataModel::Ilp32);
    let WitnessContent::Correctness(invariants) = &witness.content else { panic!("{:?}", witness.content) };
    assert_eq!(invariants.len(), 2);
    assert_eq!(invariants[0].kind, InvariantKind::Loop);
    assert_eq!(invariants[0].location, WitnessLocation::new("../programs/loop.i", 12, 3).in_function("main"));
    let span = invariants[0].span;
    assert_eq!(&CORRECTNESS[span.lo as usize..span.hi as usize], format!("\"{}\"", invariants[0].value));
    assert_eq!((invariants[1].kind, invariants[1].location.column), (InvariantKind::Location, None));
    assert_eq!(invariants[1].value, "1");
}

#[test]
fn reads_a_violation_witness() {
    let witness = read(VIOLATION).unwrap().remove(0).without_spans();
    assert_eq!(witness.metadata.format_version, WitnessVersion::V2_1);
    assert_eq!(witness.metadata.producer.version, "0.3.0");
    assert_eq!(witness.metadata.task.input_files, ["p.c"]);
    let at = |line, column| WitnessLocation { column, ..WitnessLocation::new("p.c", line, 1) };
    let mut returned = Waypoint::function_return(at(9, Some(31)), "\\result == 7");
    if let WaypointKind::FunctionReturn(expression) = &mut returned.kind {
        expression.format = ExpressionFormat::ExtendedC;
    }
    let avoid = vec![
        Waypoint::branching(at(7, Some(3)), Branch::Condition(true)),
        Waypoint::branching(at(8, Some(3)), Branch::Default),
    ];
    let expected = vec![
        Segment { avoid, follow: returned },
        Segment::follow(Waypoint::branching(at(10, None), Branch::Case(-3))),
        Segment::follow(Waypoint::assumption(at(10, None), "x > 0")),
        Segment::follow(Waypoint::function_enter(at(11, Some(9)))),
        Segment::follow(Waypoint::target(at(12, Some(5)))),
    ];
    assert_eq!(witness.content, WitnessContent::Violation(expected));
}

#[test]
fn waypoints_know_where_they_stand() {
    let WitnessContent::Violation(segments) = read(VIOLATION).unwrap().remove(0).content else { panic!() };
    let texts: Vec<&str> = segments
        .iter()
        .flat_map(|segment| segment.avoid.iter().chain([&segment.follow]))
        .map(|waypoint| &VIOLATION[waypoint.span.lo as usize..waypoint.span.hi as usize])
        .collect();
    let expected = ["true", "default", "'\\result == 7'", "-3", "x > 0", "function_enter", "target"];
    assert_eq!(texts.iter().map(|text| text.trim()).collect::<Vec<_>>(), expected);
    // A byte order mark shifts everything.
    let marked = format!("\u{feff}{VIOLATION}");
    let WitnessContent::Violation(shifted) = read(&marked).unwrap().remove(0).content else { panic!() };
    assert_eq!(shifted[0].follow.span.lo, segments[0].follow.span.lo + 3);
}

#[test]
fn takes_all_entries() {
    let mut all = read(&format!("{VIOLATION}{CORRECTNESS}")).unwrap();
    assert_eq!(all.len(), 2);
    all.extend(read(CORRECTNESS).unwrap());
    let again = read(&write(&all)).unwrap();
    assert_eq!(again.len(), 3);
    assert!(matches!(again[1].content, WitnessContent::Correctness(_)));
}

#[test]
fn a_set_without_invariants_is_a_witness() {
    let start = CORRECTNESS.find("  content:").unwrap();
    let witness = read(&format!("{}  content: []\n", &CORRECTNESS[..start])).unwrap().remove(0);
    assert_eq!(witness.content, WitnessContent::Correctness(Vec::new()));
}

#[test]
fn claims_that_are_not_modelled_are_named() {
    let text = CORRECTNESS.replace("\"location_invariant\"", "\"location_transition_invariant\"")
        + "  - contract: {type: function_contract, requires: '1', ensures: '1'}\n";
    let witness = read(&text).unwrap().remove(0);
    let messages: Vec<(&str, usize)> =
        witness.skipped.iter().map(|problem| (problem.message.as_str(), problem.span.lo as usize)).collect();
    let at = |needle: &str| text.find(needle).unwrap();
    assert_eq!(
        messages,
        [
            ("transition invariants are not supported", at("\"location_transition")),
            ("contracts of functions are not supported", at("{type: function_contract")),
        ]
    );
    let WitnessContent::Correctness(invariants) = witness.content else { panic!() };
    assert_eq!(invariants.len(), 1);
}

#[test]
fn many_invariants_are_read() {
    let text = CORRECTNESS.to_string()
        + &"  - invariant: {type: loop_invariant, location: {file_name: a, line: 1}, value: x, format: c_expression}\n"
            .repeat(30_000);
    let WitnessContent::Correctness(invariants) = read(&text).unwrap().remove(0).content else { panic!() };
    assert_eq!(invariants.len(), 30_002);
}

fn task() -> WitnessTask {
    WitnessTask::new(&[("p.c", b"int main() {}\n")], REACHABILITY, DataModel::Ilp32)
}

fn producer() -> Producer {
    Producer { name: "Tandem".into(), version: "0.1".into(), ..Producer::default() }
}

#[test]
fn what_is_written() {
    let at = |line, column| WitnessLocation::new("p.c", line, column);
    let content = WitnessContent::Violation(vec![
        Segment {
            avoid: vec![Waypoint::branching(at(3, 3), Branch::Condition(false))],
            follow: Waypoint::function_return(at(4, 35).in_function("main"), "\\result == 7"),
        },
        Segment::follow(Waypoint::target(at(9, 5))),
    ]);
    let witness = Witness::new(producer(), task(), 1_763_200_800, content);
    let expected = r#"- entry_type: violation_sequence
  metadata:
    format_version: "2.0"
    uuid: "UUID"
    creation_time: "2025-11-15T10:00:00Z"
    producer:
      name: "Tandem"
      version: "0.1"
    task:
      input_files:
        - "p.c"
      input_file_hashes:
        "p.c": "bc8bb8e433bf65214540115414c821c904b2a30d60a3ac0424bf9b77a00024b7"
      specification: "CHECK( init(main()), LTL(G ! call(reach_error())) )"
      data_model: ILP32
      language: "C"
  content:
    - segment:
        - waypoint:
            type: branching
            action: avoid
            constraint:
              value: "false"
            location:
              file_name: "p.c"
              line: 3
              column: 3
        - waypoint:
            type: function_return
            action: follow
            constraint:
              value: "\\result == 7"
              format: acsl_expression
            location:
              file_name: "p.c"
              line: 4
              column: 35
              function: "main"
    - segment:
        - waypoint:
            type: target
            action: follow
            location:
              file_name: "p.c"
              line: 9
              column: 5
"#;
    let expected = expected.replace("UUID", &witness.metadata.uuid);
    assert_eq!(write(&[witness]), expected);
}

#[test]
fn the_identifier_follows_from_the_rest() {
    let content = |value: &str| {
        let location = WitnessLocation::new("p.c", 3, 5);
        WitnessContent::Correctness(vec![WitnessInvariant::before_statement(location, value)])
    };
    let uuid = |seconds, value| Witness::new(producer(), task(), seconds, content(value)).metadata.uuid;
    assert_eq!(uuid(5, "x > 0"), uuid(5, "x > 0"));
    assert_ne!(uuid(5, "x > 0"), uuid(6, "x > 0"));
    assert_ne!(uuid(5, "x > 0"), uuid(5, "x > 1"));
}

/// In `text`, the first `old` becomes `new`; then the reader complains with `message`, at the first `place`.
#[track_caller]
fn refuses(text: &str, old: &str, new: &str, place: &str, message: &str) {
    assert!(text.contains(old), "{old}");
    let broken = text.replacen(old, new, 1);
    let problem = read(&broken).unwrap_err();
    assert_eq!(problem.message, message, "{new}");
    let at = broken.find(place).unwrap_or_else(|| panic!("{place} is not in the text"));
    assert_eq!(problem.span.lo as usize, at, "{message}: at {:?}", broken.get(problem.span.lo as usize..));
    assert!(problem.span.hi as usize <= broken.len());
    assert!(problem.help.is_some());
}

#[test]
fn broken_metadata() {
    // A key that is missing is reported at the last key of its mapping: there it could be added.
    let check = |old, new, place, message| refuses(CORRECTNESS, old, new, place, message);
    check("\"2.0\"", "\"3.0\"", "\"3.0\"", "unknown format version of a witness: `3.0`");
    check("\"invariant_set\"", "loop_invariant", "loop_invariant", "unknown type of an entry: `loop_invariant`");
    check(
        "\"invariant_set\"",
        "ghost_instrumentation",
        "ghost",
        "entries of type `ghost_instrumentation` are not supported",
    );
    check("\"ILP32\"", "ILP33", "ILP33", "unknown data model: `ILP33`");
    check("\"C\"", "Java", "Java", "unknown language: `Java`");
    check("    uuid:", "    guid:", "task:", "not a witness: missing field `uuid`");
    check("      name:", "      nom:", "configuration", "not a witness: missing field `name`");
    check("      language:", "      tongue:", "tongue", "not a witness: missing field `language`");
    check("  content:", "  contents:", "contents", "not a witness: missing field `content`");
}

#[test]
fn broken_invariants() {
    let check = |old, new, place, message| refuses(CORRECTNESS, old, new, place, message);
    check("\"loop_invariant\"", "\"loop\"", "\"loop\"", "unknown type of an invariant: `loop`");
    check("\"c_expression\"", "\"c\"", "\"c\"", "unknown format of an expression: `c`");
    check("line: 12", "line: 0", "0\n        column", "not a line or column: `0`");
    check("column: 3", "column: -1", "-1\n", "not a line or column: `-1`");
    check("line: 12", "line: twelve", "twelve", "not a witness: invalid i64");
    check("  - invariant:", "  - variant:", "variant:", "the `invariant` is missing");
    check("  - invariant:", "  - segment: []\n  - invariant:", "[]", "a set of invariants has no `segment`");
    check("        line: 12\n", "", "function", "not a witness: missing field `line`");
}

#[test]
fn broken_segments() {
    let check = |old, new, place, message| refuses(VIOLATION, old, new, place, message);
    check(
        "type: target",
        "type: function_enter",
        "function_enter, action: follow, location: {file_name: p.c, line: 12",
        "the last segment does not follow a waypoint of type `target`",
    );
    check("type: function_enter", "type: target", "target", "the target is not in the last segment");
    check("action: avoid", "action: follow", "follow", "the waypoint to follow is not the last of its segment");
    check(
        "action: follow",
        "action: avoid",
        "avoid\n            thread_id",
        "the last waypoint of a segment is not one to follow",
    );
    check("action: follow", "action: cycle", "cycle", "waypoints with the action `cycle` are not supported");
    check("action: follow", "action: fly", "fly", "unknown action of a waypoint: `fly`");
    check(
        "type: branching, action: avoid, constraint: {value: true}",
        "type: target, action: avoid",
        "target",
        "a target cannot be avoided",
    );
    check("type: function_enter", "type: jump", "jump", "unknown type of a waypoint: `jump`");
    check("constraint: {value: x > 0}, ", "", "assumption", "a waypoint of type `assumption` needs a `constraint`");
    check("value: -3", "value: maybe", "maybe", "not an outcome of a branching: `maybe`");
    check("    - segment:\n", "    - segment: []\n    - segment:\n", "[]", "the segment has no waypoint");
    check("    - segment:\n", "    - part: []\n    - segment:\n", "part", "the `segment` is missing");
    let start = VIOLATION.find("  content:").unwrap();
    refuses(&VIOLATION[..start], "---", "---", "metadata", "not a witness: missing field `content`");
    let empty = format!("{}  content: []\n", &VIOLATION[..start]);
    refuses(&empty, "---", "---", "[]", "the violation has no segment");
}

#[test]
fn what_is_no_witness() {
    for (text, at, message) in [
        ("", 0, "the witness has no entry"),
        ("[]", 0, "the witness has no entry"),
        ("entry_type: invariant_set\n", 0, "not a witness: expected sequence start"),
        ("- entry_type: invariant_set\n  metadata: [1\n", 40, "not a witness: expected mapping start"),
        ("- 5\n", 2, "not a witness: expected mapping start"),
    ] {
        let problem = read(text).unwrap_err();
        assert_eq!((problem.message.as_str(), problem.span.lo), (message, at), "{text}");
    }
}

#[test]
fn depth_is_limited() {
    let text = "- ".repeat(100_000);
    assert!(read(&text).unwrap_err().message.starts_with("not a witness"));
    let text = format!("- entry_type: {}", "[".repeat(100_000));
    assert!(read(&text).unwrap_err().message.starts_with("not a witness"));
}
