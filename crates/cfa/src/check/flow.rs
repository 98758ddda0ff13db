//! Invariants 4 to 11: the graph of each function. Must not look inside expressions.

use tandem_base::{Id, IdVec};
use tandem_syntax::types::Type;

use super::{Found, Spot};
use crate::library::{self, Model, Primitive};
use crate::model::*;

pub(super) fn check(program: &Program, found: &mut Found) {
    entry(program, found);
    out_runs(program, found);
    let before = found.violations.len();
    bodies(program, found);
    if found.violations.len() > before {
        return;
    }
    statements(program, found);
    let mut flow = Flow { program, found, reached: IdVec::filled(false, program.nodes.len()) };
    for (id, function) in program.functions.enumerate() {
        if let Some(body) = &function.body {
            flow.exits(body);
            flow.branches(body);
            flow.ends(body);
            flow.reach(id, body);
        }
    }
}

fn entry(program: &Program, found: &mut Found) {
    for (id, function) in program.functions.enumerate() {
        let holds = matches!(program.types.get(function.ty), Type::Function(_));
        found.require(holds, 4, Spot::Function(id), || "its type is no function type".into());
    }
    if let Some(entry) = program.entry {
        let holds = program.functions[entry].body.is_some();
        found.require(holds, 4, Spot::Program, || "its entry has no body".into());
    }
}

fn out_runs(program: &Program, found: &mut Found) {
    let mut at = EdgeId(0);
    for (id, node) in program.nodes.enumerate() {
        let holds = node.out.start == at && node.out.iter().all(|edge| program.edges[edge].source == id);
        found.require(holds, 6, Spot::Node(id), || "its out-edges are not the run of edges with this source".into());
        at = node.out.end;
    }
    let holds = at.index() == program.edges.len();
    found.require(holds, 6, Spot::Program, || format!("the edges from {at} on leave no node"));
}

fn bodies(program: &Program, found: &mut Found) {
    let mut claimed = 0;
    for (id, function) in program.functions.enumerate() {
        let Some(body) = &function.body else { continue };
        let spot = Spot::Function(id);
        claimed += body.nodes.len();
        for node in body.nodes.iter() {
            let owner = program.nodes[node].function;
            found.require(owner == id, 5, Spot::Node(node), || format!("it is marked with {owner} inside of {id}"));
        }
        for (what, node) in [("entry", body.entry), ("exit", body.exit)] {
            let holds = body.nodes.contains(node);
            found.require(holds, 7, spot, || format!("its {what} {node} is no node of it"));
        }
        if body.nodes.is_empty() {
            continue;
        }
        let last = NodeId(body.nodes.end.0 - 1);
        let run = (program.out(body.nodes.start).start, program.out(last).end);
        let holds = (body.edges.start, body.edges.end) == run;
        found.require(holds, 6, spot, || "its run of edges is not that of its nodes".into());
        for edge in body.edges.iter() {
            let Edge { source, target, .. } = program.edges[edge];
            let holds = body.nodes.contains(source) && body.nodes.contains(target);
            found.require(holds, 7, Spot::Edge(edge), || "it leaves its function".into());
        }
        let labels = body.labels.iter().map(|(_, node)| *node);
        for node in labels.chain(body.loops.iter().map(|statement| statement.head)) {
            found.require(body.nodes.contains(node), 7, spot, || format!("its label or loop {node} is no node of it"));
        }
    }
    // Marks are unique per node, so equal numbers mean that every node is in one body.
    let holds = claimed == program.nodes.len();
    found.require(holds, 5, Spot::Program, || "some node belongs to no body, or to two".into());
}

fn statements(program: &Program, found: &mut Found) {
    for (index, statement) in program.statements.iter().enumerate() {
        let holds = program.functions[program.nodes[statement.node].function].body.is_some();
        found.require(holds, 7, Spot::Statement(index), || "its node belongs to no body".into());
    }
}

struct Flow<'a> {
    program: &'a Program,
    found: &'a mut Found,
    reached: IdVec<NodeId, bool>,
}

impl Flow<'_> {
    fn exits(&mut self, body: &Body) {
        let holds = self.program.out(body.exit).is_empty();
        self.found.require(holds, 8, Spot::Node(body.exit), || "an edge leaves the exit".into());
        for id in body.edges.iter() {
            let edge = &self.program.edges[id];
            let returns = matches!(edge.op, Op::Return { .. });
            let holds = returns == (edge.target == body.exit);
            self.found.require(holds, 8, Spot::Edge(id), || match returns {
                true => "a return does not lead to the exit".into(),
                false => "it leads to the exit and is no return".into(),
            });
        }
    }

    fn branches(&mut self, body: &Body) {
        for node in body.nodes.iter() {
            let edges = self.program.edges.slice(self.program.out(node));
            let spot = Spot::Node(node);
            match edges {
                [] => {}
                [only] => {
                    let holds = !matches!(only.op, Op::Assume { .. });
                    self.found.require(holds, 9, spot, || "its only edge is an assume".into());
                }
                [first, second] => {
                    let holds = are_complementary(first, second);
                    self.found.require(holds, 9, spot, || "its edges are no complementary assumes".into());
                    let holds = first.condition == second.condition;
                    self.found.require(holds, 9, spot, || "its edges name different conditions".into());
                }
                _ => self.found.add(9, spot, "it has more than two edges"),
            }
        }
    }

    fn ends(&mut self, body: &Body) {
        for id in body.edges.iter() {
            let edge = &self.program.edges[id];
            let ends_here = edge.target != body.exit && self.program.out(edge.target).is_empty();
            let holds = !ends_here || may_end(self.program, &edge.op);
            self.found.require(holds, 10, Spot::Edge(id), || "it leads to a node without edges".into());
        }
    }

    fn reach(&mut self, function: FunctionId, body: &Body) {
        let mut stack = vec![body.entry];
        self.reached[body.entry] = true;
        while let Some(node) = stack.pop() {
            for edge in self.program.edges.slice(self.program.out(node)) {
                if !self.reached[edge.target] {
                    self.reached[edge.target] = true;
                    stack.push(edge.target);
                }
            }
        }
        for node in body.nodes.iter() {
            let holds = self.reached[node] || node == body.exit;
            self.found
                .require(holds, 11, Spot::Node(node), || format!("no path from the entry of {function} leads here"));
        }
    }
}

fn are_complementary(first: &Edge, second: &Edge) -> bool {
    match (&first.op, &second.op) {
        (Op::Assume { condition: a, truth: true }, Op::Assume { condition: b, truth: false }) => a == b,
        _ => false,
    }
}

/// Whether no path needs to go on after the step.
fn may_end(program: &Program, op: &Op) -> bool {
    match op {
        Op::Call { callee: Callee::Direct(callee), .. } => {
            let function = &program.functions[*callee];
            function.is_noreturn || (function.body.is_none() && never_returns(program, *callee))
        }
        Op::Call { callee: Callee::Builtin(builtin), .. } => match builtin {
            Builtin::Unreachable | Builtin::Trap => true,
            Builtin::VaStart | Builtin::VaArg | Builtin::VaEnd | Builtin::VaCopy | Builtin::Alloca => false,
        },
        Op::Call { callee: Callee::Pointer(_), .. } => false,
        Op::Unsupported { .. } => true,
        Op::Skip | Op::Assume { .. } | Op::Assign { .. } | Op::Return { .. } | Op::Declare(_) => false,
    }
}

fn never_returns(program: &Program, function: FunctionId) -> bool {
    matches!(
        library::model(program, function),
        Some(Model::Primitive(Primitive::Abort | Primitive::Exit | Primitive::AssertFail))
    )
}
