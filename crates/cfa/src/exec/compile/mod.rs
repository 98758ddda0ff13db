//! From a function of the automaton to code. Knows the automaton and the code, and nothing of a run.
//!
//! The edges of a function are cut into blocks: straight runs that begin at a node with several ways in, behind a call
//! that enters another function, or with one of several edges that leave a node. Each begins with one
//! [`Op::Block`], which is all that coverage, step counts and paths need.

mod branch;
mod call;
mod convert;
mod expr;
mod place;
mod step;

use std::collections::HashMap;

use tandem_base::{FastBuild, IdVec};
use tandem_syntax::types::TypeId;

use super::assigned::register_variables;
use super::code::*;
use super::trace::{Probe, Value};
use crate::model::{Body, EdgeId, FunctionId, NodeId, Program, VariableId};

/// Where a local variable lives.
#[derive(Clone, Copy)]
enum Home {
    Register(Reg),
    /// In the object whose address the register has.
    Memory(Reg),
}

/// Where a chain of code begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Label {
    Node(NodeId),
    Edge(EdgeId),
}

pub(super) struct Compiler<'a> {
    program: &'a Program,
    code: &'a mut Code,
    /// The addresses of static variables.
    statics: &'a IdVec<VariableId, u64>,
    homes: HashMap<VariableId, Home, FastBuild>,
    /// The next free register, and one more than the highest used.
    next: u32,
    highest: u32,
    note: Note,
    labels: HashMap<Label, Pc, FastBuild>,
    /// Jumps whose target is filled in at the end.
    jumps: Vec<(usize, Label)>,
    /// Whether the steps of this function are recorded.
    traced: bool,
    /// The beginning of the block that is being made.
    block_at: usize,
    work: Vec<Label>,
}

/// Registers that variables may take; the rest is for temporaries.
const VARIABLE_REGISTERS: usize = 40_000;

/// Compiles a function that has a body.
pub(super) fn compile(program: &Program, code: &mut Code, statics: &IdVec<VariableId, u64>, function: FunctionId) {
    let Some(body) = &program.functions[function].body else { return };
    let start = code.ops.len() as Pc;
    let note = Note { edge: EdgeId(u32::MAX), ty: program.functions[function].ty };
    let traced = code.traced && !program.functions[function].is_library;
    let mut compiler = Compiler {
        program,
        traced,
        code,
        statics,
        homes: HashMap::default(),
        next: 0,
        highest: 2,
        note,
        labels: HashMap::default(),
        jumps: Vec::new(),
        block_at: 0,
        work: Vec::new(),
    };
    let parameters = compiler.function(function, body);
    let registers = compiler.highest;
    if registers > u32::from(Reg::MAX) {
        compiler.too_large(start);
    }
    let variadic = match program.types.get(program.functions[function].ty) {
        tandem_syntax::types::Type::Function(signature) => signature.variadic,
        _ => false,
    };
    let registers = registers.min(u32::from(Reg::MAX)) as u16;
    code.functions[function] = Some(Compiled { start, registers, parameters, variadic });
}

impl<'a> Compiler<'a> {
    fn function(&mut self, function: FunctionId, body: &Body) -> Box<[Passed]> {
        let parameters = self.frame(function, body);
        if self.code.block_starts.is_empty() {
            self.code.block_starts.push(0);
        }
        let entries = entries(self.program, body);
        self.work.push(Label::Node(body.entry));
        while let Some(label) = self.work.pop() {
            if !self.labels.contains_key(&label) {
                self.chain(label, body, &entries);
            }
        }
        for (at, label) in std::mem::take(&mut self.jumps) {
            let target = self.labels[&label];
            set_target(&mut self.code.ops[at], target);
        }
        parameters
    }

