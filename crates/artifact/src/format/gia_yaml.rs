//! The file `gia.yml`: an exchange automaton in words that people and programs can read and write. The format is described in
//! `docs/gia.md`, its schema is `docs/schemas/gia.schema.json`.
//!
//! Reading has two steps: [`outline`] needs only the text and knows states, marks and names; [`read`] also needs the program, finds
//! the edges, and refuses conditions that mean nothing where they stand. What is written is the same for automata that are the
//! same ([`same`](crate::gia::same)), and is read back as the same automaton.

use std::borrow::Cow;
use std::collections::HashMap;

use tandem_base::{FastBuild, Problem, Span};
use tandem_cfa::{DataModel, Program};

use super::yaml_tree::{self, Entry, Node, Value};
use crate::gia::{Gia, Mark, Subject};

pub use super::gia_yaml_write::write;

/// The version that is written, and the only one that is read.
pub const VERSION: &str = "1.0";

/// What a file says, before anybody has looked at the program.
#[derive(Clone, PartialEq, Debug)]
pub struct Outline<'a> {
    pub file: Text<'a>,
    /// SHA-256 of the user's file.
    pub hash: Text<'a>,
    /// The identity of the program; files that others have written may have none.
    pub identity: Option<Text<'a>>,
    pub data_model: DataModel,
    pub targets: Vec<OutlineTarget<'a>>,
    pub states: Vec<OutlineState<'a>>,
    pub transitions: Vec<OutlineTransition<'a>>,
    pub(super) data_model_span: Span,
    pub(super) states_span: Span,
}

/// A scalar of the file and where it stands, without quotes.
#[derive(Clone, PartialEq, Debug)]
pub struct Text<'a> {
    pub value: Cow<'a, str>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct OutlineTarget<'a> {
    pub name: Text<'a>,
    pub edges: Vec<Text<'a>>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct OutlineState<'a> {
    pub name: Text<'a>,
    pub mark: Option<Mark>,
    pub invariant: Vec<Text<'a>>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct OutlineTransition<'a> {
    /// The number of a state.
    pub source: usize,
    pub edges: OutlineEdges<'a>,
    pub assume: Vec<Text<'a>>,
    pub target: usize,
    pub span: Span,
}

/// Names of edges.
#[derive(Clone, PartialEq, Debug)]
pub enum OutlineEdges<'a> {
    These(Vec<Text<'a>>),
    /// `*` is all but none.
    AllBut(Vec<Text<'a>>),
}

/// The word for a mark.
pub fn mark_word(mark: Mark) -> &'static str {
    match mark {
        Mark::Unreachable => "unreachable",
        Mark::Reached => "reached",
        Mark::Candidate => "candidate",
    }
}

/// Reads an automaton about this program. What is about another text, data model or option is refused.
pub fn read(text: &str, program: &Program, about: &Subject) -> Result<Gia, Problem> {
    super::gia_yaml_read::resolve(&outline(text)?, program, about)
}

/// Reads what can be read without the program.
pub fn outline(text: &str) -> Result<Outline<'_>, Problem> {
    let document = yaml_tree::read(text).map_err(accepted)?;
    let fields = Fields::of(document, "an exchange automaton", &KEYS)?;
    let [version, program, targets, states, transitions] = fields.take();
    let version = scalar(version.ok_or_else(|| fields.missing("format_version"))?)?;
    if version.value != VERSION {
        let message = format!("the format's version is `{}`, not {VERSION}", version.value);
        return Err(accepted(Problem::error(version.span, message)));
    }
    let subject = Fields::of(program.ok_or_else(|| fields.missing("program"))?, "the program", &PROGRAM_KEYS)?;
    let [file, hash, identity, model] = subject.take();
    let file = scalar(file.ok_or_else(|| subject.missing("file"))?)?;
    let hash = scalar(hash.ok_or_else(|| subject.missing("sha256"))?)?;
    let identity = identity.map(scalar).transpose()?;
    let model = scalar(model.ok_or_else(|| subject.missing("data_model"))?)?;
    let data_model = DataModel::from_name(&model.value).ok_or_else(|| {
        let message = format!("not a data model: `{}`", model.value);
        Problem::error(model.span, message).help("the data models are ILP32 and LP64")
    })?;
    let states = states.ok_or_else(|| fields.missing("states"))?;
    let states_span = states.span;
    let states = items(states)?.into_iter().map(state).collect::<Result<Vec<_>, _>>()?;
    let numbers = states.iter().enumerate().map(|(number, state)| (&*state.name.value, number));
    let numbers: HashMap<&str, usize, FastBuild> = numbers.collect();
    let transitions = transitions.map_or(Ok(Vec::new()), items)?.into_iter();
    let transitions = transitions.map(|node| transition(node, &numbers)).collect::<Result<Vec<_>, _>>()?;
    let targets = targets.map_or(Ok(Vec::new()), items)?.into_iter().map(target).collect::<Result<Vec<_>, _>>()?;
    let data_model_span = model.span;
    Ok(Outline { file, hash, identity, data_model, targets, states, transitions, data_model_span, states_span })
}

const KEYS: [&str; 5] = ["format_version", "program", "targets", "states", "transitions"];
const PROGRAM_KEYS: [&str; 4] = ["file", "sha256", "identity", "data_model"];

fn accepted(problem: Problem) -> Problem {
    match problem.help {
        Some(_) => problem,
        None => problem.help("accepted is an exchange automaton (gia.yml) of format 1.0: format_version, program, targets, states, transitions"),
    }
}

/// The entries of a mapping with known keys, in the order of the keys.
struct Fields<'a, const N: usize> {
    what: &'static str,
    span: Span,
    nodes: std::cell::Cell<Option<[Option<Node<'a>>; N]>>,
}

impl<'a, const N: usize> Fields<'a, N> {
    fn of(node: Node<'a>, what: &'static str, keys: &[&str; N]) -> Result<Fields<'a, N>, Problem> {
        let known = || format!("the keys of {what} are {}", keys.join(", "));
        let Value::Mapping(entries) = node.value else {
            return Err(Problem::error(node.span, format!("{what} is a mapping")).help(known()));
        };
        let mut nodes = [const { None }; N];
        for Entry { key, key_span, node } in entries {
            match keys.iter().position(|known| *known == key) {
                Some(_) if node.value == Value::Null => {}
                Some(index) => nodes[index] = Some(node),
                None => return Err(Problem::error(key_span, format!("unknown key `{key}`")).help(known())),
            }
        }
        Ok(Fields { what, span: node.span, nodes: std::cell::Cell::new(Some(nodes)) })
    }

    fn take(&self) -> [Option<Node<'a>>; N] {
        self.nodes.take().unwrap_or([const { None }; N])
    }

    fn missing(&self, key: &str) -> Problem {
        accepted(Problem::error(self.span, format!("{} has no `{key}`", self.what)))
    }
}

