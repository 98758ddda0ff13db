//! Programs and edges for tests.

use tandem_base::SourceText;
use tandem_cfa::{DataModel, EdgeId, Program};

use super::EdgeNames;

pub fn program(text: &str) -> Program {
    let built = tandem_cfa::build(SourceText::plain("p.c", text.as_bytes()), DataModel::Lp64);
    built.program.unwrap_or_else(|| panic!("{:?}", built.problems))
}

/// The edge whose name begins and ends so.
pub fn edge(program: &Program, place: &str, kind: &str) -> EdgeId {
    let names = EdgeNames::of(program);
    let found = program.edges.ids().find(|edge| {
        let name = names.name(*edge);
        name.starts_with(place) && name.contains(kind)
    });
    found.unwrap_or_else(|| panic!("no edge {place} {kind}"))
}
