//! A combination of conditions as a short list of alternatives, each a list of conditions that hold or do not: what people and other
//! tools can read, where the combination itself is large because its parts are shared.
//!
//! The combination becomes a decision diagram, the diagram an irredundant sum of products (Minato and Morreale's recursion). What
//! cannot be, like two values of one variable at once, may be on either side.

use std::collections::HashMap;

use tandem_base::FastBuild;
use tandem_smt::{Op, Sort, Term, Terms};

/// Nodes of a diagram.
const NODES: usize = 100_000;
/// Alternatives.
const CUBES: usize = 400;

/// Conditions by their numbers, and whether they hold.
pub type Cube = Vec<(usize, bool)>;

/// Alternatives that together say what the formula says; nothing if they would be too many. The formula combines nothing but the atoms.
pub fn cubes(terms: &Terms, formula: Term, atoms: &[Term]) -> Option<Vec<Cube>> {
    let mut diagram = Diagram::default();
    let levels: HashMap<Term, u32, FastBuild> =
        atoms.iter().enumerate().map(|(level, atom)| (*atom, level as u32)).collect();
    let function = diagram.of_term(terms, formula, &levels, &mut HashMap::default())?;
    let mut impossible = Node::NO;
    for (index, one) in atoms.iter().enumerate() {
        for (other, two) in atoms.iter().enumerate().skip(index + 1) {
            if exclude_each_other(terms, *one, *two) {
                let (one, two) = (diagram.atom(index as u32)?, diagram.atom(other as u32)?);
                let both = diagram.and(one, two)?;
                impossible = diagram.or(impossible, both)?;
            }
        }
    }
    let possible = diagram.not(impossible)?;
    let (least, most) = (diagram.and(function, possible)?, diagram.or(function, impossible)?);
    let mut sums = HashMap::default();
    diagram.sum(least, most, &mut sums).map(|(cubes, _)| cubes.to_vec())
}

/// Whether these are equations of one variable with different numbers.
fn exclude_each_other(terms: &Terms, one: Term, other: Term) -> bool {
    let sides = |term: Term| -> Option<(Term, Term)> {
        let args = terms.args(term);
        let number = |term: Term| matches!(terms.op(term), Op::Bits(_));
        match terms.op(term) {
            Op::Eq if number(args[0]) => Some((args[1], args[0])),
            Op::Eq if number(args[1]) => Some((args[0], args[1])),
            _ => None,
        }
    };
    matches!((sides(one), sides(other)), (Some((a, x)), Some((b, y))) if a == b && x != y)
}

/// A node of a diagram.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Node(u32);

impl Node {
    const NO: Node = Node(0);
    const YES: Node = Node(1);
}

/// The alternatives of a sum, and the sum itself.
type Sum = (std::rc::Rc<[Cube]>, Node);

/// A reduced ordered decision diagram.
#[derive(Default)]
struct Diagram {
    /// The condition that is asked, and where to go if it does not hold and if it does. The first two stand for no and yes.
    nodes: Vec<(u32, Node, Node)>,
    numbers: HashMap<(u32, Node, Node), Node, FastBuild>,
    choices: HashMap<(Node, Node, Node), Node, FastBuild>,
}

impl Diagram {
    fn level(&self, node: Node) -> u32 {
        node.0.checked_sub(2).map_or(u32::MAX, |at| self.nodes[at as usize].0)
    }

    /// Where a node leads if the condition of the level does not hold, and if it does.
    fn sides(&self, node: Node, level: u32) -> (Node, Node) {
        match node.0.checked_sub(2).map(|at| self.nodes[at as usize]) {
            Some((own, no, yes)) if own == level => (no, yes),
            Some(_) | None => (node, node),
        }
    }

    fn node(&mut self, level: u32, no: Node, yes: Node) -> Option<Node> {
        if no == yes {
            return Some(no);
        }
        if let Some(known) = self.numbers.get(&(level, no, yes)) {
            return Some(*known);
        }
        (self.nodes.len() < NODES).then_some(())?;
        let node = Node(self.nodes.len() as u32 + 2);
        self.nodes.push((level, no, yes));
        self.numbers.insert((level, no, yes), node);
        Some(node)
    }

