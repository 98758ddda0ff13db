//! The flow of control as it is written: the edges of the automaton, and between them the steps of the source that cost no edge
//! (jumps, labels, the ends of branches and loop bodies), because lowering merges the nodes they lead between.
//!
//! Coverage criteria count in these steps. They are not part of a [`Program`]: whoever needs them asks for them, and
//! the source is lowered once more. Knows no criterion.

use std::collections::HashMap;

use tandem_base::{FastBuild, Severity, Span};
use tandem_syntax::{on_large_stack, parse};

use crate::lower::{Scan, lower_with_flow};
use crate::model::{EdgeId, FunctionId, Program};

/// The flow of control of a program.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SourceFlow {
    functions: HashMap<FunctionId, FunctionFlow, FastBuild>,
}

/// The flow of control of one function, from `entry` to `exit`. Everything in it can be reached.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FunctionFlow {
    /// Points are numbered from 0.
    pub points: u32,
    pub entry: u32,
    pub exit: u32,
    /// By source; the edges in their order.
    pub steps: Vec<FlowStep>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FlowStep {
    pub source: u32,
    pub target: u32,
    pub kind: FlowKind,
    /// Of a step without an edge: the statement it comes from.
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FlowKind {
    Edge(EdgeId),
    /// A jump that is written or implied: `goto`, `break`, `continue`, over an `else` part, back to the head of a loop.
    Jump,
    /// Control goes on where other ways come in: at a label, behind an `if`, at the head of a loop.
    Arrive,
}

impl SourceFlow {
    /// The flow of a program that was built from C text; nothing for one that its source does not give (any more).
    pub fn of(program: &Program) -> Option<SourceFlow> {
        on_large_stack(|| {
            let parsed = parse(&program.source, program.model());
            if parsed.problems.iter().any(|problem| problem.severity == Severity::Error) {
                return None;
            }
            let scan = Scan::new(&parsed.unit);
            let (again, _, flow) = lower_with_flow(parsed.unit, program.source.clone(), scan);
            (again.edges == program.edges && again.nodes == program.nodes).then_some(flow)
        })
        .ok()
        .flatten()
    }

    /// Without the source: every node is a point, every edge a step.
    pub fn plain(program: &Program) -> SourceFlow {
        let mut flow = SourceFlow::default();
        for (id, function) in program.functions.enumerate() {
            let Some(body) = &function.body else { continue };
            let base = body.nodes.start.0;
            let steps = body.edges.iter().map(|edge| FlowStep {
                source: program.edges[edge].source.0 - base,
                target: program.edges[edge].target.0 - base,
                kind: FlowKind::Edge(edge),
                span: Span::NONE,
            });
            flow.add(id, (body.entry.0 - base, body.exit.0 - base), steps.collect());
        }
        flow
    }

    pub fn function(&self, function: FunctionId) -> Option<&FunctionFlow> {
        self.functions.get(&function)
    }

    /// Keeps what can be reached, with points numbered anew.
    pub(crate) fn add(&mut self, function: FunctionId, (entry, exit): (u32, u32), mut steps: Vec<FlowStep>) {
        steps.sort_by_key(|step| step.source);
        let mut numbers: HashMap<u32, u32, FastBuild> = HashMap::default();
        numbers.insert(entry, 0);
        let mut open = vec![entry];
        while let Some(point) = open.pop() {
            let first = steps.partition_point(|step| step.source < point);
            for step in steps[first..].iter().take_while(|step| step.source == point) {
                let next = numbers.len() as u32;
                numbers.entry(step.target).or_insert_with(|| {
                    open.push(step.target);
                    next
                });
            }
        }
        let next = numbers.len() as u32;
        let exit = *numbers.entry(exit).or_insert(next);
        steps.retain(|step| numbers.contains_key(&step.source));
        for step in &mut steps {
            (step.source, step.target) = (numbers[&step.source], numbers[&step.target]);
        }
        steps.sort_by_key(|step| step.source);
        self.functions.insert(function, FunctionFlow { points: numbers.len() as u32, entry: 0, exit, steps });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DataModel, build};
    use tandem_base::SourceText;

    fn flow(text: &str) -> (Program, SourceFlow) {
        let built = build(SourceText::plain("a.c", text.as_bytes().to_vec()), DataModel::Lp64);
        let program = built.program.unwrap();
        let flow = SourceFlow::of(&program).unwrap();
        (program, flow)
    }

    fn silent(flow: &FunctionFlow) -> usize {
        flow.steps.iter().filter(|step| !matches!(step.kind, FlowKind::Edge(_))).count()
    }

    #[test]
    fn an_else_part_is_a_step_and_a_missing_one_is_not() {
        let (program, with) = flow("int main(int a) { if (a) a = 1; else {} return a; }");
        let (_, without) = flow("int main(int a) { if (a) a = 1; return a; }");
        let entry = program.entry.unwrap();
        assert_eq!((silent(with.function(entry).unwrap()), silent(without.function(entry).unwrap())), (2, 1));
    }

    #[test]
    fn every_edge_is_a_step_once() {
        let text = "int f(int a) { while (a > 0) { if (a == 7) break; a--; } again: if (a < 5) { a++; goto again; } return a; }
            int main(void) { for (int i = 0; i < 3; i++) f(i); switch (f(2)) { case 1: return 1; default: ; } return 0; }";
        let (program, flow) = flow(text);
        for (id, function) in program.functions.enumerate() {
            let Some(body) = &function.body else { continue };
            let steps = flow.function(id).unwrap().steps.iter();
            let mut edges: Vec<EdgeId> = steps
                .filter_map(|step| match step.kind {
                    FlowKind::Edge(edge) => Some(edge),
                    FlowKind::Jump | FlowKind::Arrive => None,
                })
                .collect();
            edges.sort();
            assert_eq!(edges, body.edges.iter().collect::<Vec<_>>());
        }
    }
}
