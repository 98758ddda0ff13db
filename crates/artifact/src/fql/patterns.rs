//! What queries stand for: short forms are written out, filters evaluated, patterns become families of goals.
//!
//! Without `^` and `$` anything may precede and follow; `a -> b` is `a`, anything, `b`; a filter alone is its edges; `in f` composes
//! every filter of the coverage pattern with `f`.

use std::sync::Arc;

use tandem_base::{Id, Problem};

use super::Semantics;
use super::automaton::Regex;
use super::family::{Family, Item, Place};
use super::filter::{Filters, TargetGraph};
use super::goal::Test;
use super::paths::PathSet;
use super::steps::{PointId, StepId};
use super::tree::*;

/// Evaluates the patterns of one query.
pub(super) struct Patterns<'s> {
    pub filters: Filters<'s>,
    pub predicates: Vec<Box<str>>,
    scope: Option<Filter>,
}

impl<'s> Patterns<'s> {
    pub fn new(filters: Filters<'s>) -> Patterns<'s> {
        Patterns { filters, predicates: Vec::new(), scope: None }
    }

    pub fn cover(&mut self, query: &Query) -> Result<Family, Problem> {
        self.scope = query.scope.clone();
        let family = self.family(&query.cover.pattern);
        self.scope = None;
        let anything = || Family::One(Regex::Anything);
        let mut parts = Vec::new();
        parts.extend((!query.cover.from_start).then(anything));
        parts.push(family?);
        parts.extend((!query.cover.to_end).then(anything));
        // FShell does not ask whether alternatives have goals in common.
        Ok(Family::Product(parts).tidy(self.filters.steps.semantics == Semantics::Tiger))
    }

    pub fn passing(&mut self, passing: &Anchored) -> Result<Regex, Problem> {
        let mut parts = Vec::new();
        parts.extend((!passing.from_start).then_some(Regex::Anything));
        parts.push(self.regex(&passing.pattern)?);
        parts.extend((!passing.to_end).then_some(Regex::Anything));
        Ok(Regex::Sequence(parts))
    }

    fn family(&mut self, pattern: &Pattern) -> Result<Family, Problem> {
        Ok(match &pattern.kind {
            PatternKind::Alternatives(parts) => {
                let parts: Result<Vec<Family>, Problem> = parts.iter().map(|part| self.family(part)).collect();
                Family::Sum(parts?)
            }
            PatternKind::Sequence(first, rest) => {
                let mut parts = vec![self.family(first)?];
                for (joint, part) in rest {
                    parts.extend((*joint == Joint::Later).then_some(Family::One(Regex::Anything)));
                    parts.push(self.family(part)?);
                }
                Family::Product(parts)
            }
            PatternKind::Quote(inner) => Family::One(self.regex(inner)?),
            PatternKind::Predicate(_) | PatternKind::Repeat(..) => Family::One(self.regex(pattern)?),
            PatternKind::Edges(filter) | PatternKind::Filter(filter) => {
                let graph = self.graph(filter)?;
                let valuations = self.valuations(&graph);
                let places = graph.steps.iter().map(|step| Place::Step(StepId::from_index(step)));
                let item = |place: Place| {
                    let pairs =
                        valuations.iter().flat_map(|before| valuations.iter().map(move |behind| (before, behind)));
                    pairs.map(move |(before, behind)| Item { place, before: before.clone(), behind: behind.clone() })
                };
                Family::Choice(places.flat_map(item).collect())
            }
            PatternKind::Nodes(filter) => {
                let graph = self.graph(filter)?;
                let valuations = self.valuations(&graph);
                let places = graph.points.iter().map(|point| Place::Point(PointId::from_index(point)));
                let item = |place: Place| {
                    let all = valuations.iter();
                    all.map(move |before| Item { place, before: before.clone(), behind: Box::default() })
                };
                Family::Choice(places.flat_map(item).collect())
            }
            PatternKind::Paths(filter, bound) => {
                let graph = self.graph(filter)?;
                self.without_splits(&graph, filter)?;
                Family::Paths(Arc::new(PathSet::new(self.filters.steps, &graph, *bound, pattern.span)?))
            }
        })
    }

    fn regex(&mut self, pattern: &Pattern) -> Result<Regex, Problem> {
        Ok(match &pattern.kind {
            PatternKind::Alternatives(parts) => {
                let parts: Result<Vec<Regex>, Problem> = parts.iter().map(|part| self.regex(part)).collect();
                Regex::Alternatives(parts?)
            }
            PatternKind::Sequence(first, rest) => {
                let mut parts = vec![self.regex(first)?];
                for (joint, part) in rest {
                    parts.extend((*joint == Joint::Later).then_some(Regex::Anything));
                    parts.push(self.regex(part)?);
                }
                Regex::Sequence(parts)
            }
            PatternKind::Quote(inner) => self.regex(inner)?,
            PatternKind::Repeat(inner, repetition) => {
                let whole = Filter { kind: FilterKind::Identity, span: inner.span };
                let inner = self.regex(inner)?;
                let all = Regex::Steps(Arc::new(self.filters.evaluate(&whole)?.steps.clone()));
                match repetition {
                    Repetition::Any if inner == all => Regex::Anything,
                    Repetition::Any => Regex::Repeat(Box::new(inner), 0, None),
                    Repetition::AtLeast(n) => Regex::Repeat(Box::new(inner), *n, None),
                    Repetition::Exactly(n) => Regex::Repeat(Box::new(inner), *n, Some(*n)),
                    Repetition::AtMost(n) => Regex::Repeat(Box::new(inner), 0, Some(*n)),
                }
            }
            PatternKind::Predicate(text) => Regex::Test(Test { predicate: self.predicate(text), holds: true }),
            PatternKind::Edges(filter) | PatternKind::Filter(filter) => {
                let graph = self.graph(filter)?;
                self.without_splits(&graph, filter)?;
                Regex::Steps(Arc::new(graph.steps.clone()))
            }
            PatternKind::Nodes(filter) => {
                let graph = self.graph(filter)?;
                self.without_splits(&graph, filter)?;
                Regex::At(Arc::new(graph.points.clone()))
            }
            PatternKind::Paths(filter, _) => {
                let message = "PATHS inside a path pattern would be one pattern for each path";
                let help = "PATHS in a coverage pattern, outside of quotes; EDGES(...)* for any way through a part";
                return Err(Problem::error(filter.span, message).help(help));
            }
        })
    }

    fn graph(&mut self, filter: &Filter) -> Result<Arc<TargetGraph>, Problem> {
        match self.scope.clone() {
            Some(scope) => {
                let kind = FilterKind::Compose(Box::new(filter.clone()), Box::new(scope));
                self.filters.evaluate(&Filter { kind, span: filter.span })
            }
            None => self.filters.evaluate(filter),
        }
    }

    /// All combinations of the predicates that split a graph.
    fn valuations(&mut self, graph: &TargetGraph) -> Vec<Box<[Test]>> {
        let predicates: Vec<u32> = graph.splits.iter().map(|text| self.predicate(text)).collect();
        let all = (0..1u32 << predicates.len()).map(|bits| {
            let tests = predicates.iter().enumerate();
            tests.map(|(number, predicate)| Test { predicate: *predicate, holds: bits >> number & 1 == 0 }).collect()
        });
        all.collect()
    }

    fn without_splits(&self, graph: &TargetGraph, filter: &Filter) -> Result<(), Problem> {
        if graph.splits.is_empty() {
            return Ok(());
        }
        let message = "PRED has a meaning for NODES and EDGES of a coverage pattern only";
        Err(Problem::error(filter.span, message).help("a predicate in braces between the parts of the pattern"))
    }

    fn predicate(&mut self, text: &str) -> u32 {
        let known = self.predicates.iter().position(|known| &**known == text);
        known.unwrap_or_else(|| {
            self.predicates.push(text.into());
            self.predicates.len() - 1
        }) as u32
    }
}
