//! Where locals are declared. A local whose lifetime begins once is declared at the top of its function. One that begins
//! again, in a loop, is declared where that happens if everything that names it, or may point to it, is in the same
//! block; else it is declared at the top and gets the value of something undefined whenever it begins.

use std::collections::{HashMap, HashSet};

use tandem_base::FastBuild;

use super::structure::Statement;
use super::used::{edge_variables, expression_variables};
use super::{Knot, Shape, Taken};
use crate::model::*;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Start {
    /// Declared there.
    Here,
    /// Undefined already.
    Nothing,
    /// Made undefined there.
    Undefined,
}

type Map<K, V> = HashMap<K, V, FastBuild>;

/// What each `Declare` of a variable becomes.
pub(super) fn starts(program: &Program, shape: &Shape, body: &[Statement<'_>]) -> Map<VariableId, Start> {
    let mut survey = Survey::new(program);
    survey.block(body, None, false);
    let mut starts = Map::default();
    for (&variable, declared) in &survey.declared {
        let start = match survey.start(variable, declared) {
            Start::Undefined if !is_read(program, shape, variable) => Start::Nothing,
            start => start,
        };
        starts.insert(variable, start);
    }
    starts
}

/// So many knots are looked at to see whether a value is read.
const LOOKED_AT: usize = 10_000;

/// Whether the value that a variable has when its lifetime begins may be read.
fn is_read(program: &Program, shape: &Shape, variable: VariableId) -> bool {
    if program.variables[variable].in_memory {
        return true;
    }
    let begins = |taken: &&Taken| matches!(program.edges[taken.edge].op, Op::Declare(id) if id == variable);
    let mut open: Vec<usize> = Vec::new();
    for knot in &shape.nodes {
        if let Knot::Steps(steps) = knot {
            open.extend(steps.iter().filter(begins).map(|taken| taken.to));
        }
    }
    let mut seen: HashSet<usize, FastBuild> = HashSet::default();
    while let Some(at) = open.pop() {
        if !seen.insert(at) {
            continue;
        }
        if seen.len() > LOOKED_AT {
            return true;
        }
        match &shape.nodes[at] {
            Knot::Steps(steps) => {
                for taken in steps {
                    match effect(program, taken.edge, variable) {
                        Effect::Reads => return true,
                        Effect::Writes => {}
                        Effect::Nothing => open.push(taken.to),
                    }
                }
            }
            Knot::Test { condition, yes, no } => {
                if expression_variables(program, condition.atoms().into_iter()).contains(&variable) {
                    return true;
                }
                open.extend([*yes, *no]);
            }
            Knot::Dispatch(ways) => open.extend(ways.iter().map(|(_, to)| *to)),
            Knot::Stop | Knot::Exit => {}
        }
    }
    false
}

enum Effect {
    Reads,
    /// All of it, without reading it.
    Writes,
    Nothing,
}

fn effect(program: &Program, edge: EdgeId, variable: VariableId) -> Effect {
    if !edge_variables(program, edge).contains(&variable) {
        return Effect::Nothing;
    }
    let is_whole = |place: PlaceId| program.place(place).kind == PlaceKind::Variable(variable);
    let reads = |exprs: &[ExprId]| expression_variables(program, exprs.iter().copied()).contains(&variable);
    let writes = match &program.edges[edge].op {
        Op::Declare(_) => true,
        Op::Assign { place, value } => is_whole(*place) && !reads(&[*value]),
        Op::Call { callee, arguments, result: Some(place) } => {
            let pointer = if let Callee::Pointer(pointer) = callee { vec![*pointer] } else { Vec::new() };
            is_whole(*place) && !reads(arguments) && !reads(&pointer)
        }
        Op::Call { result: None, .. } | Op::Skip | Op::Assume { .. } => false,
        Op::Return { .. } | Op::Unsupported { .. } => false,
    };
    if writes { Effect::Writes } else { Effect::Reads }
}

struct Declared {
    block: usize,
    /// The place in the order of the text.
    at: usize,
    count: u32,
    in_loop: bool,
}

struct Survey<'a> {
    program: &'a Program,
    /// The parent and depth of each block of statements.
    blocks: Vec<(usize, usize)>,
    clock: usize,
    has_labels: bool,
    declared: Map<VariableId, Declared>,
    /// The first mention of each variable, and the smallest block around all of them.
    mentions: Map<VariableId, (usize, usize)>,
    /// Every step with its block.
    steps: Vec<(EdgeId, usize)>,
}

