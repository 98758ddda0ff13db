//! A query as text, which is read as the same query again.

use std::fmt::{self, Display, Formatter, Write};

use super::tree::*;

impl Display for Query {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(scope) = &self.scope {
            write!(f, "in {scope} ")?;
        }
        write!(f, "cover {}", self.cover)?;
        match &self.passing {
            Some(passing) => write!(f, " passing {passing}"),
            None => Ok(()),
        }
    }
}

impl Display for Anchored {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(if self.from_start { "^" } else { "" })?;
        write!(f, "{}", self.pattern)?;
        f.write_str(if self.to_end { "$" } else { "" })
    }
}

/// How tightly a pattern holds together: alternatives 0, sequences 1, repetitions 2, atoms 3.
fn strength(pattern: &Pattern) -> u8 {
    match &pattern.kind {
        PatternKind::Alternatives(_) => 0,
        PatternKind::Sequence(..) => 1,
        PatternKind::Repeat(..) => 2,
        PatternKind::Quote(_)
        | PatternKind::Nodes(_)
        | PatternKind::Edges(_)
        | PatternKind::Paths(..)
        | PatternKind::Filter(_)
        | PatternKind::Predicate(_) => 3,
    }
}

fn part(f: &mut Formatter<'_>, pattern: &Pattern, least: u8) -> fmt::Result {
    if strength(pattern) < least { write!(f, "({pattern})") } else { write!(f, "{pattern}") }
}

impl Display for Pattern {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            PatternKind::Alternatives(parts) => {
                for (number, alternative) in parts.iter().enumerate() {
                    f.write_str(if number > 0 { " + " } else { "" })?;
                    part(f, alternative, 1)?;
                }
                Ok(())
            }
            PatternKind::Sequence(first, rest) => {
                part(f, first, 2)?;
                for (joint, next) in rest {
                    f.write_str(match joint {
                        Joint::Next => ".",
                        Joint::Later => " -> ",
                    })?;
                    part(f, next, 2)?;
                }
                Ok(())
            }
            PatternKind::Quote(inner) => write!(f, "\"{inner}\""),
            PatternKind::Repeat(inner, repetition) => {
                part(f, inner, 2)?;
                match repetition {
                    Repetition::Any => f.write_char('*'),
                    Repetition::AtLeast(n) => write!(f, " >= {n}"),
                    Repetition::Exactly(n) => write!(f, " == {n}"),
                    Repetition::AtMost(n) => write!(f, " <= {n}"),
                }
            }
            PatternKind::Nodes(filter) => write!(f, "NODES({filter})"),
            PatternKind::Edges(filter) => write!(f, "EDGES({filter})"),
            PatternKind::Paths(filter, bound) => write!(f, "PATHS({filter}, {bound})"),
            PatternKind::Filter(filter) => write!(f, "{filter}"),
            PatternKind::Predicate(text) => write!(f, "{{{text}}}"),
        }
    }
}

/// Unions 0, intersections 1, everything else 2.
fn filter_strength(filter: &Filter) -> u8 {
    match filter.kind {
        FilterKind::Union(_) => 0,
        FilterKind::Intersection(_) => 1,
        _ => 2,
    }
}

fn joined(f: &mut Formatter<'_>, parts: &[Filter], operator: &str, least: u8) -> fmt::Result {
    for (number, filter) in parts.iter().enumerate() {
        f.write_str(if number > 0 { operator } else { "" })?;
        match filter_strength(filter) < least {
            true => write!(f, "({filter})")?,
            false => write!(f, "{filter}")?,
        }
    }
    Ok(())
}

impl Display for Filter {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            FilterKind::Identity => f.write_str("ID"),
            FilterKind::File(name) => write!(f, "@FILE('{name}')"),
            FilterKind::Line(line) => write!(f, "@LINE({line})"),
            FilterKind::Column(column) => write!(f, "@COLUMN({column})"),
            FilterKind::Function(name) => named(f, "FUNC", name),
            FilterKind::Label(name) => named(f, "LABEL", name),
            FilterKind::Call(name) => named(f, "CALL", name),
            FilterKind::Calls => f.write_str("@CALLS"),
            FilterKind::Entry(name) => named(f, "ENTRY", name),
            FilterKind::Exit(name) => named(f, "EXIT", name),
            FilterKind::BasicBlockEntry => f.write_str("@BASICBLOCKENTRY"),
            FilterKind::ConditionEdge => f.write_str("@CONDITIONEDGE"),
            FilterKind::DecisionEdge => f.write_str("@DECISIONEDGE"),
            FilterKind::ConditionGraph => f.write_str("@CONDITIONGRAPH"),
            FilterKind::Definition(name) => named(f, "DEF", name),
            FilterKind::Use(name) => named(f, "USE", name),
            FilterKind::StatementType(types) => {
                let names: Vec<&str> = types.iter().map(|ty| ty.name()).collect();
                write!(f, "@STMTTYPE({})", names.join(", "))
            }
            FilterKind::Not(inner) => write!(f, "NOT({inner})"),
            FilterKind::Union(parts) => joined(f, parts, " | ", 1),
            FilterKind::Intersection(parts) => joined(f, parts, " & ", 2),
            FilterKind::Minus(one, other) => write!(f, "SETMINUS({one}, {other})"),
            FilterKind::Compose(one, other) => write!(f, "COMPOSE({one}, {other})"),
            FilterKind::Split(inner, predicate) => write!(f, "PRED({inner}, {{{predicate}}})"),
        }
    }
}

/// A name that is no word is quoted.
fn named(f: &mut Formatter<'_>, filter: &str, name: &str) -> fmt::Result {
    let is_word = |(index, c): (usize, char)| c == '_' || c.is_ascii_alphabetic() || (index > 0 && c.is_ascii_digit());
    match !name.is_empty() && name.char_indices().all(is_word) {
        true => write!(f, "@{filter}({name})"),
        false => write!(f, "@{filter}('{name}')"),
    }
}
