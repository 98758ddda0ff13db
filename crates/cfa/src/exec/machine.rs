//! The machine: its state, the setting up of a run, and what is made of it at the end.

use std::collections::HashMap;

use tandem_base::{Budget, FastBuild, IdVec, StopReason};
use tandem_syntax::types::{BitRange, TypeId};

use super::code::*;
use super::compile::compile;
use super::fast::Leave;
use super::memory::{Memory, ObjectKind};
use super::path::{Coverage, Path};
use super::variadic::{Argument, Cursor};
use super::{End, Event, EventKind, Input, InputSource, Inputs, Options, Recording, Request, Run, Sink};
use crate::library::{ANY_ERRNO, ERRNO_VARIABLE, LONG_ARGUMENTS};
use crate::model::*;
use crate::semantics;

/// A call that has not returned.
pub(super) struct Frame {
    pub return_to: Pc,
    pub base: usize,
    pub top: usize,
    /// How much there was before the call of [`Machine::locals`], [`Machine::arguments`] and [`Machine::cursors`].
    pub locals: usize,
    pub arguments: usize,
    pub cursors: usize,
}

/// What the fast loop writes down.
pub(super) struct Log {
    /// How often each block was entered.
    pub counts: Vec<u64>,
    pub last_block: u32,
    pub steps: u64,
    /// When to look at the budget again.
    pub next_check: u64,
    pub recording: bool,
    pub path: Path,
    pub path_limit: usize,
    /// Kinds of events that were noted already, by position of a bit.
    pub seen: u8,
    pub events: Vec<(EventKind, Pc)>,
}

impl Log {
    #[cold]
    pub fn note(&mut self, kind: EventKind, pc: usize) {
        let bit = match kind {
            EventKind::Overflow => 1,
            EventKind::Shift => 2,
            EventKind::FloatRange => 4,
            EventKind::AddressObserved => 8,
            EventKind::Uninitialised(_) => 0,
        };
        if self.seen & bit == 0 && self.events.len() < MOST_EVENTS {
            self.seen |= bit;
            self.events.push((kind, pc as Pc));
        }
    }

    #[cold]
    pub fn flags(&mut self, flags: semantics::Flags, pc: usize) {
        for (flag, kind) in [
            (semantics::Flags::OVERFLOW, EventKind::Overflow),
            (semantics::Flags::SHIFT, EventKind::Shift),
            (semantics::Flags::RANGE, EventKind::FloatRange),
        ] {
            if flags.contains(flag) {
                self.note(kind, pc);
            }
        }
    }
}

/// Events of one run that are kept.
const MOST_EVENTS: usize = 10_000;
/// Edges between two looks at the budget.
const CHECK_EVERY: u64 = 20_000;

/// Runs a program, any number of times.
pub struct Machine<'p> {
    pub(super) program: &'p Program,
    pub(super) options: Options,
    pub(super) code: Code,
    pub(super) memory: Memory,
    pub(super) statics: IdVec<VariableId, u64>,
    pub(super) registers: Vec<u64>,
    pub(super) frames: Vec<Frame>,
    pub(super) pc: usize,
    pub(super) base: usize,
    pub(super) top: usize,
    pub(super) log: Log,
    /// The addresses of the objects of all frames.
    pub(super) locals: Vec<u64>,
    pub(super) arguments: Vec<Argument>,
    pub(super) cursors: Vec<Cursor>,
    /// The record that the last call returned, then its shadow.
    pub(super) returned: Vec<u8>,
    /// Whether the last call returned nothing.
    pub(super) valueless: bool,
    pub(super) taken: Vec<Input>,
    /// See [`Run::library_values`].
    pub(super) library_values: Vec<FunctionId>,
    /// How many of them are of functions, and how many may be.
    pub(super) asked: usize,
    pub(super) most_asked: usize,
    pub(super) recording: Option<Recording>,
    pub(super) output: Vec<u8>,
    /// The addresses of `stdout` and `stderr`.
    pub(super) streams: [u64; 3],
    arguments_of_main: [u64; 3],
    /// Statics by address, to set them back.
    by_address: HashMap<u64, VariableId, FastBuild>,
    /// The variable that `errno` is, in a program that looks at it.
    pub(super) errno: Option<VariableId>,
}