    /// Gives every variable a home and emits what the entry of the function does.
    fn frame(&mut self, function: FunctionId, body: &Body) -> Box<[Passed]> {
        let nodes = body.nodes.len().max(1);
        let limit = VARIABLE_REGISTERS.min((4 << 20) / nodes * 64).max(64);
        let registers = register_variables(self.program, body, limit);
        let passed: Vec<Passed> =
            body.parameters.iter().map(|id| self.passed(self.program.variables[*id].ty)).collect();
        let mut slots = Vec::new();
        for passed in &passed {
            slots.push(self.take(passed.registers()));
        }
        let in_registers: std::collections::HashSet<VariableId> = registers.iter().copied().collect();
        for (id, slot) in body.parameters.iter().zip(&slots) {
            if in_registers.contains(id) {
                self.homes.insert(*id, Home::Register(*slot));
            }
        }
        for id in &registers {
            if !self.homes.contains_key(id) {
                let wide = self.program.types.scalar(self.program.variables[*id].ty).is_some_and(|s| s.bits() > 64);
                let home = self.take(if wide { 2 } else { 1 });
                self.homes.insert(*id, Home::Register(home));
            }
        }
        for id in body.parameters.iter().chain(body.locals.iter()) {
            if !self.homes.contains_key(id) {
                let to = self.take(1);
                self.homes.insert(*id, Home::Memory(to));
                self.emit(Op::Local { to, variable: *id });
            }
        }
        self.probe(Probe::Entered(function));
        for ((id, slot), passed) in body.parameters.iter().zip(slots).zip(&passed) {
            if let Home::Memory(at) = self.homes[id] {
                self.store_parameter(at, slot, *passed);
            }
            if let Passed::Scalar(scalar) = passed {
                self.probe(Probe::Parameter(*id, Value { register: slot, bits: scalar.bits() }));
            }
        }
        passed.into()
    }

    /// How a value of this type is passed; what has no size cannot be, and takes no part in the call.
    fn passed(&self, ty: TypeId) -> Passed {
        match self.program.types.scalar(ty) {
            Some(scalar) => Passed::Scalar(scalar),
            None => Passed::Record(self.program.types.size(ty).unwrap_or(0)),
        }
    }

    fn store_parameter(&mut self, at: Reg, slot: Reg, passed: Passed) {
        match passed {
            Passed::Scalar(scalar) => {
                self.store(scalar, place::Address { base: Some(at), offset: 0, bits: None }, slot)
            }
            Passed::Record(size) => {
                self.memory(MemoryOp::Copy { to: at, to_offset: 0, from: slot, from_offset: 0, size });
            }
        }
    }

    /// Compiles from a label on until the code goes elsewhere.
    fn chain(&mut self, label: Label, body: &Body, entries: &[u8]) {
        self.labels.insert(label, self.code.ops.len() as Pc);
        let mut open = false;
        let mut node = match label {
            Label::Node(node) => node,
            Label::Edge(edge) => {
                let rank = edge.0 - self.program.out(self.program.edges[edge].source).start.0;
                self.begin_block(rank, edge);
                self.probe(Probe::Branch(edge));
                open = true;
                self.code.block_edges.push(edge);
                self.program.edges[edge].target
            }
        };
        let mut first = matches!(label, Label::Node(_));
        loop {
            let index = (node.0 - body.nodes.start.0) as usize;
            if !first && (entries[index] > 1 || node == body.entry) {
                self.end_block(&mut open);
                if self.labels.contains_key(&Label::Node(node)) {
                    self.jump(Label::Node(node));
                    return;
                }
                self.labels.insert(Label::Node(node), self.code.ops.len() as Pc);
            }
            first = false;
            let out = self.program.out(node);
            if out.len() != 1 {
                self.end_block(&mut open);
                if node == body.exit {
                    self.emit(Op::ReturnNothing);
                    return;
                }
                match self.choose(node) {
                    Some(next) => {
                        self.labels.insert(Label::Edge(next), self.code.ops.len() as Pc);
                        let rank = next.0 - out.start.0;
                        self.begin_block(rank, next);
                        self.probe(Probe::Branch(next));
                        open = true;
                        self.code.block_edges.push(next);
                        node = self.program.edges[next].target;
                        continue;
                    }
                    None => return,
                }
            }
            let edge = out.start;
            if !open {
                self.begin_block(NO_RANK, edge);
                open = true;
            }
            self.code.block_edges.push(edge);
            let flow = self.step(edge);
            match flow {
                step::Flow::On => {}
                step::Flow::Entered => self.end_block(&mut open),
                step::Flow::Gone => {
                    self.end_block(&mut open);
                    return;
                }
            }
            node = self.program.edges[edge].target;
        }
    }