    fn atom(&mut self, level: u32) -> Option<Node> {
        self.node(level, Node::NO, Node::YES)
    }

    /// `then` where `condition` holds, `otherwise` where it does not.
    fn choose(&mut self, condition: Node, then: Node, otherwise: Node) -> Option<Node> {
        match (condition, then, otherwise) {
            (Node::YES, ..) => return Some(then),
            (Node::NO, ..) => return Some(otherwise),
            (_, Node::YES, Node::NO) => return Some(condition),
            _ if then == otherwise => return Some(then),
            _ => {}
        }
        if let Some(known) = self.choices.get(&(condition, then, otherwise)) {
            return Some(*known);
        }
        let level = [condition, then, otherwise].map(|node| self.level(node)).into_iter().min()?;
        let (c, t, o) = (self.sides(condition, level), self.sides(then, level), self.sides(otherwise, level));
        let no = self.choose(c.0, t.0, o.0)?;
        let yes = self.choose(c.1, t.1, o.1)?;
        let node = self.node(level, no, yes)?;
        self.choices.insert((condition, then, otherwise), node);
        Some(node)
    }

    fn and(&mut self, a: Node, b: Node) -> Option<Node> {
        self.choose(a, b, Node::NO)
    }

    fn or(&mut self, a: Node, b: Node) -> Option<Node> {
        self.choose(a, Node::YES, b)
    }

    fn not(&mut self, a: Node) -> Option<Node> {
        self.choose(a, Node::NO, Node::YES)
    }

    fn of_term(
        &mut self,
        terms: &Terms,
        term: Term,
        levels: &HashMap<Term, u32, FastBuild>,
        known: &mut HashMap<Term, Node, FastBuild>,
    ) -> Option<Node> {
        if let Some(level) = levels.get(&term) {
            return self.atom(*level);
        }
        if let Some(node) = known.get(&term) {
            return Some(*node);
        }
        let mut parts = Vec::new();
        for arg in terms.args(term) {
            (terms.sort(*arg) == Sort::Bool).then_some(())?;
            parts.push(self.of_term(terms, *arg, levels, known)?);
        }
        let node = match (terms.op(term), parts.as_slice()) {
            (Op::True, _) => Node::YES,
            (Op::False, _) => Node::NO,
            (Op::Not, [part]) => self.not(*part)?,
            (Op::And, parts) => parts.iter().try_fold(Node::YES, |all, part| self.and(all, *part))?,
            (Op::Or, parts) => parts.iter().try_fold(Node::NO, |any, part| self.or(any, *part))?,
            (Op::Ite, [condition, then, otherwise]) => self.choose(*condition, *then, *otherwise)?,
            (Op::Eq, [a, b]) => {
                let opposite = self.not(*b)?;
                self.choose(*a, *b, opposite)?
            }
            (Op::Xor, [a, b]) => {
                let opposite = self.not(*b)?;
                self.choose(*a, opposite, *b)?
            }
            _ => return None,
        };
        known.insert(term, node);
        Some(node)
    }

