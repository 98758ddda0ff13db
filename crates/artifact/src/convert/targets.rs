//! The targets of a property: which edges are to be reached or proved unreachable.

use std::collections::BTreeMap;

use tandem_cfa::library::{Kind, Primitive};
use tandem_cfa::{Callee, DecisionKind, EdgeId, Op, Program};

use crate::gia::{EdgeNames, Target, is_path_step};
use crate::{ErrorCall, Goals, Property};

/// The targets of a property; nothing if it asks for something that edges alone do not say.
pub fn targets_of(program: &Program, property: &Property) -> Option<Vec<Target>> {
    match property {
        Property::Unreachable(call) | Property::Cover(Goals::ErrorCall(call)) => Some(error_targets(program, call)),
        Property::Cover(Goals::Branches) => Some(branches(program)),
        Property::Cover(Goals::Conditions) => Some(conditions(program)),
        Property::Cover(Goals::Statements | Goals::Query(_)) => None,
    }
}

/// One target for each function whose call is an error.
pub fn error_targets(program: &Program, call: &ErrorCall) -> Vec<Target> {
    let kinds = Kind::of_all(program, &call.functions());
    let mut targets: Vec<Target> = Vec::new();
    for (edge, content) in program.edges.enumerate() {
        let Op::Call { callee: Callee::Direct(function), .. } = &content.op else { continue };
        let is_error = match kinds[*function] {
            Kind::Error => true,
            Kind::Library(Primitive::AssertFail) => call.includes_assert(),
            Kind::Body | Kind::Library(_) | Kind::Intrinsic(_) | Kind::Model(_) | Kind::Missing | Kind::Unknown => {
                false
            }
        };
        if is_error {
            let name = &*program.functions[*function].name;
            match targets.iter_mut().find(|target| target.name == name) {
                Some(target) => target.edges.push(edge),
                None => targets.push(Target { name: name.to_string(), edges: vec![edge] }),
            }
        }
    }
    targets
}

/// One target for each outcome of each decision.
fn branches(program: &Program) -> Vec<Target> {
    let settled = program.edges.enumerate().filter_map(|(edge, content)| Some((content.outcome?, edge)));
    let of_source = settled.filter(|((decision, _), edge)| {
        is_path_step(program, *edge) && program.decisions[*decision].kind != DecisionKind::Computed
    });
    named(program, of_source)
}

/// One target for each outcome of each condition.
fn conditions(program: &Program) -> Vec<Target> {
    let tests = program.edges.enumerate().filter_map(|(edge, content)| match content.op {
        Op::Assume { truth, .. } => Some(((content.condition?, truth), edge)),
        _ => None,
    });
    named(program, tests.filter(|(_, edge)| is_path_step(program, *edge)))
}

/// Edges by what they settle, each group named after its first edge.
fn named<K: Ord>(program: &Program, edges: impl Iterator<Item = (K, EdgeId)>) -> Vec<Target> {
    let names = EdgeNames::of(program);
    let mut groups: BTreeMap<K, Vec<EdgeId>> = BTreeMap::new();
    for (key, edge) in edges {
        groups.entry(key).or_default().push(edge);
    }
    groups.into_values().map(|edges| Target { name: names.name(edges[0]).to_string(), edges }).collect()
}
