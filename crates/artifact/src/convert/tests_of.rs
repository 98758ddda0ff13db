//! Tests from the paths that are reached: at most one for each path, and of these as few as cover the same targets.

use tandem_base::{Id, IdVec};
use tandem_cfa::library::{Kind, Primitive};
use tandem_cfa::{Callee, EdgeId, FunctionId, Op, PlaceKind, Program};

use super::Converted;
use super::value::asked;
use crate::gia::{EdgeSet, Gia, Mark, Transition, words};
use crate::{Integer, Literal, TestCase};

/// A test, and the numbers of the targets on its path.
#[derive(Clone, PartialEq, Debug)]
pub struct PathTest {
    pub case: TestCase,
    pub targets: Vec<usize>,
}

/// Paths that are looked at.
const PATHS: usize = 20_000;
/// Steps that all of them may have together.
const STEPS: usize = 20_000_000;
/// Up to so many paths, the smallest selection is searched for; from there on a small one.
const EXACT: usize = 24;

/// The tests of an automaton, the smallest set (for few paths; else a small one) that covers the targets which all together cover.
/// Inputs that no condition fixes are zero.
pub fn tests_of(gia: &Gia, program: &Program) -> Converted<Vec<PathTest>> {
    let kinds = Kind::of_all(program, &[] as &[&str]);
    let mut search = Search { gia, program, kinds, steps: 0, found: Vec::new(), vague: 0, unfinished: false };
    search.run();
    let mut lost = Vec::new();
    if search.vague > 0 {
        lost.push(format!("{} reached paths name no single edge for each step: they give no test", search.vague));
    }
    if search.unfinished {
        lost.push("there are more reached paths than are looked at".to_string());
    }
    let chosen = match gia.targets.is_empty() {
        true => (0..search.found.len()).collect(),
        false => cover(&search.found.iter().map(|test| test.targets.clone()).collect::<Vec<_>>()),
    };
    let value = chosen.into_iter().map(|index: usize| search.found[index].clone()).collect();
    Converted { value, lost }
}

struct Search<'a> {
    gia: &'a Gia,
    program: &'a Program,
    kinds: IdVec<FunctionId, Kind>,
    steps: usize,
    found: Vec<PathTest>,
    vague: usize,
    unfinished: bool,
}

impl<'a> Search<'a> {
    /// All runs to reached states that come to no state twice, depth first.
    fn run(&mut self) {
        let gia = self.gia;
        let mut on_run = vec![false; gia.states().len()];
        let mut run: Vec<&'a Transition> = Vec::new();
        let mut open: Vec<std::slice::Iter<'a, Transition>> = Vec::new();
        if gia.mark(Gia::INITIAL) == Some(Mark::Reached) {
            self.vague += 1;
        }
        on_run[Gia::INITIAL.index()] = true;
        open.push(gia.from(Gia::INITIAL).iter());
        while let Some(steps) = open.last_mut() {
            self.steps += 1;
            if self.steps > STEPS || self.found.len() + self.vague >= PATHS {
                self.unfinished = true;
                return;
            }
            let Some(step) = steps.next() else {
                open.pop();
                if let Some(step) = run.pop() {
                    on_run[step.target.index()] = false;
                }
                continue;
            };
            if on_run[step.target.index()] {
                continue;
            }
            run.push(step);
            if gia.mark(step.target) == Some(Mark::Reached) {
                self.found(&run);
                run.pop();
                continue;
            }
            on_run[step.target.index()] = true;
            open.push(gia.from(step.target).iter());
        }
    }

    fn found(&mut self, run: &[&Transition]) {
        let mut edges = Vec::with_capacity(run.len());
        let mut case = TestCase::default();
        for step in run {
            let EdgeSet::One(edge) = step.edges else {
                self.vague += 1;
                return;
            };
            edges.push(edge);
            if let Some(subjects) = self.input(edge) {
                case.inputs.push(self.value(step, &subjects).into());
            }
        }
        let targets = self.gia.targets.iter().enumerate();
        let on_path = targets.filter(|(_, target)| edges.iter().any(|edge| target.edges.contains(edge)));
        self.found.push(PathTest { case, targets: on_path.map(|(index, _)| index).collect() });
    }

