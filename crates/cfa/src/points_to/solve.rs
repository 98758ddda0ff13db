//! The fixed point: what happens to each target that a pointer gets. Knows objects and nodes; of the program only, through
//! [`calls`](super::calls), what a function that is called does.

use std::collections::{HashMap, HashSet};

use tandem_base::{FastBuild, IdVec};

use super::nodes::{Node, Nodes};
use super::objects::*;
use crate::model::*;

/// Cells that one object may have; with more, it becomes one.
const MOST_CELLS: usize = 256;
/// Bytes that one cell may have in an object without elements: a block that is copied over a part of itself makes cells
/// grow, step by step.
const LONGEST_CELL: i64 = 256;

/// What is to be done with every target of a node.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Use {
    /// What lies there is in `to`.
    Load { to: Node, shift: Shift, size: u64 },
    /// What is in `from` is there.
    Store { from: Node, shift: Shift, size: u64 },
    /// The target, moved, is in `to`. With `count`, it came from pointer arithmetic.
    Move { to: Node, shift: Shift, count: bool },
    /// The same at an unknown distance, without what comes from outside.
    Distance { to: Node },
    /// A block is copied from there into the object.
    BlockFrom { shift: Shift, size: u64, object: ObjectId, at: i64 },
    /// A block is copied from the object to there.
    BlockTo { shift: Shift, size: u64, object: ObjectId, at: i64 },
    /// The call goes there.
    Call { edge: EdgeId },
}

pub(super) struct Solver<'p> {
    pub program: &'p Program,
    pub nodes: Nodes<Use>,
    pub objects: Objects,
    /// Values of expressions. `None`: never an address.
    pub exprs: IdVec<ExprId, Option<Node>>,
    pub functions: IdVec<FunctionId, Option<ObjectId>>,
    pub results: IdVec<FunctionId, Option<ObjectId>>,
    pub arguments: IdVec<FunctionId, Option<ObjectId>>,
    pub allocations: HashMap<EdgeId, ObjectId, FastBuild>,
    pub names: HashMap<&'p str, FunctionId, FastBuild>,
    pub called: HashSet<(EdgeId, FunctionId), FastBuild>,
    pub reached: IdVec<FunctionId, bool>,
    /// Functions that can be reached and were not looked into yet.
    pub open: Vec<FunctionId>,
    /// Cells whose links are still to be followed.
    changed: Vec<(ObjectId, i64, i64)>,
}

