//! The alphabet of test goals: what a run of the program is read as.
//!
//! A run is a word of letters. Most letters are edges of the program. Two moments have letters of their own, since one edge does not
//! tell them apart: that a function is entered, and that control is back behind a call. So a run of `main` that calls `f` once reads:
//! (`main` entered), edges of `main`, the edge of the call, (`f` entered), edges of `f` with its `return`, (back behind the call),
//! edges of `main`. All letters are [`EdgeId`]s, so that sets of letters are [`EdgeSet`](crate::gia::EdgeSet)s: those of edges are
//! the edges, the others have numbers above. Every word begins with the letter of `main`, which goals have read when they start.

use tandem_base::Id;
use tandem_cfa::{Callee, EdgeId, FunctionId, Op, Program};

/// The letters of one program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Letters {
    edges: u32,
    functions: u32,
}

/// What a letter stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Letter {
    Edge(EdgeId),
    /// Control is back behind the call.
    Back(EdgeId),
    Enter(FunctionId),
}

impl Letters {
    pub fn of(program: &Program) -> Letters {
        Letters { edges: program.edges.len() as u32, functions: program.functions.len() as u32 }
    }

    pub fn back(self, call: EdgeId) -> EdgeId {
        EdgeId(self.edges + call.0)
    }

    pub fn enter(self, function: FunctionId) -> EdgeId {
        EdgeId(2 * self.edges + function.0)
    }

    pub fn meaning(self, letter: EdgeId) -> Letter {
        match letter.0 {
            edge if edge < self.edges => Letter::Edge(letter),
            other if other < 2 * self.edges => Letter::Back(EdgeId(other - self.edges)),
            other => Letter::Enter(FunctionId(other - 2 * self.edges)),
        }
    }

    /// How many there are.
    pub fn count(self) -> usize {
        2 * self.edges as usize + self.functions as usize
    }

    /// The word of a run that begins in `main`, but for its first letter; and for each letter how many edges of the path have been
    /// taken by then. `path` has the edges of the user's program, without those of library models.
    pub fn word(self, program: &Program, path: &[EdgeId]) -> Vec<(EdgeId, usize)> {
        let mut word = Vec::with_capacity(path.len() + path.len() / 4);
        // The calls that the run is inside of, and the functions these entered.
        let mut stack: Vec<(EdgeId, FunctionId)> = Vec::new();
        for (index, &edge) in path.iter().enumerate() {
            let taken = index + 1;
            word.push((edge, taken));
            let step = &program.edges[edge];
            match &step.op {
                // A call that ends the run, or that is more than its body says, enters nothing.
                Op::Call { callee: Callee::Direct(callee), .. } if is_entered(program, *callee) => {
                    let entry = program.functions[*callee].body.as_ref().map(|body| body.entry);
                    if path.get(taken).map(|next| program.edges[*next].source) == entry {
                        stack.push((edge, *callee));
                        word.push((self.enter(*callee), taken));
                    }
                }
                Op::Call { callee: Callee::Pointer(_), .. } => match path.get(taken) {
                    Some(next) if program.edges[*next].source != step.target => {
                        let entered = program.function_of(*next);
                        stack.push((edge, entered));
                        word.push((self.enter(entered), taken));
                    }
                    _ => word.push((self.back(edge), taken)),
                },
                Op::Return { .. } => {
                    // A function that the library called returns there.
                    let function = program.function_of(edge);
                    if let Some((call, _)) = stack.pop_if(|(_, entered)| *entered == function) {
                        word.push((self.back(call), taken));
                    }
                }
                _ => {}
            }
        }
        word
    }
}

/// Whether a direct call of the function leads into a body of the user's program.
pub(super) fn is_entered(program: &Program, function: FunctionId) -> bool {
    program.functions[function].body.is_some() && !program.functions[function].is_library
}

/// Whether a call edge has letters for entering and coming back.
pub(super) fn is_entering(program: &Program, edge: EdgeId) -> bool {
    match &program.edges[edge].op {
        Op::Call { callee: Callee::Direct(callee), .. } => is_entered(program, *callee),
        Op::Call { callee: Callee::Pointer(_), .. } => true,
        _ => false,
    }
}

impl Letters {
    /// A letter for people.
    pub fn name(self, program: &Program, letter: EdgeId) -> String {
        match self.meaning(letter) {
            Letter::Edge(edge) => format!("e{}", edge.index()),
            Letter::Back(call) => format!("back from e{}", call.index()),
            Letter::Enter(function) => format!("enter {}", program.functions[function].name),
        }
    }
}
