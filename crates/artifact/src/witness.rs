//! Verification witnesses: what supports a verdict, in words that other programs understand.
//!
//! A correctness witness names invariants of the program's text; a violation witness names places that a violating run passes,
//! in order. Lines and columns are those of the user's files. Knows no file format, except that a witness is
//! identified by its written form; knows no program: whether a place exists is for those who use the witness.
//! Witnesses that are automata are in [`witness_automaton`](crate::WitnessAutomaton).

use std::collections::BTreeMap;

use tandem_base::{Problem, Span};
use tandem_cfa::DataModel;

use crate::format::witness_yaml;
use crate::stamp;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    pub metadata: WitnessMetadata,
    pub content: WitnessContent,
    /// Claims of the file that are not modelled here, each with its place, as warnings. They are part of what the witness
    /// says: with one of them left, nobody may call the witness confirmed.
    pub skipped: Vec<Problem>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WitnessMetadata {
    pub format_version: WitnessVersion,
    pub uuid: String,
    /// ISO 8601.
    pub creation_time: String,
    pub producer: Producer,
    pub task: WitnessTask,
}

/// The version of the YAML format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum WitnessVersion {
    V2_0,
    V2_1,
    V2_2,
}

/// The program that made the witness.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Producer {
    pub name: String,
    pub version: String,
    pub configuration: Option<String>,
    pub command_line: Option<String>,
    pub description: Option<String>,
}

/// The program and the property that the witness is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WitnessTask {
    pub input_files: Vec<String>,
    /// SHA-256 in hexadecimal, by file.
    pub input_file_hashes: BTreeMap<String, String>,
    /// The text of the property.
    pub specification: String,
    pub data_model: DataModel,
    /// Always `C` in what the reader accepts.
    pub language: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WitnessContent {
    /// All hold; the order means nothing. An empty list leaves all the work to the reader.
    Correctness(Vec<WitnessInvariant>),
    /// A run matches if it can be cut into consecutive parts, one for each segment. The last segment follows the target.
    Violation(Vec<Segment>),
}

/// A C expression that holds whenever control is at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WitnessInvariant {
    pub kind: InvariantKind,
    pub location: WitnessLocation,
    pub value: String,
    pub format: ExpressionFormat,
    /// Where the expression stands in the file that was read.
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InvariantKind {
    /// Each time before the controlling expression is evaluated; the place is the first character of the loop's keyword.
    Loop,
    /// Before the statement or declaration whose first character the place is.
    Location,
}

/// The language of an expression in a witness.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ExpressionFormat {
    C,
    /// C with `\result` and `\at` (since 2.1).
    ExtendedC,
    /// What 2.0 has for `\result`.
    Acsl,
}

/// A place in the program's text, lines and columns counted from one; a tab is one column.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WitnessLocation {
    pub file_name: String,
    pub line: u32,
    /// Without a column, the left-most position of the line is meant that suits.
    pub column: Option<u32>,
    /// For people only.
    pub function: Option<String>,
}

