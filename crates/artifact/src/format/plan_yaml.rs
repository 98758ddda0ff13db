//! Plans as files. The format is described in `docs/plans.md`.

use std::time::Duration;

use tandem_base::{Problem, Span};

use super::yaml_tree::{self, Entry, Node, Value};
use crate::plan::{Call, MemberCall, NamedPlan, Plan, ProgramFeature, Share, Tool, When};

/// How deep plans may be nested, and how many rounds a repetition has if the file does not say.
const DEPTH: usize = 50;
const ROUNDS: u32 = 1000;

/// Reads a plan.
pub fn read(text: &str) -> Result<NamedPlan, Problem> {
    let document = yaml_tree::read(text)?;
    let span = document.span;
    let entries = mapping(document, "a plan")?;
    let mut plan =
        NamedPlan { name: String::new(), about: String::new(), tools: Vec::new(), plan: Plan::Sequence(Vec::new()) };
    let mut steps = None;
    for entry in entries {
        match &*entry.key {
            "plan" => plan.name = scalar(entry.node)?.0,
            "about" => plan.about = scalar(entry.node)?.0,
            "tools" => plan.tools = tools(entry.node)?,
            "steps" => steps = Some(sequence(entry.node, 0)?),
            _ => return Err(unknown(&entry, "plan, about, tools, steps")),
        }
    }
    let Some(steps) = steps else {
        return Err(Problem::error(span, "the plan has no `steps`").help(EXAMPLE));
    };
    if plan.name.is_empty() {
        return Err(Problem::error(span, "the plan has no name").help(EXAMPLE));
    }
    plan.plan = steps;
    Ok(plan)
}

const EXAMPLE: &str = "a plan looks like this: `plan: NAME`, then `steps:` with a list of `- run: ACTOR`";

fn mapping<'a>(node: Node<'a>, what: &str) -> Result<Vec<Entry<'a>>, Problem> {
    match node.value {
        Value::Mapping(entries) => Ok(entries),
        _ => Err(Problem::error(node.span, format!("{what} is a list of `key: value`")).help(EXAMPLE)),
    }
}

fn scalar(node: Node<'_>) -> Result<(String, Span), Problem> {
    match node.value {
        Value::Scalar(text) => Ok((text.into_owned(), node.span)),
        _ => Err(Problem::error(node.span, "a single value was expected here")),
    }
}

