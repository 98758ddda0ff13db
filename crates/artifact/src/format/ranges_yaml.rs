//! The file `ranges.yml`: the bounds that cut the paths of a program into ranges. Described in `docs/ranges.md`.
//!
//! A bound is a sequence of decisions, or the inputs of a test case, or both. The file names the program: bounds mean nothing elsewhere.

use std::fmt::Write;

use tandem_base::{Problem, Span};
use tandem_cfa::DataModel;

use super::yaml_tree::{self, Node, Value};
use crate::gia::Subject;
use crate::range::{Bound, Decisions};
use crate::{Input, Literal, TestCase};

const VERSION: &str = "1.0";
const ACCEPTED: &str = "accepted are bounds (ranges.yml) of format 1.0: format_version, program (file, sha256, identity, data_model), bounds (a list \
    of mappings with decisions, goes_on, inputs)";

/// A bound as a file says it.
#[derive(Clone, PartialEq, Debug)]
pub enum Written {
    Decisions(Bound),
    /// The path that these inputs induce.
    Test(TestCase),
}

/// Reads bounds of this program. Those of another text, data model or option are refused.
pub fn read(text: &str, about: &Subject) -> Result<Vec<Written>, Problem> {
    let root = yaml_tree::read(text).map_err(accepted)?;
    let [version, program, bounds] = fields(root, ["format_version", "program", "bounds"])?;
    let version = version.ok_or_else(|| missing("format_version"))?;
    if scalar(&version)? != VERSION {
        return Err(wrong(version.span, format!("the format's version is not {VERSION}")));
    }
    let keys = ["file", "sha256", "identity", "data_model"];
    let [_, sha256, identity, data_model] = fields(program.ok_or_else(|| missing("program"))?, keys)?;
    let sha256 = sha256.ok_or_else(|| missing("sha256"))?;
    let model = about.data_model();
    if let Some(node) =
        data_model.filter(|node| scalar(node).is_ok_and(|name| DataModel::from_name(name) != Some(model)))
    {
        let help = format!("the program is read with {}; --data-model chooses another one", model.name());
        return Err(Problem::error(node.span, "the bounds are those of another data model").help(help));
    }
    let message = "the bounds are those of another program";
    match &identity {
        Some(identity) if !scalar(identity)?.eq_ignore_ascii_case(&about.identity.hash()) => {
            return Err(Problem::error(identity.span, message).help(about.identity_help()));
        }
        None if !scalar(&sha256)?.eq_ignore_ascii_case(&about.file_hash) => {
            let help = format!("the text of the program given has the SHA-256 {}", about.file_hash);
            return Err(Problem::error(sha256.span, message).help(help));
        }
        Some(_) | None => {}
    }
    items(bounds)?.into_iter().map(bound).collect()
}

fn bound(node: Node<'_>) -> Result<Written, Problem> {
    let span = node.span;
    let [decisions, goes_on, inputs] = fields(node, ["decisions", "goes_on", "inputs"])?;
    let test = inputs.map(|node| items(Some(node))).transpose()?;
    let test = test.map(|nodes| nodes.iter().map(input).collect::<Result<Vec<Input>, Problem>>()).transpose()?;
    let test = test.map(|inputs| TestCase { inputs, covers_error: false });
    let goes_on = match goes_on.as_ref().map(scalar).transpose()? {
        None | Some("false") => false,
        Some("true") => true,
        Some(_) => return Err(wrong(goes_on.map_or(span, |node| node.span), "goes_on is true or false".into())),
    };
    match (decisions, test) {
        (Some(node), test) => {
            let decisions = Decisions::parse(scalar(&node)?).map_err(|word| {
                let help = "a decision is a rank, 0 for the first edge, or a rank and how often it comes, as in 0*3";
                Problem::error(node.span, format!("`{word}` is no decision")).help(help)
            })?;
            Ok(Written::Decisions(Bound { decisions, goes_on, test }))
        }
        (None, Some(test)) => Ok(Written::Test(test)),
        (None, None) => Err(wrong(span, "a bound has decisions or inputs".into())),
    }
}

fn input(node: &Node<'_>) -> Result<Input, Problem> {
    let text = scalar(node)?;
    let value = Literal::parse(text).ok_or_else(|| {
        Problem::error(node.span, format!("not an input value: `{text}`"))
            .help(format!("accepted is {}", Literal::ACCEPTED))
    })?;
    Ok(Input::from(value))
}

fn fields<'a, const N: usize>(node: Node<'a>, keys: [&str; N]) -> Result<[Option<Node<'a>>; N], Problem> {
    let mut found = [const { None }; N];
    let Value::Mapping(entries) = node.value else { return Err(wrong(node.span, "this is not a mapping".into())) };
    for entry in entries {
        match keys.iter().position(|key| *key == entry.key) {
            Some(_) if entry.node.value == Value::Null => {}
            Some(index) => found[index] = Some(entry.node),
            None => return Err(wrong(entry.key_span, format!("unknown key `{}`", entry.key))),
        }
    }
    Ok(found)
}

