//! Verification witnesses that are automata: nodes with invariants, edges that match steps of the program.
//!
//! Knows no file format and no program.

use tandem_base::{IdVec, Span, define_id};
use tandem_cfa::DataModel;

use crate::{ProgramIdentity, stamp};

define_id!(
    /// A node of a [`WitnessAutomaton`].
    WitnessNodeId,
    "q"
);

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WitnessAutomaton {
    pub metadata: AutomatonMetadata,
    pub nodes: IdVec<WitnessNodeId, WitnessNode>,
    pub edges: Vec<WitnessEdge>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AutomatonMetadata {
    pub kind: AutomatonKind,
    /// Always `C` in what the reader accepts.
    pub source_code_language: String,
    pub producer: String,
    /// The text of the property.
    pub specification: String,
    pub program_file: String,
    /// SHA-256 in hexadecimal.
    pub program_hash: String,
    /// The identity of the program, in witnesses of ours.
    pub program_identity: Option<String>,
    pub architecture: DataModel,
    /// ISO 8601.
    pub creation_time: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AutomatonKind {
    /// Every node accepts; invariants hold at the nodes.
    Correctness,
    /// Runs to a violation node are said to violate the property.
    Violation,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WitnessNode {
    pub name: String,
    pub entry: bool,
    /// No violation is reached from here (violation witnesses only).
    pub sink: bool,
    /// The violation (violation witnesses only).
    pub violation: bool,
    /// A C expression (correctness witnesses only).
    pub invariant: Option<String>,
    /// The function in which the names of the invariant are meant.
    pub invariant_scope: Option<String>,
    /// Where it stands in the file that was read.
    pub span: Span,
}

/// Matches a step of the program if all that is said about it is so.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WitnessEdge {
    pub source: WitnessNodeId,
    pub target: WitnessNodeId,
    pub start_line: Option<u32>,
    pub end_line: Option<u32>,
    /// Characters before the step's text.
    pub start_offset: Option<u32>,
    pub end_offset: Option<u32>,
    /// The branch that is taken: `condition-true` or `condition-false`.
    pub control: Option<bool>,
    /// What holds after the step: C expressions.
    pub assumption: Option<String>,
    /// The function in which the names of the assumption are meant.
    pub assumption_scope: Option<String>,
    /// The function whose result `\result` means in the assumption.
    pub assumption_result_function: Option<String>,
    pub enter_function: Option<String>,
    pub return_from_function: Option<String>,
    pub enter_loop_head: bool,
    /// Where it stands in the file that was read.
    pub span: Span,
}

impl WitnessAutomaton {
    /// An automaton with nothing but its entry node, `q0`.
    pub fn new(metadata: AutomatonMetadata) -> WitnessAutomaton {
        let mut automaton = WitnessAutomaton { metadata, nodes: IdVec::new(), edges: Vec::new() };
        let entry = automaton.add_node();
        automaton.nodes[entry].entry = true;
        automaton
    }

    /// A new node without marks, named by its number.
    pub fn add_node(&mut self) -> WitnessNodeId {
        let name = self.nodes.next_id().to_string();
        self.nodes.push(WitnessNode { name, ..WitnessNode::default() })
    }

    /// A new node that is the violation.
    pub fn add_violation(&mut self) -> WitnessNodeId {
        let node = self.add_node();
        self.nodes[node].violation = true;
        node
    }

    /// A new node from which no violation is reached.
    pub fn add_sink(&mut self) -> WitnessNodeId {
        let node = self.add_node();
        self.nodes[node].sink = true;
        node
    }

    /// A new edge; what it matches is for the caller to fill in.
    pub fn add_edge(&mut self, source: WitnessNodeId, target: WitnessNodeId) -> &mut WitnessEdge {
        let index = self.edges.len();
        self.edges.push(WitnessEdge::new(source, target));
        &mut self.edges[index]
    }

    pub fn entry(&self) -> Option<WitnessNodeId> {
        self.nodes.enumerate().find(|(_, node)| node.entry).map(|(id, _)| id)
    }

    pub fn edges_from(&self, source: WitnessNodeId) -> impl Iterator<Item = &WitnessEdge> {
        self.edges.iter().filter(move |edge| edge.source == source)
    }

    /// The same automaton as if it had not been read from a file.
    pub fn without_spans(mut self) -> WitnessAutomaton {
        self.nodes.iter_mut().for_each(|node| node.span = Span::NONE);
        self.edges.iter_mut().for_each(|edge| edge.span = Span::NONE);
        self
    }
}

impl AutomatonMetadata {
    /// Of a witness about this program (its name and what is in it), made so many seconds after the epoch.
    pub fn new(
        kind: AutomatonKind,
        producer: &str,
        program: (&str, &[u8]),
        specification: &str,
        architecture: DataModel,
        seconds: u64,
    ) -> AutomatonMetadata {
        AutomatonMetadata {
            kind,
            source_code_language: "C".to_string(),
            producer: producer.to_string(),
            specification: specification.to_string(),
            program_file: program.0.to_string(),
            program_hash: stamp::sha256_hex(program.1),
            program_identity: None,
            architecture,
            creation_time: stamp::iso_time(seconds),
        }
    }

    pub fn with_identity(self, identity: &ProgramIdentity) -> AutomatonMetadata {
        AutomatonMetadata { program_identity: Some(identity.hash()), ..self }
    }
}

impl Default for WitnessNode {
    fn default() -> WitnessNode {
        WitnessNode {
            name: String::new(),
            entry: false,
            sink: false,
            violation: false,
            invariant: None,
            invariant_scope: None,
            span: Span::NONE,
        }
    }
}

impl WitnessEdge {
    /// An edge that matches every step.
    pub fn new(source: WitnessNodeId, target: WitnessNodeId) -> WitnessEdge {
        WitnessEdge {
            source,
            target,
            start_line: None,
            end_line: None,
            start_offset: None,
            end_offset: None,
            control: None,
            assumption: None,
            assumption_scope: None,
            assumption_result_function: None,
            enter_function: None,
            return_from_function: None,
            enter_loop_head: false,
            span: Span::NONE,
        }
    }
}
