//! A violation told to people: the inputs, the branches taken, the values that changed, the calls, in the words of the
//! user's source.
//!
//! Made from a run whose steps the interpreter recorded. Temporaries and library models do not appear: they are not the
//! user's. Knows no terminal and no file.

mod render;
mod rows;

use crate::RunInputs;
use tandem_base::{Budget, Position, Span};
use tandem_cfa::exec::{End, Input, InputSource, Machine, Options, Run, TraceEvent, Traced};
use tandem_cfa::types::{FloatKind, TypeId};
use tandem_cfa::{
    ConditionId, DecisionKind, EdgeId, FunctionId, Op, PlaceId, PlaceKind, Program, Scalar, VariableKind, c_print,
    semantics,
};

pub use render::LINES;

/// The steps of a run that matter.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    pub steps: Vec<Step>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    pub position: Position,
    /// The text of the line it stands in.
    pub line: Box<str>,
    pub function: FunctionId,
    /// How many calls were open, that of `main` included.
    pub depth: u32,
    /// The edge that did it, where there is one.
    pub edge: Option<EdgeId>,
    pub what: What,
}

#[derive(Clone, PartialEq, Debug)]
pub enum What {
    /// A function of the user is called: its name, its scalar parameters and their values.
    Entered {
        function: Box<str>,
        arguments: Vec<(Box<str>, Box<str>)>,
    },
    Returned {
        value: Box<str>,
    },
    Branch {
        condition: Box<str>,
        holds: bool,
    },
    Assigned {
        place: Box<str>,
        value: Box<str>,
    },
    /// A function outside of the program returned this.
    Input {
        function: Box<str>,
        value: Box<str>,
    },
    /// Something that was never written was read as this.
    Uninitialised {
        name: Box<str>,
        value: Box<str>,
    },
    /// Steps in the middle of a long run that were not kept.
    Omitted {
        steps: u64,
    },
    /// How the run ended.
    End {
        text: Box<str>,
    },
}

/// Steps of a run that are recorded.
const RECORDED: usize = 100_000;

impl Trace {
    /// Runs the program again on the inputs of a run and tells what happens. `errors` are the functions whose call is the
    /// error.
    pub fn replay(program: &Program, inputs: &[Input], errors: &[&str], budget: &Budget) -> Trace {
        let error_functions = errors.iter().map(|name| name.to_string()).collect();
        let options = Options { error_functions, trace: Some(RECORDED), ..Options::default() };
        let run = Machine::new(program, options).run(&mut RunInputs::new(inputs), budget);
        Trace::of(program, &run)
    }

    /// The trace of a run that was recorded; of any other run only its end.
    pub fn of(program: &Program, run: &Run) -> Trace {
        let mut teller = Teller { program, run, steps: Vec::new(), caller: None, here: None };
        if let Some(recording) = &run.trace {
            teller.tell(recording.first.iter());
            if recording.omitted > 0 {
                teller.omit(recording.omitted);
            }
            teller.tell(recording.last.iter());
        }
        teller.end();
        Trace { steps: teller.steps }
    }
}

struct Teller<'a> {
    program: &'a Program,
    run: &'a Run,
    steps: Vec<Step>,
    /// The call that is about to enter a function.
    caller: Option<EdgeId>,
    /// The last edge of the user's and how many calls were open there.
    here: Option<(EdgeId, u32)>,
}

impl<'a> Teller<'a> {
    fn tell(&mut self, events: impl Iterator<Item = &'a Traced>) {
        let mut events = events.peekable();
        while let Some(&Traced { event, depth }) = events.next() {
            match event {
                TraceEvent::Entered(function) => {
                    let mut arguments = Vec::new();
                    while let Some(Traced { event: TraceEvent::Parameter { variable, bits }, .. }) = events.peek() {
                        let variable = &self.program.variables[*variable];
                        if is_users(&variable.name) {
                            arguments.push((variable.name.clone(), value(self.program, variable.ty, *bits)));
                        }
                        events.next();
                    }
                    self.entered(function, arguments, depth);
                }
                TraceEvent::Parameter { .. } => {}
                TraceEvent::Branch(edge) => self.branch(edge, depth),
                TraceEvent::Called(edge) => {
                    self.caller = Some(edge);
                    self.here = Some((edge, depth));
                }
                TraceEvent::Assigned { edge, bits } => self.assigned(edge, bits, depth),
                TraceEvent::Returned { edge, bits } => self.returned(edge, bits, depth),
                TraceEvent::Input(number) => self.input(number, depth),
            }
        }
    }