impl<'p> Machine<'p> {
    pub fn new(program: &'p Program, options: Options) -> Machine<'p> {
        let memory = Memory::new(program.model(), program.functions.len(), options.memory);
        let path_limit = options.path.unwrap_or(0);
        let kinds = Kind::of_all(program, &options.error_functions);
        let code = Code {
            functions: IdVec::from(vec![None; program.functions.len()]),
            kinds,
            traced: options.trace.is_some(),
            ..Code::default()
        };
        let mut machine = Machine {
            program,
            options,
            code,
            memory,
            statics: IdVec::filled(0, program.variables.len()),
            registers: vec![0; 1 << 12],
            frames: Vec::new(),
            pc: 0,
            base: 0,
            top: 0,
            log: Log {
                counts: Vec::new(),
                last_block: u32::MAX,
                steps: 0,
                next_check: 0,
                recording: false,
                path: Path::default(),
                path_limit,
                seen: 0,
                events: Vec::new(),
            },
            locals: Vec::new(),
            arguments: Vec::new(),
            cursors: Vec::new(),
            returned: Vec::new(),
            valueless: false,
            taken: Vec::new(),
            library_values: Vec::new(),
            asked: 0,
            most_asked: usize::MAX,
            recording: None,
            output: Vec::new(),
            streams: [0; 3],
            arguments_of_main: [0; 3],
            by_address: HashMap::default(),
            errno: variable_named(program, ERRNO_VARIABLE),
        };
        machine.make_statics();
        machine
    }

    /// How many inputs of functions a run may ask for before it is stopped. Memory that was never written does not count.
    pub fn limit_inputs(&mut self, most: usize) {
        self.most_asked = most;
    }

    /// Another number of edges after which a run is stopped.
    pub fn limit_steps(&mut self, most: u64) {
        self.options.steps = most;
    }

    /// Runs `main` once.
    pub fn run(&mut self, inputs: &mut dyn Inputs, budget: &Budget) -> Run {
        self.reset();
        let end = match self.enter_main(inputs) {
            Ok(()) => self.execute(inputs, budget),
            Err(end) => end,
        };
        self.finish(end)
    }

    fn execute(&mut self, inputs: &mut dyn Inputs, budget: &Budget) -> End {
        loop {
            match self.fast() {
                Leave::Step => match self.slow(inputs) {
                    Ok(()) => {}
                    Err(end) => return end,
                },
                Leave::Check => {
                    if let Some(reason) = self.check(budget) {
                        return End::Stopped(reason);
                    }
                }
                Leave::Undefined(kind) => return End::Undefined { kind, edge: self.edge() },
            }
        }
    }

    fn check(&mut self, budget: &Budget) -> Option<StopReason> {
        if self.log.steps >= self.options.steps {
            return Some(StopReason::Steps);
        }
        if self.log.path.choices.len() >= self.log.path_limit {
            self.log.path.truncated |= self.log.recording;
            self.log.recording = false;
        }
        self.log.next_check = self.options.steps.min(self.log.steps + CHECK_EVERY);
        budget.exhausted()
    }

    /// The edge of the current operation.
    pub(super) fn edge(&self) -> EdgeId {
        self.code.notes[self.pc].edge
    }

    pub(super) fn note_ty(&self) -> TypeId {
        self.code.notes[self.pc].ty
    }

    fn reset(&mut self) {
        for address in self.memory.reset() {
            if let Some(variable) = self.by_address.get(&address).copied() {
                self.initialise(variable);
                self.memory.make_clean(address);
            }
        }
        self.memory.dirty.clear();
        self.frames.clear();
        self.locals.clear();
        self.arguments.clear();
        self.cursors.clear();
        self.taken.clear();
        self.library_values.clear();
        self.asked = 0;
        self.recording = self.options.trace.map(Recording::new);
        self.output.clear();
        self.valueless = false;
        let log = &mut self.log;
        log.counts.fill(0);
        log.last_block = u32::MAX;
        log.steps = 0;
        log.next_check = self.options.steps.min(CHECK_EVERY);
        log.recording = self.options.path.is_some();
        log.path = Path::default();
        log.seen = 0;
        log.events.clear();
    }

    fn enter_main(&mut self, inputs: &mut dyn Inputs) -> Result<(), End> {
        let entry = self.program.entry.filter(|id| self.program.functions[*id].body.is_some()).ok_or(End::NoEntry)?;
        let (start, registers) = self.compiled(entry);
        let parameters = self.code.functions[entry].as_ref().map(|code| code.parameters.clone()).unwrap_or_default();
        (self.base, self.top, self.pc) = (0, registers, start);
        self.make_room(registers);
        let mut slot = 0;
        for (passed, value) in parameters.iter().zip(self.arguments_of_main) {
            self.registers[slot] = value;
            slot += usize::from(passed.registers());
        }
        self.frames.push(Frame { return_to: 0, base: 0, top: 0, locals: 0, arguments: 0, cursors: 0 });
        self.ask_for_arguments(entry, inputs)
    }

    /// The number of arguments, and whether there are too many or too long ones to be modelled. A run without arguments has
    /// one, the name of the program, in memory that is no part of the model.
    fn ask_for_arguments(&mut self, entry: FunctionId, inputs: &mut dyn Inputs) -> Result<(), End> {
        let Some(are_long) = variable_named(self.program, LONG_ARGUMENTS) else { return Ok(()) };
        let body = self.program.functions[entry].body.as_ref();
        let Some(&count) = body.and_then(|body| body.parameters.first()) else { return Ok(()) };
        if let Some(bits) = self.argument_of_main(count, inputs)? {
            self.registers[0] = bits as u64;
        }
        let bits = self.argument_of_main(are_long, inputs)?.unwrap_or(1);
        self.memory.write(self.statics[are_long], bits, 1).ok();
        Ok(())
    }

    fn argument_of_main(&mut self, variable: VariableId, inputs: &mut dyn Inputs) -> Result<Option<u128>, End> {
        let Variable { name, ty, .. } = &self.program.variables[variable];
        let Some(scalar) = self.program.types.scalar(*ty) else { return Ok(None) };
        let request = Request { edge: self.edge(), name, ty: *ty, scalar, byte: None };
        let Some(bits) = inputs.argument(request) else { return Ok(None) };
        let source = InputSource::Variable(variable);
        self.log.note(EventKind::Uninitialised(source), self.pc);
        self.took(source, *ty, scalar, bits).map(Some)
    }

    /// The start and the registers of a function with a body, compiled if it was not.
    pub(super) fn compiled(&mut self, function: FunctionId) -> (usize, usize) {
        if self.code.functions[function].is_none() {
            compile(self.program, &mut self.code, &self.statics, function);
            self.log.counts.resize(self.code.blocks(), 0);
        }
        let compiled = self.code.functions[function].as_ref();
        compiled.map_or((0, 0), |compiled| (compiled.start as usize, usize::from(compiled.registers)))
    }

    pub(super) fn make_room(&mut self, top: usize) {
        if self.registers.len() < top {
            self.registers.resize(top.next_power_of_two(), 0);
        }
    }

    fn finish(&mut self, end: End) -> Run {
        self.flush();
        if self.memory.unsettled_was_read() {
            let change = self.program.function_named(ANY_ERRNO).filter(|change| !self.library_values.contains(change));
            self.library_values.extend(change);
        }
        let unfinished = self.unfinished(&end);
        let mut coverage = Coverage::new(self.program.edges.len());
        for block in 0..self.code.blocks() {
            let count = self.log.counts[block];
            let edges = self.code.block(block as u32);
            let partly = count == 1 && block as u32 == self.log.last_block;
            let taken = if partly { edges.len() - unfinished } else { edges.len() };
            if count > 0 {
                edges[..taken].iter().for_each(|edge| coverage.insert(*edge));
            }
        }
        let events = self.log.events.iter();
        let events = events.map(|(kind, pc)| Event { kind: *kind, edge: self.code.notes[*pc as usize].edge }).collect();
        Run {
            end,
            steps: self.log.steps - unfinished as u64,
            coverage,
            path: self.options.path.map(|_| std::mem::take(&mut self.log.path)),
            trace: self.recording.take(),
            inputs: std::mem::take(&mut self.taken),
            library_values: std::mem::take(&mut self.library_values),
            events,
            output: std::mem::take(&mut self.output),
        }
    }

    /// How many edges of the last block come after the one the run ended at.
    fn unfinished(&self, end: &End) -> usize {
        if self.log.last_block == u32::MAX || matches!(end, End::NoEntry) {
            return 0;
        }
        let edges = self.code.block(self.log.last_block);
        if let End::Stopped(_) = end {
            // Stopped when the block had just begun.
            return edges.len();
        }
        let at = edges.iter().position(|edge| *edge == self.edge());
        at.map_or(0, |at| edges.len() - at - 1)
    }

    pub(super) fn flush(&mut self) {
        match &mut self.options.output {
            Sink::Write(writer) => {
                // Nobody can be told that the other end has gone away.
                writer.write_all(&self.output).and_then(|()| writer.flush()).ok();
                self.output.clear();
            }
            Sink::Discard | Sink::Collect => {}
        }
    }
}

/// Statics: their objects and what they hold at the start.
impl Machine<'_> {
    fn make_statics(&mut self) {
        let program = self.program;
        self.memory.limit = u64::MAX;
        for stream in &mut self.streams {
            *stream = self.memory.allocate(0, ObjectKind::Alloca, true).unwrap_or(0);
        }
        for (id, variable) in program.variables.enumerate() {
            if variable.kind.is_static() {
                let (size, kind) = match program.types.size(variable.ty) {
                    Some(size) => (size, ObjectKind::Static(id)),
                    None => (0, ObjectKind::Incomplete(id)),
                };
                let written = variable.kind != VariableKind::External;
                self.statics[id] = self.memory.allocate(size, kind, written).unwrap_or(0);
                self.by_address.insert(self.statics[id], id);
            }
        }
        self.make_arguments_of_main();
        for (id, variable) in program.variables.enumerate() {
            if variable.kind.is_static() {
                self.initialise(id);
            }
        }
        self.memory.seal_statics();
        for (id, variable) in program.variables.enumerate() {
            if variable.kind == VariableKind::StringLiteral {
                self.memory.make_read_only(self.statics[id]);
            }
        }
        self.memory.limit = self.options.memory;
    }

