//! Which block of a graph stands where in nested statements: dominators, natural loops, and the source of each loop.
//!
//! Knows no statements.

use tandem_base::Span;

use super::flow::{Block, Flow};
use crate::graph::{Adjacency, dominators, order};
use crate::model::*;

/// Which block comes where.
pub(super) struct Plan {
    pub is_head: Vec<bool>,
    /// Whether a block stands where its only predecessor jumps to it.
    pub is_inline: Vec<bool>,
    /// Blocks that follow what their dominator does, in an order in which control goes forward.
    pub merges: Vec<Vec<usize>>,
    /// Blocks that follow the loop of a head.
    pub behind: Vec<Vec<usize>>,
}

const NONE: u32 = u32::MAX;

impl Plan {
    pub fn new(program: &Program, flow: &Flow<'_>, body: &Body) -> Plan {
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
