//! The automaton as JSON, for other programs. The field names are a contract; the format is this file's types:
//!
//! ```json
//! { "format": "tandem-cfa", "version": 1, "file": "a.c", "data_model": "LP64", "entry": "main",
//!   "functions": [ { "id": 0, "name": "main", "type": "int (void)", "defined": true, "library": false, "noreturn": false,
//!       "recursive": false, "entry": 0, "exit": 1, "nodes": [0, 1], "loop_heads": [0],
//!       "loops": [ { "head": 0, "parent": null, "depth": 1, "entries": [] } ] } ],
//!   "edges": [ { "id": 0, "source": 0, "target": 1, "function": 0, "kind": "assume", "label": "[x < 5]", "file": "a.c", "line": 3, "column": 7,
//!       "end_line": 3, "end_column": 12, "decision": 0, "outcome": 1, "condition": 0 } ],
//!   "decisions": [ { "id": 0, "kind": "if", "function": 0, "outcomes": 2, "line": 3, "column": 7, ... } ],
//!   "conditions": [ { "id": 0, "decision": 0, "line": 3, "column": 7, ... } ],
//!   "statistics": { "functions": 1, "nodes": 2, ... } }
//! ```
//!
//! `nodes` is the first node of a function and the one behind its last. Positions are left out where there are none; ends
//! are the last byte. Ids are those of the text form.

use serde::Serialize;
use tandem_base::{SourceText, Span};

use crate::c_print;
use crate::graph::{CallGraph, Graph};
use crate::model::*;

/// The whole program as one JSON object.
pub fn write(program: &Program) -> String {
    serde_json::to_string_pretty(&document(program)).unwrap_or_else(|error| format!("{{\"error\": \"{error}\"}}"))
}

#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    version: u32,
    file: &'a str,
    data_model: &'static str,
    entry: Option<&'a str>,
    functions: Vec<FunctionEntry<'a>>,
    edges: Vec<EdgeEntry>,
    decisions: Vec<DecisionEntry>,
    conditions: Vec<ConditionEntry>,
    statistics: Statistics,
}

#[derive(Serialize)]
struct FunctionEntry<'a> {
    id: u32,
    name: &'a str,
    #[serde(rename = "type")]
    ty: String,
    defined: bool,
    library: bool,
    noreturn: bool,
    recursive: bool,
    #[serde(flatten)]
    body: Option<BodyEntry>,
}

#[derive(Serialize)]
struct BodyEntry {
    entry: u32,
    exit: u32,
    nodes: [u32; 2],
    loop_heads: Vec<u32>,
    loops: Vec<LoopEntry>,
}

#[derive(Serialize)]
struct LoopEntry {
    head: u32,
    /// The head of the loop around it.
    parent: Option<u32>,
    depth: u32,
    entries: Vec<u32>,
}

#[derive(Serialize)]
struct EdgeEntry {
    id: u32,
    source: u32,
    target: u32,
    function: u32,
    kind: &'static str,
    label: String,
    #[serde(flatten)]
    at: Option<Where>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<u32>,
}

#[derive(Serialize)]
struct Where {
    file: String,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
}

#[derive(Serialize)]
struct DecisionEntry {
    id: u32,
    kind: &'static str,
    function: u32,
    outcomes: u32,
    #[serde(flatten)]
    at: Option<Where>,
}

#[derive(Serialize)]
struct ConditionEntry {
    id: u32,
    decision: u32,
    #[serde(flatten)]
    at: Option<Where>,
}

#[derive(Serialize)]
struct Statistics {
    functions: usize,
    defined_functions: usize,
    nodes: usize,
    edges: usize,
    variables: usize,
    expressions: usize,
    decisions: usize,
    conditions: usize,
    statements: usize,
    loop_heads: usize,
    unsupported: usize,
}

fn document(program: &Program) -> Document<'_> {
    let calls = CallGraph::of(program);
    let functions: Vec<FunctionEntry<'_>> = program.functions.ids().map(|id| function(program, &calls, id)).collect();
    let loop_heads = functions.iter().flat_map(|f| &f.body).map(|body| body.loop_heads.len()).sum();
    Document {
        format: "tandem-cfa",
        version: 1,
        file: program.source.file(),
        data_model: program.model().name(),
        entry: program.entry.map(|entry| &*program.functions[entry].name),
        edges: program.edges.ids().map(|id| edge(program, id)).collect(),
        decisions: program.decisions.enumerate().map(|(id, decision)| decision_entry(program, id, decision)).collect(),
        conditions: program
            .conditions
            .enumerate()
            .map(|(id, condition)| ConditionEntry {
                id: id.0,
                decision: condition.decision.0,
                at: position(&program.source, condition.span),
            })
            .collect(),
        statistics: statistics(program, loop_heads),
        functions,
    }
}

