//! Verification witnesses of format 1.0 (GraphML): an automaton whose nodes and edges carry data under fixed keys.
//!
//! Keys and elements that are not known are ignored, as the format asks. The reader knows nothing about programs.

use std::collections::HashMap;

use tandem_base::{IdVec, Problem, Span};
use tandem_cfa::DataModel;

pub use super::witness_graphml_write::{write, write_with_remarks};
use super::xml::{self, Element};
use crate::{AutomatonKind, AutomatonMetadata, WitnessAutomaton, WitnessEdge, WitnessNode, WitnessNodeId};

const ACCEPTED: &str = "a witness is `<graphml>` with one `<graph>`, whose `<data>` says witness-type, sourcecodelang, producer, \
     specification, programfile, programhash, architecture and creationtime, and which has `<node>`s and `<edge>`s";

/// Reads a witness.
pub fn read(text: &str) -> Result<WitnessAutomaton, Problem> {
    read_without_help(text).map_err(|problem| match problem.help {
        Some(_) => problem,
        None => problem.help(ACCEPTED),
    })
}

fn read_without_help(text: &str) -> Result<WitnessAutomaton, Problem> {
    let mut parts = Parts::default();
    xml::walk(text, |outer, element| parts.take(outer, element))?;
    let end = Span::new(text.len() as u32, text.len() as u32);
    let root = parts.root.ok_or_else(|| Problem::error(end, "there is no XML element"))?;
    if root.name != "graphml" {
        return Err(Problem::error(root.span, format!("<{}> is not a witness", root.name)));
    }
    let graph = parts.graph.ok_or_else(|| Problem::error(root.span, "the element <graph> is missing"))?;
    let metadata = metadata(&graph)?;
    let nodes = nodes(&graph, &parts.nodes, metadata.kind)?;
    let edges = edges(&parts.edges, &nodes)?;
    Ok(WitnessAutomaton { metadata, nodes, edges })
}

/// An element with the data inside it.
struct Part {
    element: Element,
    data: Vec<Element>,
}

/// What the document is made of, in the order of the document.
#[derive(Default)]
struct Parts {
    root: Option<Element>,
    graph: Option<Part>,
    nodes: Vec<Part>,
    edges: Vec<Part>,
    /// The data of the graph so far, and of the node or edge that has not ended yet.
    graph_data: Vec<Element>,
    inner_data: Vec<Element>,
}

impl Parts {
    fn take(&mut self, outer: &[Element], element: Element) -> Result<(), Problem> {
        let name = |index: usize| outer.get(index).map_or("", |element| element.name.as_str());
        let is_in_graph = name(0) == "graphml" && name(1) == "graph";
        match (outer.len(), element.name.as_str()) {
            (0, _) => self.root = self.root.take().or(Some(element)),
            (1, "graph") if self.graph.is_some() => {
                return Err(Problem::error(element.span, "there is more than one <graph>"));
            }
            (1, "graph") => self.graph = Some(Part { element, data: std::mem::take(&mut self.graph_data) }),
            (2, "data") if is_in_graph => self.graph_data.push(element),
            (2, "node") if is_in_graph => self.nodes.push(Part { element, data: std::mem::take(&mut self.inner_data) }),
            (2, "edge") if is_in_graph => self.edges.push(Part { element, data: std::mem::take(&mut self.inner_data) }),
            (3, "data") if is_in_graph && matches!(name(2), "node" | "edge") => self.inner_data.push(element),
            _ => {}
        }
        Ok(())
    }
}

impl Part {
    fn data(&self, key: &str) -> Option<&Element> {
        self.data.iter().find(|data| data.attribute("key") == Some(key))
    }

    fn text(&self, key: &str) -> Option<String> {
        self.data(key).map(|data| data.text.clone())
    }

    fn required(&self, key: &str) -> Result<&Element, Problem> {
        self.data(key).ok_or_else(|| {
            let message = format!("the data `{key}` of the <{}> is missing", self.element.name);
            Problem::error(self.element.span, message)
        })
    }

    fn attribute(&self, name: &str) -> Result<&str, Problem> {
        self.element.attribute(name).ok_or_else(|| {
            let message = format!("the attribute `{name}` of the <{}> is missing", self.element.name);
            Problem::error(self.element.span, message)
        })
    }

    fn flag(&self, key: &str) -> Result<bool, Problem> {
        self.data(key).map_or(Ok(false), |data| match data.text.as_str() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(wrong(data, key).help("a flag is `true` or `false`")),
        })
    }

    fn number(&self, key: &str) -> Result<Option<u32>, Problem> {
        let parse =
            |data: &Element| data.text.parse().map_err(|_| wrong(data, key).help("a line or offset is a number"));
        self.data(key).map(parse).transpose()
    }
}

/// The value of a key is none of those the format knows.
fn wrong(data: &Element, key: &str) -> Problem {
    Problem::error(data.text_span, format!("not a value of `{key}`: `{}`", data.text))
}

