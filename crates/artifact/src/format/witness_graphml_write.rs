//! The writer of witnesses of format 1.0: the same witness always gives the same text.

use std::fmt::Write;

use tandem_cfa::DataModel;

use crate::{AutomatonKind, AutomatonMetadata, WitnessAutomaton, WitnessEdge, WitnessNode};

const HEADER: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
    <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n";

/// The keys: what they are for, their type and their name.
const KEYS: [(&str, &str, &str); 26] = [
    ("graph", "string", "witness-format-version"),
    ("graph", "string", "witness-type"),
    ("graph", "string", "sourcecodelang"),
    ("graph", "string", "producer"),
    ("graph", "string", "specification"),
    ("graph", "string", "programfile"),
    ("graph", "string", "programhash"),
    ("graph", "string", "programidentity"),
    ("graph", "string", "architecture"),
    ("graph", "string", "creationtime"),
    ("node", "boolean", "entry"),
    ("node", "boolean", "sink"),
    ("node", "boolean", "violation"),
    ("node", "string", "invariant"),
    ("node", "string", "invariant.scope"),
    ("edge", "int", "startline"),
    ("edge", "int", "endline"),
    ("edge", "int", "startoffset"),
    ("edge", "int", "endoffset"),
    ("edge", "string", "control"),
    ("edge", "string", "assumption"),
    ("edge", "string", "assumption.scope"),
    ("edge", "string", "assumption.resultfunction"),
    ("edge", "string", "enterFunction"),
    ("edge", "string", "returnFromFunction"),
    ("edge", "boolean", "enterLoopHead"),
];

/// Writes a witness.
pub fn write(automaton: &WitnessAutomaton) -> String {
    write_with_remarks(automaton, &[])
}

/// Writes a witness with remarks for people: the format has no key for them, so each is a comment, which readers pass over.
pub fn write_with_remarks(automaton: &WitnessAutomaton, remarks: &[String]) -> String {
    let mut text = HEADER.to_string();
    for remark in remarks {
        let _ = writeln!(text, "  <!-- {} -->", comment(remark));
    }
    for (element, ty, name) in KEYS {
        let _ = write!(text, "  <key id=\"{name}\" attr.name=\"{name}\" attr.type=\"{ty}\" for=\"{element}\"");
        text.push_str(if ty == "boolean" { ">\n    <default>false</default>\n  </key>\n" } else { "/>\n" });
    }
    text.push_str("  <graph edgedefault=\"directed\">\n");
    metadata(&mut text, &automaton.metadata);
    for item in automaton.nodes.iter() {
        node(&mut text, item);
    }
    for item in &automaton.edges {
        edge(&mut text, automaton, item);
    }
    text.push_str("  </graph>\n</graphml>\n");
    text
}

fn metadata(text: &mut String, metadata: &AutomatonMetadata) {
    let kind = match metadata.kind {
        AutomatonKind::Correctness => "correctness_witness",
        AutomatonKind::Violation => "violation_witness",
    };
    let architecture = match metadata.architecture {
        DataModel::Ilp32 => "32bit",
        DataModel::Lp64 => "64bit",
    };
    for (key, value) in [
        ("witness-format-version", "1.0"),
        ("witness-type", kind),
        ("sourcecodelang", &metadata.source_code_language),
        ("producer", &metadata.producer),
        ("specification", &metadata.specification),
        ("programfile", &metadata.program_file),
        ("programhash", &metadata.program_hash),
        ("architecture", architecture),
        ("creationtime", &metadata.creation_time),
    ] {
        data(text, 4, key, Some(value));
    }
    data(text, 4, "programidentity", metadata.program_identity.as_deref());
}

fn node(text: &mut String, node: &WitnessNode) {
    let start = format!("node id=\"{}\"", escaped(&node.name));
    element(text, "node", &start, |text| {
        data(text, 6, "entry", node.entry.then_some("true"));
        data(text, 6, "sink", node.sink.then_some("true"));
        data(text, 6, "violation", node.violation.then_some("true"));
        data(text, 6, "invariant", node.invariant.as_deref());
        data(text, 6, "invariant.scope", node.invariant_scope.as_deref());
    });
}

fn edge(text: &mut String, automaton: &WitnessAutomaton, edge: &WitnessEdge) {
    let name = |id| automaton.nodes.get(id).map_or(String::new(), |node| escaped(&node.name));
    let start = format!("edge source=\"{}\" target=\"{}\"", name(edge.source), name(edge.target));
    let number = |text: &mut String, key: &str, value: Option<u32>| {
        data(text, 6, key, value.map(|value| value.to_string()).as_deref());
    };
    element(text, "edge", &start, |text| {
        number(text, "startline", edge.start_line);
        number(text, "endline", edge.end_line);
        number(text, "startoffset", edge.start_offset);
        number(text, "endoffset", edge.end_offset);
        let control = edge.control.map(|value| if value { "condition-true" } else { "condition-false" });
        data(text, 6, "control", control);
        data(text, 6, "assumption", edge.assumption.as_deref());
        data(text, 6, "assumption.scope", edge.assumption_scope.as_deref());
        data(text, 6, "assumption.resultfunction", edge.assumption_result_function.as_deref());
        data(text, 6, "enterFunction", edge.enter_function.as_deref());
        data(text, 6, "returnFromFunction", edge.return_from_function.as_deref());
        data(text, 6, "enterLoopHead", edge.enter_loop_head.then_some("true"));
    });
}

fn element(text: &mut String, name: &str, start: &str, inner: impl FnOnce(&mut String)) {
    let mut content = String::new();
    inner(&mut content);
    let _ = match content.as_str() {
        "" => writeln!(text, "    <{start}/>"),
        _ => writeln!(text, "    <{start}>\n{content}    </{name}>"),
    };
}

fn data(text: &mut String, indent: usize, key: &str, value: Option<&str>) {
    if let Some(value) = value {
        let _ = writeln!(text, "{:indent$}<data key=\"{key}\">{}</data>", "", escaped(value));
    }
}

/// Text for a comment, which two hyphens in a row would end.
fn comment(text: &str) -> String {
    let mut text = escaped(text);
    while text.contains("--") {
        text = text.replace("--", "-");
    }
    text
}

/// Text for an element or an attribute. What XML cannot hold at all becomes the replacement character.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            // Readers turn these into other white space when they are not written as numbers.
            '\t' | '\n' | '\r' => {
                let _ = write!(escaped, "&#{};", character as u32);
            }
            '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(character),
        }
    }
    escaped
}
