//! Witnesses of format 1.0: what is written exactly, what others write, and what is refused with which words and where.

use tandem_artifact::format::witness_graphml::{read, write};
use tandem_artifact::{AutomatonKind, AutomatonMetadata, WitnessAutomaton};
use tandem_base::Id;
use tandem_cfa::DataModel;

/// One line per datum, keys with defaults, keys that nobody knows.
const VIOLATION: &str = include_str!("witnesses/violation.graphml");

/// Everything on few lines, all nodes first, two lines of specification.
const CORRECTNESS: &str = include_str!("witnesses/correctness.graphml");

#[test]
fn reads_a_violation_witness() {
    let automaton = read(VIOLATION).unwrap();
    assert_eq!(automaton.metadata.kind, AutomatonKind::Violation);
    assert_eq!(automaton.metadata.architecture, DataModel::Ilp32);
    assert_eq!(automaton.metadata.producer, "A verifier 4.0 / svcomp");
    let names: Vec<&str> = automaton.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["A0", "A5", "sink", "A9"]);
    let entry = automaton.entry().unwrap();
    assert_eq!(entry.index(), 0);
    let first = automaton.edges_from(entry).next().unwrap();
    assert_eq!((first.start_line, first.end_line), (Some(12), Some(12)));
    assert_eq!((first.start_offset, first.end_offset), (Some(210), Some(219)));
    assert_eq!((first.enter_function.as_deref(), first.control), (Some("main"), None));
    assert!(
        VIOLATION[first.span.lo as usize..first.span.hi as usize].starts_with("<edge source=\"A0\" target=\"A5\">")
    );
    let second: Vec<_> = automaton.edges_from(first.target).collect();
    assert_eq!(second.len(), 2);
    assert_eq!(second[0].assumption.as_deref(), Some("a >= b && \\result == 7;"));
    assert_eq!(second[0].assumption_result_function.as_deref(), Some("__VERIFIER_nondet_int"));
    assert_eq!((second[0].control, second[1].control), (Some(false), Some(true)));
    assert!(automaton.nodes[second[0].target].violation && automaton.nodes[second[1].target].sink);
}

#[test]
fn reads_a_correctness_witness() {
    let automaton = read(CORRECTNESS).unwrap();
    assert_eq!(automaton.metadata.kind, AutomatonKind::Correctness);
    assert_eq!(automaton.metadata.architecture, DataModel::Lp64);
    assert_eq!(automaton.metadata.specification.lines().count(), 2);
    let edge = &automaton.edges[0];
    assert!(edge.enter_loop_head);
    let node = &automaton.nodes[edge.target];
    assert_eq!(node.invariant.as_deref(), Some("( x >= 0 && x < 5 )"));
    assert_eq!(node.invariant_scope.as_deref(), Some("main"));
}

#[test]
fn what_is_written() {
    let program: (&str, &[u8]) = ("a&b.c", b"");
    let metadata =
        AutomatonMetadata::new(AutomatonKind::Violation, "Tandem", program, "P", DataModel::Ilp32, 1_763_200_800);
    let mut automaton = WitnessAutomaton::new(metadata);
    let entry = automaton.entry().unwrap();
    let (end, sink) = (automaton.add_violation(), automaton.add_sink());
    let edge = automaton.add_edge(entry, end);
    edge.start_line = Some(3);
    edge.control = Some(true);
    edge.assumption = Some("x < 5 && y == \"\n\"".into());
    automaton.add_edge(entry, sink).enter_loop_head = true;
    let text = write(&automaton);
    let start = text.find("  <graph edge").unwrap();
    let expected = "  <graph edgedefault=\"directed\">
    <data key=\"witness-format-version\">1.0</data>
    <data key=\"witness-type\">violation_witness</data>
    <data key=\"sourcecodelang\">C</data>
    <data key=\"producer\">Tandem</data>
    <data key=\"specification\">P</data>
    <data key=\"programfile\">a&amp;b.c</data>
    <data key=\"programhash\">e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855</data>
    <data key=\"architecture\">32bit</data>
    <data key=\"creationtime\">2025-11-15T10:00:00Z</data>
    <node id=\"q0\">
      <data key=\"entry\">true</data>
    </node>
    <node id=\"q1\">
      <data key=\"violation\">true</data>
    </node>
    <node id=\"q2\">
      <data key=\"sink\">true</data>
    </node>
    <edge source=\"q0\" target=\"q1\">
      <data key=\"startline\">3</data>
      <data key=\"control\">condition-true</data>
      <data key=\"assumption\">x &lt; 5 &amp;&amp; y == &quot;&#10;&quot;</data>
    </edge>
    <edge source=\"q0\" target=\"q2\">
      <data key=\"enterLoopHead\">true</data>
    </edge>
  </graph>
</graphml>
";
    assert_eq!(&text[start..], expected);
    // Every key that is used is declared.
    for (at, _) in text[start..].match_indices("key=\"") {
        let name = text[start + at + 5..].split('"').next().unwrap();
        assert!(text[..start].contains(&format!("<key id=\"{name}\" ")), "{name}");
    }
}

