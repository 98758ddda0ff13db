//! The graph that filters are about: the steps of the source, with and without edges, of all functions of the user's program.
//!
//! What a letter of a run means in steps is its *reading*: an edge, and the steps without edges that always follow it. A pattern
//! has to account for every edge; it may pass over steps without edges, over what begins and ends calls, and under
//! [`Semantics::FShell`] over edges that are no instructions there.

use std::collections::HashMap;

use tandem_base::{FastBuild, Id, Span, define_id};
use tandem_cfa::source_flow::{FlowKind, SourceFlow};
use tandem_cfa::{EdgeId, FunctionId, Op, Program};

use super::Semantics;
use super::letters::{Letters, is_entering};

define_id!(
    /// A step of the source.
    StepId,
    "s"
);
define_id!(
    /// A point of the source, between steps.
    PointId,
    "p"
);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StepKind {
    /// The function is entered: nothing but the letter for it.
    Enter,
    /// The function begins.
    Start,
    Edge(EdgeId),
    /// Control is back behind a call that may enter a body.
    Back(EdgeId),
    Jump,
    Arrive,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Step {
    pub source: PointId,
    pub target: PointId,
    pub kind: StepKind,
    pub function: FunctionId,
    pub span: Span,
}

/// The steps of a program.
pub struct Steps<'p> {
    pub program: &'p Program,
    pub semantics: Semantics,
    pub letters: Letters,
    pub steps: Vec<Step>,
    pub functions: HashMap<FunctionId, FunctionSteps, FastBuild>,
    /// The steps that leave a point, in their order.
    out: Vec<Vec<StepId>>,
    into: Vec<Vec<StepId>>,
    /// Of every letter, and of the beginning of a run.
    readings: Vec<Reading>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FunctionSteps {
    pub enter: StepId,
    pub start: StepId,
    pub exit: PointId,
}

/// Steps that are taken one after the other, each with the point it leads to.
pub type Reading = Vec<(StepId, PointId)>;

impl<'p> Steps<'p> {
    pub fn of(program: &'p Program, semantics: Semantics) -> Steps<'p> {
        let flow = SourceFlow::of(program).unwrap_or_else(|| SourceFlow::plain(program));
        let letters = Letters::of(program);
        let mut steps = Steps {
            program,
            semantics,
            letters,
            steps: Vec::new(),
            functions: HashMap::default(),
            out: Vec::new(),
            into: Vec::new(),
            readings: Vec::new(),
        };
        for (id, function) in program.functions.enumerate() {
            if let (Some(_), false, Some(flow)) = (&function.body, function.is_library, flow.function(id)) {
                steps.add_function(id, flow);
            }
        }
        steps.readings = (0..letters.count()).map(|_| Vec::new()).collect();
        for index in 0..steps.steps.len() {
            steps.read(StepId::from_index(index));
        }
        steps
    }

    fn add_function(&mut self, function: FunctionId, flow: &tandem_cfa::source_flow::FunctionFlow) {
        let base = self.out.len() as u32;
        let before = PointId(base + flow.points);
        for _ in 0..=flow.points {
            self.point();
        }
        let outside = self.point();
        let span = self.program.functions[function].span;
        let entry = PointId(base + flow.entry);
        let enter = Step { source: outside, target: before, kind: StepKind::Enter, function, span };
        let enter = self.step(enter);
        let start = self.step(Step { source: before, target: entry, kind: StepKind::Start, function, span });
        for step in &flow.steps {
            let (source, target) = (PointId(base + step.source), PointId(base + step.target));
            let (kind, span) = match step.kind {
                FlowKind::Edge(edge) => (StepKind::Edge(edge), self.program.edges[edge].span),
                FlowKind::Jump => (StepKind::Jump, step.span),
                FlowKind::Arrive => (StepKind::Arrive, step.span),
            };
            match kind {
                StepKind::Edge(edge) if is_entering(self.program, edge) => {
                    let inside = self.point();
                    self.step(Step { source, target: inside, kind, function, span });
                    self.step(Step { source: inside, target, kind: StepKind::Back(edge), function, span });
                }
                _ => {
                    self.step(Step { source, target, kind, function, span });
                }
            }
        }
        self.functions.insert(function, FunctionSteps { enter, start, exit: PointId(base + flow.exit) });
    }

    fn point(&mut self) -> PointId {
        self.out.push(Vec::new());
        self.into.push(Vec::new());
        PointId::from_index(self.out.len() - 1)
    }

    fn step(&mut self, step: Step) -> StepId {
        let id = StepId::from_index(self.steps.len());
        self.out[step.source.index()].push(id);
        self.into[step.target.index()].push(id);
        self.steps.push(step);
        id
    }

    /// The letter a step has of its own.
    pub fn letter(&self, step: StepId) -> Option<EdgeId> {
        let step = self.steps[step.index()];
        match step.kind {
            StepKind::Enter => Some(self.letters.enter(step.function)),
            StepKind::Edge(edge) => Some(edge),
            StepKind::Back(call) => Some(self.letters.back(call)),
            StepKind::Start | StepKind::Jump | StepKind::Arrive => None,
        }
    }

    fn read(&mut self, id: StepId) {
        let Some(letter) = self.letter(id) else { return };
        let mut reading = Vec::new();
        let mut at = id;
        loop {
            let step = self.steps[at.index()];
            reading.push((at, step.target));
            match self.out[step.target.index()][..] {
                // Merged nodes make no circle, so this ends.
                [next] if self.letter(next).is_none() => at = next,
                _ => break,
            }
        }
        self.readings[letter.index()] = reading;
    }

    pub fn reading(&self, letter: EdgeId) -> &Reading {
        &self.readings[letter.index()]
    }

    /// The letters that have a reading.
    pub fn alphabet(&self) -> impl Iterator<Item = EdgeId> + '_ {
        let all = self.readings.iter().enumerate();
        all.filter(|(_, reading)| !reading.is_empty()).map(|(index, _)| EdgeId::from_index(index))
    }

    /// What a run has read when it begins.
    pub fn beginning(&self) -> &[(StepId, PointId)] {
        match self.program.entry {
            Some(main) => self.reading(self.letters.enter(main)),
            None => &[],
        }
    }

    pub fn out(&self, point: PointId) -> &[StepId] {
        &self.out[point.index()]
    }

    pub fn into(&self, point: PointId) -> &[StepId] {
        &self.into[point.index()]
    }

    pub fn points(&self) -> usize {
        self.out.len()
    }

    pub fn ids(&self) -> impl Iterator<Item = StepId> + use<> {
        (0..self.steps.len()).map(StepId::from_index)
    }

    pub fn get(&self, step: StepId) -> Step {
        self.steps[step.index()]
    }

    /// Whether control is inside a called function there.
    pub fn is_inside_call(&self, point: PointId) -> bool {
        matches!(self.out(point), [back] if matches!(self.get(*back).kind, StepKind::Back(_)))
    }

    /// Whether a pattern may not pass over the step: it has an edge that counts.
    pub fn is_firm(&self, step: StepId) -> bool {
        match self.get(step).kind {
            StepKind::Enter | StepKind::Start | StepKind::Back(_) | StepKind::Jump | StepKind::Arrive => false,
            StepKind::Edge(edge) => match self.program.edges[edge].op {
                Op::Skip | Op::Declare(_) => self.semantics == Semantics::Tiger,
                Op::Assume { .. }
                | Op::Assign { .. }
                | Op::Call { .. }
                | Op::Return { .. }
                | Op::Unsupported { .. } => true,
            },
        }
    }

    /// Whether the step is an edge of the graph in its own right, and not only when a filter names it.
    pub fn is_counted(&self, step: StepId) -> bool {
        self.is_firm(step) || (self.semantics == Semantics::FShell && self.get(step).kind == StepKind::Jump)
    }

    /// Whether the step tests a condition.
    pub fn is_assume(&self, step: StepId) -> bool {
        match self.get(step).kind {
            StepKind::Edge(edge) => matches!(self.program.edges[edge].op, Op::Assume { .. }),
            _ => false,
        }
    }

    /// Whether the step calls a function whose body is entered.
    pub fn is_call(&self, step: StepId) -> bool {
        matches!(self.get(step).kind, StepKind::Edge(edge) if is_entering(self.program, edge))
    }

    /// A step for people: its place and what it does.
    pub fn name(&self, step: StepId) -> String {
        let step = self.get(step);
        let place = self.place(step.span);
        match step.kind {
            StepKind::Enter | StepKind::Start => {
                format!("{place} {} begins", self.program.functions[step.function].name)
            }
            StepKind::Edge(edge) => format!("{place} {}", self.operation(edge)),
            StepKind::Back(_) => format!("{place} back behind the call"),
            StepKind::Jump => format!("{place} jump to {}", self.place_of(step.target)),
            StepKind::Arrive => format!("{place} on to {}", self.place_of(step.target)),
        }
    }

    fn operation(&self, edge: EdgeId) -> String {
        let content = &self.program.edges[edge];
        let truth = match content.op {
            Op::Assume { truth: true, .. } => "branch true ",
            Op::Assume { truth: false, .. } => "branch false ",
            _ => "",
        };
        let text = String::from_utf8_lossy(self.program.source.slice(content.span)).into_owned();
        let text: Vec<&str> = text.split_whitespace().collect();
        let mut text = text.join(" ");
        if text.chars().count() > 60 {
            text = text.chars().take(57).chain("...".chars()).collect();
        }
        // A function that ends without a word returns at its brace.
        if text == "}" { "return".to_string() } else { format!("{truth}{text}") }
    }

    fn place(&self, span: Span) -> String {
        match span.is_none() {
            true => "-".to_string(),
            false => {
                let position = self.program.source.position(span.lo);
                format!("{}:{}", position.line, position.column)
            }
        }
    }

    /// A point for people: where the next step is.
    pub fn place_of(&self, point: PointId) -> String {
        let mut at = point;
        for _ in 0..self.steps.len() {
            match self.out(at) {
                [] => return "the end".to_string(),
                [next] if self.letter(*next).is_none() => at = self.get(*next).target,
                [next, ..] => return self.place(self.get(*next).span),
            }
        }
        "-".to_string()
    }
}