/// A part of a run: it passes the waypoint to follow at its end, and before that none of those to avoid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    pub avoid: Vec<Waypoint>,
    pub follow: Waypoint,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waypoint {
    pub kind: WaypointKind,
    pub location: WitnessLocation,
    /// Where it stands in the file that was read: its constraint, or else its type.
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WaypointKind {
    /// Before the statement at the place, the expression is true.
    Assumption(WitnessExpression),
    /// The branching statement whose keyword is at the place goes this way.
    Branching(Branch),
    /// The function is entered by the call whose closing parenthesis is at the place.
    FunctionEnter,
    /// The call whose closing parenthesis is at the place returns a value (`\result`) that satisfies the expression.
    FunctionReturn(WitnessExpression),
    /// The violation itself.
    Target,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WitnessExpression {
    pub value: String,
    pub format: ExpressionFormat,
}

/// The way a branching statement goes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Branch {
    /// The controlling expression is true, or false.
    Condition(bool),
    /// The `case` of a `switch` with this value.
    Case(i128),
    /// The `default` of a `switch`.
    Default,
}

impl Witness {
    /// A witness of format 2.0, made so many seconds after the epoch. Its identifier follows from all the rest.
    pub fn new(producer: Producer, task: WitnessTask, seconds: u64, content: WitnessContent) -> Witness {
        let metadata = WitnessMetadata {
            format_version: WitnessVersion::V2_0,
            uuid: String::new(),
            creation_time: stamp::iso_time(seconds),
            producer,
            task,
        };
        let mut witness = Witness { metadata, content, skipped: Vec::new() };
        let text = witness_yaml::write(std::slice::from_ref(&witness));
        witness.metadata.uuid = stamp::uuid_of(text.as_bytes());
        witness
    }

    /// The same witness as if it had not been read from a file.
    pub fn without_spans(mut self) -> Witness {
        match &mut self.content {
            WitnessContent::Correctness(invariants) => {
                invariants.iter_mut().for_each(|invariant| invariant.span = Span::NONE);
            }
            WitnessContent::Violation(segments) => {
                let waypoints = segments
                    .iter_mut()
                    .flat_map(|segment| segment.avoid.iter_mut().chain(std::iter::once(&mut segment.follow)));
                waypoints.for_each(|waypoint| waypoint.span = Span::NONE);
            }
        }
        self
    }
}

impl WitnessTask {
    /// The task of verifying these files, each a name and what is in it.
    pub fn new(files: &[(&str, &[u8])], specification: &str, data_model: DataModel) -> WitnessTask {
        WitnessTask {
            input_files: files.iter().map(|(name, _)| name.to_string()).collect(),
            input_file_hashes: files.iter().map(|(name, text)| (name.to_string(), stamp::sha256_hex(text))).collect(),
            specification: specification.to_string(),
            data_model,
            language: "C".to_string(),
        }
    }
}

impl WitnessLocation {
    pub fn new(file_name: &str, line: u32, column: u32) -> WitnessLocation {
        WitnessLocation { file_name: file_name.to_string(), line, column: Some(column), function: None }
    }

    pub fn in_function(self, function: &str) -> WitnessLocation {
        WitnessLocation { function: Some(function.to_string()), ..self }
    }
}

impl WitnessInvariant {
    /// Of the loop whose keyword is at the place.
    pub fn of_loop(location: WitnessLocation, value: impl Into<String>) -> WitnessInvariant {
        let (kind, format) = (InvariantKind::Loop, ExpressionFormat::C);
        WitnessInvariant { kind, location, value: value.into(), format, span: Span::NONE }
    }

    /// Before the statement at the place.
    pub fn before_statement(location: WitnessLocation, value: impl Into<String>) -> WitnessInvariant {
        WitnessInvariant { kind: InvariantKind::Location, ..WitnessInvariant::of_loop(location, value) }
    }
}

impl Segment {
    /// A segment that avoids nothing.
    pub fn follow(waypoint: Waypoint) -> Segment {
        Segment { avoid: Vec::new(), follow: waypoint }
    }
}

impl Waypoint {
    pub fn new(kind: WaypointKind, location: WitnessLocation) -> Waypoint {
        Waypoint { kind, location, span: Span::NONE }
    }

    pub fn target(location: WitnessLocation) -> Waypoint {
        Waypoint::new(WaypointKind::Target, location)
    }

    pub fn assumption(location: WitnessLocation, value: impl Into<String>) -> Waypoint {
        let expression = WitnessExpression { value: value.into(), format: ExpressionFormat::C };
        Waypoint::new(WaypointKind::Assumption(expression), location)
    }

    /// With an expression over `\result`, as format 2.0 has it.
    pub fn function_return(location: WitnessLocation, value: impl Into<String>) -> Waypoint {
        let expression = WitnessExpression { value: value.into(), format: ExpressionFormat::Acsl };
        Waypoint::new(WaypointKind::FunctionReturn(expression), location)
    }

    pub fn function_enter(location: WitnessLocation) -> Waypoint {
        Waypoint::new(WaypointKind::FunctionEnter, location)
    }

    pub fn branching(location: WitnessLocation, branch: Branch) -> Waypoint {
        Waypoint::new(WaypointKind::Branching(branch), location)
    }
}
