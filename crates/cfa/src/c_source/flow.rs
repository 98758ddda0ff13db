//! A shape as a graph of steps and two-way branches: steps without an effect are gone, and tests that follow each other
//! directly are one branch with `&&` and `||`, as they were in the source.

use tandem_base::Span;

use super::condition::Condition;
use super::{Knot, Shape, Taken};
use crate::model::*;

pub(super) enum Block<'a> {
    /// Then control goes to the block; `None`: the step never ends, or ends the function.
    Step(&'a Taken, Option<usize>),
    Branch {
        condition: Condition<'a>,
        yes: usize,
        no: usize,
        span: Span,
    },
    /// A step without effect. Only where it leads to itself in the end, or nowhere from where control can come.
    Pass(usize),
    Stop,
    /// The path ends here, and what was before says so.
    Dead,
    Exit,
}

pub(super) struct Flow<'a> {
    pub entry: usize,
    pub blocks: Vec<Block<'a>>,
}

pub(super) fn flow<'a>(program: &Program, shape: &'a Shape) -> Flow<'a> {
    let mut blocks: Vec<Block<'a>> = Vec::with_capacity(shape.nodes.len());
    // Chains of tests need more blocks than there are knots; these come behind.
    let mut more = Vec::new();
    let base = shape.nodes.len();
    for knot in &shape.nodes {
        let block = match knot {
            Knot::Steps(steps) => steps_block(program, steps, base, &mut more),
            Knot::Test { condition, yes, no } => {
                Block::Branch { condition: Condition::Formula(condition), yes: *yes, no: *no, span: Span::NONE }
            }
            Knot::Stop => Block::Stop,
            Knot::Dispatch(ways) => {
                let tests = ways.iter().map(|(code, to)| (Condition::Code(*code), *to, Span::NONE));
                chain(tests.collect(), None, base, &mut more)
            }
            Knot::Exit => Block::Exit,
        };
        blocks.push(block);
    }
    blocks.extend(more);
    let mut flow = Flow { entry: shape.entry, blocks };
    flow.skip_passes();
    flow.mark_dead_ends(program);
    flow.join_tests();
    flow
}

fn steps_block<'a>(program: &Program, steps: &'a [Taken], base: usize, more: &mut Vec<Block<'a>>) -> Block<'a> {
    let assumed = |taken: &Taken| match program.edges[taken.edge].op {
        Op::Assume { condition, truth } => Some((condition, truth)),
        _ => None,
    };
    match steps {
        [] => Block::Stop,
        [only] if assumed(only).is_none() => match &program.edges[only.edge].op {
            Op::Skip => Block::Pass(only.to),
            op => Block::Step(only, (!ends(op)).then_some(only.to)),
        },
        [first, second] if is_pair(assumed(first), assumed(second)) => {
            let (condition, truth) = assumed(first).unwrap_or((ExprId(0), true));
            let (yes, no) = if truth { (first.to, second.to) } else { (second.to, first.to) };
            Block::Branch { condition: Condition::Holds(condition), yes, no, span: program.edges[first.edge].span }
        }
        _ => {
            let test = |taken: &Taken| {
                let (condition, truth) = assumed(taken)?;
                let holds = Condition::Holds(condition);
                Some((if truth { holds } else { holds.not() }, taken.to, program.edges[taken.edge].span))
            };
            let stop = base + more.len();
            more.push(Block::Stop);
            chain(steps.iter().filter_map(test).collect(), Some(stop), base, more)
        }
    }
}

fn is_pair(first: Option<(ExprId, bool)>, second: Option<(ExprId, bool)>) -> bool {
    matches!((first, second), (Some((a, truth)), Some((b, other))) if a == b && truth != other)
}

/// Whether nothing comes behind the step.
fn ends(op: &Op) -> bool {
    match op {
        Op::Return { .. } => true,
        Op::Call { callee: Callee::Builtin(builtin), .. } => match builtin {
            Builtin::Unreachable | Builtin::Trap => true,
            Builtin::VaStart | Builtin::VaArg | Builtin::VaEnd | Builtin::VaCopy | Builtin::Alloca => false,
        },
        Op::Call { .. } | Op::Skip | Op::Assume { .. } | Op::Assign { .. } => false,
        Op::Declare(_) | Op::Unsupported { .. } => false,
    }
}

/// Tests one after the other; the last way needs no test if there is nowhere else to go.
fn chain<'a>(
    mut tests: Vec<(Condition<'a>, usize, Span)>,
    otherwise: Option<usize>,
    base: usize,
    more: &mut Vec<Block<'a>>,
) -> Block<'a> {
    let mut no = match otherwise.or_else(|| tests.pop().map(|(_, to, _)| to)) {
        Some(no) => no,
        None => return Block::Stop,
    };
    if tests.is_empty() {
        return Block::Pass(no);
    }
    while let Some((condition, yes, span)) = tests.pop() {
        let block = Block::Branch { condition, yes, no, span };
        if tests.is_empty() {
            return block;
        }
        no = base + more.len();
        more.push(block);
    }
    Block::Pass(no)
}

