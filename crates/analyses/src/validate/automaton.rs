//! Witnesses that are automata: their way to the violation as a guide, their invariants as facts. Knows what edges of a witness
//! match; searches nothing.

use std::collections::VecDeque;

use tandem_artifact::{WitnessAutomaton, WitnessEdge, WitnessNodeId};
use tandem_base::{Id, IdVec};

use super::Flaw;
use super::guide::{At, Check, Guide, Stage};
use super::invariants::Fact;
use super::places::{Places, Position};
use crate::Task;

/// The way from the entry to the violation. Exact only if the automaton has no other way.
pub fn guide(task: Task<'_>, automaton: &WitnessAutomaton) -> Result<Guide, Flaw> {
    let places = Places::new(task.program, task.error);
    for edge in &automaton.edges {
        check_lines(&places, edge)?;
    }
    let Some((way, only)) = way(automaton) else {
        return Err(Flaw::Wrong("no way through the automaton leads to the violation".into()));
    };
    let mut exact = only;
    let mut stages = Vec::new();
    for edge in way {
        let Some((check, is_precise)) = check(&places, edge)? else { continue };
        exact &= is_precise;
        stages.push(Stage { avoid: Vec::new(), follow: Some(check) });
    }
    stages.push(Stage { avoid: Vec::new(), follow: None });
    Ok(Guide { stages, target: None, exact })
}

/// The shortest way to a violation node that avoids the sinks, and whether it is the only one.
fn way(automaton: &WitnessAutomaton) -> Option<(Vec<&WitnessEdge>, bool)> {
    let entry = automaton.entry()?;
    let mut from: IdVec<WitnessNodeId, Option<usize>> = IdVec::filled(None, automaton.nodes.len());
    let mut outgoing: IdVec<WitnessNodeId, Vec<usize>> = IdVec::filled(Vec::new(), automaton.nodes.len());
    for (index, edge) in automaton.edges.iter().enumerate() {
        if !automaton.nodes[edge.target].sink && edge.target != edge.source {
            outgoing[edge.source].push(index);
        }
    }
    let mut open = VecDeque::from([entry]);
    let mut end = None;
    while let Some(node) = open.pop_front() {
        if automaton.nodes[node].violation {
            end = Some(node);
            break;
        }
        for index in &outgoing[node] {
            let target = automaton.edges[*index].target;
            if target != entry && from[target].is_none() {
                from[target] = Some(*index);
                open.push_back(target);
            }
        }
    }
    let mut way = Vec::new();
    let mut at = end?;
    let mut only = true;
    while let Some(index) = from[at] {
        let edge = &automaton.edges[index];
        only &= outgoing[edge.source].len() == 1;
        way.push(edge);
        at = edge.source;
    }
    debug_assert!(at.index() == entry.index());
    way.reverse();
    Some((way, only))
}

fn check_lines(places: &Places<'_>, edge: &WitnessEdge) -> Result<(), Flaw> {
    let missing = edge.start_line.filter(|line| !places.is_line_of_program(*line));
    match missing {
        Some(line) => Err(Flaw::Wrong(format!("line {line}: nothing of the program stands there"))),
        None => Ok(()),
    }
}

/// Where the text of the edge begins.
fn position(edge: &WitnessEdge) -> Option<Position> {
    Some(Position { line: edge.start_line?, column: None, offset: edge.start_offset })
}

/// What the edge asks for, and whether that is all it asks for. Nothing for edges that only name a place or a function.
fn check(places: &Places<'_>, edge: &WitnessEdge) -> Result<Option<(Check, bool)>, Flaw> {
    let assumption = edge.assumption.as_deref().map(str::trim).filter(|text| !matches!(*text, "" | "true" | "1"));
    let Some(at) = position(edge) else {
        return match (assumption, edge.control) {
            (None, None) => Ok(None),
            _ => Err(Flaw::Unclear("an edge of the automaton has no line".into())),
        };
    };
    let place = match at.offset {
        Some(offset) => format!("line {}, offset {offset}", at.line),
        None => format!("line {}", at.line),
    };
    if let Some(truth) = edge.control {
        let edges = places.controls_at(at, truth);
        if edges.is_empty() {
            return Err(Flaw::Wrong(format!("{place}: no controlling expression begins there")));
        }
        let is_precise = at.offset.is_some() && assumption.is_none();
        return Ok(Some((Check { at: At::After(edges), text: None, place }, is_precise)));
    }
    let Some(text) = assumption else { return Ok(None) };
    let text = conjunction(text);
    if let Some(function) = edge.assumption_result_function.as_deref().filter(|_| text.contains("\\result")) {
        let edges = places.calls_of(function, at);
        if edges.is_empty() {
            return Err(Flaw::Wrong(format!("{place}: no call of {function} begins there")));
        }
        return Ok(Some((Check { at: At::After(edges), text: Some(text), place }, at.offset.is_some())));
    }
    let edges = places.edges_at(at);
    if edges.is_empty() {
        return Err(Flaw::Wrong(format!("{place}: no step of the program begins there")));
    }
    Ok(Some((Check { at: At::After(edges), text: Some(text), place }, false)))
}

/// Assumptions are separated by semicolons.
fn conjunction(text: &str) -> String {
    let parts: Vec<String> =
        text.split(';').map(str::trim).filter(|part| !part.is_empty()).map(|part| format!("({part})")).collect();
    parts.join(" && ")
}

/// The invariants of the automaton, each at the loop whose head its node stands for.
pub fn facts(task: Task<'_>, automaton: &WitnessAutomaton) -> Result<Vec<Fact>, Flaw> {
    let places = Places::new(task.program, task.error);
    let mut facts = Vec::new();
    for edge in &automaton.edges {
        check_lines(&places, edge)?;
        let assumption = edge.assumption.as_deref().map(str::trim);
        if assumption.is_some_and(|text| !matches!(text, "" | "true" | "1")) {
            return Err(Flaw::Wrong("a correctness witness assumes something".into()));
        }
    }
    for (id, node) in automaton.nodes.enumerate() {
        let Some(text) = node.invariant.as_deref().filter(|text| !matches!(text.trim(), "true" | "1")) else {
            continue;
        };
        let entering: Vec<Position> = automaton
            .edges
            .iter()
            .filter(|edge| edge.target == id && edge.source != id && edge.enter_loop_head)
            .filter_map(position)
            .collect();
        if entering.is_empty() {
            return Err(Flaw::Unclear(format!("the place of an invariant is not clear: {text}")));
        }
        for at in entering {
            let place = format!("line {}", at.line);
            let missing = || Flaw::Wrong(format!("{place}: no loop begins there"));
            let spot = places.loop_at(at).ok_or_else(missing)?;
            facts.push(Fact { spot, text: text.to_string(), place });
        }
    }
    Ok(facts)
}
