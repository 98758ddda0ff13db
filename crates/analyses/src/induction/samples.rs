//! Samples: what variables hold at cut points in some runs of the program, on zeros and on random inputs. They suggest
//! invariants and refute others; nothing is proved by them.

use std::collections::{BTreeMap, HashMap};

use tandem_base::{Budget, FastBuild, StopReason};
use tandem_cpa::{Callees, Flow, Point};
use tandem_smt::{Term, TermMap, Terms};

use crate::blocks::is_cut;
use crate::formula::{Formulas, Path};
use crate::store::{Executor, StartKey};

/// What was seen at a point once.
#[derive(Default)]
pub struct Row {
    pub numbers: HashMap<Term, u64, FastBuild>,
    pub arrays: TermMap,
}

/// What was seen, for each time a point was met.
pub type Samples = BTreeMap<Point, Vec<Row>>;

const RUNS: u64 = 24;
const STEPS: usize = 3_000;
/// Samples of one point that are kept.
const KEEP: usize = 200;

/// Runs the program and looks at these symbols, each of which stands for a variable or cell.
pub fn collect(
    flow: &mut Flow<'_>,
    terms: &Terms,
    symbols: &[(Term, StartKey)],
    budget: &Budget,
) -> Result<Samples, StopReason> {
    let mut samples = Samples::new();
    let mut executor = Executor::new(flow, Formulas::new(terms, "sample."));
    for seed in 0..RUNS {
        if let Some(reason) = budget.exhausted() {
            return Err(reason);
        }
        executor.domain.choose_inputs(seed);
        let Ok(mut store) = executor.start(flow, Path::default()) else { break };
        let mut point = flow.start();
        let mut steps = Vec::new();
        for _ in 0..STEPS {
            if is_cut(flow, point) {
                let seen = samples.entry(point).or_default();
                if seen.len() < KEEP {
                    let mut row = Row::default();
                    for (symbol, key) in symbols {
                        if matches!(key, StartKey::Elements { .. }) {
                            let mut scratch = store.clone();
                            let value = executor.start_key_value(&mut scratch, *key);
                            row.arrays.extend(value.map(|value| (*symbol, value)));
                            continue;
                        }
                        let value = executor.start_key_value(&mut store, *key);
                        let bits = value.and_then(|value| terms.as_bv(value)?.small());
                        if let Some(bits) = bits.filter(|bits| *bits <= u128::from(u64::MAX)) {
                            row.numbers.insert(*symbol, bits as u64);
                        }
                    }
                    seen.push(row);
                }
            }
            steps.clear();
            let callees = |edge| executor.callees(&store, edge);
            let mut known = Callees::Unknown;
            if let Some(edge) = flow.program.out(point.node).iter().next() {
                if matches!(
                    flow.program.edges[edge].op,
                    tandem_cfa::Op::Call { callee: tandem_cfa::Callee::Pointer(_), .. }
                ) {
                    let mut callees = callees;
                    known = callees(edge);
                }
            }
            flow.steps(point, |_| known.clone(), &mut steps);
            let next = steps.iter().find_map(|step| {
                let mut after = store.clone();
                executor.step(flow, &mut after, step).ok().map(|()| (after, step.to))
            });
            // A condition that is not decided would make the path a guess: then the run ends.
            match next {
                Some((after, to)) if after.path.length() == 0 => (store, point) = (after, to),
                Some(_) | None => break,
            }
        }
    }
    Ok(samples)
}