fn function<'a>(program: &'a Program, calls: &CallGraph, id: FunctionId) -> FunctionEntry<'a> {
    let function = &program.functions[id];
    FunctionEntry {
        id: id.0,
        name: &function.name,
        ty: c_print::ty(program, function.ty),
        defined: function.body.is_some(),
        library: function.is_library,
        noreturn: function.is_noreturn,
        recursive: calls.is_recursive(id),
        body: function.body.as_ref().map(|body| body_entry(program, body)),
    }
}

fn body_entry(program: &Program, body: &Body) -> BodyEntry {
    let loops = Graph::of(program, body).loops();
    let entry = |l: &crate::graph::Loop| LoopEntry {
        head: l.head.0,
        parent: l.parent.map(|parent| loops.all()[parent].head.0),
        depth: l.depth,
        entries: l.entries.iter().map(|node| node.0).collect(),
    };
    BodyEntry {
        entry: body.entry.0,
        exit: body.exit.0,
        nodes: [body.nodes.start.0, body.nodes.end.0],
        loop_heads: loops.heads().map(|head| head.0).collect(),
        loops: loops.all().iter().map(entry).collect(),
    }
}

fn edge(program: &Program, id: EdgeId) -> EdgeEntry {
    let edge = &program.edges[id];
    EdgeEntry {
        id: id.0,
        source: edge.source.0,
        target: edge.target.0,
        function: program.function_of(id).0,
        kind: match &edge.op {
            Op::Skip => "skip",
            Op::Assume { .. } => "assume",
            Op::Assign { .. } => "assign",
            Op::Call { .. } => "call",
            Op::Return { .. } => "return",
            Op::Declare(_) => "declare",
            Op::Unsupported { .. } => "unsupported",
        },
        label: c_print::edge(program, id),
        at: position(&program.source, edge.span),
        decision: edge.outcome.map(|(decision, _)| decision.0),
        outcome: edge.outcome.map(|(_, outcome)| outcome),
        condition: edge.condition.map(|condition| condition.0),
    }
}

fn decision_entry(program: &Program, id: DecisionId, decision: &Decision) -> DecisionEntry {
    let kind = match decision.kind {
        DecisionKind::If => "if",
        DecisionKind::While => "while",
        DecisionKind::DoWhile => "do",
        DecisionKind::For => "for",
        DecisionKind::Switch => "switch",
        DecisionKind::Conditional => "conditional",
        DecisionKind::Logical => "logical",
        DecisionKind::Computed => "computed",
    };
    let at = position(&program.source, decision.span);
    DecisionEntry { id: id.0, kind, function: decision.function.0, outcomes: decision.outcomes, at }
}

fn position(source: &SourceText, span: Span) -> Option<Where> {
    if span.is_none() {
        return None;
    }
    let start = source.position(span.lo);
    let end = source.position(span.hi.saturating_sub(1).max(span.lo));
    Some(Where {
        file: start.file.to_string(),
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
    })
}

fn statistics(program: &Program, loop_heads: usize) -> Statistics {
    Statistics {
        functions: program.functions.len(),
        defined_functions: program.functions.iter().filter(|function| function.body.is_some()).count(),
        nodes: program.nodes.len(),
        edges: program.edges.len(),
        variables: program.variables.len(),
        expressions: program.arena.exprs().len(),
        decisions: program.decisions.len(),
        conditions: program.conditions.len(),
        statements: program.statements.len(),
        loop_heads,
        unsupported: program.edges.iter().filter(|edge| matches!(edge.op, Op::Unsupported { .. })).count(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_carry_their_place_and_decision() {
        let text =
            b"int f(int);\nint main(void) {\n  int x = f(1);\n  while (x < 5)\n    x++;\n  return x;\n}\n".to_vec();
        let source = SourceText::plain("a.c", text);
        let program = crate::build(source, tandem_syntax::DataModel::Lp64).program.unwrap();
        let value: serde_json::Value = serde_json::from_str(&write(&program)).unwrap();
        let edges = value["edges"].as_array().unwrap();
        let assume = edges.iter().find(|edge| edge["label"] == "[x < 5]").unwrap();
        assert_eq!((&assume["line"], &assume["column"]), (&4.into(), &10.into()));
        assert_eq!((&assume["end_line"], &assume["end_column"]), (&4.into(), &14.into()));
        assert_eq!((&assume["decision"], &assume["outcome"], &assume["condition"]), (&0.into(), &1.into(), &0.into()));
        assert_eq!(value["statistics"]["loop_heads"], 1);
        assert_eq!(value["decisions"][0]["kind"], "while");
        let main = value["functions"].as_array().unwrap().iter().find(|f| f["name"] == "main").unwrap();
        assert_eq!(main["loop_heads"], serde_json::json!([assume["source"]]));
        let declared = value["functions"].as_array().unwrap().iter().find(|f| f["name"] == "f").unwrap();
        assert_eq!((&declared["defined"], declared.get("entry")), (&false.into(), None));
    }
}
