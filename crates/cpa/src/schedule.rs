//! Where a state stands in the unrolling of a program: a key that grows along every path, so that the smallest waiting
//! key belongs to a state that nothing else waiting can lead to. Two states with one key can be merged before either goes on.

use std::rc::Rc;

use tandem_cfa::NodeId;

use crate::flow::{Flow, Step, StepKind};

/// For every call on the stack: for each loop around the place its head and the round, then the node; all by their
/// positions in the order of the function. Compared as lists of numbers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key {
    parts: Rc<[u32]>,
    /// Where the numbers of the innermost call begin.
    frame: u32,
}

impl Key {
    pub fn start(flow: &Flow<'_>, node: NodeId) -> Key {
        let mut parts = Vec::new();
        for head in &flow.order.place(node).heads {
            parts.extend([flow.order.place(*head).position, 0]);
        }
        parts.push(flow.order.place(node).position);
        Key { parts: parts.into(), frame: 0 }
    }

    /// The key of a point under its stack, in the first round of every loop.
    pub fn start_under(flow: &Flow<'_>, point: crate::Point) -> Key {
        let Some(call) = flow.stacks.call(point.stack) else { return Key::start(flow, point.node) };
        let caller = crate::Point { node: flow.program.edges[call.edge].source, stack: call.caller, mode: point.mode };
        let outer = Key::start_under(flow, caller);
        let mut parts = outer.parts.to_vec();
        parts.extend([flow.function(point.stack).0, outer.frame]);
        let frame = parts.len() as u32;
        parts.extend_from_slice(&Key::start(flow, point.node).parts);
        Key { parts: parts.into(), frame }
    }

    /// The key after a step.
    pub fn after(&self, flow: &Flow<'_>, step: &Step) -> Key {
        let mut parts = Vec::with_capacity(self.parts.len() + 4);
        match step.kind {
            StepKind::Enter(function) => {
                parts.extend_from_slice(&self.parts);
                parts.extend([function.0, self.frame]);
                let frame = parts.len();
                self.place(flow, &[], step.to.node, &mut parts);
                Key { parts: parts.into(), frame: frame as u32 }
            }
            StepKind::Leave(_) => {
                let callee = self.frame as usize;
                let caller = self.parts[callee - 1] as usize;
                parts.extend_from_slice(&self.parts[..caller]);
                self.place(flow, &self.parts[caller..callee - 2], step.to.node, &mut parts);
                Key { parts: parts.into(), frame: caller as u32 }
            }
            StepKind::Inside | StepKind::Call(_) | StepKind::Error(_) | StepKind::Elsewhere | StepKind::Unsupported => {
                let frame = self.frame as usize;
                parts.extend_from_slice(&self.parts[..frame]);
                self.place(flow, &self.parts[frame..], step.to.node, &mut parts);
                Key { parts: parts.into(), frame: self.frame }
            }
        }
    }

    /// Appends the numbers of a node that is reached from a place in the same call with these numbers.
    fn place(&self, flow: &Flow<'_>, before: &[u32], node: NodeId, parts: &mut Vec<u32>) {
        let place = flow.order.place(node);
        let loops = before.len().saturating_sub(1) / 2;
        let mut same = true;
        for (depth, head) in place.heads.iter().enumerate() {
            let position = flow.order.place(*head).position;
            same &= depth < loops && before[2 * depth] == position;
            let round = match same {
                true if *head == node => before[2 * depth + 1] + 1,
                true => before[2 * depth + 1],
                false => 0,
            };
            parts.extend([position, round]);
        }
        parts.push(place.position);
    }

    /// The round of the innermost loop, if the place is in one.
    pub fn round(&self) -> Option<u32> {
        let own = &self.parts[self.frame as usize..];
        (own.len() >= 3).then(|| own[own.len() - 2])
    }

    /// The rounds of all loops around the place, in all calls, added up.
    pub fn rounds(&self) -> u32 {
        let (mut sum, mut end, mut frame) = (0u32, self.parts.len(), self.frame as usize);
        loop {
            let own = &self.parts[frame..end];
            sum += own[..own.len() - 1].iter().skip(1).step_by(2).sum::<u32>();
            if frame == 0 {
                return sum;
            }
            end = frame - 2;
            frame = self.parts[frame - 1] as usize;
        }
    }
}
