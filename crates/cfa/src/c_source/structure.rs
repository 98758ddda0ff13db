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
use crate::graph::{Adjacency, dominators, order};
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

/// Which block comes where.
struct Plan {
    is_head: Vec<bool>,
    /// Whether a block stands where its only predecessor jumps to it.
    is_inline: Vec<bool>,
    /// Blocks that follow what their dominator does, in an order in which control goes forward.
    merges: Vec<Vec<usize>>,
    /// Blocks that follow the loop of a head.
    behind: Vec<Vec<usize>>,
}

const NONE: u32 = u32::MAX;

/// Compilers bound how deeply braces may nest.
const DEEPEST: usize = 100;
/// Recursion goes along a chain of `else if`.
const LONGEST_CHAIN: usize = 10_000;

impl Plan {
    fn new(program: &Program, flow: &Flow<'_>, body: &Body) -> Plan {
        let count = flow.blocks.len();
        let is_end = |block: usize| matches!(flow.blocks[block], Block::Stop | Block::Dead | Block::Exit);
        // The ends are written wherever something leads to them.
        let edges = (0..count).flat_map(|from| flow.successors(from).map(move |to| (from as u32, to as u32)));
        let successors = Adjacency::new(count, edges.filter(|(_, to)| !is_end(*to as usize)));
        let predecessors = successors.reversed();
        let mut order = order::postorder(&successors, flow.entry as u32);
        order.reverse();
        let tree = dominators::tree(&successors, &predecessors, flow.entry as u32);
        let loops = Loops::new(&order, &predecessors, &tree, count);
        let regions = regions(program, flow, body, &loops, &order);
        let mut plan = Plan {
            is_head: loops.is_head.clone(),
            is_inline: vec![false; count],
            merges: vec![Vec::new(); count],
            behind: vec![Vec::new(); count],
        };
        for &block in order.iter().skip(1) {
            let Some(dominator) = tree.parent(block) else { continue };
            let reached = predecessors.of(block).iter();
            let is_back = |from: &&u32| **from == block || tree.is_above(block, **from);
            let forward =
                reached.filter(|from| tree.is_above(flow.entry as u32, **from) || **from == flow.entry as u32);
            let arrivals = forward.filter(|from| !is_back(from)).count();
            let span = span_of(program, &flow.blocks[block as usize]);
            match loops.left(dominator, block, |head| !regions[head as usize].contains(span)) {
                Some(head) => plan.behind[head as usize].push(block as usize),
                None if arrivals > 1 => plan.merges[dominator as usize].push(block as usize),
                None => plan.is_inline[block as usize] = true,
            }
        }
        plan
    }
}

/// The source of each loop: the loop statement around it, or what its own blocks cover.
fn regions(program: &Program, flow: &Flow<'_>, body: &Body, loops: &Loops, order: &[u32]) -> Vec<Span> {
    let mut regions = vec![Span::NONE; flow.blocks.len()];
    for &block in order {
        let span = span_of(program, &flow.blocks[block as usize]);
        let mut at = if loops.is_head[block as usize] { block } else { loops.parent[block as usize] };
        while at != NONE && !regions[at as usize].contains(span) {
            regions[at as usize] = regions[at as usize].to(span);
            at = loops.parent[at as usize];
        }
    }
    for region in regions.iter_mut().filter(|region| !region.is_none()) {
        let around = body.loops.iter().map(|found| found.span).filter(|span| span.contains(*region));
        if let Some(smallest) = around.min_by_key(|span| span.hi - span.lo) {
            *region = smallest;
        }
    }
    // Nothing stands inside of a loop that stands nowhere.
    for region in regions.iter_mut().filter(|region| region.is_none()) {
        *region = Span::new(u32::MAX, 0);
    }
    regions
}

fn span_of(program: &Program, block: &Block<'_>) -> Span {
    match block {
        Block::Step(taken, _) => program.edges[taken.edge].span,
        Block::Branch { span, .. } => *span,
        Block::Pass(_) | Block::Stop | Block::Dead | Block::Exit => Span::NONE,
    }
}

/// Natural loops. Cycles that are entered in several places are none, and become jumps.
struct Loops {
    is_head: Vec<bool>,
    /// The head of the innermost loop around a block, itself excluded.
    parent: Vec<u32>,
    depth: Vec<u32>,
}

