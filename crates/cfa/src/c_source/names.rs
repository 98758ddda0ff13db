//! What everything is called in the text: user's names where they do not clash, legal names for what had none.

use std::collections::{HashMap, HashSet};

use tandem_base::{FastBuild, IdVec};
use tandem_syntax::types::{RecordId, Type, TypeId};

use super::types;
use super::used::{Local, Used};
use super::{Source, data};
use crate::c_print::{self, Spelling};
use crate::model::*;

/// Words that no name may be, whatever C standard is spoken, and names that the text itself uses.
const RESERVED: &str = "auto break case char const continue default do double else enum extern float for goto if inline int \
    long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm \
    typeof alignas alignof bool constexpr false nullptr static_assert thread_local true typeof_unqual main linux unix i386";

/// The record behind `va_list`, which only the compiler can name.
pub(super) const VA_LIST_TAG: &str = "__va_list_tag";

/// Names of the whole text.
pub(super) struct Names {
    pub functions: IdVec<FunctionId, String>,
    /// Objects that live outside every function.
    pub variables: HashMap<VariableId, String, FastBuild>,
    pub records: HashMap<RecordId, String, FastBuild>,
    /// Objects whose initialiser does not fit their type: the name above stands for a union around them.
    pub wrapped: HashSet<VariableId, FastBuild>,
    /// The variable with the exit code.
    pub code: String,
}

/// Makes names that were not given before.
#[derive(Default)]
pub(super) struct Fresh {
    taken: HashSet<String>,
}

impl Fresh {
    pub fn reserve(&mut self, name: &str) {
        if !self.taken.contains(name) {
            self.taken.insert(name.to_string());
        }
    }

    /// The name itself if it is free, else with the first number that makes it so.
    pub fn name(&mut self, wanted: &str) -> String {
        let mut name = legal(wanted);
        let mut number = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{}_{number}", legal(wanted));
            number += 1;
        }
        name
    }
}

/// A C identifier for a name that may have a `$` in it.
fn legal(name: &str) -> String {
    match name.strip_prefix('$') {
        Some(rest) => match rest.strip_prefix('t').filter(|number| number.bytes().all(|byte| byte.is_ascii_digit())) {
            Some(number) => format!("tmp_{number}"),
            None => rest.replace('$', "_"),
        },
        None => name.replace('$', "_"),
    }
}

impl Names {
    pub fn new(program: &Program, source: &Source, used: &Used) -> Names {
        let mut fresh = Fresh::default();
        RESERVED.split_whitespace().for_each(|word| fresh.reserve(word));
        source.functions.iter().for_each(|shape| fresh.reserve(&shape.name));
        program.functions.iter().for_each(|function| fresh.reserve(&function.name));
        let mut variables: HashMap<VariableId, String, FastBuild> = HashMap::default();
        // Names with linkage come first: they have to stay.
        let mut order: Vec<VariableId> = used.variables.iter().copied().collect();
        order.sort_by_key(|id| (!has_linkage(program.variables[*id].kind), *id));
        for id in order {
            let variable = &program.variables[id];
            let name = match variable.kind {
                VariableKind::External => {
                    fresh.reserve(&variable.name);
                    variable.name.to_string()
                }
                VariableKind::StringLiteral if c_string(program, id).is_some() => continue,
                _ => fresh.name(&variable.name),
            };
            variables.insert(id, name);
        }
        let code = fresh.name("exit_code");
        let functions = program.functions.iter().map(|function| function.name.to_string()).collect::<Vec<_>>().into();
        let wrapped = data::wrapped(program, used);
        let mut tags = Fresh::default();
        wrapped.iter().filter_map(|id| variables.get(id)).for_each(|name| tags.reserve(&format!("{name}_wrapped")));
        let records = record_names(program, used, tags);
        Names { functions, variables, records, wrapped, code }
    }

    /// Names for the variables of one function: they clash with each other and with what the function uses.
    pub fn locals(&self, program: &Program, body: &Body, local: &Local) -> HashMap<VariableId, String, FastBuild> {
        let mut fresh = Fresh::default();
        RESERVED.split_whitespace().for_each(|word| fresh.reserve(word));
        fresh.reserve(&self.code);
        ["exit", "_Exit", "memcpy", "memset", "call_result"].iter().for_each(|name| fresh.reserve(name));
        local.functions.iter().for_each(|id| fresh.reserve(&self.functions[*id]));
        local.names.iter().for_each(|name| fresh.reserve(name));
        local.variables.iter().filter_map(|id| self.variables.get(id)).for_each(|name| fresh.reserve(name));
        let is_own = |id: &&VariableId| local.variables.contains(id);
        let mut names = HashMap::default();
        let all = || body.parameters.iter().chain(body.locals.iter().filter(is_own));
        let is_user = |id: &&VariableId| !program.variables[**id].name.contains('$');
        for id in all().filter(is_user).chain(all().filter(|id| !is_user(id))) {
            names.insert(*id, fresh.name(&program.variables[*id].name));
        }
        names
    }
}

fn has_linkage(kind: VariableKind) -> bool {
    match kind {
        VariableKind::Global | VariableKind::External => true,
        VariableKind::Static | VariableKind::StringLiteral => false,
        VariableKind::Parameter | VariableKind::Local | VariableKind::Temporary => false,
    }
}

fn record_names(program: &Program, used: &Used, mut fresh: Fresh) -> HashMap<RecordId, String, FastBuild> {
    let mut records = HashMap::default();
    for &id in used.records.keys() {
        let wanted = match &program.types.records[id].name {
            Some(name) => fresh.name(name),
            None => fresh.name(&format!("anon_{}", id.0)),
        };
        records.insert(id, wanted);
    }
    records
}

/// The bytes of a string literal of plain characters.
pub(super) fn c_string(program: &Program, id: VariableId) -> Option<&[u8]> {
    let variable = &program.variables[id];
    let Type::Array { element, .. } = *program.types.get(variable.ty) else { return None };
    let is_string = variable.kind == VariableKind::StringLiteral && program.types.size(element) == Some(1);
    match &*variable.initializer {
        _ if !is_string => None,
        [] => Some(&[]),
        [InitialValue { offset: 0, value: InitialData::Bytes(bytes), .. }] => Some(bytes),
        _ => None,
    }
}

/// The spelling inside one function, or outside of all with no locals.
pub(super) struct Scope<'a> {
    pub program: &'a Program,
    pub names: &'a Names,
    pub locals: &'a HashMap<VariableId, String, FastBuild>,
}

impl Spelling for Scope<'_> {
    fn variable(&self, id: VariableId) -> String {
        if let Some(bytes) = c_string(self.program, id) {
            return c_print::string(bytes);
        }
        match (self.locals.get(&id), self.names.variables.get(&id)) {
            (Some(name), _) => name.clone(),
            (None, Some(name)) if self.names.wrapped.contains(&id) => format!("{name}.object"),
            (None, Some(name)) => name.clone(),
            (None, None) => self.program.variables[id].name.replace('$', "_"),
        }
    }

    fn function(&self, id: FunctionId) -> String {
        self.names.functions[id].clone()
    }

    fn member(&self, record: RecordId, field: u32) -> String {
        types::member(self.program, record, field)
    }

    fn ty(&self, id: TypeId) -> String {
        types::declare(self.program, self.names, id, "")
    }
}
