//! From candidates to invariants: what does not hold at the start, or is not preserved by some block when all the others are
//! taken for granted, is dropped, until nothing more is. What is left is inductive, all together.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use tandem_base::{Budget, StopReason};
use tandem_cpa::{Flow, Point};
use tandem_smt::{Answer, Solver, Term, TermMap};

use super::arrays::instances;
use super::{ByPoint, Induction, propose};
use crate::blocks::Block;

/// What holds whenever control is at a cut point.
#[derive(Clone, Default)]
pub struct Invariants {
    pub by_point: ByPoint,
}

impl Invariants {
    pub fn at(&self, point: Point) -> &[Term] {
        self.by_point.get(&point).map_or(&[], Vec::as_slice)
    }
}

/// How long one question may take.
pub(super) const QUESTION: Duration = Duration::from_millis(1500);

/// Proposes candidates (more in later rounds) and keeps those that are inductive together.
pub fn strengthen<'a>(
    induction: &mut Induction<'a>,
    flow: &mut Flow<'a>,
    first: &Block,
    points: &[Point],
    round: u32,
    budget: &Budget,
) -> Result<Invariants, StopReason> {
    let mut blocks: BTreeMap<Point, Rc<Block>> = BTreeMap::new();
    for point in points {
        blocks.insert(*point, induction.blocks.block(flow, *point, budget)?);
    }
    let mut candidates = propose::candidates(induction, flow, first, &blocks, round, budget)?;
    let mut links = Vec::new();
    for (end, (to, _)) in first.ends.iter().enumerate() {
        links.push(Link::new(induction, None, first, end, *to, &candidates));
    }
    for (from, block) in &blocks {
        for (end, (to, _)) in block.ends.iter().enumerate() {
            links.push(Link::new(induction, Some(*from), block, end, *to, &candidates));
        }
    }
    let mut changed = true;
    while changed {
        changed = false;
        for link in &links {
            changed |= link.weaken(induction, &mut candidates, budget)?;
        }
    }
    // What others have proved holds as well, whether or not it is inductive by itself.
    for (point, facts) in &induction.facts.by_point {
        let known = candidates.entry(*point).or_default();
        known.extend(facts.iter().filter(|fact| !known.contains(fact)).copied().collect::<Vec<_>>());
    }
    Ok(Invariants { by_point: candidates })
}

/// What holds where a way begins, if the candidates do.
fn known_at(induction: &Induction<'_>, from: Option<Point>, candidates: &ByPoint) -> Vec<Term> {
    let Some(from) = from else { return Vec::new() };
    let mut known = candidates.get(&from).cloned().unwrap_or_default();
    known.extend(induction.facts.at(from));
    known
}

/// One way from a cut point (or the start) to another.
struct Link {
    from: Option<Point>,
    to: Point,
    conditions: Vec<Term>,
    pointer: u32,
    /// Each candidate at the target, as it reads where the block begins.
    before: TermMap,
}

impl Link {
    fn new(
        induction: &mut Induction<'_>,
        from: Option<Point>,
        block: &Block,
        end: usize,
        to: Point,
        candidates: &ByPoint,
    ) -> Link {
        let store = &block.ends[end].1;
        let wanted = candidates.get(&to).cloned().unwrap_or_default();
        let meaning = induction.blocks.meaning(store, &wanted);
        let read = induction.terms.substitute_all(&wanted, &meaning);
        let before = wanted.into_iter().zip(read).collect();
        let pointer = induction.task.program.model().pointer_bits();
        Link { from, to, conditions: store.path.conditions(), pointer, before }
    }

    /// Drops candidates at the target that this way does not preserve; whether there were any.
    fn weaken(
        &self,
        induction: &mut Induction<'_>,
        candidates: &mut ByPoint,
        budget: &Budget,
    ) -> Result<bool, StopReason> {
        let mut changed = false;
        loop {
            let known = known_at(induction, self.from, candidates);
            let Some(wanted) = candidates.get(&self.to).filter(|wanted| !wanted.is_empty()).cloned() else {
                return Ok(changed);
            };
            let terms = induction.terms.clone();
            let negated: Vec<Term> = wanted.iter().map(|term| terms.not(self.before[term])).collect();
            let mut question = self.conditions.clone();
            let doubt = terms.or(&negated);
            question.push(doubt);
            question.extend(instances(&terms, self.pointer, &known, &question));
            let kept: Vec<Term> = match induction.solver.check(&question, &brief(budget)) {
                Answer::Unsat => return Ok(changed),
                Answer::Sat => {
                    let model = induction.solver.model();
                    wanted.iter().copied().filter(|term| terms.holds(self.before[term], &model)).collect()
                }
                Answer::Unknown(_) => {
                    if let Some(reason) = budget.exhausted() {
                        return Err(reason);
                    }
                    self.one_by_one(induction, &wanted, candidates, budget)?
                }
            };
            if kept.len() == wanted.len() {
                return Ok(changed);
            }
            changed = true;
            candidates.insert(self.to, kept);
        }
    }

    /// Those of the wanted candidates that can be shown alone.
    fn one_by_one(
        &self,
        induction: &mut Induction<'_>,
        wanted: &[Term],
        candidates: &ByPoint,
        budget: &Budget,
    ) -> Result<Vec<Term>, StopReason> {
        let terms = induction.terms.clone();
        let known = known_at(induction, self.from, candidates);
        let mut kept = Vec::new();
        for term in wanted {
            if let Some(reason) = budget.exhausted() {
                return Err(reason);
            }
            let mut question = self.conditions.clone();
            question.push(terms.not(self.before[term]));
            question.extend(instances(&terms, self.pointer, &known, &question));
            if induction.solver.check(&question, &brief(budget)) == Answer::Unsat {
                kept.push(*term);
            }
        }
        Ok(kept)
    }
}

/// A budget that ends soon.
fn brief(budget: &Budget) -> Budget {
    budget.within(QUESTION)
}