impl<'a> Survey<'a> {
    fn new(program: &'a Program) -> Survey<'a> {
        Survey {
            program,
            blocks: Vec::new(),
            clock: 0,
            has_labels: false,
            declared: Map::default(),
            mentions: Map::default(),
            steps: Vec::new(),
        }
    }

    fn block(&mut self, statements: &[Statement<'_>], parent: Option<usize>, in_loop: bool) {
        let id = self.blocks.len();
        let depth = parent.map_or(0, |parent| self.blocks[parent].1 + 1);
        self.blocks.push((parent.unwrap_or(0), depth));
        for statement in statements {
            self.clock += 1;
            match statement {
                Statement::Step(taken) => self.step(taken.edge, id, in_loop),
                Statement::If { condition, yes, no, .. } => {
                    self.mention_all(condition.variables(self.program), id);
                    self.block(yes, Some(id), in_loop);
                    self.block(no, Some(id), in_loop);
                }
                Statement::Loop(body) => self.block(body, Some(id), true),
                Statement::While { condition, body, .. } => {
                    self.mention_all(condition.variables(self.program), id);
                    self.block(body, Some(id), true);
                }
                Statement::DoWhile { condition, body, .. } => {
                    self.block(body, Some(id), true);
                    // The condition stands outside of the braces.
                    self.mention_all(condition.variables(self.program), id);
                }
                Statement::Goto(_) => self.has_labels = true,
                Statement::Break | Statement::Continue | Statement::Label(_) | Statement::Stop | Statement::Leave => {}
            }
        }
    }

    fn step(&mut self, edge: EdgeId, block: usize, in_loop: bool) {
        self.steps.push((edge, block));
        if let Op::Declare(variable) = self.program.edges[edge].op {
            let at = self.clock;
            let declared = self.declared.entry(variable).or_insert(Declared { block, at, count: 0, in_loop });
            declared.count += 1;
            declared.in_loop |= in_loop;
        }
        self.mention_all(edge_variables(self.program, edge), block);
    }

    fn mention_all(&mut self, variables: HashSet<VariableId, FastBuild>, block: usize) {
        for variable in variables {
            let (first, around) = *self.mentions.entry(variable).or_insert((self.clock, block));
            let around = self.common(around, block);
            self.mentions.insert(variable, (first, around));
        }
    }

    /// The smallest block around both.
    fn common(&self, mut a: usize, mut b: usize) -> usize {
        while a != b {
            if self.blocks[a].1 >= self.blocks[b].1 { a = self.blocks[a].0 } else { b = self.blocks[b].0 }
        }
        a
    }

    fn start(&self, variable: VariableId, declared: &Declared) -> Start {
        let Some(&(first, around)) = self.mentions.get(&variable) else { return Start::Nothing };
        let is_first = first >= declared.at && declared.count == 1;
        if is_first && !declared.in_loop && !self.has_labels {
            return Start::Nothing;
        }
        let in_scope = !self.program.variables[variable].in_memory || self.covers_scope(variable, declared.block);
        if is_first && around == declared.block && in_scope { Start::Here } else { Start::Undefined }
    }

    /// Whether every step in the variable's scope is in the block: nothing else may use a pointer to it.
    fn covers_scope(&self, variable: VariableId, block: usize) -> bool {
        let scope = self.program.variables[variable].scope;
        let inside = |edge: EdgeId| scope.contains(self.program.edges[edge].span);
        let outside = |other: usize| self.common(block, other) != block;
        !self.steps.iter().any(|(edge, other)| inside(*edge) && outside(*other))
    }
}
