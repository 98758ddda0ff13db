//! The paths of an automaton one by one: the runs to its marks, as long as they are finitely many and each step names one edge.

use tandem_analyses::trail::TrailStep;
use tandem_artifact::gia::{EdgeSet, Gia, GuardId, GuardLiteral, Mark, StateId, guard_formula};
use tandem_cfa::expression::Names;
use tandem_cfa::{EdgeId, Program};

/// Paths that are looked at one by one.
const MOST: usize = 2_000;

/// A path: edges, and what must hold after each.
pub type Word = Vec<(EdgeId, Vec<GuardLiteral>)>;

/// All shortest words to a mark; why not, if there are too many or they are not single edges.
pub fn words(gia: &Gia, mark: Mark) -> Result<Vec<Word>, String> {
    let mut search =
        Search { gia, mark, words: Vec::new(), word: Vec::new(), on_path: vec![false; gia.states().len()] };
    search.from(Gia::INITIAL)?;
    Ok(search.words)
}

struct Search<'a> {
    gia: &'a Gia,
    mark: Mark,
    words: Vec<Word>,
    word: Word,
    on_path: Vec<bool>,
}

impl Search<'_> {
    /// Depth first, without recursion: paths are long.
    fn from(&mut self, start: StateId) -> Result<(), String> {
        let leading = self.gia.leading_to(self.mark);
        if !leading[start] {
            return Ok(());
        }
        let mut stack: Vec<(StateId, usize)> = Vec::new();
        self.enter(start, &mut stack)?;
        while let Some((state, next)) = stack.last_mut() {
            let transitions = self.gia.from(*state);
            let Some(transition) = transitions.get(*next) else {
                self.on_path[state.0 as usize] = false;
                stack.pop();
                self.word.pop();
                continue;
            };
            *next += 1;
            let target = transition.target;
            if !leading[target] {
                continue;
            }
            let label = self.gia.label(transition);
            if label.contains(&GuardId::FALSE) {
                continue;
            }
            if self.on_path[target.0 as usize] {
                return Err("there are infinitely many paths".into());
            }
            let EdgeSet::One(edge) = transition.edges else {
                return Err("a step of a path that names no single edge".into());
            };
            let literals = label.iter().flat_map(|guard| self.gia.guards().literals(*guard)).copied().collect();
            self.word.push((edge, literals));
            self.enter(target, &mut stack)?;
        }
        Ok(())
    }

    fn enter(&mut self, state: StateId, stack: &mut Vec<(StateId, usize)>) -> Result<(), String> {
        if self.gia.mark(state) == Some(self.mark) {
            self.words.push(self.word.clone());
            self.word.pop();
            return if self.words.len() > MOST { Err("there are too many paths".into()) } else { Ok(()) };
        }
        self.on_path[state.0 as usize] = true;
        stack.push((state, 0));
        Ok(())
    }
}

/// The steps of a word, with conditions that were read into the program.
pub fn trail_steps(program: &mut Program, names: &Names, gia: &Gia, word: &Word) -> Result<Vec<TrailStep>, String> {
    let mut steps = Vec::with_capacity(word.len());
    for (edge, literals) in word {
        let mut asked = Vec::new();
        for literal in literals {
            let text = gia.guards().atom_text(literal.atom);
            let formula = guard_formula(program, names, *edge, text).map_err(|problem| problem.message)?;
            asked.push((formula, literal.holds));
        }
        steps.push(TrailStep { edge: *edge, asked });
    }
    Ok(steps)
}