    fn push(&mut self, edge: EdgeId, depth: u32, what: What) {
        self.here = Some((edge, depth));
        let span = self.program.edges[edge].span;
        let function = self.program.function_of(edge);
        self.push_at(span, function, depth, Some(edge), what);
    }

    fn push_at(&mut self, span: Span, function: FunctionId, depth: u32, edge: Option<EdgeId>, what: What) {
        // What stands nowhere belongs to the line before it.
        let before = self.steps.last();
        let (position, line) = match (span.is_none(), before) {
            (true, Some(before)) => (before.position.clone(), before.line.clone()),
            _ => {
                let source = &self.program.source;
                let line = String::from_utf8_lossy(source.line_text(span.lo)).trim().into();
                (source.position(span.lo), line)
            }
        };
        self.steps.push(Step { position, line, function, depth, edge, what });
    }

    fn entered(&mut self, id: FunctionId, arguments: Vec<(Box<str>, Box<str>)>, depth: u32) {
        let function = self.program.functions[id].name.clone();
        let what = What::Entered { function, arguments };
        match self.caller.take() {
            Some(edge) => self.push(edge, depth.saturating_sub(1), what),
            // `main`, which nobody calls.
            None if Some(id) == self.program.entry && depth <= 1 => {}
            None => {
                let span = self.program.functions[id].span;
                self.push_at(span, id, depth.saturating_sub(1), None, what);
            }
        }
    }

    fn branch(&mut self, edge: EdgeId, depth: u32) {
        let step = &self.program.edges[edge];
        let Op::Assume { condition, truth } = step.op else { return };
        let is_case = |id: ConditionId| {
            let kind = self.program.decisions[self.program.conditions[id].decision].kind;
            matches!(kind, DecisionKind::Switch | DecisionKind::Computed)
        };
        let text = match step.condition.filter(|id| !is_case(*id)) {
            Some(condition) => {
                let text = self.program.source.slice(self.program.conditions[condition].span);
                words(&String::from_utf8_lossy(text))
            }
            // A case of a switch: the one that is taken says all.
            None if truth => c_print::expr(self.program, condition),
            None => return,
        };
        if is_users(&text) && !text.is_empty() {
            self.push(edge, depth, What::Branch { condition: text.into(), holds: truth });
        }
    }

    fn assigned(&mut self, edge: EdgeId, bits: u128, depth: u32) {
        let place = match &self.program.edges[edge].op {
            Op::Assign { place, .. } | Op::Call { result: Some(place), .. } => *place,
            _ => return,
        };
        let text = c_print::place(self.program, place);
        if !is_users(&text) {
            return;
        }
        let shown = self.assigned_value(place, bits);
        self.push(edge, depth, What::Assigned { place: text.into(), value: shown });
    }

    /// A bit-field keeps only some of the bits.
    fn assigned_value(&self, place: PlaceId, bits: u128) -> Box<str> {
        let ty = self.program.place(place).ty;
        let mut bits = bits;
        if let PlaceKind::Field(_, record, field) = self.program.place(place).kind {
            if let Some(range) = self.program.types.records[record].fields[field as usize].bits {
                let signed = self.program.types.scalar(ty).is_some_and(Scalar::is_signed);
                let cut = bits & semantics::mask(range.width);
                bits = if signed { semantics::sign_extend(cut, range.width) as u128 } else { cut };
            }
        }
        value(self.program, ty, bits)
    }

    fn returned(&mut self, edge: EdgeId, bits: Option<u128>, depth: u32) {
        if let (Op::Return { value: Some(expr) }, Some(bits)) = (&self.program.edges[edge].op, bits) {
            let value = value(self.program, self.program.expr(*expr).ty, bits);
            self.push(edge, depth, What::Returned { value });
        }
    }

