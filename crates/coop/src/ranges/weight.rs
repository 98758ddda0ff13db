//! How many paths there may be from a node to the end of its function: counted on the graph, each loop taken at most once more, whether or
//! not some inputs take them. An estimate that tells a large subtree from a small one; nothing depends on its being right.

use tandem_base::IdVec;
use tandem_cfa::{Callee, FunctionId, NodeId, Op, Program};
use tandem_cpa::Flow;

/// Logarithms (base 2) of numbers of paths.
pub struct Weights {
    by_node: IdVec<NodeId, f64>,
}

impl Weights {
    pub fn of(flow: &Flow<'_>) -> Weights {
        let program = flow.program;
        let mut weights = Weights { by_node: IdVec::filled(f64::NEG_INFINITY, program.nodes.len()) };
        // Callees come first where the calls allow it: a few rounds are enough for an estimate.
        for _ in 0..3 {
            for function in program.functions.ids() {
                weights.function(flow, function);
            }
        }
        weights
    }

    pub fn at(&self, node: NodeId) -> f64 {
        self.by_node[node].max(0.0)
    }

    fn function(&mut self, flow: &Flow<'_>, function: FunctionId) {
        let Some(body) = &flow.program.functions[function].body else { return };
        let mut nodes: Vec<NodeId> = body.nodes.iter().collect();
        nodes.sort_by_key(|node| std::cmp::Reverse(flow.order.place(*node).position));
        for node in nodes {
            let mut sum = if node == body.exit { 0.0 } else { f64::NEG_INFINITY };
            for edge in flow.program.out(node).iter() {
                let target = flow.program.edges[edge].target;
                let is_back = flow.order.place(target).position <= flow.order.place(node).position;
                let onward = if is_back { self.behind(flow, target) } else { self.by_node[target] };
                sum = add(sum, onward + self.callee(flow.program, &flow.program.edges[edge].op));
            }
            self.by_node[node] = sum.min(1e6);
        }
    }

    /// Behind the loop of a head.
    fn behind(&self, flow: &Flow<'_>, head: NodeId) -> f64 {
        let body = flow.program.functions[flow.program.nodes[head].function].body.as_ref();
        let Some(body) = body else { return 0.0 };
        let inside = |node: NodeId| flow.order.place(node).heads.contains(&head);
        let exits = body.edges.iter().map(|edge| &flow.program.edges[edge]);
        let exits = exits.filter(|edge| inside(edge.source) && !inside(edge.target));
        exits.map(|edge| self.by_node[edge.target]).fold(f64::NEG_INFINITY, f64::max)
    }

    fn callee(&self, program: &Program, op: &Op) -> f64 {
        match op {
            Op::Call { callee: Callee::Direct(function), .. } => {
                program.functions[*function].body.as_ref().map_or(0.0, |body| self.at(body.entry))
            }
            _ => 0.0,
        }
    }
}

/// The logarithm of the sum of two numbers that are given by their logarithms.
fn add(one: f64, other: f64) -> f64 {
    let (large, small) = if one >= other { (one, other) } else { (other, one) };
    if small == f64::NEG_INFINITY { large } else { large + (1.0 + (small - large).exp2()).log2() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_base::SourceText;
    use tandem_cfa::{DataModel, build};

    #[test]
    fn paths_are_counted() {
        let text = "int f(int x) { if (x) x++; if (x > 3) x++; return x; }\n\
            extern int any(void); int main(void) { int c = any(); if (c) return 0; return f(c) + f(c); }\n";
        let program = build(SourceText::plain("test.c", text.as_bytes()), DataModel::Lp64).program.unwrap();
        let flow = Flow::new(&program, &[], false).unwrap();
        let weights = Weights::of(&flow);
        let entry = |name: &str| program.functions[program.function_named(name).unwrap()].body.as_ref().unwrap().entry;
        assert_eq!(weights.at(entry("f")).exp2().round(), 4.0);
        assert_eq!(weights.at(entry("main")).exp2().round(), 17.0);
    }

    #[test]
    fn sums() {
        assert_eq!(add(2.0, 2.0), 3.0);
        assert_eq!(add(f64::NEG_INFINITY, 5.0), 5.0);
    }
}
