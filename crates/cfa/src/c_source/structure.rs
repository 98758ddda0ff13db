//! From a graph of blocks to nested statements.
//!
//! A block follows its immediate dominator: directly if it is reached from there only, else behind everything that the
//! dominator does before. The head of a loop makes a loop; blocks that the loop dominates but that do not lead back come
//! behind it, unless they stood inside of it in the source. A jump is nothing where control falls to its target, else
//! `continue`, `break`, or at last `goto`. (After Ramsey: Beyond Relooper, 2022.) Recursion is as deep as statements nest.

use std::collections::HashSet;

use tandem_base::{FastBuild, Span};

use super::Taken;
use super::condition::Condition;
use super::flow::{Block, Flow};
use super::plan::Plan;
use super::tidy::{chained, tidy};
use crate::model::*;

pub(super) enum Statement<'a> {
    Step(&'a Taken),
    If {
        condition: Condition<'a>,
        yes: Vec<Statement<'a>>,
        no: Vec<Statement<'a>>,
        span: Span,
    },
    /// Forever.
    Loop(Vec<Statement<'a>>),
    While {
        condition: Condition<'a>,
        body: Vec<Statement<'a>>,
        span: Span,
    },
    DoWhile {
        condition: Condition<'a>,
        body: Vec<Statement<'a>>,
        span: Span,
    },
    Break,
    Continue,
    Goto(usize),
    Label(usize),
    /// Ends the program.
    Stop,
    /// Ends the function without a value.
    Leave,
}

pub(super) struct Structured<'a> {
    pub body: Vec<Statement<'a>>,
    /// The blocks that a `goto` leads to.
    pub labels: HashSet<usize, FastBuild>,
}

/// Where control goes when statements come to their end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Block(usize),
    /// The end of the function.
    End,
    /// Every way on has to be written.
    Nowhere,
}

#[derive(Clone, Copy)]
struct Around {
    head: usize,
    behind: Target,
}

pub(super) fn structure<'a>(program: &Program, flow: Flow<'a>, body: &Body) -> Structured<'a> {
    let plan = Plan::new(program, &flow, body);
    let entry = flow.entry;
    let mut builder = Builder {
        is_written: vec![false; flow.blocks.len()],
        depth: 0,
        chain: 0,
        deferred: Vec::new(),
        flow,
        plan,
        labels: HashSet::default(),
        breaks: HashSet::default(),
        continues: HashSet::default(),
    };
    let mut body = Vec::new();
    let mut completes = builder.region(entry, Target::End, None, &mut body);
    while let Some(block) = builder.deferred.pop() {
        if completes {
            body.push(Statement::Leave);
        }
        completes = builder.region(block, Target::Nowhere, None, &mut body);
    }
    Structured { body, labels: builder.labels }
}

/// Compilers bound how deeply braces may nest.
const DEEPEST: usize = 100;
/// Recursion goes along a chain of `else if`.
const LONGEST_CHAIN: usize = 10_000;

struct Builder<'a> {
    flow: Flow<'a>,
    plan: Plan,
    labels: HashSet<usize, FastBuild>,
    is_written: Vec<bool>,
    /// How deeply the braces nest, and how deep a chain of `else if` is, which needs none.
    depth: usize,
    chain: usize,
    /// Blocks that would have been too deep: they stand at the end of the function.
    deferred: Vec<usize>,
    /// Heads of loops that have a `break` or `continue`.
    breaks: HashSet<usize, FastBuild>,
    continues: HashSet<usize, FastBuild>,
}

impl<'a> Builder<'a> {
    /// Writes a block and all that it dominates. Returns whether control comes to the end.
    fn region(&mut self, start: usize, follow: Target, around: Option<Around>, out: &mut Vec<Statement<'a>>) -> bool {
        let mut at = start;
        loop {
            if self.depth >= DEEPEST && self.plan.is_head[at] {
                return self.defer(at, out);
            }
            self.is_written[at] = true;
            if self.plan.is_head[at] || !self.plan.is_inline[at] {
                out.push(Statement::Label(at));
            }
            let step = match self.plan.is_head[at] {
                true => self.repeat(at, follow, around, out),
                false => self.content(at, follow, around, out),
            };
            match step {
                Ok(next) => at = next,
                Err(completes) => return completes,
            }
        }
    }

    /// The loop of a head, and what comes behind it. Returns the block to go on with, or whether control comes to the end.
    fn repeat(
        &mut self,
        head: usize,
        follow: Target,
        around: Option<Around>,
        out: &mut Vec<Statement<'a>>,
    ) -> Result<usize, bool> {
        let behind = std::mem::take(&mut self.plan.behind[head]);
        let inside = Around { head, behind: behind.first().map_or(follow, |first| Target::Block(*first)) };
        let mut body = Vec::new();
        self.depth += 1;
        if let Ok(next) = self.content(head, Target::Block(head), Some(inside), &mut body) {
            self.region(next, Target::Block(head), Some(inside), &mut body);
        }
        self.depth -= 1;
        let has_break = self.breaks.contains(&head);
        out.push(tidy(body, self.continues.contains(&head)));
        self.then(&behind, has_break, around, out)
    }

    /// Blocks one after the other; the last is left to the caller.
    fn then(
        &mut self,
        blocks: &[usize],
        completes: bool,
        around: Option<Around>,
        out: &mut Vec<Statement<'a>>,
    ) -> Result<usize, bool> {
        let Some((last, first)) = blocks.split_last() else { return Err(completes) };
        for (index, block) in first.iter().enumerate() {
            self.region(*block, Target::Block(blocks[index + 1]), around, out);
        }
        Ok(*last)
    }

