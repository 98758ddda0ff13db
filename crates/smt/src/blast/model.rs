//! Models from assignments, and the look at array defaults that has to come before one.

use super::assignment::{Assignment, Bits, value_of};
use super::scope::Scope;
use super::theory::{Arrays, Map, Probe, sort_width};
use super::translate::Translator;
use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::sort::Sort;
use crate::value::{FunctionValue, Model, Value};

/// What arrays hold where nothing is known of them: the same for arrays that differ in finitely many places.
pub(super) struct Defaults {
    representative: Map<Term, Term>,
    /// The constant arrays of each class.
    constants: Map<Term, Vec<Term>>,
}

impl Defaults {
    pub fn new(terms: &Terms, arrays: &Arrays<'_, '_>, scope: &Scope) -> Defaults {
        let mut defaults = Defaults { representative: Map::default(), constants: Map::default() };
        for (left, right) in arrays.related(scope) {
            let (left, right) = (defaults.find(left), defaults.find(right));
            if left != right {
                defaults.representative.insert(left, right);
            }
        }
        for &array in scope.arrays.iter().filter(|&&array| matches!(terms.op(array), Op::ConstArray(_))) {
            let class = defaults.find(array);
            defaults.constants.entry(class).or_default().push(array);
        }
        defaults
    }

    fn find(&mut self, array: Term) -> Term {
        let mut root = array;
        while let Some(&next) = self.representative.get(&root) {
            root = next;
        }
        let mut at = array;
        while let Some(next) = self.representative.get_mut(&at) {
            at = std::mem::replace(next, root);
            if at == root {
                break;
            }
        }
        root
    }

    /// Constant arrays that cannot be almost the same, each with an index nobody has looked at, where that will show.
    pub fn probes(
        &self,
        terms: &Terms,
        translator: &Translator,
        assignment: &Assignment<'_>,
        arrays: &Arrays<'_, '_>,
    ) -> Vec<Probe> {
        let mut probes = Vec::new();
        for class in self.constants.values() {
            let bits = |array: Term| assignment.word(translator.value(terms.args(array)[0]));
            if class.iter().all(|&array| bits(array) == bits(class[0])) {
                continue;
            }
            let mut used: hashbrown::HashSet<&Bits> = hashbrown::HashSet::new();
            for &array in class {
                used.extend(arrays.entries(array).map(|(index, _)| index));
            }
            let unused = indices(terms, class[0]).find(|index| !used.contains(index));
            let single = || {
                class.iter().find_map(|&array| {
                    let index = indices(terms, array).find(|index| !arrays.is_probed(array, index))?;
                    Some(Probe { array, index })
                })
            };
            probes.extend(unused.map(|index| Probe { array: class[0], index }).or_else(single));
        }
        probes
    }

    fn of(&mut self, terms: &Terms, translator: &Translator, assignment: &Assignment<'_>, array: Term) -> Option<Bits> {
        let class = self.find(array);
        let constant = *self.constants.get(&class)?.first()?;
        Some(assignment.word(translator.value(terms.args(constant)[0])))
    }
}

/// The bits of the values of the index sort, one after the other.
fn indices(terms: &Terms, array: Term) -> impl Iterator<Item = Bits> {
    let sort = match terms.sort(array) {
        Sort::Array(id) => terms.array_sorts(id).0,
        other => other,
    };
    let width = sort_width(sort);
    let count = if sort == Sort::RoundingMode { 5 } else { 1u64.checked_shl(width as u32).unwrap_or(u64::MAX) };
    (0..count).filter(move |&index| !is_other_nan(sort, index)).map(move |index| {
        let mut bits = vec![0; width.div_ceil(64)];
        bits[0] = index;
        bits.into_boxed_slice()
    })
}

/// Whether these bits are a NaN of a small format, but not the canonical one.
fn is_other_nan(sort: Sort, bits: u64) -> bool {
    let Sort::Float(format) = sort else { return false };
    let fraction = format.significand - 1;
    if format.width() > 63 {
        return false;
    }
    let exponent_mask = ((1u64 << format.exponent) - 1) << fraction;
    let fraction_bits = bits & ((1 << fraction) - 1);
    let canonical = exponent_mask | 1 << (fraction - 1);
    bits & exponent_mask == exponent_mask && fraction_bits != 0 && bits != canonical
}

/// Values of all symbols in scope. The assignment satisfies all lemmas.
pub(super) fn build(
    terms: &Terms,
    translator: &Translator,
    assignment: &Assignment<'_>,
    scope: &Scope,
    probes: &[Probe],
) -> Model {
    let mut model = Model::default();
    for &variable in &scope.variables {
        let Op::Variable(symbol) = terms.op(variable) else { continue };
        let sort = terms.sort(variable);
        // A symbol that no bit depends on has no word and may be anything: zero.
        let bits = assignment.word(translator.value(variable));
        if let Some(value) = value_of(sort, &bits) {
            model.constants.insert(symbol, value);
        }
    }
    if scope.variables.iter().any(|&variable| matches!(terms.sort(variable), Sort::Array(_))) {
        let arrays = Arrays::propagate(terms, translator, assignment, scope, probes);
        add_arrays(terms, translator, assignment, scope, &arrays, &mut model);
    }
    add_functions(terms, translator, assignment, scope, &mut model);
    model
}

fn add_arrays(
    terms: &Terms,
    translator: &Translator,
    assignment: &Assignment<'_>,
    scope: &Scope,
    arrays: &Arrays<'_, '_>,
    model: &mut Model,
) {
    let mut defaults = Defaults::new(terms, arrays, scope);
    for &variable in &scope.variables {
        let (Op::Variable(symbol), Sort::Array(id)) = (terms.op(variable), terms.sort(variable)) else { continue };
        let (index_sort, element_sort) = terms.array_sorts(id);
        let default = defaults.of(terms, translator, assignment, variable).unwrap_or_default();
        let Some(default) = value_of(element_sort, &default) else { continue };
        let entries = arrays
            .entries(variable)
            .filter_map(|(index, value)| Some((value_of(index_sort, index)?, value_of(element_sort, value)?)))
            .collect();
        model.constants.insert(symbol, terms.array_value(index_sort, default, entries));
    }
}

fn add_functions(
    terms: &Terms,
    translator: &Translator,
    assignment: &Assignment<'_>,
    scope: &Scope,
    model: &mut Model,
) {
    let value = |term: Term| value_of(terms.sort(term), &assignment.word(translator.value(term)));
    for &application in &scope.applications {
        let Op::Apply(symbol) = terms.op(application) else { continue };
        let Some(default) = value_of(terms.sort(application), &[]) else { continue };
        let arguments: Option<Vec<Value>> = terms.args(application).iter().map(|&arg| value(arg)).collect();
        let (Some(arguments), Some(result)) = (arguments, value(application)) else { continue };
        let function = model.functions.entry(symbol);
        let function = function.or_insert_with(|| FunctionValue { default, entries: Default::default() });
        function.entries.insert(arguments, result);
    }
}