fn items(node: Option<Node<'_>>) -> Result<Vec<Node<'_>>, Problem> {
    match node {
        None => Ok(Vec::new()),
        Some(Node { value: Value::Sequence(items), .. }) => Ok(items),
        Some(Node { value: Value::Null, .. }) => Ok(Vec::new()),
        Some(node) => Err(wrong(node.span, "this is not a list".into())),
    }
}

fn scalar<'n>(node: &'n Node<'_>) -> Result<&'n str, Problem> {
    match &node.value {
        Value::Scalar(text) => Ok(text),
        Value::Null => Ok(""),
        Value::Sequence(_) | Value::Mapping(_) => Err(wrong(node.span, "this is not a single value".into())),
    }
}

fn missing(key: &str) -> Problem {
    wrong(Span::new(0, 0), format!("there is no `{key}`"))
}

fn wrong(span: Span, message: String) -> Problem {
    Problem::error(span, message).help(ACCEPTED)
}

fn accepted(problem: Problem) -> Problem {
    if problem.help.is_some() { problem } else { problem.help(ACCEPTED) }
}

/// Writes bounds of a program, in their order.
pub fn write(subject: &Subject, bounds: &[Bound]) -> String {
    let mut text = format!("format_version: \"{VERSION}\"\nprogram:\n");
    let _ = writeln!(text, "  file: {}", quoted(&subject.file));
    let (sha256, identity) = (quoted(&subject.file_hash), quoted(&subject.identity.hash()));
    let model = subject.data_model().name();
    let _ = writeln!(text, "  sha256: {sha256}\n  identity: {identity}\n  data_model: {model}");
    text.push_str(if bounds.is_empty() { "bounds: []\n" } else { "bounds:\n" });
    for bound in bounds {
        let _ = writeln!(text, "  - decisions: {}", quoted(&bound.decisions.to_string()));
        if bound.goes_on {
            text.push_str("    goes_on: true\n");
        }
        if let Some(test) = &bound.test {
            let inputs: Vec<String> = test.inputs.iter().map(|input| quoted(&input.value.to_string())).collect();
            let _ = writeln!(text, "    inputs: [{}]", inputs.join(", "));
        }
    }
    text
}

/// The text in double quotes.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject() -> Subject {
        Subject::plain("a \"b\".c", b"", DataModel::Lp64)
    }

    #[test]
    fn what_is_written_is_read_back() {
        let test = TestCase { inputs: vec![Literal::parse("-3").unwrap().into()], covers_error: false };
        let bounds = vec![
            Bound { test: Some(test), ..Bound::path(Decisions(vec![0, 0, 0, 1])) },
            Bound::beginning(Decisions(vec![1])),
            Bound::path(Decisions(Vec::new())),
        ];
        let text = write(&subject(), &bounds);
        let read = read(&text, &subject()).unwrap();
        assert_eq!(read, bounds.into_iter().map(Written::Decisions).collect::<Vec<_>>());
        assert_eq!(super::read(&write(&subject(), &[]), &subject()).unwrap(), []);
    }

    #[test]
    fn bounds_of_another_program_are_refused() {
        let text = write(&subject(), &[]);
        let message = |about: &Subject| read(&text, about).unwrap_err().message;
        assert!(message(&Subject::plain("a.c", b"int x;", DataModel::Lp64)).contains("another program"));
        assert!(message(&Subject::plain("a.c", b"", DataModel::Ilp32)).contains("another data model"));
        // The same file under another option is another program.
        let option = Subject { identity: subject().identity.with("check", "memory"), ..subject() };
        assert!(message(&option).contains("another program"));
        // Without an identity, only the file counts.
        let of_others = text.lines().filter(|line| !line.contains("identity")).collect::<Vec<_>>().join("\n");
        assert_eq!(read(&of_others, &option).unwrap(), []);
    }

    #[test]
    fn bad_files() {
        let head = format!("format_version: \"1.0\"\nprogram: {{file: a.c, sha256: {}}}\n", subject().file_hash);
        for (rest, part) in [
            ("bounds: [{decisions: 0 x}]\n", "no decision"),
            ("bounds: [{}]\n", "decisions or inputs"),
            ("bounds: 3\n", "not a list"),
            ("bounds: [{inputs: [q]}]\n", "not an input value"),
            ("bounds: [{decisions: 0, goes_on: maybe}]\n", "true or false"),
            ("borders: []\n", "unknown key"),
        ] {
            let problem = read(&format!("{head}{rest}"), &subject()).unwrap_err();
            assert!(problem.message.contains(part), "{rest}: {}", problem.message);
            assert!(problem.help.is_some(), "{rest}");
        }
        assert_eq!(read(&format!("{head}bounds: [{{inputs: [1, 2]}}]\n"), &subject()).unwrap().len(), 1);
    }
}