fn metadata(graph: &Part) -> Result<AutomatonMetadata, Problem> {
    if let Some(version) = graph.data("witness-format-version").filter(|version| !version.text.starts_with("1.")) {
        return Err(wrong(version, "witness-format-version").help("version 1.0 is read"));
    }
    let kind = graph.required("witness-type")?;
    let language = graph.required("sourcecodelang")?;
    if language.text != "C" {
        return Err(wrong(language, "sourcecodelang").help("the language is `C`"));
    }
    let architecture = graph.required("architecture")?;
    graph.required("specification")?;
    // A property of several lines may be spread over several elements.
    let specification = graph.data.iter().filter(|data| data.attribute("key") == Some("specification"));
    let text = |key: &str| graph.required(key).map(|data| data.text.clone());
    Ok(AutomatonMetadata {
        kind: match kind.text.as_str() {
            "correctness_witness" => AutomatonKind::Correctness,
            "violation_witness" => AutomatonKind::Violation,
            _ => return Err(wrong(kind, "witness-type").help("a type is `correctness_witness` or `violation_witness`")),
        },
        source_code_language: language.text.clone(),
        producer: text("producer")?,
        specification: specification.map(|data| data.text.as_str()).collect::<Vec<_>>().join("\n"),
        program_file: text("programfile")?,
        program_hash: text("programhash")?,
        program_identity: graph.data("programidentity").map(|data| data.text.clone()),
        architecture: match architecture.text.as_str() {
            "32bit" => DataModel::Ilp32,
            "64bit" => DataModel::Lp64,
            _ => return Err(wrong(architecture, "architecture").help("an architecture is `32bit` or `64bit`")),
        },
        creation_time: text("creationtime")?,
    })
}

fn nodes(graph: &Part, parts: &[Part], kind: AutomatonKind) -> Result<IdVec<WitnessNodeId, WitnessNode>, Problem> {
    let mut nodes = IdVec::new();
    let mut entry_seen = false;
    for part in parts {
        let node = node(part)?;
        if kind == AutomatonKind::Correctness && (node.sink || node.violation) {
            return Err(Problem::error(node.span, "a correctness witness has no sink and no violation node"));
        }
        if node.entry && entry_seen {
            return Err(Problem::error(node.span, "there is more than one entry node"));
        }
        entry_seen |= node.entry;
        nodes.push(node);
    }
    if !entry_seen {
        return Err(Problem::error(graph.element.span, "there is no entry node"));
    }
    if kind == AutomatonKind::Violation && !nodes.iter().any(|node| node.violation) {
        return Err(Problem::error(graph.element.span, "the violation witness has no violation node"));
    }
    Ok(nodes)
}

fn node(part: &Part) -> Result<WitnessNode, Problem> {
    Ok(WitnessNode {
        name: part.attribute("id")?.to_string(),
        entry: part.flag("entry")?,
        sink: part.flag("sink")?,
        violation: part.flag("violation")?,
        invariant: part.text("invariant"),
        invariant_scope: part.text("invariant.scope"),
        span: part.element.span,
    })
}

fn edges(parts: &[Part], nodes: &IdVec<WitnessNodeId, WitnessNode>) -> Result<Vec<WitnessEdge>, Problem> {
    let mut ids: HashMap<&str, WitnessNodeId> = HashMap::new();
    for (id, node) in nodes.enumerate() {
        if ids.insert(&node.name, id).is_some() {
            return Err(Problem::error(node.span, format!("there is more than one node `{}`", node.name)));
        }
    }
    let find = |part: &Part, attribute: &str| {
        let name = part.attribute(attribute)?;
        let message = || Problem::error(part.element.span, format!("the {attribute} of the edge is no node: `{name}`"));
        ids.get(name).copied().ok_or_else(message)
    };
    parts.iter().map(|part| edge(part, find(part, "source")?, find(part, "target")?)).collect()
}

fn edge(part: &Part, source: WitnessNodeId, target: WitnessNodeId) -> Result<WitnessEdge, Problem> {
    let control = part.data("control").map(|data| match data.text.as_str() {
        "condition-true" => Ok(true),
        "condition-false" => Ok(false),
        _ => Err(wrong(data, "control").help("control is `condition-true` or `condition-false`")),
    });
    Ok(WitnessEdge {
        source,
        target,
        start_line: part.number("startline")?,
        end_line: part.number("endline")?,
        start_offset: part.number("startoffset")?,
        end_offset: part.number("endoffset")?,
        control: control.transpose()?,
        assumption: part.text("assumption"),
        assumption_scope: part.text("assumption.scope"),
        assumption_result_function: part.text("assumption.resultfunction"),
        enter_function: part.text("enterFunction"),
        return_from_function: part.text("returnFromFunction"),
        enter_loop_head: part.flag("enterLoopHead")?,
        span: part.element.span,
    })
}
