//! Checks in the text of a program: the invariants of a witness are inserted where they are to hold, as C expressions that call a function
//! when they do not. Works on the text alone, by its words and parentheses; knows no analysis and no automaton.

use tandem_artifact::{InvariantKind, WitnessInvariant, WitnessLocation};
use tandem_base::SourceText;

/// Where the text of a check goes, and how it is written there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// In front of the controlling expression of a loop.
    BeforeCondition,
    /// Instead of the controlling expression that a `for` does not have.
    AsCondition,
    /// In front of a statement, also one that is the whole body of another.
    BeforeStatement,
    /// In front of a declaration.
    BeforeDeclaration,
}

/// A check at a place of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Check<'a> {
    pub offset: usize,
    pub form: Form,
    pub number: usize,
    pub value: &'a str,
}

/// The function that is called when the check of this number fails.
pub fn function(number: usize) -> String {
    format!("tandem_refuted_{number}")
}

/// The text with the checks in it. Lines stay what they are.
pub fn instrumented(text: &[u8], checks: &[Check<'_>]) -> Vec<u8> {
    let mut checks = checks.to_vec();
    checks.sort_by_key(|check| check.offset);
    let mut out = Vec::new();
    for check in &checks {
        out.extend(format!("extern void {}(void); ", function(check.number)).bytes());
    }
    let mut at = 0;
    for check in &checks {
        out.extend(&text[at..check.offset]);
        at = check.offset;
        let call = format!("(({}) ? (void)0 : {}())", check.value, function(check.number));
        let words = match check.form {
            Form::BeforeCondition => format!("{call}, "),
            Form::AsCondition => format!("({call}, 1)"),
            Form::BeforeStatement => format!("if ({call}, 0) {{}} else "),
            Form::BeforeDeclaration => format!("{call}; "),
        };
        out.extend(words.bytes());
    }
    out.extend(&text[at..]);
    out
}

/// The check of an invariant, if its place is found in the text.
pub fn place<'a>(source: &SourceText, number: usize, invariant: &'a WitnessInvariant) -> Option<Check<'a>> {
    let text = source.text();
    let tokens = tokens(text);
    let is_there = |token: &(usize, usize)| is_at(source, token.0, &invariant.location);
    let (offset, form) = match invariant.kind {
        InvariantKind::Loop => {
            let word = |token: &(usize, usize)| &text[token.0..token.1];
            let is_loop = |token: &(usize, usize)| matches!(word(token), b"for" | b"while" | b"do");
            let index = tokens.iter().position(|token| is_loop(token) && is_there(token))?;
            condition(text, &tokens, index)?
        }
        InvariantKind::Location => (tokens.iter().find(|token| is_there(token))?.0, Form::BeforeStatement),
    };
    Some(Check { offset, form, number, value: &invariant.value })
}

fn is_at(source: &SourceText, offset: usize, location: &WitnessLocation) -> bool {
    let position = source.position(offset as u32);
    // Files are named in many ways; what is meant is the file that was given.
    *position.file == *source.file()
        && position.line == location.line
        && location.column.is_none_or(|column| column == position.column)
}

/// Where the controlling expression of the loop begins whose keyword is the token.
fn condition(text: &[u8], tokens: &[(usize, usize)], index: usize) -> Option<(usize, Form)> {
    let word = |index: usize| tokens.get(index).map(|token| &text[token.0..token.1]);
    match word(index)? {
        b"while" if word(index + 1)? == b"(" => Some((tokens[index + 1].1, Form::BeforeCondition)),
        b"for" if word(index + 1)? == b"(" => {
            let mut depth = 0;
            for (at, token) in tokens.iter().enumerate().skip(index + 1) {
                match word(at)? {
                    b"(" | b"{" | b"[" => depth += 1,
                    b")" | b"}" | b"]" => depth -= 1,
                    b";" if depth == 1 => {
                        let is_empty = word(at + 1)? == b";";
                        let form = if is_empty { Form::AsCondition } else { Form::BeforeCondition };
                        return Some((token.1, form));
                    }
                    _ => {}
                }
                if depth == 0 {
                    return None;
                }
            }
            None
        }
        b"do" if word(index + 1)? == b"{" => {
            let mut depth = 0;
            let end = (index + 1..tokens.len()).find(|at| {
                match word(*at) {
                    Some(b"{") => depth += 1,
                    Some(b"}") => depth -= 1,
                    _ => {}
                }
                depth == 0
            })?;
            let is_condition = word(end + 1)? == b"while" && word(end + 2)? == b"(";
            is_condition.then(|| (tokens[end + 2].1, Form::BeforeCondition))
        }
        _ => None,
    }
}