#[test]
fn what_xml_cannot_hold_is_replaced() {
    let mut automaton = read(CORRECTNESS).unwrap();
    automaton.metadata.producer = "a\u{1}b\u{ffff}".into();
    assert_eq!(read(&write(&automaton)).unwrap().metadata.producer, "a\u{fffd}b\u{fffd}");
}

/// In `text`, the first `old` becomes `new`; then the reader complains with `message`, at the first `place`.
#[track_caller]
fn refuses(text: &str, old: &str, new: &str, place: &str, message: &str) {
    assert!(text.contains(old), "{old}");
    let broken = text.replacen(old, new, 1);
    let problem = read(&broken).unwrap_err();
    assert_eq!(problem.message, message, "{new}");
    assert_eq!(problem.span.lo as usize, broken.find(place).expect("the place"), "{message}");
    assert!(problem.help.is_some());
}

#[test]
fn broken_graphs() {
    let check = |old, new, place, message| refuses(VIOLATION, old, new, place, message);
    for key in ["witness-type", "sourcecodelang", "producer", "specification", "programfile", "programhash"] {
        let message = format!("the data `{key}` of the <graph> is missing");
        refuses(VIOLATION, &format!("<data key=\"{key}\""), "<data key=\"other\"", "<graph ", &message);
    }
    check("violation_witness", "alibi", "alibi", "not a value of `witness-type`: `alibi`");
    check("32bit", "16bit", "16bit", "not a value of `architecture`: `16bit`");
    check(">C<", ">Java<", "Java", "not a value of `sourcecodelang`: `Java`");
    check(
        "\"colour\">green",
        "\"witness-format-version\">2.0",
        "2.0<",
        "not a value of `witness-format-version`: `2.0`",
    );
    check("<graph ", "<graph/>\n<graph ", "<graph edge", "there is more than one <graph>");
}

#[test]
fn broken_nodes_and_edges() {
    let check = |old, new, place, message| refuses(VIOLATION, old, new, place, message);
    check("\"entry\">true", "\"entry\">false", "<graph ", "there is no entry node");
    check("\"sink\">true", "\"entry\">true", "<node id=\"sink\">", "there is more than one entry node");
    check("\"violation\">true", "\"violation\">false", "<graph ", "the violation witness has no violation node");
    check("\"entry\">true", "\"entry\">yes", "yes", "not a value of `entry`: `yes`");
    check("<node id=\"A5\"/>", "<node/>", "<node/>", "the attribute `id` of the <node> is missing");
    check("<node id=\"A5\"/>", "<node id=\"A0\"/>", "<node id=\"A0\"/>", "there is more than one node `A0`");
    check("source=\"A0\" ", "", "<edge target", "the attribute `source` of the <edge> is missing");
    check("target=\"A9\"", "target=\"B\"", "<edge source=\"A5\"", "the target of the edge is no node: `B`");
    check(">210<", ">x<", "x<", "not a value of `startoffset`: `x`");
    check("condition-false", "perhaps", "perhaps", "not a value of `control`: `perhaps`");
    check(
        "violation_witness",
        "correctness_witness",
        "<node id=\"sink\">",
        "a correctness witness has no sink and no violation node",
    );
}

#[test]
fn what_is_no_witness() {
    for (text, at, message) in [
        ("", 0, "there is no XML element"),
        ("<testcase/>", 0, "<testcase> is not a witness"),
        ("<graphml>\n</graphml>", 0, "the element <graph> is missing"),
        ("<graphml>\n<graph>", 10, "<graph> is not closed"),
    ] {
        let problem = read(text).unwrap_err();
        assert_eq!((problem.message.as_str(), problem.span.lo), (message, at), "{text}");
    }
    assert!(read(&"<a>".repeat(200_000)).unwrap_err().message.contains("not closed"));
}