impl Flow<'_> {
    pub fn successors(&self, block: usize) -> impl Iterator<Item = usize> + use<> {
        let (first, second) = match &self.blocks[block] {
            Block::Step(_, to) => (*to, None),
            // The false side first, so that the true side comes first in the reverse of a postorder.
            Block::Branch { yes, no, .. } => (Some(*no), Some(*yes)),
            Block::Pass(to) => (Some(*to), None),
            Block::Stop | Block::Dead | Block::Exit => (None, None),
        };
        first.into_iter().chain(second)
    }

    fn redirect(&mut self, target: impl Fn(usize) -> usize) {
        self.entry = target(self.entry);
        for block in &mut self.blocks {
            match block {
                Block::Step(_, Some(to)) | Block::Pass(to) => *to = target(*to),
                Block::Branch { yes, no, .. } => (*yes, *no) = (target(*yes), target(*no)),
                Block::Step(_, None) | Block::Stop | Block::Dead | Block::Exit => {}
            }
        }
    }

    /// Leads everything past steps without an effect, except where they only go round in a circle.
    fn skip_passes(&mut self) {
        let mut ends: Vec<Option<usize>> = vec![None; self.blocks.len()];
        for start in 0..self.blocks.len() {
            let (mut at, mut path) = (start, Vec::new());
            let end = loop {
                match (ends[at], &self.blocks[at]) {
                    (Some(end), _) => break end,
                    (None, Block::Pass(to)) => {
                        // Provisional: whoever comes here again has gone round.
                        ends[at] = Some(at);
                        path.push(at);
                        at = *to;
                    }
                    (None, _) => break at,
                }
            };
            path.into_iter().for_each(|passed| ends[passed] = Some(end));
        }
        self.redirect(|block| ends[block].unwrap_or(block));
    }

    /// A block without successors that only comes behind steps which end the path themselves.
    fn mark_dead_ends(&mut self, program: &Program) {
        let mut arrivals = vec![true; self.blocks.len()];
        for index in 0..self.blocks.len() {
            let is_unsupported = matches!(&self.blocks[index], Block::Step(taken, _)
                if matches!(program.edges[taken.edge].op, Op::Unsupported { .. }));
            if !is_unsupported {
                self.successors(index).for_each(|to| arrivals[to] = false);
            }
        }
        for (index, block) in self.blocks.iter_mut().enumerate() {
            if arrivals[index] && matches!(block, Block::Stop) {
                *block = Block::Dead;
            }
        }
    }

    /// Joins a test with the one behind it if that is reached from nowhere else and shares a way out with it.
    fn join_tests(&mut self) {
        let mut arrivals = vec![0u32; self.blocks.len()];
        arrivals[self.entry] += 1;
        for index in 0..self.blocks.len() {
            self.successors(index).for_each(|to| arrivals[to] += 1);
        }
        // From the last to the first: conditions come in the order of the source, so the tails are joined already.
        for index in (0..self.blocks.len()).rev() {
            while self.join(index, &mut arrivals) {}
        }
    }

    fn join(&mut self, index: usize, arrivals: &mut [u32]) -> bool {
        let Block::Branch { yes, no, .. } = self.blocks[index] else { return false };
        for (way, inner) in [(true, yes), (false, no)] {
            let Block::Branch { yes: inner_yes, no: inner_no, .. } = self.blocks[inner] else { continue };
            let shared = if way { no } else { yes };
            if inner == index
                || arrivals[inner] != 1
                || (inner_yes != shared && inner_no != shared)
                || inner_yes == inner_no
            {
                continue;
            }
            let Block::Branch { condition: second, .. } = std::mem::replace(&mut self.blocks[inner], Block::Dead)
            else {
                continue;
            };
            let Block::Branch { condition, yes, no, .. } = &mut self.blocks[index] else { continue };
            let first = std::mem::replace(condition, Condition::Code(0));
            arrivals[shared] -= 1;
            arrivals[inner] = 0;
            // Four ways in which the second test can hang off the first.
            (*condition, *yes, *no) = match (way, inner_no == shared) {
                (true, true) => (first.and(second), inner_yes, shared),
                (true, false) => (first.and(second.not()), inner_no, shared),
                (false, true) => (first.not().and(second), inner_yes, shared),
                (false, false) => (first.or(second), shared, inner_no),
            };
            return true;
        }
        false
    }
}