/// The words, literals and other characters of a text; no comments and no directives.
fn tokens(text: &[u8]) -> Vec<(usize, usize)> {
    let mut tokens = Vec::new();
    let (mut at, mut is_line_start) = (0, true);
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80;
    while let Some(&byte) = text.get(at) {
        let rest = &text[at..];
        let until = |end: &[u8]| rest.windows(end.len()).position(|window| window == end).unwrap_or(rest.len());
        match byte {
            b'\n' => is_line_start = true,
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {}
            b'/' if rest.starts_with(b"//") => at += until(b"\n") - 1,
            b'/' if rest.starts_with(b"/*") => at += until(b"*/") + 1,
            b'#' if is_line_start => at += until(b"\n") - 1,
            _ => {
                is_line_start = false;
                let length = match byte {
                    b'"' | b'\'' => literal(rest),
                    byte if is_word(byte) => rest.iter().take_while(|byte| is_word(**byte)).count(),
                    _ => 1,
                };
                tokens.push((at, at + length));
                at += length - 1;
            }
        }
        at += 1;
    }
    tokens
}

/// The length of the literal that the text begins with.
fn literal(text: &[u8]) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != text[0] && text[at] != b'\n' {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(text: &str, line: u32, column: u32, kind: InvariantKind) -> Option<String> {
        let source = SourceText::plain("a.c", text.as_bytes());
        let location = WitnessLocation::new("a.c", line, column);
        let invariant = WitnessInvariant { kind, ..WitnessInvariant::of_loop(location, "x > 0") };
        let check = place(&source, 3, &invariant)?;
        let text = String::from_utf8(instrumented(source.text(), &[check])).unwrap();
        let head = "extern void tandem_refuted_3(void); ";
        Some(text.strip_prefix(head).unwrap().replace("((x > 0) ? (void)0 : tandem_refuted_3())", "CHECK"))
    }

    #[test]
    fn checks_stand_before_conditions() {
        let of_loop = |text, line, column| checked(text, line, column, InvariantKind::Loop);
        assert_eq!(of_loop("/* while (\n */ while (x) f();", 2, 5).unwrap(), "/* while (\n */ while (CHECK, x) f();");
        assert_eq!(of_loop("for (;;) f(\";\");", 1, 1).unwrap(), "for (;(CHECK, 1);) f(\";\");");
        let text = "for (int i = g(1, ';'); i < 3; i++) {}";
        assert_eq!(of_loop(text, 1, 1).unwrap(), "for (int i = g(1, ';');CHECK,  i < 3; i++) {}");
        let text = "do { while (1) {} x--; } while (x);";
        assert_eq!(of_loop(text, 1, 1).unwrap(), "do { while (1) {} x--; } while (CHECK, x);");
        assert_eq!(of_loop("do x--; while (x);", 1, 1), None);
        assert_eq!(of_loop("while (x) f();", 1, 2), None);
    }

    #[test]
    fn checks_stand_before_statements() {
        let text = "if (x)\n  f(); else g();";
        let before = checked(text, 2, 3, InvariantKind::Location).unwrap();
        assert_eq!(before, "if (x)\n  if (CHECK, 0) {} else f(); else g();");
    }
}