fn list(node: Node<'_>) -> Result<Vec<Node<'_>>, Problem> {
    match node.value {
        Value::Sequence(nodes) => Ok(nodes),
        _ => Err(Problem::error(node.span, "a list was expected here")),
    }
}

fn unknown(entry: &Entry<'_>, accepted: &str) -> Problem {
    Problem::error(entry.key_span, format!("`{}` means nothing here", entry.key))
        .help(format!("accepted are {accepted}"))
}

/// One step, or a list of steps.
fn sequence(node: Node<'_>, depth: usize) -> Result<Plan, Problem> {
    if depth > DEPTH {
        return Err(Problem::error(node.span, "the plan is nested too deeply"));
    }
    if matches!(node.value, Value::Mapping(_)) {
        return step(node, depth);
    }
    let span = node.span;
    let mut parts = Vec::new();
    for node in list(node)? {
        parts.push(step(node, depth + 1)?);
    }
    match parts.len() {
        0 => Err(Problem::error(span, "there is no step in this list").help(EXAMPLE)),
        1 => Ok(parts.remove(0)),
        _ => Ok(Plan::Sequence(parts)),
    }
}

/// What a step may be.
const STEPS: &str = "`run: ACTOR` (with `time:` and `after:`), `race: [...]`, `cooperate: [...]`, `repeat: [...]` (with `rounds:`), \
                     `if: WHAT` with `then:` and `else:`, `split: SPLITTER` with `ranges:` and `steps:`";

fn step(node: Node<'_>, depth: usize) -> Result<Plan, Problem> {
    let span = node.span;
    let mut entries = mapping(node, "a step")?;
    let at = entries
        .iter()
        .position(|entry| matches!(&*entry.key, "run" | "race" | "cooperate" | "repeat" | "if" | "split"));
    let Some(at) = at else { return Err(Problem::error(span, "this is no step").help(STEPS)) };
    let head = entries.remove(at);
    match &*head.key {
        "run" => run(head, entries),
        "race" => match entries.first() {
            Some(entry) => Err(unknown(entry, "only `race`")),
            None => {
                let mut parts = Vec::new();
                for node in list(head.node)? {
                    parts.push(sequence(node, depth + 1)?);
                }
                Ok(Plan::Race(parts))
            }
        },
        "cooperate" => match entries.first() {
            Some(entry) => Err(unknown(entry, "only `cooperate`")),
            None => Ok(Plan::Cooperate(list(head.node)?.into_iter().map(member).collect::<Result<_, _>>()?)),
        },
        "repeat" => {
            let mut rounds = ROUNDS;
            for entry in entries {
                match &*entry.key {
                    "rounds" => rounds = number(entry.node)?,
                    _ => return Err(unknown(&entry, "repeat, rounds")),
                }
            }
            Ok(Plan::Repeat { rounds, body: Box::new(sequence(head.node, depth + 1)?) })
        }
        "if" => branch(head, entries, span, depth),
        _ => split(head, entries, span, depth),
    }
}

fn run(head: Entry<'_>, entries: Vec<Entry<'_>>) -> Result<Plan, Problem> {
    let (actor, at) = scalar(head.node)?;
    let mut call = Call { at, ..Call::of(&actor) };
    for entry in entries {
        match &*entry.key {
            "time" => call.time = Some(share(entry.node)?),
            "after" => call.after = seconds(entry.node)?,
            _ => return Err(unknown(&entry, "run, time, after")),
        }
    }
    Ok(Plan::Run(call))
}

/// The share of a member if the plan does not say.
const USUAL_SHARE: u32 = 1;

/// A member of a cooperation.
fn member(node: Node<'_>) -> Result<MemberCall, Problem> {
    let span = node.span;
    let mut call = None;
    let (mut share, mut share_with, mut after) = (USUAL_SHARE, Vec::new(), Duration::ZERO);
    for entry in mapping(node, "a member")? {
        match &*entry.key {
            "run" => {
                let (actor, at) = scalar(entry.node)?;
                call = Some(Call { at, ..Call::of(&actor) });
            }
            "share" => share = share_number(entry.node)?,
            "after" => after = seconds(entry.node)?,
            "share-with" => {
                for entry in mapping(entry.node, "`share-with`")? {
                    let feature = ProgramFeature::ALL.into_iter().find(|feature| feature.name() == entry.key);
                    let all: Vec<&str> = ProgramFeature::ALL.into_iter().map(ProgramFeature::name).collect();
                    let feature = feature.ok_or_else(|| unknown(&entry, &all.join(", ")))?;
                    share_with.push((feature, share_number(entry.node)?));
                }
            }
            _ => return Err(unknown(&entry, "run, share, share-with, after")),
        }
    }
    match call {
        Some(call) => Ok(MemberCall { call: Call { after, ..call }, share, share_with }),
        None => Err(Problem::error(span, "a member of a cooperation needs `run`")),
    }
}

fn share_number(node: Node<'_>) -> Result<u32, Problem> {
    let (text, span) = scalar(node)?;
    text.parse().map_err(|_| Problem::error(span, format!("`{text}` is no number from 0 on")))
}

fn branch(head: Entry<'_>, entries: Vec<Entry<'_>>, span: Span, depth: usize) -> Result<Plan, Problem> {
    let (name, at) = scalar(head.node)?;
    let Some(when) = When::ALL.into_iter().find(|when| when.name() == name) else {
        let all: Vec<&str> = When::ALL.into_iter().map(When::name).collect();
        return Err(Problem::error(at, format!("nobody knows what `{name}` asks"))
            .help(format!("accepted are {}", all.join(", "))));
    };
    let (mut then, mut otherwise) = (None, Plan::Sequence(Vec::new()));
    for entry in entries {
        match &*entry.key {
            "then" => then = Some(sequence(entry.node, depth + 1)?),
            "else" => otherwise = sequence(entry.node, depth + 1)?,
            _ => return Err(unknown(&entry, "if, then, else")),
        }
    }
    match then {
        Some(then) => Ok(Plan::Branch { when, then: Box::new(then), otherwise: Box::new(otherwise) }),
        None => Err(Problem::error(span, "an `if` needs a `then`")),
    }
}

fn split(head: Entry<'_>, entries: Vec<Entry<'_>>, span: Span, depth: usize) -> Result<Plan, Problem> {
    let (splitter, _) = scalar(head.node)?;
    let (mut ranges, mut body) = (2, None);
    for entry in entries {
        match &*entry.key {
            "ranges" => ranges = number(entry.node)?,
            "steps" => body = Some(sequence(entry.node, depth + 1)?),
            _ => return Err(unknown(&entry, "split, ranges, steps")),
        }
    }
    match body {
        Some(body) => Ok(Plan::Split { splitter, ranges, body: Box::new(body) }),
        None => Err(Problem::error(span, "a `split` needs `steps`")),
    }
}

fn number(node: Node<'_>) -> Result<u32, Problem> {
    let (text, span) = scalar(node)?;
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        Ok(_) | Err(_) => Err(Problem::error(span, format!("`{text}` is no number from 1 on"))),
    }
}

fn share(node: Node<'_>) -> Result<Share, Problem> {
    let (text, span) = scalar(node)?;
    if let Some(percent) = text.strip_suffix('%') {
        return match percent.trim().parse() {
            Ok(percent) if (1..=100).contains(&percent) => Ok(Share::Percent(percent)),
            Ok(_) | Err(_) => Err(time_problem(&text, span)),
        };
    }
    Ok(Share::Fixed(duration(&text, span)?))
}

