//! A cheap look at a program: what it has that makes one analysis more promising than another.

use std::collections::HashSet;

use tandem_artifact::plan::ProgramFeature;
use tandem_cfa::library::{Kind, Primitive};
use tandem_cfa::types::Type;
use tandem_cfa::{Callee, FunctionId, Op, Program, Scalar};

/// A program with more edges is large.
const LARGE_EDGES: usize = 20_000;
/// An array with fewer elements is as good as some variables.
const SMALL_ARRAY_BYTES: u64 = 64;

/// The features of a program, as far as they can be seen without following it.
pub fn program_features(program: &Program) -> Vec<ProgramFeature> {
    let own = || program.functions.enumerate().filter(|(_, function)| !function.is_library);
    let has_loops = own().any(|(_, function)| function.body.as_ref().is_some_and(|body| !body.loops.is_empty()));
    let has_recursion = has_recursion(program);
    let types = &program.types;
    let variables = || program.variables.iter().filter(|variable| !variable.name.is_empty());
    let is_array = |ty| matches!(types.get(ty), Type::Array { .. });
    let is_large = |ty| types.size(ty).is_none_or(|bytes| bytes > SMALL_ARRAY_BYTES);
    let has_arrays = variables().any(|variable| is_array(variable.ty) && is_large(variable.ty));
    let has_floats = variables().any(|variable| matches!(types.scalar(variable.ty), Some(Scalar::Float(_))));
    let is_called = |names: &[&str]| names.iter().any(|name| program.function_named(name).is_some());
    let has_inputs = Kind::of_all(program, &[""; 0])
        .iter()
        .any(|kind| matches!(kind, Kind::Unknown | Kind::Library(Primitive::Nondet)));
    let found = [
        (ProgramFeature::Straight, !has_loops && !has_recursion),
        (ProgramFeature::Loops, has_loops),
        (ProgramFeature::Recursion, has_recursion),
        (ProgramFeature::Arrays, has_arrays),
        (ProgramFeature::Heap, is_called(&["malloc", "calloc", "realloc", "kzalloc", "kmalloc"])),
        (ProgramFeature::Floats, has_floats),
        (ProgramFeature::Large, program.edges.len() > LARGE_EDGES),
        (ProgramFeature::NoInputs, !has_inputs),
    ];
    found.into_iter().filter(|(_, has)| *has).map(|(feature, _)| feature).collect()
}

/// Whether a function can call itself, directly or through others; calls through pointers are not followed.
fn has_recursion(program: &Program) -> bool {
    let mut calls: Vec<Vec<FunctionId>> = vec![Vec::new(); program.functions.len()];
    for (edge, content) in program.edges.enumerate() {
        if let Op::Call { callee: Callee::Direct(called), .. } = &content.op {
            calls[program.function_of(edge).0 as usize].push(*called);
        }
    }
    // A function whose calls were all followed lies on no cycle that was not found by then.
    let (mut done, mut on_path) = (HashSet::new(), HashSet::new());
    for start in 0..calls.len() {
        let mut open = vec![(start, 0)];
        while let Some((function, next)) = open.pop() {
            if next == 0 && (done.contains(&function) || !on_path.insert(function)) {
                continue;
            }
            match calls[function].get(next) {
                Some(called) => {
                    let called = called.0 as usize;
                    if on_path.contains(&called) {
                        return true;
                    }
                    open.push((function, next + 1));
                    open.push((called, 0));
                }
                None => {
                    on_path.remove(&function);
                    done.insert(function);
                }
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_base::SourceText;
    use tandem_cfa::{DataModel, build};

    fn features(text: &str) -> Vec<ProgramFeature> {
        let program = build(SourceText::plain("test.c", text.as_bytes()), DataModel::Lp64).program.unwrap();
        program_features(&program)
    }

    #[test]
    fn features_are_what_the_program_has() {
        use ProgramFeature::*;
        assert_eq!(features("int main(void) { return 0; }"), [Straight, NoInputs]);
        let text = "extern int __VERIFIER_nondet_int(void); int f(int n) { return n ? f(n - 1) : 0; }
                    int main(void) { return f(__VERIFIER_nondet_int()); }";
        assert_eq!(features(text), [Recursion]);
        let text = "double x[100]; int g(int); int f(int n) { return n ? g(n) : 0; } int g(int n) { return f(n); }
                    int main(void) { double y = 1; for (int i = 0; i < 100; i++) x[i] = y; return f(1); }";
        assert_eq!(features(text), [Loops, Recursion, Arrays, Floats, NoInputs]);
    }
}
