//! Cuts that balance the work: the tree of paths is unfolded from its root, the heaviest leaf first, and cut between leaves so that the
//! parts weigh the same. Splits every program with two paths that differ early, with loops or without.

use std::time::{Duration, Instant};

use tandem_analyses::paths::{Next, Paths, Spot};
use tandem_artifact::range::{Chain, Range};
use tandem_base::Budget;

use super::split::{Cut, LONGEST, cut_before};
use super::weight::Weights;

/// How long the tree is unfolded for the sake of balance.
const SOON: Duration = Duration::from_millis(40);
/// How long a program is looked at that has not branched yet.
const LATE: Duration = Duration::from_secs(2);
/// Leaves for each range that is wanted.
const LEAVES: usize = 4;

/// Part of the tree that is not unfolded.
struct Leaf {
    spot: Spot,
    /// Its part of the whole work, estimated.
    weight: f64,
    is_open: bool,
}

/// Cuts inside the range.
pub fn cuts(paths: &mut Paths<'_>, range: &Range, wanted: usize, budget: &Budget) -> Result<Vec<Cut>, String> {
    let (chain, weights) = (Chain::new(range), Weights::of(&paths.flow));
    let Some(start) = paths.start() else { return Err("the start of the program is not modelled".into()) };
    let mut leaves = vec![Leaf { spot: start, weight: 1.0, is_open: true }];
    let begin = Instant::now();
    while budget.exhausted().is_none() {
        let enough = leaves.len() >= LEAVES * (wanted + 1);
        let limit = if leaves.len() > wanted { SOON } else { LATE };
        if enough || begin.elapsed() > limit {
            break;
        }
        let open = leaves.iter().enumerate().filter(|(_, leaf)| leaf.is_open);
        let heaviest = open.max_by(|(_, one), (_, other)| one.weight.total_cmp(&other.weight)).map(|(index, _)| index);
        let Some(index) = heaviest else { break };
        let leaf = leaves.remove(index);
        leaves.splice(index..index, unfold(paths, &chain, &weights, leaf));
    }
    if leaves.len() < 2 {
        return Err(format!("the program has no two paths that differ within {LONGEST} decisions"));
    }
    Ok(boundaries(&leaves, wanted).into_iter().map(|index| cut_before(paths, &leaves[index].spot)).collect())
}

/// The leaf with one more decision.
fn unfold(paths: &mut Paths<'_>, chain: &Chain, weights: &Weights, leaf: Leaf) -> Vec<Leaf> {
    let weight = leaf.weight;
    match paths.advance(leaf.spot) {
        Next::End(spot) => vec![Leaf { spot, weight: weight.min(1e-6), is_open: false }],
        Next::Ways(spot, _) if spot.decisions.len() >= LONGEST => vec![Leaf { spot, weight, is_open: false }],
        Next::Ways(spot, ways) => {
            let mut next: Vec<Spot> = ways.iter().filter_map(|way| paths.take(&spot, way)).collect();
            next.retain(|spot| chain.read(&spot.decisions).is_some());
            let logarithms: Vec<f64> = next.iter().map(|spot| weights.at(spot.point.node)).collect();
            let largest = logarithms.iter().copied().fold(0.0, f64::max);
            let sum: f64 = logarithms.iter().map(|logarithm| (logarithm - largest).exp2()).sum();
            let even = 1.0 / next.len().max(1) as f64;
            // Counting on the graph knows nothing of what inputs do: a part of the weight is shared evenly.
            let share = |logarithm: f64| 0.75 * (logarithm - largest).exp2() / sum + 0.25 * even;
            let parts = next.into_iter().zip(logarithms);
            parts.map(|(spot, log)| Leaf { spot, weight: weight * share(log), is_open: true }).collect()
        }
    }
}

/// The leaves that begin a new part, in their order.
fn boundaries(leaves: &[Leaf], wanted: usize) -> Vec<usize> {
    let total: f64 = leaves.iter().map(|leaf| leaf.weight).sum();
    let mut found: Vec<usize> = Vec::new();
    let (mut sum, mut part) = (0.0, 1);
    for index in 1..leaves.len() {
        sum += leaves[index - 1].weight;
        let goal = total * part as f64 / (wanted + 1) as f64;
        let left = leaves.len() - index;
        let missing = wanted - found.len();
        // The nearer of two places; but so that there is a leaf for each part.
        let is_near = sum + leaves[index].weight / 2.0 >= goal;
        if missing > 0 && (is_near || left <= missing) {
            found.push(index);
            part += 1;
        }
    }
    found
}