fn seconds(node: Node<'_>) -> Result<Duration, Problem> {
    let (text, span) = scalar(node)?;
    duration(&text, span)
}

fn duration(text: &str, span: Span) -> Result<Duration, Problem> {
    let (digits, unit) = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(digits), _) => (digits, 1e-3),
        (None, Some(digits)) => (digits, 1.0),
        (None, None) => return Err(time_problem(text, span)),
    };
    let value = digits.trim().parse::<f64>().ok().filter(|value| (0.0..1e9).contains(value));
    value.map(|value| Duration::from_secs_f64(value * unit)).ok_or_else(|| time_problem(text, span))
}

fn time_problem(text: &str, span: Span) -> Problem {
    Problem::error(span, format!("`{text}` is no time"))
        .help("accepted are `500ms`, `2s`, and where a part is meant `30%`")
}

fn tools(node: Node<'_>) -> Result<Vec<Tool>, Problem> {
    let mut tools = Vec::new();
    for entry in mapping(node, "`tools`")? {
        let mut tool = Tool { name: entry.key.into_owned(), at: entry.key_span, ..Tool::default() };
        for entry in mapping(entry.node, "a tool")? {
            match &*entry.key {
                "command" => tool.command = texts(entry.node)?,
                "true" => tool.says_true = texts(entry.node)?,
                "false" => tool.says_false = texts(entry.node)?,
                "witness" => tool.witness = Some(scalar(entry.node)?.0),
                "tests" => tool.tests = Some(scalar(entry.node)?.0),
                _ => return Err(unknown(&entry, "command, true, false, witness, tests")),
            }
        }
        if tool.command.is_empty() {
            return Err(Problem::error(tool.at, format!("the tool `{}` has no `command`", tool.name)));
        }
        if tool.says_true.is_empty() && tool.says_false.is_empty() && tool.witness.is_none() && tool.tests.is_none() {
            let message = format!("nothing is known of what the tool `{}` leaves behind", tool.name);
            return Err(Problem::error(tool.at, message).help("say at least one of true, false, witness, tests"));
        }
        tools.push(tool);
    }
    Ok(tools)
}

/// One text, or a list of them.
fn texts(node: Node<'_>) -> Result<Vec<String>, Problem> {
    match node.value {
        Value::Scalar(text) => Ok(vec![text.into_owned()]),
        _ => list(node)?.into_iter().map(|node| scalar(node).map(|(text, _)| text)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = "plan: mixed
about: Everything that a plan can say.
tools:
  other:
    command: [other, \"{program}\"]
    true: SAFE
    false: [UNSAFE, BUG]
steps:
  - run: value
    time: 30%
  - race:
      - run: k-induction
      - - run: interval
          time: 500ms
        - run: predicate
          after: 1.5s
  - repeat:
      - run: other
    rounds: 3
  - if: candidates
    then:
      - run: symbolic
  - split: lb3
    ranges: 4
    steps:
      run: bmc
";

    #[test]
    fn everything_is_read() {
        let plan = read(PLAN).expect("a plan");
        let expected = "one after the other:
  value, 30% of the time left
  side by side, until one has the answer:
    k-induction
    one after the other:
      interval, at most 0.5 s
      predicate, from 1.5 s on
  until nothing new comes, at most 3 times:
    other
  if there are candidates:
    symbolic
  else:
    one after the other:
  on each of 4 ranges of paths, split by lb3:
    bmc
";
        assert_eq!(plan.plan.text(), expected);
        assert_eq!(plan.tools[0].command, ["other", "{program}"]);
        assert_eq!(plan.tools[0].says_false, ["UNSAFE", "BUG"]);
        assert_eq!(plan.plan.calls().len(), 7);
        assert!(plan.plan.dot("mixed").contains("n0 ->"));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, message) in [
            ("plan: a", "the plan has no `steps`"),
            ("steps:\n  - run: value", "the plan has no name"),
            ("plan: a\nsteps:\n  - walk: value", "this is no step"),
            ("plan: a\nsteps:\n  - run: value\n    time: soon", "`soon` is no time"),
            ("plan: a\nsteps:\n  - run: value\n    time: 0%", "`0%` is no time"),
            ("plan: a\nsteps: []", "there is no step in this list"),
            ("plan: a\nsteps:\n  - if: rain\n    then: [{run: value}]", "nobody knows what `rain` asks"),
            ("plan: a\nsteps:\n  - if: tests", "an `if` needs a `then`"),
            ("plan: a\nextra: b\nsteps:\n  - run: value", "`extra` means nothing here"),
            ("plan: a\ntools:\n  t:\n    true: x\nsteps:\n  - run: t", "the tool `t` has no `command`"),
            ("- a", "a plan is a list of `key: value`"),
        ] {
            let problem = read(text).expect_err(text);
            assert_eq!(problem.message, message, "{text}");
        }
    }
}