    /// What a block does. Returns the block to go on with, or whether control comes to the end.
    fn content(
        &mut self,
        block: usize,
        follow: Target,
        around: Option<Around>,
        out: &mut Vec<Statement<'a>>,
    ) -> Result<usize, bool> {
        match &self.flow.blocks[block] {
            Block::Step(taken, to) => {
                out.push(Statement::Step(taken));
                match *to {
                    Some(to) if self.is_next(to) => Ok(to),
                    Some(to) => Err(self.jump(to, follow, around, out)),
                    None => Err(false),
                }
            }
            Block::Pass(to) => {
                let to = *to;
                if self.is_next(to) { Ok(to) } else { Err(self.jump(to, follow, around, out)) }
            }
            Block::Branch { .. } => self.branch(block, follow, around, out),
            Block::Stop | Block::Dead | Block::Exit => Err(self.jump(block, follow, around, out)),
        }
    }

    fn branch(
        &mut self,
        block: usize,
        follow: Target,
        around: Option<Around>,
        out: &mut Vec<Statement<'a>>,
    ) -> Result<usize, bool> {
        let Block::Branch { condition, yes, no, span } = &mut self.flow.blocks[block] else { return Err(false) };
        // Every block is written once.
        let condition = std::mem::replace(condition, Condition::Code(0));
        let (yes, no, span) = (*yes, *no, *span);
        let merges = std::mem::take(&mut self.plan.merges[block]);
        let next = merges.first().map_or(follow, |first| Target::Block(*first));
        // The side that is only a jump comes first: where it leaves, the other side need not be nested.
        let swap = self.is_next(yes) && !self.is_next(no);
        let (condition, first, second) = if swap { (condition.not(), no, yes) } else { (condition, yes, no) };
        let mut taken = Vec::new();
        let completes = self.nested(first, next, around, &mut taken);
        if !completes {
            out.push(Statement::If { condition, yes: taken, no: Vec::new(), span });
            if merges.is_empty() && self.is_next(second) {
                return Ok(second);
            }
            let completes = self.side(second, next, around, out);
            return self.then(&merges, completes, around, out);
        }
        let is_empty = taken.iter().all(|statement| matches!(statement, Statement::Label(_)));
        let mut other = Vec::new();
        if is_empty || swap {
            self.nested(second, next, around, &mut other);
        } else {
            self.otherwise(second, next, around, &mut other);
            other = chained(other);
        }
        let statement = match (is_empty, swap) {
            (true, _) => Statement::If { condition: condition.not(), yes: other, no: Vec::new(), span },
            (false, true) => Statement::If { condition: condition.not(), yes: other, no: taken, span },
            (false, false) => Statement::If { condition, yes: taken, no: other, span },
        };
        out.push(statement);
        self.then(&merges, true, around, out)
    }

    /// Whether a block is to be written where a jump to it stands; the head of a loop is not where the loop goes round.
    fn is_next(&self, block: usize) -> bool {
        self.plan.is_inline[block] && !self.is_written[block]
    }

    /// A side in braces of its own.
    fn nested(&mut self, block: usize, follow: Target, around: Option<Around>, out: &mut Vec<Statement<'a>>) -> bool {
        if self.depth >= DEEPEST && self.is_next(block) {
            return self.defer(block, out);
        }
        self.depth += 1;
        let completes = self.side(block, follow, around, out);
        self.depth -= 1;
        completes
    }

    /// The side behind `else`: another test needs no braces.
    fn otherwise(
        &mut self,
        block: usize,
        follow: Target,
        around: Option<Around>,
        out: &mut Vec<Statement<'a>>,
    ) -> bool {
        let is_test = matches!(self.flow.blocks[block], Block::Branch { .. }) && !self.plan.is_head[block];
        if !is_test || !self.plan.merges[block].is_empty() || self.chain >= LONGEST_CHAIN {
            return self.nested(block, follow, around, out);
        }
        self.chain += 1;
        let completes = self.side(block, follow, around, out);
        self.chain -= 1;
        completes
    }

    fn defer(&mut self, block: usize, out: &mut Vec<Statement<'a>>) -> bool {
        self.plan.is_inline[block] = false;
        self.deferred.push(block);
        self.labels.insert(block);
        out.push(Statement::Goto(block));
        false
    }

    fn side(&mut self, block: usize, follow: Target, around: Option<Around>, out: &mut Vec<Statement<'a>>) -> bool {
        match self.is_next(block) {
            true => self.region(block, follow, around, out),
            false => self.jump(block, follow, around, out),
        }
    }

    /// Goes to a block that stands elsewhere. Returns whether control comes to the end.
    fn jump(&mut self, to: usize, follow: Target, around: Option<Around>, out: &mut Vec<Statement<'a>>) -> bool {
        match &self.flow.blocks[to] {
            Block::Stop => {
                out.push(Statement::Stop);
                return false;
            }
            Block::Dead => return false,
            Block::Exit => {
                if follow == Target::End {
                    return true;
                }
                out.push(Statement::Leave);
                return false;
            }
            Block::Step(..) | Block::Branch { .. } | Block::Pass(_) => {}
        }
        if follow == Target::Block(to) {
            return true;
        }
        match around {
            Some(around) if around.head == to => {
                self.continues.insert(around.head);
                out.push(Statement::Continue);
            }
            Some(around) if around.behind == Target::Block(to) => {
                self.breaks.insert(around.head);
                out.push(Statement::Break);
            }
            Some(_) | None => {
                self.labels.insert(to);
                out.push(Statement::Goto(to));
            }
        }
        false
    }
}
