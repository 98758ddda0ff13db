//! Which locals are still needed: a local that is written before it is read again need not be known. Only variables that
//! are not in memory; nothing else can see those.

use std::collections::HashMap;

use tandem_base::{FastBuild, Id};
use tandem_cfa::{Arena, Body, Callee, ExprId, ExprKind, FunctionId, NodeId, Op, PlaceId, PlaceKind, Program};

use crate::store::{Home, Layout};

/// Functions with more bits than this (nodes times slots) are not looked at: everything counts as live there.
const MOST_BITS: usize = 1 << 28;

/// The live slots of each node.
pub struct Live {
    sets: HashMap<NodeId, Box<[u64]>, FastBuild>,
}

impl Live {
    pub fn of(program: &Program, layout: &Layout) -> Live {
        let mut live = Live { sets: HashMap::default() };
        for (id, function) in program.functions.enumerate() {
            if let Some(body) = &function.body {
                live.add(program, layout, id, body);
            }
        }
        live
    }

    /// The numbers of the slots that are dead at a node, of those a function has.
    pub fn dead(&self, node: NodeId, slots: usize) -> impl Iterator<Item = usize> + '_ {
        let set = self.sets.get(&node);
        (0..slots).filter(move |slot| set.is_some_and(|set| set[slot / 64] >> (slot % 64) & 1 == 0))
    }

    fn add(&mut self, program: &Program, layout: &Layout, function: FunctionId, body: &Body) {
        let slots = layout.frame_slots[function].len();
        let words = slots.div_ceil(64);
        if slots == 0 || words * 64 * body.nodes.len() > MOST_BITS {
            return;
        }
        let Some(first) = body.nodes.iter().next() else { return };
        let effects: Vec<Effect> =
            body.edges.iter().map(|edge| Effect::of(program, layout, &program.edges[edge].op)).collect();
        let Some(first_edge) = body.edges.iter().next() else { return };
        let mut sets = vec![vec![0u64; words].into_boxed_slice(); body.nodes.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for node in body.nodes.iter().rev() {
                let mut set = sets[node.index() - first.index()].clone();
                for edge in program.out(node).iter() {
                    let effect = &effects[edge.index() - first_edge.index()];
                    let after = &sets[program.edges[edge].target.index() - first.index()];
                    for (word, bits) in after.iter().enumerate() {
                        let kept = match effect.written {
                            Some(slot) if slot / 64 == word => bits & !(1 << (slot % 64)),
                            _ => *bits,
                        };
                        set[word] |= kept;
                    }
                    for slot in &effect.read {
                        set[slot / 64] |= 1 << (slot % 64);
                    }
                }
                if set != sets[node.index() - first.index()] {
                    sets[node.index() - first.index()] = set;
                    changed = true;
                }
            }
        }
        for (node, set) in body.nodes.iter().zip(sets) {
            self.sets.insert(node, set);
        }
    }
}

/// What an edge reads and writes of the slots of its function.
struct Effect {
    read: Vec<usize>,
    written: Option<usize>,
}

impl Effect {
    fn of(program: &Program, layout: &Layout, op: &Op) -> Effect {
        let mut effect = Effect { read: Vec::new(), written: None };
        let mut visit = Visit { arena: &program.arena, layout, read: &mut effect.read };
        match op {
            Op::Skip | Op::Unsupported { .. } | Op::Return { value: None } => {}
            Op::Assume { condition, .. } => visit.expr(*condition),
            Op::Return { value: Some(value) } => visit.expr(*value),
            Op::Assign { place, value } => {
                visit.expr(*value);
                effect.written = visit.target(*place);
            }
            Op::Declare(variable) => {
                if let Home::FrameSlot(slot) = layout.homes[*variable] {
                    effect.written = Some(slot as usize);
                }
            }
            Op::Call { callee, arguments, result } => {
                if let Callee::Pointer(pointer) = callee {
                    visit.expr(*pointer);
                }
                arguments.iter().for_each(|argument| visit.expr(*argument));
                effect.written = result.and_then(|place| visit.target(place));
            }
        }
        effect
    }
}

/// The slots that are read to find out where a place is, and the slot that it is, if it is one.
pub fn place_effect(program: &Program, layout: &Layout, place: PlaceId) -> (Vec<usize>, Option<usize>) {
    let mut read = Vec::new();
    let written = Visit { arena: &program.arena, layout, read: &mut read }.target(place);
    (read, written)
}

struct Visit<'a> {
    arena: &'a Arena,
    layout: &'a Layout,
    read: &'a mut Vec<usize>,
}

impl Visit<'_> {
    /// A place that is written: the slot, if it is one.
    fn target(&mut self, place: PlaceId) -> Option<usize> {
        if let PlaceKind::Variable(variable) = self.arena.place(place).kind {
            return match self.layout.homes[variable] {
                Home::FrameSlot(slot) => Some(slot as usize),
                Home::StaticSlot(_) | Home::StaticObject | Home::LocalObject => None,
            };
        }
        self.place(place);
        None
    }

    fn place(&mut self, place: PlaceId) {
        match self.arena.place(place).kind {
            PlaceKind::Variable(variable) => {
                if let Home::FrameSlot(slot) = self.layout.homes[variable] {
                    self.read.push(slot as usize);
                }
            }
            PlaceKind::Deref(pointer) => self.expr(pointer),
            PlaceKind::Field(base, ..) => self.place(base),
            PlaceKind::Index(base, index) => {
                self.place(base);
                self.expr(index);
            }
        }
    }

    fn expr(&mut self, expr: ExprId) {
        match self.arena.expr(expr).kind {
            ExprKind::Bits(_) | ExprKind::Wide(_) | ExprKind::Zero | ExprKind::Function(_) => {}
            ExprKind::Read(place) | ExprKind::AddressOf(place) => self.place(place),
            ExprKind::Unary(_, operand) | ExprKind::Convert(operand) => self.expr(operand),
            ExprKind::Binary(_, left, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Intrinsic(_, first, second) => {
                self.expr(first);
                second.into_iter().for_each(|second| self.expr(second));
            }
        }
    }
}
