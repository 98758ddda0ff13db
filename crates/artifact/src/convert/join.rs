//! Correctness witnesses joined into one: what holds at a place if each of several witnesses says what holds there in the runs that it is
//! about. What one witness says about a place is conjoined, then the witnesses are disjoined. A witness that says nothing about a place
//! says `true`; one that says `false` has no run that comes there.
//!
//! Works on text: disjuncts that say no more than another are left out, what all have in common is said once.

use std::collections::BTreeMap;

use tandem_base::Span;
use tandem_cfa::{NodeId, Program};

use super::Converted;
use super::places::Places;
use super::witness::{Claim, ClaimInvariant};
use crate::{ExpressionFormat, InvariantKind, WitnessAutomaton, WitnessInvariant, WitnessLocation};

/// What each witness says about a place.
type Texts = Vec<Vec<String>>;

/// The claim of several witnesses of format 2 together.
pub fn join_invariants(program: &Program, witnesses: &[Vec<WitnessInvariant>]) -> Converted<Claim> {
    let places = Places::new(program);
    let mut lost = Vec::new();
    let mut by_place: BTreeMap<(NodeId, bool), (Span, Texts)> = BTreeMap::new();
    for (number, witness) in witnesses.iter().enumerate() {
        for invariant in witness {
            let WitnessLocation { line, column, .. } = invariant.location;
            let place = match invariant.kind {
                InvariantKind::Loop => places.loop_at(line, column).map(|spot| spot.node),
                InvariantKind::Location => places.statement_at(&invariant.location).map(|(spot, _)| spot.node),
            };
            let is_loop = invariant.kind == InvariantKind::Loop;
            let named = place.and_then(|node| Some((node, span_of(&places, &invariant.location, node, is_loop)?)));
            let Some((node, span)) = named.filter(|_| invariant.format == ExpressionFormat::C) else {
                lost.push(format!("witness {}, line {line}: the invariant `{}`", number + 1, invariant.value));
                continue;
            };
            let all = by_place.entry((node, is_loop)).or_insert_with(|| (span, vec![Vec::new(); witnesses.len()]));
            all.1[number].push(invariant.value.clone());
        }
    }
    let mut joined = Vec::new();
    for ((node, is_loop), (span, texts)) in by_place {
        if let Some(value) = join_texts(&texts) {
            joined.push(ClaimInvariant { span, is_loop, node, value });
        }
    }
    Converted { value: Claim::Correctness(joined), lost }
}

/// What the place is called: the loop or the statement there.
fn span_of(places: &Places<'_>, location: &WitnessLocation, node: NodeId, is_loop: bool) -> Option<Span> {
    if is_loop {
        places.name_of(node).map(|(span, _)| span)
    } else {
        places.statement_at(location).map(|(_, span)| span)
    }
}

/// What a correctness witness of format 1 says about loops. Invariants that are come to from one node hold together, others one or another.
pub fn loop_invariants(witness: &WitnessAutomaton) -> Converted<Vec<WitnessInvariant>> {
    let mut lost = Vec::new();
    let mut by_line: BTreeMap<u32, BTreeMap<_, Vec<String>>> = BTreeMap::new();
    for edge in witness.edges.iter().filter(|edge| edge.source != edge.target) {
        let invariant = witness.nodes[edge.target].invariant.as_deref().filter(|text| !is_true(text.trim()));
        match (edge.start_line.filter(|_| edge.enter_loop_head), invariant) {
            (Some(line), invariant) => {
                let texts = by_line.entry(line).or_default().entry(edge.source).or_default();
                texts.extend(invariant.map(str::to_string));
            }
            (None, Some(invariant)) => lost.push(format!("the invariant `{invariant}`, which is not about a loop")),
            (None, None) => {}
        }
    }
    let mut found = Vec::new();
    for (line, ways) in by_line {
        let ways: Vec<Vec<String>> = ways.into_values().collect();
        if let Some(value) = join_texts(&ways) {
            let location = WitnessLocation { column: None, ..WitnessLocation::new("", line, 1) };
            found.push(WitnessInvariant::of_loop(location, value));
        }
    }
    Converted { value: found, lost }
}

/// One of these holds, each the conjunction of its texts; nothing if that says nothing.
pub fn join_texts(any_of: &[Vec<String>]) -> Option<String> {
    let mut disjuncts: Vec<Vec<String>> = Vec::new();
    for texts in any_of {
        let mut conjuncts: Vec<String> = texts.iter().flat_map(|text| conjuncts(text)).collect();
        conjuncts.retain(|text| !is_true(text));
        conjuncts.sort_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
        conjuncts.dedup();
        if !conjuncts.iter().any(|text| is_false(text)) {
            disjuncts.push(conjuncts);
        }
    }
    // One that says more than another adds nothing.
    let all = disjuncts.clone();
    let mut number = 0;
    disjuncts.retain(|one| {
        number += 1;
        !all.iter().enumerate().any(|(index, other)| {
            let says_less = other.iter().all(|text| one.contains(text));
            index != number - 1 && says_less && (other.len() < one.len() || index < number - 1)
        })
    });
    let first = disjuncts.first()?;
    if disjuncts.iter().any(Vec::is_empty) {
        return None;
    }
    let common: Vec<String> =
        first.iter().filter(|text| disjuncts.iter().all(|other| other.contains(text))).cloned().collect();
    for disjunct in &mut disjuncts {
        disjunct.retain(|text| !common.contains(text));
    }
    let mut parts = common;
    if disjuncts.len() > 1 || !disjuncts[0].is_empty() {
        let texts: Vec<String> = disjuncts.iter().map(|conjuncts| conjunction(conjuncts)).collect();
        if texts.len() == 1 {
            parts.extend(disjuncts.swap_remove(0));
        } else {
            parts.push(texts.iter().map(|text| bracketed(text)).collect::<Vec<_>>().join(" || "));
        }
    }
    Some(conjunction(&parts))
}