    /// A sum of products that holds where `least` does and does not hold where `most` does not.
    fn sum(&mut self, least: Node, most: Node, known: &mut HashMap<(Node, Node), Sum, FastBuild>) -> Option<Sum> {
        match (least, most) {
            (Node::NO, _) => return Some(([].into(), Node::NO)),
            (_, Node::YES) => return Some(([Vec::new()].into(), Node::YES)),
            _ => {}
        }
        if let Some(sum) = known.get(&(least, most)) {
            return Some(sum.clone());
        }
        let level = self.level(least).min(self.level(most));
        let ((least_no, least_yes), (most_no, most_yes)) = (self.sides(least, level), self.sides(most, level));
        // What holds on one side only needs the condition.
        let never = self.not(most_yes)?;
        let only = self.and(least_no, never)?;
        let (cubes_no, sum_no) = self.sum(only, most_no, known)?;
        let never = self.not(most_no)?;
        let only = self.and(least_yes, never)?;
        let (cubes_yes, sum_yes) = self.sum(only, most_yes, known)?;
        // The rest can do without.
        let (rest_no, rest_yes) =
            (self.choose(sum_no, Node::NO, least_no)?, self.choose(sum_yes, Node::NO, least_yes)?);
        let (rest, both) = (self.or(rest_no, rest_yes)?, self.and(most_no, most_yes)?);
        let (cubes_both, sum_both) = self.sum(rest, both, known)?;
        let mut cubes: Vec<Cube> = Vec::new();
        for (holds, part) in [(false, &cubes_no), (true, &cubes_yes)] {
            cubes.extend(part.iter().map(|cube| [(level as usize, holds)].into_iter().chain(cube.clone()).collect()));
        }
        cubes.extend(cubes_both.iter().cloned());
        (cubes.len() <= CUBES).then_some(())?;
        let (no, yes) = (self.or(sum_no, sum_both)?, self.or(sum_yes, sum_both)?);
        let sum: Sum = (cubes.into(), self.node(level, no, yes)?);
        known.insert((least, most), sum.clone());
        Some(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back(terms: &Terms, cubes: &[Cube], atoms: &[Term]) -> Term {
        let literal = |(index, holds): &(usize, bool)| if *holds { atoms[*index] } else { terms.not(atoms[*index]) };
        let products: Vec<Term> =
            cubes.iter().map(|cube| terms.and(&cube.iter().map(literal).collect::<Vec<_>>())).collect();
        terms.or(&products)
    }

    /// The truth of a formula under each assignment to the atoms.
    fn table(terms: &Terms, formula: Term, atoms: &[Term]) -> Vec<bool> {
        (0..1u32 << atoms.len())
            .map(|bits| {
                let value = |(index, atom): (usize, &Term)| (*atom, terms.bool(bits >> index & 1 == 1));
                let map = atoms.iter().enumerate().map(value).collect();
                terms.op(terms.substitute(formula, &map)) == Op::True
            })
            .collect()
    }

    #[test]
    fn sums_say_the_same() {
        let terms = Terms::new();
        let atoms: Vec<Term> = (0..5).map(|index| terms.variable(&format!("x{index}"), Sort::Bool)).collect();
        let mut seed = 7u64;
        let mut random = |bound: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % bound
        };
        for _ in 0..300 {
            let mut made = atoms.clone();
            for _ in 0..12 {
                let pick = |number: u64, made: &[Term]| made[number as usize % made.len()];
                let (a, b, c) = (pick(random(99), &made), pick(random(99), &made), pick(random(99), &made));
                made.push(match random(5) {
                    0 => terms.and2(a, b),
                    1 => terms.or2(a, b),
                    2 => terms.not(a),
                    3 => terms.ite(a, b, c),
                    _ => terms.eq(a, b),
                });
            }
            let formula = made[made.len() - 1];
            let cubes = cubes(&terms, formula, &atoms).unwrap();
            assert_eq!(table(&terms, formula, &atoms), table(&terms, back(&terms, &cubes, &atoms), &atoms));
        }
    }

    #[test]
    fn what_cannot_be_is_not_said() {
        let terms = Terms::new();
        let x = terms.variable("x", Sort::Bv(8));
        let is = |number: u128| terms.eq(x, terms.bv(8, number));
        let atoms = [is(0), is(1)];
        let formula = terms.or2(terms.and2(is(0), terms.not(is(1))), terms.and2(is(1), terms.not(is(0))));
        let mut cubes = cubes(&terms, formula, &atoms).unwrap();
        cubes.sort();
        assert_eq!(cubes.iter().map(Vec::len).sum::<usize>(), 2, "{cubes:?}");
    }
}