impl<'p> Solver<'p> {
    pub fn new(program: &'p Program) -> Solver<'p> {
        let functions = program.functions.len();
        let mut solver = Solver {
            program,
            nodes: Nodes::new(),
            objects: Objects::new(program.model().pointer_size()),
            exprs: IdVec::filled(None, program.arena.exprs().len()),
            functions: IdVec::filled(None, functions),
            results: IdVec::filled(None, functions),
            arguments: IdVec::filled(None, functions),
            allocations: HashMap::default(),
            names: program.functions.enumerate().map(|(id, function)| (&*function.name, id)).collect(),
            called: HashSet::default(),
            reached: IdVec::filled(false, functions),
            open: Vec::new(),
            changed: Vec::new(),
        };
        let outside = solver.objects.add(Kind::Outside, None, 1);
        let node = solver.cell(outside, 0, 1);
        solver.insert_outside(node);
        solver
    }

    pub fn solve(&mut self) {
        loop {
            while let Some(function) = self.open.pop() {
                self.look_into(function);
            }
            self.follow_links();
            let queue = self.nodes.take_queue();
            if queue.is_empty() && self.open.is_empty() {
                return;
            }
            for node in queue {
                self.process(node);
                self.follow_links();
            }
        }
    }

    fn process(&mut self, node: Node) {
        let fresh = self.nodes.pass_on(node);
        if fresh.is_empty() {
            return;
        }
        let uses = self.nodes.take_uses(node);
        for action in &uses {
            for target in fresh.iter() {
                self.apply(*action, target);
            }
        }
        self.nodes.put_uses_back(node, uses);
    }

    pub fn add_use(&mut self, node: Node, action: Use) {
        let late = self.nodes.add_use(node, action);
        for target in late.iter() {
            self.apply(action, target);
        }
    }

    fn apply(&mut self, action: Use, target: u32) {
        let (object, offset) = self.objects.targets[target as usize];
        if let Kind::Site(super::Site::Function(function)) = self.objects.get(object).kind {
            match action {
                Use::Call { edge } => self.call(edge, function),
                Use::Move { to, .. } | Use::Distance { to } => self.nodes.insert(to, target),
                Use::Load { .. } | Use::Store { .. } | Use::BlockFrom { .. } | Use::BlockTo { .. } => {}
            }
            return;
        }
        match action {
            Use::Load { to, shift, size } => {
                let node = self.read(object, offset, shift, size);
                self.nodes.add_copy(node, to);
            }
            Use::Store { from, shift, size } => {
                let node = self.written(object, offset, shift, size);
                self.nodes.add_copy(from, node);
            }
            Use::Move { to, shift, count } => self.move_target(to, (object, offset), shift, count),
            Use::Distance { .. } if object == OUTSIDE => {}
            Use::Distance { to } => self.move_target(to, (object, offset), Shift::UNKNOWN, false),
            Use::BlockFrom { shift, size, object: into, at } => {
                let from = self.locate(object, offset, shift);
                self.link((object, from), (into, at), size);
            }
            Use::BlockTo { shift, size, object: from, at } => {
                let to = self.locate(object, offset, shift);
                self.link((from, at), (object, to), size);
            }
            Use::Call { .. } => {}
        }
    }

    fn move_target(&mut self, to: Node, (object, offset): (ObjectId, i64), shift: Shift, count: bool) {
        let bounded = if count { self.objects.bounded(object, shift) } else { shift };
        let at = self.locate(object, offset, bounded);
        let target = self.objects.target(object, at, count);
        self.nodes.insert(to, target);
    }

    pub fn insert_outside(&mut self, node: Node) {
        let target = self.objects.target(OUTSIDE, 0, false);
        self.nodes.insert(node, target);
    }

    /// The offset after a shift, or [`ANYWHERE`].
    pub fn locate(&mut self, object: ObjectId, offset: i64, shift: Shift) -> i64 {
        match self.objects.locate(object, offset, shift) {
            Located::At(at) => at,
            Located::Anywhere => ANYWHERE,
            Located::Divide(size) => {
                self.divide(object, size);
                offset.wrapping_add(shift.offset).rem_euclid(size as i64)
            }
        }
    }

    /// The node of what a read of `size` bytes may find.
    pub fn read(&mut self, object: ObjectId, offset: i64, shift: Shift, size: u64) -> Node {
        match self.locate(object, offset, shift) {
            ANYWHERE if self.objects.get(object).modulus != 1 => self.sum(object),
            at => self.cell(object, at, size),
        }
    }

    /// The node of what a write of `size` bytes leaves.
    pub fn written(&mut self, object: ObjectId, offset: i64, shift: Shift, size: u64) -> Node {
        match self.locate(object, offset, shift) {
            ANYWHERE if self.objects.get(object).modulus != 1 => self.any(object),
            at => self.cell(object, at, size),
        }
    }

    pub fn sum(&mut self, object: ObjectId) -> Node {
        if let Some(node) = self.objects.get(object).sum {
            return node;
        }
        let sum = self.nodes.add();
        let object = self.objects.get_mut(object);
        object.sum = Some(sum);
        for cell in &object.cells {
            self.nodes.add_copy(cell.node, sum);
        }
        if let Some(any) = object.any {
            self.nodes.add_copy(any, sum);
        }
        sum
    }

    /// What is anywhere in the object also is in the objects that blocks are copied to.
    pub fn any(&mut self, id: ObjectId) -> Node {
        if let Some(node) = self.objects.get(id).any {
            return node;
        }
        let any = self.nodes.add();
        let object = self.objects.get_mut(id);
        object.any = Some(any);
        for cell in &object.cells {
            self.nodes.add_copy(any, cell.node);
        }
        if let Some(sum) = object.sum {
            self.nodes.add_copy(any, sum);
        }
        for index in 0..self.objects.get(id).links.len() {
            let to = self.objects.get(id).links[index].to;
            let to = self.any(to);
            self.nodes.add_copy(any, to);
        }
        any
    }

    /// The cell of these bytes.
    pub fn cell(&mut self, object: ObjectId, at: i64, size: u64) -> Node {
        let modulus = self.objects.get(object).modulus as i64;
        let size = size.clamp(1, 1 << 40) as i64;
        if modulus == 0 {
            return self.range(object, at, at + size);
        }
        if size >= modulus {
            return self.range(object, 0, modulus);
        }
        let at = at.rem_euclid(modulus);
        let node = self.range(object, at, modulus.min(at + size));
        if at + size > modulus {
            let rest = self.range(object, 0, at + size - modulus);
            self.nodes.unite(node, rest);
        }
        node
    }

    fn range(&mut self, id: ObjectId, start: i64, end: i64) -> Node {
        let object = self.objects.get_mut(id);
        let first = object.cells.partition_point(|cell| cell.end <= start);
        let last = first + object.cells[first..].iter().take_while(|cell| cell.start < end).count();
        if let [cell] = object.cells[first..last] {
            if cell.start <= start && end <= cell.end {
                return cell.node;
            }
        }
        if first == last {
            return self.new_cell(id, first, start, end);
        }
        let overlapping: Vec<Cell> = object.cells[first..last].to_vec();
        let node = overlapping[0].node;
        let start = start.min(overlapping[0].start);
        let end = overlapping.iter().map(|cell| cell.end).fold(end, i64::max);
        object.cells.splice(first..last, [Cell { start, end, node }]);
        for cell in &overlapping[1..] {
            self.nodes.unite(node, cell.node);
        }
        self.note_change(id, start, end);
        if end - start > LONGEST_CELL && self.objects.get(id).modulus == 0 {
            self.divide(id, 1);
        }
        node
    }

    /// A cell where no other is, at its position among the cells.
    fn new_cell(&mut self, id: ObjectId, position: usize, start: i64, end: i64) -> Node {
        let node = self.nodes.add();
        let object = self.objects.get_mut(id);
        object.cells.insert(position, Cell { start, end, node });
        let many = object.cells.len() > MOST_CELLS;
        if let Some(any) = object.any {
            self.nodes.add_copy(any, node);
        }
        if let Some(sum) = object.sum {
            self.nodes.add_copy(node, sum);
        }
        self.note_change(id, start, end);
        if many {
            self.divide(id, 1);
        }
        node
    }

    fn note_change(&mut self, id: ObjectId, start: i64, end: i64) {
        if !self.objects.get(id).links.is_empty() {
            self.changed.push((id, start, end));
        }
    }

    /// From now on the offsets of the object count modulo `modulus`, a divisor of what they counted by before.
    fn divide(&mut self, id: ObjectId, modulus: u64) {
        let object = self.objects.get_mut(id);
        if object.modulus == modulus {
            return;
        }
        object.modulus = modulus;
        for cell in std::mem::take(&mut object.cells) {
            let node = self.cell(id, cell.start, (cell.end - cell.start) as u64);
            self.nodes.unite(node, cell.node);
        }
        for index in 0..self.objects.get(id).cells.len() {
            let cell = self.objects.get(id).cells[index];
            self.note_change(id, cell.start, cell.end);
        }
    }

    /// From now on the block at `to` has what the block at `from` has.
    pub fn link(&mut self, (from, start): (ObjectId, i64), (to, at): (ObjectId, i64), size: u64) {
        if self.objects.is_function(from) || self.objects.is_function(to) {
            return;
        }
        if start == ANYWHERE || at == ANYWHERE {
            self.link_all(from, to);
            return;
        }
        let link = Link { from: start, size: size.min(1 << 40) as i64, to, at };
        if self.objects.get(from).links.contains(&link) {
            return;
        }
        self.objects.get_mut(from).links.push(link);
        if let Some(any) = self.objects.get(from).any {
            // Contents without an offset of their own.
            let to = self.any(to);
            self.nodes.add_copy(any, to);
        }
        for index in 0..self.objects.get(from).cells.len() {
            let cell = self.objects.get(from).cells[index];
            self.changed.push((from, cell.start, cell.end));
        }
    }

    fn link_all(&mut self, from: ObjectId, to: ObjectId) {
        let (sum, any) = (self.sum(from), self.any(to));
        self.nodes.add_copy(sum, any);
    }

    pub fn follow_links(&mut self) {
        while let Some((from, start, end)) = self.changed.pop() {
            for index in 0..self.objects.get(from).links.len() {
                let link = self.objects.get(from).links[index];
                self.follow(from, link, (start, end));
            }
        }
    }

    fn follow(&mut self, from: ObjectId, link: Link, cell: (i64, i64)) {
        let Some(pieces) = self.objects.pieces(from, link, cell) else {
            self.link_all(from, link.to);
            return;
        };
        for (start, size) in pieces {
            if size > 0 {
                let source = self.cell(from, cell.0, 1);
                let target = self.cell(link.to, link.at + start, size as u64);
                self.nodes.add_copy(source, target);
            }
        }
    }
}