    /// The names of the result, if the edge takes an input of the outside world.
    fn input(&self, edge: EdgeId) -> Option<Vec<String>> {
        let Op::Call { callee: Callee::Direct(function), result, .. } = &self.program.edges[edge].op else {
            return None;
        };
        let is_input =
            matches!(self.kinds[*function], Kind::Unknown | Kind::Library(Primitive::Nondet | Primitive::Contract(_)));
        let ty = match self.program.types.get(self.program.functions[*function].ty) {
            tandem_cfa::types::Type::Function(signature) => signature.result,
            _ => return None,
        };
        self.program.types.scalar(ty).filter(|_| is_input)?;
        let variable = result.and_then(|place| match self.program.place(place).kind {
            PlaceKind::Variable(variable) => Some(self.program.variables[variable].name.to_string()),
            PlaceKind::Deref(_) | PlaceKind::Field(..) | PlaceKind::Index(..) => None,
        });
        Some(std::iter::once("\\result".to_string()).chain(variable).collect())
    }

    fn value(&self, step: &Transition, subjects: &[String]) -> Literal {
        let [guard, invariant] = self.gia.label(step);
        let conditions = words(self.gia, guard).into_iter().chain(words(self.gia, invariant));
        let mut values = conditions.filter_map(|text| subjects.iter().find_map(|subject| asked(&text, subject)));
        values.next().unwrap_or(Literal::Integer(Integer::from(0)))
    }
}

/// Which sets to take so that everything is covered that all together cover.
fn cover(sets: &[Vec<usize>]) -> Vec<usize> {
    let greedy = greedy(sets);
    let mut distinct: Vec<usize> = sets.iter().flatten().copied().collect();
    distinct.sort_unstable();
    distinct.dedup();
    if sets.len() > EXACT || distinct.len() > 64 || greedy.len() <= 1 {
        return greedy;
    }
    let bit = |target: &usize| 1u64 << distinct.binary_search(target).unwrap_or(0);
    let masks: Vec<u64> = sets.iter().map(|set| set.iter().map(bit).sum()).collect();
    let all = masks.iter().fold(0, |all, mask| all | mask);
    let mut best: Option<u32> = None;
    for choice in 0u32..1 << sets.len() {
        let is_smaller = (choice.count_ones() as usize) < best.map_or(greedy.len(), |best| best.count_ones() as usize);
        let covered =
            || (0..sets.len()).filter(|index| choice >> index & 1 == 1).fold(0, |sum, index| sum | masks[index]);
        if is_smaller && covered() == all {
            best = Some(choice);
        }
    }
    best.map_or(greedy, |best| (0..sets.len()).filter(|index| best >> index & 1 == 1).collect())
}

/// Always the set with the most that is new.
fn greedy(sets: &[Vec<usize>]) -> Vec<usize> {
    let mut covered: Vec<usize> = Vec::new();
    let mut chosen = Vec::new();
    loop {
        let fresh = |set: &Vec<usize>| set.iter().filter(|target| !covered.contains(target)).count();
        let best = (0..sets.len()).max_by_key(|index| (fresh(&sets[*index]), usize::MAX - index));
        let Some(best) = best.filter(|best| fresh(&sets[*best]) > 0) else { break };
        covered.extend(&sets[best]);
        chosen.push(best);
    }
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_selection_is_found() {
        // The largest set first would need three.
        let sets = vec![vec![1, 2, 3, 4], vec![0, 1, 2], vec![3, 4, 5], vec![0], vec![5]];
        assert_eq!(greedy(&sets).len(), 3);
        assert_eq!(cover(&sets), [1, 2]);
        assert!(cover(&[vec![], vec![]]).is_empty());
    }
}