fn is_true(text: &str) -> bool {
    matches!(text, "true" | "1")
}

fn is_false(text: &str) -> bool {
    matches!(text, "false" | "0")
}

fn conjunction(parts: &[String]) -> String {
    match parts {
        [one] => one.clone(),
        several => several.iter().map(|part| bracketed(part)).collect::<Vec<_>>().join(" && "),
    }
}

/// The text as a part of a larger one.
fn bracketed(text: &str) -> String {
    let is_word = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_word || unbracketed(text) != text { text.to_string() } else { format!("({text})") }
}

/// The parts between `&&`, as far as these are plain to see.
fn conjuncts(text: &str) -> Vec<String> {
    let text = unbracketed(text.trim());
    let mut parts = Vec::new();
    let (mut depth, mut begin) = (0_i32, 0);
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            // Something with its own ways: not taken apart.
            b'"' | b'\'' => return vec![text.to_string()],
            b'|' if depth == 0 && bytes.get(at + 1) == Some(&b'|') => return vec![text.to_string()],
            b'?' | b',' | b';' if depth == 0 => return vec![text.to_string()],
            b'&' if depth == 0 && bytes.get(at + 1) == Some(&b'&') && at >= begin => {
                parts.push(&text[begin..at]);
                begin = at + 2;
            }
            _ => {}
        }
        if depth < 0 {
            return vec![text.to_string()];
        }
    }
    if depth != 0 || parts.is_empty() {
        return vec![text.to_string()];
    }
    parts.push(&text[begin..]);
    parts.into_iter().flat_map(conjuncts).collect()
}

/// The text without brackets around all of it.
fn unbracketed(text: &str) -> &str {
    let mut text = text;
    loop {
        let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let Some(inner) = inner.filter(|inner| !inner.contains(['"', '\''])) else { return text };
        let mut depth = 0_i32;
        let closes_early = inner.bytes().any(|byte| {
            depth += i32::from(byte == b'(') - i32::from(byte == b')');
            depth < 0
        });
        if closes_early || depth != 0 {
            return text;
        }
        text = inner.trim();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join(any_of: &[&[&str]]) -> Option<String> {
        let texts: Vec<Vec<String>> =
            any_of.iter().map(|texts| texts.iter().map(|text| text.to_string()).collect()).collect();
        join_texts(&texts)
    }

    #[test]
    fn witnesses_are_disjoined() {
        assert_eq!(join(&[&["a == b"], &["a == 10", "b == 10"]]).unwrap(), "(a == b) || ((a == 10) && (b == 10))");
        assert_eq!(join(&[&["a == b"], &["a == b"]]).unwrap(), "a == b");
        assert_eq!(join(&[&["a == b"], &["false"]]).unwrap(), "a == b");
        assert_eq!(join(&[&["0"], &["a == b && x"], &["0"]]).unwrap(), "x && (a == b)");
    }

    #[test]
    fn nothing_said_is_true() {
        assert_eq!(join(&[&["a == b"], &[]]), None);
        assert_eq!(join(&[&["a == b"], &["1"]]), None);
        assert_eq!(join(&[&["false"], &["0"]]), None);
        assert_eq!(join(&[]), None);
    }

    #[test]
    fn what_is_common_is_said_once() {
        assert_eq!(join(&[&["x > 0 && a == 1"], &["a == 2", "x > 0"]]).unwrap(), "(x > 0) && ((a == 1) || (a == 2))");
        assert_eq!(join(&[&["x > 0"], &["x > 0 && a == 1"]]).unwrap(), "x > 0");
        assert_eq!(join(&[&["x > 0", "(a == 1)"], &["(x > 0) && (a == 1)"]]).unwrap(), "(x > 0) && (a == 1)");
    }

    #[test]
    fn what_is_not_plain_is_not_taken_apart() {
        assert_eq!(join(&[&["a || b && c"]]).unwrap(), "a || b && c");
        assert_eq!(join(&[&["a || b"], &["c"]]).unwrap(), "(a || b) || c");
        assert_eq!(join(&[&["(a) && (b)"]]).unwrap(), "a && b");
        assert_eq!(join(&[&["f == '(' && a"]]).unwrap(), "f == '(' && a");
        assert_eq!(join(&[&["x ? a : b && c"], &["d"]]).unwrap(), "(x ? a : b && c) || d");
        assert_eq!(join(&[&["(a) || (b)"], &["c"]]).unwrap(), "((a) || (b)) || c");
        assert_eq!(join(&[&["p[i & 1] && (q)"], &["q"]]).unwrap(), "q");
    }
}
