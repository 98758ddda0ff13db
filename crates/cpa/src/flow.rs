//! The steps of a program: which follow from a point, and where they lead. Calls into bodies and returns from them are
//! steps of their own; what a call means is decided here once, for every analysis.

use tandem_base::{Id, IdVec};
use tandem_cfa::library::{self, Kind, Primitive};
use tandem_cfa::{Body, Callee, EdgeId, FunctionId, NodeId, Op, Program};

use crate::observer::Observer;
use crate::order::Order;
use crate::point::{Point, StackId, Stacks};
use crate::relevance::Relevance;

/// A program with everything that is known about its control flow before any analysis.
pub struct Flow<'a> {
    pub program: &'a Program,
    pub kinds: IdVec<FunctionId, Kind>,
    pub order: Order,
    pub stacks: Stacks,
    entry: NodeId,
    asserts: bool,
    /// The functions that own an exit node.
    exits: IdVec<NodeId, bool>,
    relevance: Relevance,
    /// Whether what can lead to no error is of interest, too.
    whole: bool,
    /// Whether a pointer in memory that was never written is taken to point outside of the program, as one that a function without a body
    /// returns. Otherwise following it is undefined.
    pub unwritten_pointers_are_outside: bool,
    observer: Option<&'a dyn Observer>,
    /// Whether the program looks at `errno`.
    looks_at_errno: bool,
}

/// One step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Step {
    pub kind: StepKind,
    /// The edge taken; for a return, the edge of the call that is returned from.
    pub edge: EdgeId,
    pub from: Point,
    pub to: Point,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum StepKind {
    /// Within a function: everything but calls of functions.
    Inside,
    /// The call of this function, which has no body to enter.
    Call(FunctionId),
    /// Into the body of this function.
    Enter(FunctionId),
    /// Out of this function, back to behind the call.
    Leave(FunctionId),
    /// The call of an error function, or a failing `assert`.
    Error(FunctionId),
    /// A call through a pointer that points to no function of the program. It is not modelled, but it is carried out by the
    /// analysis, which knows whether the pointer can have such a value.
    Elsewhere,
    /// A step that is not modelled.
    Unsupported,
}

/// Where a call through a pointer may go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Callees {
    /// One of these functions.
    These(Vec<FunctionId>),
    /// One of these functions, or to an address that is no function of the program.
    TheseOrElsewhere(Vec<FunctionId>),
    /// It is not known where the call goes: an unsupported step.
    Unknown,
}

impl<'a> Flow<'a> {
    /// Nothing if the program has no entry function with a body. `asserts`: whether a failing `assert` is an error.
    pub fn new(program: &'a Program, error_functions: &[&str], asserts: bool) -> Option<Flow<'a>> {
        let entry = program.entry?;
        let body = program.functions[entry].body.as_ref()?;
        let mut exits = IdVec::filled(false, program.nodes.len());
        for body in program.functions.iter().filter_map(|function| function.body.as_ref()) {
            exits[body.exit] = true;
        }
        let kinds = Kind::of_all(program, error_functions);
        Some(Flow {
            program,
            relevance: Relevance::of(program, &kinds, asserts),
            kinds,
            order: Order::of(program),
            stacks: Stacks::new(entry),
            entry: body.entry,
            asserts,
            exits,
            whole: false,
            unwritten_pointers_are_outside: false,
            observer: None,
            looks_at_errno: program.function_named("__errno_location").is_some(),
        })
    }

    pub fn start(&self) -> Point {
        Point { node: self.entry, stack: Stacks::BOTTOM, mode: 0 }
    }

    pub fn body(&self, function: FunctionId) -> Option<&'a Body> {
        self.program.functions[function].body.as_ref()
    }

    /// The function whose body a call of this one enters, if it enters one.
    pub fn entered(&self, function: FunctionId) -> Option<FunctionId> {
        match self.kinds[function] {
            Kind::Body => Some(function),
            Kind::Model(model) => Some(model),
            Kind::Error | Kind::Library(_) | Kind::Intrinsic(_) | Kind::Missing | Kind::Unknown => None,
        }
    }

