//! Condition automata (`.spc`): an automaton over the texts of steps whose state `__TRUE` means "verified from here on" and whose state
//! `__FALSE` means "open". The part of the language that such automata use; everything else is refused with its place.
//!
//! Knows no program: which steps a text matches is for `convert`.

use std::fmt::Write;

use tandem_base::{Problem, Span};

#[derive(Clone, PartialEq, Debug)]
pub struct ConditionAutomaton {
    /// The SHA-256 of the program, in automata that we wrote.
    pub program: Option<String>,
    pub initial: String,
    pub states: Vec<ConditionState>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct ConditionState {
    pub name: String,
    /// `USEALL`: every rule that matches is followed; else only the first.
    pub use_all: bool,
    pub rules: Vec<Rule>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Rule {
    pub trigger: Trigger,
    /// C conditions.
    pub assume: Vec<String>,
    pub goto: String,
    /// Where it stands in the file that was read.
    pub span: Span,
}

/// Which steps a rule is about.
#[derive(Clone, PartialEq, Debug)]
pub enum Trigger {
    /// Every step.
    Any,
    /// Steps with exactly this text.
    Text(String),
    /// Steps in one of these lines.
    Lines(Vec<u32>),
    Not(Box<Trigger>),
    And(Vec<Trigger>),
}

/// The states with a meaning of their own.
pub const VERIFIED: &str = "__TRUE";
pub const OPEN: &str = "__FALSE";

const HEADER: &str = "// tandem: condition automaton, program ";

/// Writes an automaton.
pub fn write(automaton: &ConditionAutomaton) -> String {
    let mut out = String::new();
    if let Some(hash) = &automaton.program {
        let _ = writeln!(out, "{HEADER}{hash}");
    }
    let _ = writeln!(out, "OBSERVER AUTOMATON AssumptionAutomaton\n\nINITIAL STATE {};\n", automaton.initial);
    for state in &automaton.states {
        let all = if state.use_all { "USEALL" } else { "USEFIRST" };
        let _ = writeln!(out, "STATE {all} {} :", state.name);
        for rule in &state.rules {
            let _ = write!(out, "    {} -> ", trigger(&rule.trigger, false));
            if !rule.assume.is_empty() {
                let _ = write!(out, "ASSUME {{{}}} ", rule.assume.join("; "));
            }
            let _ = writeln!(out, "GOTO {};", rule.goto);
        }
        out.push('\n');
    }
    out + "END AUTOMATON\n"
}

fn trigger(trigger_: &Trigger, inside: bool) -> String {
    match trigger_ {
        Trigger::Any => "TRUE".to_string(),
        Trigger::Text(text) => {
            let mut out = String::from("MATCH \"");
            for character in text.chars() {
                match character {
                    '\n' => out.push_str("\\n"),
                    '\r' => out.push_str("\\r"),
                    '"' | '\\' => out.extend(['\\', character]),
                    '`' => {}
                    character => out.push(character),
                }
            }
            out + "\""
        }
        Trigger::Lines(lines) => {
            let lines = lines.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
            format!("COVERS_LINES({lines})")
        }
        Trigger::Not(inner) => format!("!({})", trigger(inner, false)),
        Trigger::And(parts) => {
            let text = parts.iter().map(|part| trigger(part, true)).collect::<Vec<_>>().join(" && ");
            if inside { format!("({text})") } else { text }
        }
    }
}

/// Reads an automaton.
pub fn read(text: &str) -> Result<ConditionAutomaton, Problem> {
    let program = text.trim_start().strip_prefix(HEADER).and_then(|rest| rest.split_whitespace().next());
    let mut reader = Reader { text, at: 0, depth: 0 };
    let automaton = reader.automaton(program.map(str::to_string))?;
    for rule in automaton.states.iter().flat_map(|state| &state.rules) {
        let is_known = rule.goto == VERIFIED || rule.goto == OPEN;
        if !is_known && !automaton.states.iter().any(|state| state.name == rule.goto) {
            return Err(Problem::error(rule.span, format!("there is no state `{}`", rule.goto)).help(ACCEPTED));
        }
    }
    Ok(automaton)
}

const ACCEPTED: &str = "accepted is a condition automaton: OBSERVER AUTOMATON NAME, INITIAL STATE NAME; states with rules such as \
    `MATCH \"text\" -> ASSUME {condition} GOTO NAME;`, END AUTOMATON";

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn problem(&self, message: impl Into<String>) -> Problem {
        let length = self.text[self.at..].chars().next().map_or(0, char::len_utf8);
        Problem::error(Span::new(self.at as u32, (self.at + length) as u32), message).help(ACCEPTED)
    }

    /// Passes over blanks and comments.
    fn blank(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with("//") || trimmed.starts_with('#') {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else if trimmed.starts_with("/*") {
                self.at += trimmed.find("*/").map_or(trimmed.len(), |end| end + 2);
            } else {
                return;
            }
        }
    }

    fn sign(&mut self, sign: &str) -> bool {
        self.blank();
        let found = self.text[self.at..].starts_with(sign);
        self.at += if found { sign.len() } else { 0 };
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), Problem> {
        match self.sign(sign) {
            true => Ok(()),
            false => Err(self.problem(format!("`{sign}` is missing"))),
        }
    }

    fn peek_word(&mut self) -> &'a str {
        self.blank();
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '\''))).unwrap_or(rest.len());
        &rest[..end]
    }

    fn word(&mut self, word: &str) -> bool {
        let found = self.peek_word() == word;
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn name(&mut self) -> Result<String, Problem> {
        let word = self.peek_word();
        if word.is_empty() {
            return Err(self.problem("a name is missing"));
        }
        self.at += word.len();
        Ok(word.to_string())
    }

    fn automaton(&mut self, program: Option<String>) -> Result<ConditionAutomaton, Problem> {
        let _ = self.word("OBSERVER") || self.word("CONTROL");
        if !self.word("AUTOMATON") {
            return Err(self.problem("this is no automaton"));
        }
        self.name()?;
        if !(self.word("INITIAL") && self.word("STATE")) {
            return Err(self.problem("`INITIAL STATE` is missing"));
        }
        let initial = self.name()?;
        self.expect(";")?;
        let mut states = Vec::new();
        while !self.word("END") {
            states.push(self.state()?);
        }
        Ok(ConditionAutomaton { program, initial, states })
    }

    fn state(&mut self) -> Result<ConditionState, Problem> {
        let _ = self.word("TARGET");
        if !self.word("STATE") {
            return Err(self.problem("`STATE` or `END AUTOMATON` is missing"));
        }
        let use_all = self.word("USEALL");
        let _ = use_all || self.word("USEFIRST");
        let name = self.name()?;
        self.expect(":")?;
        let mut rules = Vec::new();
        while !matches!(self.peek_word(), "STATE" | "TARGET" | "END") {
            rules.push(self.rule()?);
        }
        Ok(ConditionState { name, use_all, rules })
    }

    fn rule(&mut self) -> Result<Rule, Problem> {
        self.blank();
        let start = self.at;
        let trigger = self.conjunction()?;
        self.expect("->")?;
        let mut assume = Vec::new();
        if self.word("ASSUME") {
            self.expect("{")?;
            let rest = &self.text[self.at..];
            let end = rest.find('}').ok_or_else(|| self.problem("`}` is missing"))?;
            let parts = rest[..end].split(';').map(str::trim).filter(|part| !part.is_empty());
            assume = parts.map(str::to_string).collect();
            self.at += end + 1;
        }
        if !self.word("GOTO") {
            return Err(self.problem("`GOTO` is missing"));
        }
        let goto = self.name()?;
        self.expect(";")?;
        Ok(Rule { trigger, assume, goto, span: Span::new(start as u32, self.at as u32) })
    }

    fn conjunction(&mut self) -> Result<Trigger, Problem> {
        let mut parts = vec![self.trigger()?];
        while self.sign("&&") {
            parts.push(self.trigger()?);
        }
        Ok(match parts.len() {
            1 => parts.remove(0),
            _ => Trigger::And(parts),
        })
    }

    fn trigger(&mut self) -> Result<Trigger, Problem> {
        if self.depth > 100 {
            return Err(self.problem("this is nested too deeply"));
        }
        self.depth += 1;
        let result = self.trigger_inside();
        self.depth -= 1;
        result
    }

    fn trigger_inside(&mut self) -> Result<Trigger, Problem> {
        if self.sign("!") {
            return Ok(Trigger::Not(Box::new(self.trigger()?)));
        }
        if self.sign("(") {
            let inner = self.conjunction()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.word("TRUE") {
            return Ok(Trigger::Any);
        }
        if self.word("COVERS_LINES") {
            self.expect("(")?;
            let rest = &self.text[self.at..];
            let end = rest.find(')').ok_or_else(|| self.problem("`)` is missing"))?;
            let numbers = rest[..end].split([' ', ',']).filter(|part| !part.is_empty()).map(str::parse);
            let lines = numbers.collect::<Result<Vec<u32>, _>>().map_err(|_| self.problem("these are no lines"))?;
            self.at += end + 1;
            return Ok(Trigger::Lines(lines));
        }
        if self.word("MATCH") {
            self.expect("\"")?;
            return self.string().map(Trigger::Text);
        }
        Err(self.problem("this trigger is not known in condition automata"))
    }

    fn string(&mut self) -> Result<String, Problem> {
        let mut out = String::new();
        let mut characters = self.text[self.at..].char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    self.at += at + 1;
                    return Ok(out);
                }
                '\\' => match characters.next().map(|(_, next)| next) {
                    Some('n') => out.push('\n'),
                    Some('r') => out.push('\r'),
                    Some(next) => out.push(next),
                    None => break,
                },
                character => out.push(character),
            }
        }
        Err(self.problem("the string does not end"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let text = |text: &str| Trigger::Text(text.to_string());
        let rule = |trigger, assume: &[&str], goto: &str| Rule {
            trigger,
            assume: assume.iter().map(|text| text.to_string()).collect(),
            goto: goto.to_string(),
            span: Span::NONE,
        };
        let negation = Trigger::Not(Box::new(Trigger::And(vec![Trigger::Lines(vec![3, 4]), text("[!(x)]")])));
        let rules = vec![
            rule(Trigger::And(vec![Trigger::Lines(vec![3]), text("s = \"\\n\";\nt")]), &["x == 0", "y > 1"], "ARG1M2"),
            rule(negation, &[], OPEN),
            rule(Trigger::Any, &[], VERIFIED),
        ];
        let state = |name: &str, use_all, rules| ConditionState { name: name.to_string(), use_all, rules };
        let states = vec![state("ARG0", true, rules), state("ARG1M2", false, vec![])];
        let automaton = ConditionAutomaton { program: Some("ab12".into()), initial: "ARG0".into(), states };
        let mut back = read(&write(&automaton)).unwrap();
        back.states.iter_mut().flat_map(|state| &mut state.rules).for_each(|rule| rule.span = Span::NONE);
        assert_eq!(back, automaton);
    }

    #[test]
    fn what_others_write_is_read() {
        let text = "OBSERVER AUTOMATON AssumptionAutomaton\n\nINITIAL STATE ARG0;\n\nSTATE __TRUE :\n    TRUE -> GOTO __TRUE;\n\n\
            STATE __FALSE :\n    TRUE -> ASSUME {false} GOTO __FALSE;\n\nSTATE USEFIRST ARG0 :\n    MATCH \"int x = 0;\" -> GOTO ARG1;\n    \
            MATCH \"[!(x < 5)]\" -> ASSUME {x==1; y==2} GOTO __FALSE;\n    TRUE -> GOTO __TRUE;\nSTATE USEFIRST ARG1 : TRUE -> GOTO __TRUE;\n\nEND AUTOMATON\n";
        let automaton = read(text).unwrap();
        assert_eq!((automaton.states.len(), automaton.program.clone()), (4, None));
        assert_eq!(automaton.states[2].rules[1].assume, ["x==1", "y==2"]);
    }

    #[test]
    fn problems_have_a_place() {
        for (text, at, message) in [
            ("hello", "hello", "no automaton"),
            ("AUTOMATON A INITIAL STATE q; STATE q : MATCH ASSERT -> GOTO q; END", "ASSERT", "`\"` is missing"),
            ("AUTOMATON A INITIAL STATE q; STATE q : CHECK(x) -> GOTO q; END", "CHECK", "not known"),
            ("AUTOMATON A INITIAL STATE q; STATE q : TRUE -> GOTO r; END", "TRUE", "no state `r`"),
            ("AUTOMATON A INITIAL STATE q; STATE q : TRUE -> ERROR; END", "ERROR", "`GOTO` is missing"),
        ] {
            let problem = read(text).unwrap_err();
            assert!(problem.message.contains(message), "{problem:?}");
            assert_eq!(problem.span.lo as usize, text.find(at).unwrap(), "{text}");
        }
        assert!(read(&format!("AUTOMATON A INITIAL STATE q; STATE q : {}", "!".repeat(100_000))).is_err());
    }
}