impl Loops {
    fn new(order: &[u32], predecessors: &Adjacency, tree: &dominators::Tree, count: usize) -> Loops {
        let mut loops = Loops { is_head: vec![false; count], parent: vec![NONE; count], depth: vec![0; count] };
        let mut reached = vec![false; count];
        order.iter().for_each(|block| reached[*block as usize] = true);
        // The outermost loop found so far around each block, with shortened paths.
        let mut outer: Vec<u32> = (0..count as u32).collect();
        for &head in order.iter().rev() {
            let closes = |from: &&u32| reached[**from as usize] && (**from == head || tree.is_above(head, **from));
            let mut open: Vec<u32> = predecessors.of(head).iter().filter(closes).copied().collect();
            loops.is_head[head as usize] |= !open.is_empty();
            while let Some(block) = open.pop() {
                let block = find(&mut outer, block);
                if block == head {
                    continue;
                }
                outer[block as usize] = head;
                loops.parent[block as usize] = head;
                open.extend(predecessors.of(block).iter().filter(|from| reached[**from as usize]));
            }
        }
        for &block in order {
            let parent = loops.parent[block as usize];
            let above = if parent == NONE { 0 } else { loops.depth[parent as usize] };
            loops.depth[block as usize] = above + u32::from(loops.is_head[block as usize]);
        }
        loops
    }

    /// The head of the outermost loop that the dominator is in and the block is not, as far as `outside` agrees.
    fn left(&self, dominator: u32, block: u32, outside: impl Fn(u32) -> bool) -> Option<u32> {
        let mut left = None;
        let mut at = self.innermost(dominator);
        while at != NONE && !self.contains(at, block) && outside(at) {
            left = Some(at);
            at = self.parent[at as usize];
        }
        left
    }

    fn innermost(&self, block: u32) -> u32 {
        if self.is_head[block as usize] { block } else { self.parent[block as usize] }
    }

    fn contains(&self, head: u32, block: u32) -> bool {
        let mut at = self.innermost(block);
        while at != NONE && self.depth[at as usize] > self.depth[head as usize] {
            at = self.parent[at as usize];
        }
        at == head
    }
}

fn find(outer: &mut [u32], mut block: u32) -> u32 {
    while outer[block as usize] != block {
        let up = outer[outer[block as usize] as usize];
        outer[block as usize] = up;
        block = up;
    }
    block
}

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

/// A loop whose first or last statement is its only test is a `while` or `do`; `continue` would skip the test of a `do`.
fn tidy(mut body: Vec<Statement<'_>>, has_continue: bool) -> Statement<'_> {
    if body.first().is_some_and(is_exit)
        && let Statement::If { condition, span, .. } = body.remove(0)
    {
        return Statement::While { condition: condition.not(), body, span };
    }
    if !has_continue
        && body.last().is_some_and(is_exit)
        && let Some(Statement::If { condition, span, .. }) = body.pop()
    {
        return Statement::DoWhile { condition: condition.not(), body, span };
    }
    Statement::Loop(body)
}

/// `if (...) break;`
fn is_exit(statement: &Statement<'_>) -> bool {
    matches!(statement, Statement::If { yes, no, .. } if no.is_empty() && matches!(yes[..], [Statement::Break]))
}

/// As many tests that leave are drawn into a chain of `else if`.
const EARLY_EXITS: usize = 200;

/// `if (a) goto x; if (b) y; else z;` behind an `else` is as well `if (a) goto x; else if (b) y; else z;`, which needs no braces.
fn chained(mut statements: Vec<Statement<'_>>) -> Vec<Statement<'_>> {
    let is_chain = |statement: &Statement<'_>| match statement {
        Statement::If { yes, no, .. } => no.is_empty() && yes.last().is_some_and(leaves),
        _ => false,
    };
    let Some(Statement::If { .. }) = statements.last() else { return statements };
    if statements.len() > EARLY_EXITS || !statements[..statements.len() - 1].iter().all(is_chain) {
        return statements;
    }
    let mut rest = Vec::new();
    while let Some(mut statement) = statements.pop() {
        if let Statement::If { no, .. } = &mut statement
            && !rest.is_empty()
        {
            *no = rest;
        }
        rest = vec![statement];
    }
    rest
}

/// Whether control never comes behind the statement.
fn leaves(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::Break | Statement::Continue | Statement::Goto(_) | Statement::Stop | Statement::Leave => true,
        Statement::Step(_) | Statement::If { .. } | Statement::Loop(_) => false,
        Statement::While { .. } | Statement::DoWhile { .. } | Statement::Label(_) => false,
    }
}
