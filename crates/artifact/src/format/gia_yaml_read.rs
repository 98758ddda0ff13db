//! From the outline of a `gia.yml` to an automaton about a program: finds edges, checks conditions and the rules of well-formedness.

use std::collections::{HashMap, HashSet};

use tandem_base::{FastBuild, Id, Problem, Span};
use tandem_cfa::expression::Names;
use tandem_cfa::{EdgeId, FunctionId, Program};

use super::gia_yaml::{Outline, OutlineEdges, OutlineTransition, Text};
use crate::gia::{
    EdgeNames, EdgeSet, Flaw, Gia, GiaBuilder, GuardId, StateId, Subject, Target, guard_formula, is_path_step,
    scope_behind,
};

pub(super) fn resolve(outline: &Outline<'_>, program: &Program, about: &Subject) -> Result<Gia, Problem> {
    check_subject(outline, about)?;
    let names = EdgeNames::of(program);
    let subject = Subject { file: outline.file.value.to_string(), ..about.clone() };
    let targets = outline.targets.iter().map(|target| {
        let mut edges = find_all(&names, &target.edges)?;
        edges.sort_unstable();
        edges.dedup();
        Ok(Target { name: target.name.value.to_string(), edges })
    });
    let mut builder = GiaBuilder::new(subject, targets.collect::<Result<_, Problem>>()?);
    for state in &outline.states {
        let invariant = guard(&mut builder, &state.invariant);
        builder.bare(&state.name.value, invariant, state.mark);
    }
    let mut conditions = Conditions::new(program);
    let mut entered = vec![false; outline.states.len()];
    for transition in &outline.transitions {
        let edges = edge_set(&names, &transition.edges)?;
        for condition in transition.assume.iter().chain(&outline.states[transition.target].invariant) {
            conditions.check(condition, &edges, &names)?;
        }
        entered[transition.target] = true;
        let guard = guard(&mut builder, &transition.assume);
        let (source, target) = (StateId::from_index(transition.source), StateId::from_index(transition.target));
        builder.transition(source, edges, guard, target);
    }
    for (state, _) in outline.states.iter().zip(entered).filter(|(_, entered)| !entered) {
        for condition in &state.invariant {
            conditions.check(condition, &EdgeSet::all(), &names)?;
        }
    }
    builder.finish().map_err(|flaw| explain(outline, &flaw))
}

/// The identity counts if the file has one, and else the hash of the user's file.
fn check_subject(outline: &Outline<'_>, about: &Subject) -> Result<(), Problem> {
    if outline.data_model != about.data_model() {
        let message = format!("the automaton is about the data model {}", outline.data_model.name());
        let help = format!("the program is read with {}; --data-model chooses another one", about.data_model().name());
        return Err(Problem::error(outline.data_model_span, message).help(help));
    }
    let message = format!("the automaton is about another program, `{}`", outline.file.value);
    match &outline.identity {
        Some(identity) if !identity.value.eq_ignore_ascii_case(&about.identity.hash()) => {
            Err(Problem::error(identity.span, message).help(about.identity_help()))
        }
        None if !outline.hash.value.eq_ignore_ascii_case(&about.file_hash) => {
            let help = format!("the text of the program given has the SHA-256 {}", about.file_hash);
            Err(Problem::error(outline.hash.span, message).help(help))
        }
        Some(_) | None => Ok(()),
    }
}

fn find_all(names: &EdgeNames, texts: &[Text<'_>]) -> Result<Vec<EdgeId>, Problem> {
    texts.iter().map(|text| find(names, text)).collect()
}

fn find(names: &EdgeNames, text: &Text<'_>) -> Result<EdgeId, Problem> {
    names.edge(&text.value).ok_or_else(|| {
        let beside = names.beside(&text.value);
        let help = match &beside[..] {
            [] => {
                "an edge is named by line, column and kind, such as \"7:3 assign\" or \"9:7 branch true\"".to_string()
            }
            near => {
                let near = near.iter().take(6).map(|name| format!("\"{name}\""));
                format!("edges near it are {}", near.collect::<Vec<_>>().join(", "))
            }
        };
        Problem::error(text.span, format!("the program has no edge `{}`", text.value)).help(help)
    })
}

fn edge_set(names: &EdgeNames, edges: &OutlineEdges<'_>) -> Result<EdgeSet, Problem> {
    Ok(match edges {
        OutlineEdges::These(texts) => match &texts[..] {
            [text] => EdgeSet::One(find(names, text)?),
            texts => EdgeSet::these(find_all(names, texts)?),
        },
        OutlineEdges::AllBut(texts) => EdgeSet::all_but(find_all(names, texts)?),
    })
}

fn guard(builder: &mut GiaBuilder, conjuncts: &[Text<'_>]) -> GuardId {
    let guards = builder.guards();
    let mut all = GuardId::TRUE;
    for conjunct in conjuncts {
        let one = guards.text(&conjunct.value);
        all = guards.and(all, one);
    }
    all
}

/// Checks that conditions mean something where they stand. Equal texts at places with the same names are read once.
struct Conditions<'a> {
    original: &'a Program,
    /// A copy to read into, made when the first condition comes.
    copy: Option<(Program, Names)>,
    /// Where scopes begin and end: between two neighbours, names mean the same.
    borders: Vec<u32>,
    known: HashSet<(u32, Place), FastBuild>,
    anywhere: HashSet<u32, FastBuild>,
    texts: HashMap<Box<str>, u32, FastBuild>,
}

/// What the meaning of a text depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    Names {
        function: FunctionId,
        between: u32,
    },
    /// With the result of a call.
    Behind(EdgeId),
}