    fn make_arguments_of_main(&mut self) {
        let size = self.program.model().pointer_size();
        let name = b"program\0";
        let mut object = |size| self.memory.allocate(size, ObjectKind::Alloca, true).unwrap_or(0);
        let (text, list, environment) = (object(name.len() as u64), object(2 * size), object(size));
        self.memory.write_raw(text, name, &[0xff; 8]).ok();
        self.memory.write(list, u128::from(text), size).ok();
        self.arguments_of_main = [1, list, environment];
    }

    /// Gives a static the value it has when `main` begins.
    fn initialise(&mut self, id: VariableId) {
        let variable = &self.program.variables[id];
        let address = self.statics[id];
        let stream = match &*variable.name {
            "stdin" | "stdout" | "stderr" if variable.kind == VariableKind::External => {
                let number = ["stdin", "stdout", "stderr"].iter().position(|name| **name == *variable.name);
                number.map(|number| self.streams[number])
            }
            _ => None,
        };
        self.memory.clear_static(address, variable.kind != VariableKind::External);
        if let Some(stream) = stream {
            let size = self.program.model().pointer_size();
            self.memory.write(address, u128::from(stream), size).ok();
        }
        for value in &variable.initializer {
            let at = address.wrapping_add(value.offset);
            match &value.value {
                InitialData::Bytes(bytes) => {
                    self.memory.write_raw(at, bytes, &vec![0xff; bytes.len()]).ok();
                }
                InitialData::Scalar(expr) => {
                    let bits = constant(self.program, &self.statics, *expr).unwrap_or(0);
                    self.initial_scalar(at, bits, value.bits, self.program.expr(*expr).ty);
                }
            }
        }
    }

