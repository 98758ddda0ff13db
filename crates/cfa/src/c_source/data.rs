//! Objects that live outside every function.

use std::collections::{BTreeSet, HashMap, HashSet};

use tandem_base::{FastBuild, Problem};

use super::names::{Names, Scope, c_string};
use super::used::{Used, initial_references};
use super::{initial, outside, types};
use crate::c_print::Printer;
use crate::model::*;

/// The objects whose initialiser does not fit their type.
pub(super) fn wrapped(program: &Program, used: &Used) -> HashSet<VariableId, FastBuild> {
    let odd = |id: &VariableId| {
        let variable = &program.variables[*id];
        variable.kind != VariableKind::External && c_string(program, *id).is_none() && !initial::fits(program, variable)
    };
    used.variables.iter().copied().filter(odd).collect()
}

/// All declarations, each object before the initialisers that point to it.
pub(super) fn objects(program: &Program, names: &Names, used: &Used) -> Result<String, Problem> {
    let mut text = String::new();
    let mut declared: BTreeSet<VariableId> = BTreeSet::new();
    let locals = HashMap::default();
    let scope = Scope { program, names, locals: &locals };
    let printer = Printer::exact(program, &scope);
    let mut definitions = HashMap::new();
    for &id in used.variables.iter().filter(|id| names.wrapped.contains(id)) {
        let (ty, definition) = initial::wrapped(program, names, &printer, id)?;
        text.push_str(&ty);
        definitions.insert(id, definition);
    }
    for &id in &used.variables {
        for other in initial_references(program, id) {
            if other != id && declared.insert(other) && c_string(program, other).is_none() {
                text.push_str(&declaration(program, names, other));
                text.push_str(";\n");
            }
        }
        declared.insert(id);
        let variable = &program.variables[id];
        if c_string(program, id).is_some() {
            continue;
        }
        if let Some(definition) = definitions.get(&id) {
            text.push_str(definition);
        } else {
            text.push_str(&declaration(program, names, id));
            if variable.kind != VariableKind::External && !variable.initializer.is_empty() {
                let Some(value) = initial::text(program, &printer, variable) else {
                    let message = format!("the initialiser of '{}' has no form in C", variable.name);
                    return Err(Problem::error(variable.span, message));
                };
                text.push_str(" = ");
                text.push_str(&value);
            }
        }
        text.push_str(";\n");
    }
    Ok(text)
}

/// Also as a tentative definition.
fn declaration(program: &Program, names: &Names, id: VariableId) -> String {
    let variable = &program.variables[id];
    let name = &names.variables[&id];
    let linkage = linkage(program, variable);
    if names.wrapped.contains(&id) {
        return format!("{linkage}union {name}_wrapped {name}");
    }
    format!("{linkage}{}", types::declare(program, names, variable.ty, name))
}

pub(super) fn linkage(program: &Program, variable: &Variable) -> &'static str {
    match variable.kind {
        VariableKind::External => "extern ",
        VariableKind::Static | VariableKind::StringLiteral => "static ",
        VariableKind::Global if outside::is_static(program, variable.span, &variable.name) => "static ",
        VariableKind::Global | VariableKind::Parameter | VariableKind::Local | VariableKind::Temporary => "",
    }
}
