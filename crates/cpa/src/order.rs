//! A weak topological order of each function's nodes (Bourdoncle): every component has a head, comes as one block right
//! after it, and every cycle goes through a head. Loops that are no natural loops are ordered too.

use tandem_base::{Id, IdVec};
use tandem_cfa::{Body, NodeId, Program};

/// Where a node stands in the order of its function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// Its number in the order.
    pub position: u32,
    /// The heads of the components around it, outermost first; a head is in its own component.
    pub heads: Box<[NodeId]>,
}

/// The order of all functions.
#[derive(Clone, Debug)]
pub struct Order {
    places: IdVec<NodeId, Place>,
}

impl Order {
    pub fn of(program: &Program) -> Order {
        let mut order = Order { places: IdVec::filled(Place::default(), program.nodes.len()) };
        for body in program.functions.iter().filter_map(|function| function.body.as_ref()) {
            Builder::new(program, body).run(&mut order);
        }
        order
    }

    pub fn place(&self, node: NodeId) -> &Place {
        &self.places[node]
    }

    pub fn is_head(&self, node: NodeId) -> bool {
        self.places[node].heads.last() == Some(&node)
    }
}

const NEW: u32 = 0;
const DONE: u32 = u32::MAX;

struct Builder<'a> {
    program: &'a Program,
    body: &'a Body,
    /// Tarjan's numbers; [`DONE`] for nodes that are placed.
    number: Vec<u32>,
}

enum Part {
    Node(NodeId),
    Component(NodeId, Vec<Part>),
}

/// A node under visit.
struct Visit {
    node: NodeId,
    next: usize,
    low: u32,
    is_loop: bool,
}

impl<'a> Builder<'a> {
    fn new(program: &'a Program, body: &'a Body) -> Builder<'a> {
        Builder { program, body, number: vec![NEW; body.nodes.len()] }
    }

    fn run(mut self, order: &mut Order) {
        let mut parts = Vec::new();
        self.partition(self.body.entry, &mut parts);
        parts.reverse();
        let (mut position, mut heads) = (0, Vec::new());
        assign(&parts, &mut position, &mut heads, order);
    }

    fn slot(&mut self, node: NodeId) -> &mut u32 {
        &mut self.number[node.index() - self.body.nodes.iter().next().map_or(0, |first| first.index())]
    }

    fn target(&self, node: NodeId, rank: usize) -> Option<NodeId> {
        self.program.out(node).iter().nth(rank).map(|edge| self.program.edges[edge].target)
    }

    /// Appends the components reachable from the root through nodes that are not placed, last one first.
    fn partition(&mut self, root: NodeId, parts: &mut Vec<Part>) {
        let (mut visits, mut open, mut counter) = (Vec::new(), Vec::new(), 0);
        self.enter(root, &mut visits, &mut open, &mut counter);
        while let Some(visit) = visits.last_mut() {
            let (node, rank) = (visit.node, visit.next);
            visit.next += 1;
            if let Some(target) = self.target(node, rank) {
                match *self.slot(target) {
                    NEW => self.enter(target, &mut visits, &mut open, &mut counter),
                    DONE => {}
                    number => {
                        let visit = visits.last_mut().expect("a node is under visit");
                        if number <= visit.low {
                            visit.low = number;
                            visit.is_loop = true;
                        }
                    }
                }
                continue;
            }
            let Some(done) = visits.pop() else { break };
            let own = *self.slot(done.node);
            if done.low == own {
                self.close(&done, &mut open, parts);
            } else if let Some(parent) = visits.last_mut() {
                if done.low <= parent.low {
                    parent.low = done.low;
                    parent.is_loop = true;
                }
            }
        }
    }

    fn enter(&mut self, node: NodeId, visits: &mut Vec<Visit>, open: &mut Vec<NodeId>, counter: &mut u32) {
        *counter += 1;
        *self.slot(node) = *counter;
        open.push(node);
        visits.push(Visit { node, next: 0, low: *counter, is_loop: false });
    }

    /// A component is complete: its head is placed, the others are ordered among themselves.
    fn close(&mut self, visit: &Visit, open: &mut Vec<NodeId>, parts: &mut Vec<Part>) {
        *self.slot(visit.node) = DONE;
        let at = open.iter().rposition(|node| *node == visit.node).unwrap_or(0);
        let members: Vec<NodeId> = open.drain(at..).collect();
        if !visit.is_loop {
            parts.push(Part::Node(visit.node));
            return;
        }
        for member in &members[1..] {
            *self.slot(*member) = NEW;
        }
        let mut inner = Vec::new();
        for rank in 0.. {
            let Some(target) = self.target(visit.node, rank) else { break };
            if *self.slot(target) == NEW {
                self.partition(target, &mut inner);
            }
        }
        inner.reverse();
        parts.push(Part::Component(visit.node, inner));
    }
}

fn assign(parts: &[Part], position: &mut u32, heads: &mut Vec<NodeId>, order: &mut Order) {
    for part in parts {
        let node = match part {
            Part::Node(node) => *node,
            Part::Component(head, _) => {
                heads.push(*head);
                *head
            }
        };
        *position += 1;
        order.places[node] = Place { position: *position, heads: heads.as_slice().into() };
        if let Part::Component(_, inner) = part {
            assign(inner, position, heads, order);
            heads.pop();
        }
    }
}