impl<'a> Conditions<'a> {
    fn new(program: &'a Program) -> Conditions<'a> {
        let scopes = program.variables.iter().map(|variable| variable.scope).filter(|scope| !scope.is_none());
        let mut borders: Vec<u32> = scopes.flat_map(|scope| [scope.lo, scope.hi + 1]).collect();
        borders.sort_unstable();
        borders.dedup();
        Conditions {
            original: program,
            copy: None,
            borders,
            known: HashSet::default(),
            anywhere: HashSet::default(),
            texts: HashMap::default(),
        }
    }

    /// Behind each edge that is named; of a set that names those it does not hold, somewhere.
    fn check(&mut self, text: &Text<'_>, edges: &EdgeSet, names: &EdgeNames) -> Result<(), Problem> {
        let number = self.number(&text.value);
        if edges.is_rest() {
            return self.check_anywhere(text, number, edges);
        }
        for edge in edges.named() {
            self.check_behind(text, number, *edge).map_err(|problem| {
                let note = format!("the names are those behind the edge \"{}\"", names.name(*edge));
                let help = problem.help.as_ref().map_or(note.clone(), |help| format!("{help}; {note}"));
                problem.help(help)
            })?;
        }
        Ok(())
    }

    fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.texts.get(text) {
            return *number;
        }
        let number = self.texts.len() as u32;
        self.texts.insert(text.into(), number);
        number
    }

    fn check_anywhere(&mut self, text: &Text<'_>, number: u32, edges: &EdgeSet) -> Result<(), Problem> {
        if self.anywhere.contains(&number) {
            return Ok(());
        }
        let program = self.original;
        let steps = program.edges.ids().filter(|edge| is_path_step(program, *edge) && edges.contains(*edge));
        let mut first = None;
        for edge in steps {
            match self.check_behind(text, number, edge) {
                Ok(()) => {
                    self.anywhere.insert(number);
                    return Ok(());
                }
                Err(problem) => first = first.or(Some(problem)),
            }
        }
        first.map_or(Ok(()), |problem| Err(problem.help("the condition has no meaning behind any edge of the program")))
    }

    fn check_behind(&mut self, text: &Text<'_>, number: u32, edge: EdgeId) -> Result<(), Problem> {
        let place = match text.value.contains('\\') {
            true => Place::Behind(edge),
            false => {
                let scope = scope_behind(self.original, edge);
                let between = self.borders.partition_point(|border| *border <= scope.at) as u32;
                Place::Names { function: scope.function, between }
            }
        };
        if self.known.contains(&(number, place)) {
            return Ok(());
        }
        let original = self.original;
        let (program, names) = self.copy.get_or_insert_with(|| (original.clone(), Names::of(original)));
        guard_formula(program, names, edge, &text.value).map_err(|problem| placed(text, problem))?;
        self.known.insert((number, place));
        Ok(())
    }
}

/// A problem with a condition, as one of the file.
fn placed(text: &Text<'_>, mut problem: Problem) -> Problem {
    let is_verbatim = (text.span.hi - text.span.lo) as usize == text.value.len();
    problem.span = match is_verbatim && !problem.span.is_none() && problem.span.hi as usize <= text.value.len() {
        true => Span::new(text.span.lo + problem.span.lo, text.span.lo + problem.span.hi),
        false => text.span,
    };
    problem
}

/// A broken rule, where it is broken.
fn explain(outline: &Outline<'_>, flaw: &Flaw) -> Problem {
    let name = |state: StateId| outline.states.get(state.index()).map_or("?", |state| &*state.name.value);
    let state_span = |state: StateId| outline.states.get(state.index()).map_or(outline.states_span, |s| s.name.span);
    let leaves = |state: StateId, to: StateId| {
        let is_it = |step: &&OutlineTransition<'_>| step.source == state.index() && step.target == to.index();
        outline.transitions.iter().find(is_it).map_or(outline.states_span, |step| step.span)
    };
    let (span, message) = match flaw {
        Flaw::NoInitialState => {
            (outline.states_span, "there is no state; the first one is the initial one".to_string())
        }
        Flaw::InitialInvariant => {
            let invariant = outline.states.first().and_then(|state| state.invariant.first());
            let span = invariant.map_or(outline.states_span, |text| text.span);
            (span, "the initial state (the first one) has an invariant".to_string())
        }
        Flaw::LeavesUnreachable { state, to } => {
            let message = format!(
                "a transition leads from `{}`, which is marked unreachable, to `{}`, which is not",
                name(*state),
                name(*to)
            );
            (leaves(*state, *to), format!("rule 1 is broken: {message}"))
        }
        Flaw::LeavesReached { state, to } => {
            let message = format!(
                "a transition leads from `{}`, which is marked reached, to `{}`, which is not",
                name(*state),
                name(*to)
            );
            (leaves(*state, *to), format!("rule 2 is broken: {message}"))
        }
        Flaw::NoSelfLoop { state } => {
            let message = format!(
                "rule 3 is broken: the candidate `{}` has no transition for every edge to itself",
                name(*state)
            );
            let help = format!("add {{from: {0}, edges: \"*\", to: {0}}}", name(*state));
            return Problem::error(state_span(*state), message).help(help);
        }
        Flaw::SameName { name } => {
            let second = outline.states.iter().filter(|state| state.name.value == *name).nth(1);
            (second.map_or(outline.states_span, |state| state.name.span), format!("two states are named `{name}`"))
        }
        Flaw::NoSuchState { .. } => (outline.states_span, flaw.to_string()),
    };
    Problem::error(span, message).help("the rules of well-formedness are in docs/gia.md")
}