fn scalar(node: Node<'_>) -> Result<Text<'_>, Problem> {
    match node.value {
        Value::Scalar(value) => Ok(Text { value, span: node.span }),
        Value::Null => Err(accepted(Problem::error(node.span, "a value is missing here"))),
        Value::Sequence(_) | Value::Mapping(_) => {
            Err(accepted(Problem::error(node.span, "this is not a single value")))
        }
    }
}

fn items(node: Node<'_>) -> Result<Vec<Node<'_>>, Problem> {
    match node.value {
        Value::Sequence(items) => Ok(items),
        Value::Null => Ok(Vec::new()),
        Value::Scalar(_) | Value::Mapping(_) => Err(accepted(Problem::error(node.span, "this is not a list"))),
    }
}

/// A list of texts, or one.
fn texts(node: Option<Node<'_>>) -> Result<Vec<Text<'_>>, Problem> {
    match node {
        None => Ok(Vec::new()),
        Some(node) if matches!(node.value, Value::Scalar(_)) => Ok(vec![scalar(node)?]),
        Some(node) => items(node)?.into_iter().map(scalar).collect(),
    }
}

fn target(node: Node<'_>) -> Result<OutlineTarget<'_>, Problem> {
    let fields = Fields::of(node, "a target", &["name", "edges"])?;
    let [name, edges] = fields.take();
    Ok(OutlineTarget { name: scalar(name.ok_or_else(|| fields.missing("name"))?)?, edges: texts(edges)? })
}

fn state(node: Node<'_>) -> Result<OutlineState<'_>, Problem> {
    let fields = Fields::of(node, "a state", &["name", "mark", "invariant"])?;
    let [name, mark, invariant] = fields.take();
    let name = scalar(name.ok_or_else(|| fields.missing("name"))?)?;
    let mark = mark.map(scalar).transpose()?.map(|word| {
        let all = [Mark::Unreachable, Mark::Reached, Mark::Candidate];
        all.into_iter().find(|mark| mark_word(*mark) == word.value).ok_or_else(|| {
            let message = format!("unknown mark `{}`", word.value);
            Problem::error(word.span, message).help("the marks are unreachable, reached and candidate")
        })
    });
    Ok(OutlineState { name, mark: mark.transpose()?, invariant: texts(invariant)? })
}

fn transition<'a>(node: Node<'a>, numbers: &HashMap<&str, usize, FastBuild>) -> Result<OutlineTransition<'a>, Problem> {
    let span = node.span;
    let fields = Fields::of(node, "a transition", &["from", "edges", "all_but", "assume", "to"])?;
    let [source, edges, all_but, assume, target] = fields.take();
    let state = |node: Option<Node<'_>>, key: &str| {
        let name = scalar(node.ok_or_else(|| fields.missing(key))?)?;
        numbers.get(&*name.value).copied().ok_or_else(|| {
            let message = format!("there is no state named `{}`", name.value);
            Problem::error(name.span, message).help("`from` and `to` name states of the list `states`")
        })
    };
    let (source, target) = (state(source, "from")?, state(target, "to")?);
    let edges = match (edges, all_but) {
        (Some(Node { value: Value::Scalar(all), .. }), None) if all == "*" => OutlineEdges::AllBut(Vec::new()),
        (Some(edges), None) => OutlineEdges::These(texts(Some(edges))?),
        (None, Some(edges)) => OutlineEdges::AllBut(texts(Some(edges))?),
        (None, None) => return Err(fields.missing("edges")),
        (Some(_), Some(edges)) => {
            return Err(accepted(Problem::error(edges.span, "a transition has `edges` or `all_but`, not both")));
        }
    };
    Ok(OutlineTransition { source, edges, assume: texts(assume)?, target, span })
}