    fn input(&mut self, number: usize, depth: u32) {
        let Some(input) = self.run.inputs.get(number) else { return };
        let value = scalar(self.program, input.scalar, input.bits);
        let what = match input.source {
            InputSource::Function(function) => {
                What::Input { function: self.program.functions[function].name.clone(), value }
            }
            InputSource::Variable(variable) => {
                let variable = &self.program.variables[variable];
                let name = variable.name.strip_prefix("$vla_").unwrap_or(&variable.name);
                let is_external = variable.kind == VariableKind::External;
                match (is_users(name), is_external) {
                    (true, true) => {
                        What::Uninitialised { name: format!("{name}, which is defined elsewhere,").into(), value }
                    }
                    (true, false) => What::Uninitialised { name: name.into(), value },
                    (false, _) => What::Uninitialised { name: "an object without a name".into(), value },
                }
            }
            InputSource::Memory => What::Uninitialised { name: "allocated memory".into(), value },
            InputSource::NoResult => {
                What::Uninitialised { name: "the result of a call that returned nothing".into(), value }
            }
        };
        // In a library model, the user's line is the one that called it.
        let is_library = self.program.functions[self.program.function_of(input.edge)].is_library;
        match self.here.filter(|_| is_library) {
            Some((edge, depth)) => self.push(edge, depth, what),
            None => self.push(input.edge, depth, what),
        }
    }

    fn omit(&mut self, steps: u64) {
        if let Some((edge, depth)) = self.here {
            self.push(edge, depth, What::Omitted { steps });
        }
        self.caller = None;
    }

    fn end(&mut self) {
        let (edge, text) = match &self.run.end {
            End::ErrorReached { function, edge } => {
                (*edge, format!("the error: {} is called", self.program.functions[*function].name))
            }
            End::AssertFailed { edge } => (*edge, "the assertion fails".to_string()),
            End::Aborted { edge } => (*edge, "the program aborts".to_string()),
            End::AssumeViolated { edge } => (*edge, "the assumption does not hold".to_string()),
            End::Undefined { kind, edge } => (*edge, kind.to_string()),
            End::Unsupported { what, edge } if is_users(what) => (*edge, format!("not supported: {what}")),
            End::Unsupported { edge, .. } => (*edge, "not supported".to_string()),
            End::StackOverflow { edge } => (*edge, "too many open calls".to_string()),
            End::OutOfMemory { edge } => (*edge, "out of memory".to_string()),
            End::Returned(_) | End::Exited(_) | End::Stopped(_) | End::NoEntry => return,
        };
        let is_library = self.program.functions[self.program.function_of(edge)].is_library;
        let depth = self.here.map_or(1, |(_, depth)| depth);
        let edge = self.here.filter(|_| is_library).map_or(edge, |(edge, _)| edge);
        self.push(edge, depth, What::End { text: text.into() });
    }
}

/// Whether a text has no name in it that is not the user's.
fn is_users(text: &str) -> bool {
    !text.contains('$') && !text.contains("__tandem_")
}

/// The text with every run of white space as one space.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn value(program: &Program, ty: TypeId, bits: u128) -> Box<str> {
    program.types.scalar(ty).map_or("?".into(), |kind| scalar(program, kind, bits))
}

fn scalar(program: &Program, scalar: Scalar, bits: u128) -> Box<str> {
    let bits = bits & semantics::mask(scalar.bits());
    match scalar {
        Scalar::Bool => bits.to_string().into(),
        Scalar::Int { bits: 128, signed: false } => bits.to_string().into(),
        Scalar::Int { .. } => semantics::integer_value(scalar, bits).to_string().into(),
        Scalar::Float(FloatKind::Single) => format!("{:?}", f32::from_bits(bits as u32)).into(),
        Scalar::Float(FloatKind::Double) => format!("{:?}", f64::from_bits(bits as u64)).into(),
        Scalar::Float(kind) => wide_float(kind, bits).into(),
        Scalar::Pointer { .. } if bits == 0 => "0".into(),
        // Addresses are the interpreter's choice: only small numbers can be the program's.
        Scalar::Pointer { .. } => pointer(program, bits).into(),
    }
}

fn pointer(program: &Program, bits: u128) -> String {
    let all = semantics::mask(program.model().pointer_bits());
    if bits < 4096 || bits > all - 4096 { format!("{bits:#x}") } else { "an address".to_string() }
}

/// A wide float as the nearest double, which is enough for people.
fn wide_float(kind: FloatKind, bits: u128) -> String {
    let (from, to) = (Scalar::Float(kind), Scalar::Float(FloatKind::Double));
    format!("{:?}", f64::from_bits(semantics::convert(from, to, bits).bits as u64))
}