    fn begin_block(&mut self, rank: u32, edge: EdgeId) {
        self.note.edge = edge;
        let block = self.code.blocks() as u32;
        self.block_at = self.code.ops.len();
        self.emit(Op::Block { block, rank, weight: 0 });
    }

    fn end_block(&mut self, open: &mut bool) {
        if std::mem::replace(open, false) {
            let edges = self.code.block_edges.len() as u32 - self.code.block_starts.last().copied().unwrap_or(0);
            if let Some(Op::Block { weight, .. }) = self.code.ops.get_mut(self.block_at) {
                *weight = edges;
            }
            self.code.block_starts.push(self.code.block_edges.len() as u32);
        }
    }

    fn emit(&mut self, op: Op) {
        self.code.ops.push(op);
        self.code.notes.push(self.note);
    }

    /// Records a step here, if this function is traced.
    fn probe(&mut self, probe: Probe) {
        if self.traced {
            let index = self.code.probes.len() as u32;
            self.code.probes.push(probe);
            self.emit(Op::Probe { index });
        }
    }

    /// Emits a jump whose target comes later.
    fn emit_jump(&mut self, op: Op, label: Label) {
        self.jumps.push((self.code.ops.len(), label));
        self.emit(op);
        if !self.labels.contains_key(&label) {
            self.work.push(label);
        }
    }

    fn jump(&mut self, label: Label) {
        self.emit_jump(Op::Jump { target: 0 }, label);
    }

    fn pure(&mut self, pure: Pure) {
        let index = self.code.pure.len() as u32;
        self.code.pure.push(pure);
        self.emit(Op::Pure { index });
    }

    fn memory(&mut self, memory: MemoryOp) {
        let index = self.code.memory.len() as u32;
        self.code.memory.push(memory);
        self.emit(Op::Memory { index });
    }

    fn unsupported(&mut self, what: &str) {
        let text = self.code.texts.len() as u32;
        self.code.texts.push(what.into());
        self.emit(Op::Unsupported { text });
    }

    /// Fresh registers, neighbours. Too many of them are noticed at the end of the function.
    fn take(&mut self, count: u16) -> Reg {
        let register = self.next;
        self.next += u32::from(count);
        self.highest = self.highest.max(self.next + 2);
        register.min(u32::from(Reg::MAX)) as Reg
    }

    /// Replaces the code of a function whose registers are not enough.
    fn too_large(&mut self, start: Pc) {
        let text = self.code.texts.len() as u32;
        self.code.texts.push("function with too many variables".into());
        self.code.ops[start as usize] = Op::Unsupported { text };
    }
}

/// How many edges lead to each node of a body, two standing for more.
fn entries(program: &Program, body: &Body) -> Vec<u8> {
    let mut entries = vec![0u8; body.nodes.len()];
    for edge in body.edges.iter() {
        let index = (program.edges[edge].target.0 - body.nodes.start.0) as usize;
        entries[index] = (entries[index] + 1).min(2);
    }
    entries
}

fn set_target(op: &mut Op, to: Pc) {
    match op {
        Op::Jump { target }
        | Op::JumpIf { target, .. }
        | Op::JumpIfNot { target, .. }
        | Op::JumpEq { target, .. }
        | Op::JumpNe { target, .. }
        | Op::JumpLtS32 { target, .. }
        | Op::JumpLtS64 { target, .. }
        | Op::JumpLtU { target, .. }
        | Op::JumpLeS32 { target, .. }
        | Op::JumpLeS64 { target, .. }
        | Op::JumpLeU { target, .. }
        | Op::JumpEqI { target, .. }
        | Op::JumpNeI { target, .. }
        | Op::JumpLtS32I { target, .. }
        | Op::JumpLtS64I { target, .. }
        | Op::JumpLtUI { target, .. }
        | Op::JumpGeS32I { target, .. }
        | Op::JumpGeS64I { target, .. }
        | Op::JumpGeUI { target, .. }
        | Op::JumpGtS32I { target, .. }
        | Op::JumpGtS64I { target, .. }
        | Op::JumpGtUI { target, .. }
        | Op::JumpLeS32I { target, .. }
        | Op::JumpLeS64I { target, .. }
        | Op::JumpLeUI { target, .. } => *target = to,
        _ => {}
    }
}