    /// The same flow, of which only those paths are of interest that the observer lets pass. If it has goals, these are looked for.
    pub fn observed(mut self, observer: &'a dyn Observer) -> Flow<'a> {
        if let Some(goals) = observer.goal_edges() {
            self.relevance = Relevance::of_edges(self.program, &self.kinds, goals);
        }
        self.observer = Some(observer);
        self
    }

    /// Whether a path may come to the point again, as far as the observer can say.
    pub fn may_return(&self, point: Point) -> bool {
        self.observer.is_none_or(|observer| observer.may_return(point.mode))
    }

    /// Whether the step leads to what is looked for: a goal of the observer, or the error.
    pub fn is_found(&self, step: &Step) -> bool {
        match self.observer {
            Some(observer) if observer.goal_edges().is_some() => observer.is_goal(step.to.mode),
            Some(_) | None => matches!(step.kind, StepKind::Error(_)),
        }
    }

    /// The steps that leave a point, in the rank of their edges. `callees` is asked where calls through pointers go.
    pub fn steps(&mut self, from: Point, callees: impl FnMut(EdgeId) -> Callees, out: &mut Vec<Step>) {
        let first = out.len();
        self.all_steps(from, callees, out);
        if self.observer.is_some() {
            let mut kept = first;
            for at in first..out.len() {
                if let Some(step) = self.seen(out[at]) {
                    out[kept] = step;
                    kept += 1;
                }
            }
            out.truncate(kept);
        }
    }

    /// The step as the observer sees it, if it lets the step pass.
    fn seen(&self, mut step: Step) -> Option<Step> {
        let Some(observer) = self.observer else { return Some(step) };
        step.to.mode = observer.after(self.program, &step)?;
        let ends = matches!(step.kind, StepKind::Error(_)) && !self.is_found(&step);
        (!ends).then_some(step)
    }

    /// The steps of a path that is given by its edges, in which returns are no edges. Ends where the path leaves the program, or
    /// the observer stops it.
    pub fn walk(&mut self, edges: &[EdgeId]) -> Vec<Step> {
        let (mut at, mut steps, mut next) = (self.start(), Vec::new(), Vec::new());
        for (position, edge) in edges.iter().enumerate() {
            let source = self.program.edges[*edge].source;
            while self.exits[at.node] && at.node != source {
                next.clear();
                self.steps(at, |_| Callees::Unknown, &mut next);
                let Some(leave) = next.first() else { return steps };
                at = leave.to;
                steps.push(*leave);
            }
            let after = edges.get(position + 1).map(|edge| self.program.edges[*edge].source);
            let entered = after.map(|node| self.program.nodes[node].function).filter(|function| {
                self.body(*function).is_some_and(|body| Some(body.entry) == after)
                    && after != Some(self.program.edges[*edge].target)
            });
            next.clear();
            self.all_steps(at, |_| Callees::These(entered.into_iter().collect()), &mut next);
            let step = next.iter().copied().find(|step| step.edge == *edge);
            // A call through a pointer of a function that is not entered.
            let step = step.or_else(|| (at.node == source).then(|| self.inside(at, *edge, StepKind::Inside)));
            let Some(step) = step.and_then(|step| self.seen(step)) else { return steps };
            at = step.to;
            steps.push(step);
        }
        steps
    }

    fn all_steps(&mut self, from: Point, mut callees: impl FnMut(EdgeId) -> Callees, out: &mut Vec<Step>) {
        if self.exits[from.node] {
            let function = self.program.nodes[from.node].function;
            if let Some(call) = self.stacks.call(from.stack) {
                let to = Point { node: self.program.edges[call.edge].target, stack: call.caller, mode: from.mode };
                out.push(Step { kind: StepKind::Leave(function), edge: call.edge, from, to });
            }
            return;
        }
        for edge in self.program.out(from.node).iter() {
            match &self.program.edges[edge].op {
                Op::Call { callee: Callee::Direct(function), .. } => out.push(self.call(from, edge, *function)),
                Op::Call { callee: Callee::Pointer(_), .. } => match callees(edge) {
                    Callees::These(functions) => {
                        for function in functions {
                            out.push(self.call_through_pointer(from, edge, function));
                        }
                    }
                    Callees::TheseOrElsewhere(functions) => {
                        for function in functions {
                            out.push(self.call_through_pointer(from, edge, function));
                        }
                        out.push(self.inside(from, edge, StepKind::Elsewhere));
                    }
                    Callees::Unknown => out.push(self.inside(from, edge, StepKind::Unsupported)),
                },
                Op::Unsupported { .. } => out.push(self.inside(from, edge, StepKind::Unsupported)),
                Op::Call { callee: Callee::Builtin(_), .. }
                | Op::Skip
                | Op::Assume { .. }
                | Op::Assign { .. }
                | Op::Return { .. }
                | Op::Declare(_) => out.push(self.inside(from, edge, StepKind::Inside)),
            }
        }
    }

    fn inside(&self, from: Point, edge: EdgeId, kind: StepKind) -> Step {
        let to = Point { node: self.program.edges[edge].target, stack: from.stack, mode: from.mode };
        Step { kind, edge, from, to }
    }

    fn call_through_pointer(&mut self, from: Point, edge: EdgeId, function: FunctionId) -> Step {
        match self.looks_at_errno && library::changes_errno_unseen(self.program, function) {
            true => self.inside(from, edge, StepKind::Unsupported),
            false => self.call(from, edge, function),
        }
    }

    fn call(&mut self, from: Point, edge: EdgeId, function: FunctionId) -> Step {
        let kind = match self.kinds[function] {
            Kind::Body | Kind::Model(_) => {
                let entered = self.entered(function).unwrap_or(function);
                let node = self.body(entered).map_or(from.node, |body| body.entry);
                let to = Point { node, stack: self.stacks.push(from.stack, edge, entered), mode: from.mode };
                return Step { kind: StepKind::Enter(entered), edge, from, to };
            }
            Kind::Error => StepKind::Error(function),
            Kind::Library(Primitive::AssertFail) if self.asserts => StepKind::Error(function),
            Kind::Library(Primitive::Unmodelled) | Kind::Missing => StepKind::Unsupported,
            Kind::Library(_) | Kind::Intrinsic(_) | Kind::Unknown => StepKind::Call(function),
        };
        self.inside(from, edge, kind)
    }

    /// The same flow, of which everything is of interest, and not only what can lead to an error.
    pub fn whole(mut self) -> Flow<'a> {
        self.whole = true;
        self
    }