    fn initial_scalar(&mut self, at: u64, value: u128, bits: Option<BitRange>, ty: TypeId) {
        match (bits, self.program.types.scalar(ty)) {
            (Some(bits), _) => self.write_bits(at, Bits { offset: bits.offset, width: bits.width }, value).ok(),
            (None, Some(scalar)) => self.memory.write(at, value, u64::from(scalar.bits() / 8)).ok(),
            (None, None) => None,
        };
    }
}

/// The value of a constant expression, addresses of statics included.
fn constant(program: &Program, statics: &IdVec<VariableId, u64>, id: ExprId) -> Option<u128> {
    let expr = program.expr(id);
    let scalar = |id: ExprId| program.types.scalar(program.expr(id).ty);
    Some(match expr.kind {
        ExprKind::Bits(bits) => u128::from(bits),
        ExprKind::Wide(wide) => program.wide(wide),
        ExprKind::Function(function) => u128::from(Memory::function_address(function)),
        ExprKind::AddressOf(place) => {
            let address = constant_place(program, statics, place)?;
            u128::from(address) & semantics::mask(program.model().pointer_bits())
        }
        ExprKind::Convert(operand) => {
            semantics::convert(scalar(operand)?, program.types.scalar(expr.ty)?, constant(program, statics, operand)?)
                .bits
        }
        ExprKind::Unary(op, operand) => {
            semantics::unary(op, scalar(operand)?, constant(program, statics, operand)?).bits
        }
        ExprKind::Binary(op, left, right) => {
            let stride = program.types.pointee(program.expr(left).ty).map_or(Some(1), |to| program.types.size(to))?;
            let (a, b) = (constant(program, statics, left)?, constant(program, statics, right)?);
            semantics::binary(op, scalar(left)?, scalar(right)?, a, b, stride).ok()?.bits
        }
        ExprKind::Intrinsic(intrinsic, first, second) => {
            let a = constant(program, statics, first)?;
            let b = second.map_or(Some(0), |second| constant(program, statics, second))?;
            semantics::intrinsic(intrinsic, scalar(first)?, a, b)
        }
        ExprKind::Zero | ExprKind::Read(_) => return None,
    })
}

/// A variable with linkage.
fn variable_named(program: &Program, name: &str) -> Option<VariableId> {
    let is_it = |(_, variable): &(_, &Variable)| variable.function.is_none() && *variable.name == *name;
    program.variables.enumerate().find(is_it).map(|(id, _)| id)
}

fn constant_place(program: &Program, statics: &IdVec<VariableId, u64>, id: PlaceId) -> Option<u64> {
    let place = program.place(id);
    Some(match place.kind {
        PlaceKind::Variable(variable) => statics[variable],
        PlaceKind::Deref(pointer) => constant(program, statics, pointer)? as u64,
        PlaceKind::Field(base, record, field) => {
            let offset = program.types.records[record].fields[field as usize].offset;
            constant_place(program, statics, base)?.wrapping_add(offset)
        }
        PlaceKind::Index(base, index) => {
            let scalar = program.types.scalar(program.expr(index).ty)?;
            let index = semantics::integer_value(scalar, constant(program, statics, index)?);
            let offset = index.wrapping_mul(i128::from(program.types.size(place.ty)?)) as u64;
            constant_place(program, statics, base)?.wrapping_add(offset)
        }
    })
}