    /// Whether an error can be reached from the point at all, by the graph alone.
    pub fn is_relevant(&self, point: Point) -> bool {
        if self.whole {
            return true;
        }
        let mut at = point;
        loop {
            if self.relevance.reaches_error(at.node) {
                return true;
            }
            match self.stacks.call(at.stack) {
                Some(call) if self.relevance.reaches_exit(at.node) => {
                    at = Point { node: self.program.edges[call.edge].target, stack: call.caller, mode: at.mode };
                }
                Some(_) | None => return false,
            }
        }
    }

    /// Whether an error can be reached from the node before its function is left, by the graph alone.
    pub fn reaches_error(&self, node: NodeId) -> bool {
        self.relevance.reaches_error(node)
    }

    /// Whether the end of its function can be reached from the node, by the graph alone.
    pub fn reaches_exit(&self, node: NodeId) -> bool {
        self.relevance.reaches_exit(node)
    }

    /// Whether the node is the head of a component: every cycle of a function goes through one.
    pub fn is_head(&self, node: NodeId) -> bool {
        self.order.is_head(node)
    }

    /// Whether the node is where its function ends.
    pub fn is_exit(&self, node: NodeId) -> bool {
        self.exits[node]
    }

    pub fn function(&self, stack: StackId) -> FunctionId {
        self.stacks.function(stack)
    }

    pub fn nodes(&self) -> usize {
        self.program.nodes.ids().next_back().map_or(0, |last| last.index() + 1)
    }
}
