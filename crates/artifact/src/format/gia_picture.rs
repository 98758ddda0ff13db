//! What a drawing of an exchange automaton shows: states with marks and invariants, arrows with edges and assumptions. The same for
//! every kind of drawing. With the program at hand arrows say what edges do, without it only where they stand.

use tandem_base::Id;
use tandem_cfa::{EdgeId, Program, c_print};

use super::gia_yaml::{Outline, OutlineEdges, Text};
use crate::gia::{EdgeNames, EdgeSet, Gia, Mark, words};

#[derive(Clone, PartialEq, Debug)]
pub struct Picture {
    /// The file that the automaton is about.
    pub title: String,
    /// Names of targets, and their edges.
    pub targets: Vec<(String, String)>,
    /// The first is the initial one.
    pub states: Vec<PictureState>,
    /// One for each pair of states, in the order of the pairs.
    pub arrows: Vec<Arrow>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct PictureState {
    pub name: String,
    pub mark: Option<Mark>,
    pub invariant: Vec<String>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Arrow {
    pub source: usize,
    pub target: usize,
    pub labels: Vec<Label>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Label {
    pub edges: String,
    pub assume: Vec<String>,
}

/// The paper's colours.
pub fn colour(mark: Option<Mark>) -> &'static str {
    match mark {
        Some(Mark::Unreachable) => "#a5d6a7",
        Some(Mark::Reached) => "#90caf9",
        Some(Mark::Candidate) => "#fff176",
        None => "#ffffff",
    }
}

impl Label {
    /// The edges, and the assumptions in braces.
    pub fn text(&self) -> String {
        match &self.assume[..] {
            [] => self.edges.clone(),
            assume => format!("{} {{{}}}", self.edges, assume.join(" && ")),
        }
    }
}

impl Picture {
    pub fn of(gia: &Gia, program: &Program) -> Picture {
        let names = EdgeNames::of(program);
        let describe = |edge: EdgeId| {
            let place = names.name(edge).split(' ').next().unwrap_or_default();
            format!("{place} {}", c_print::edge(program, edge))
        };
        let list = |edges: &[EdgeId]| edges.iter().map(|edge| describe(*edge)).collect::<Vec<_>>().join(", ");
        let states = gia.states().iter().map(|state| PictureState {
            name: state.name.to_string(),
            mark: state.mark,
            invariant: words(gia, state.invariant),
        });
        let mut picture = Picture {
            title: gia.subject.file.clone(),
            targets: gia.targets.iter().map(|target| (target.name.clone(), list(&target.edges))).collect(),
            states: states.collect(),
            arrows: Vec::new(),
        };
        for transition in gia.transitions() {
            let edges = match &transition.edges {
                EdgeSet::One(edge) => describe(*edge),
                EdgeSet::These(edges) => list(edges),
                EdgeSet::AllBut(edges) => all_but(list(edges)),
            };
            let label = Label { edges, assume: words(gia, transition.guard) };
            picture.label(transition.source.index(), transition.target.index(), label);
        }
        picture.sorted()
    }

    pub fn of_outline(outline: &Outline<'_>) -> Picture {
        let texts = |texts: &[Text<'_>]| texts.iter().map(|text| text.value.to_string()).collect::<Vec<_>>();
        let states = outline.states.iter().map(|state| PictureState {
            name: state.name.value.to_string(),
            mark: state.mark,
            invariant: texts(&state.invariant),
        });
        let targets = outline.targets.iter();
        let mut picture = Picture {
            title: outline.file.value.to_string(),
            targets: targets.map(|target| (target.name.value.to_string(), texts(&target.edges).join(", "))).collect(),
            states: states.collect(),
            arrows: Vec::new(),
        };
        for transition in &outline.transitions {
            let edges = match &transition.edges {
                OutlineEdges::These(edges) => texts(edges).join(", "),
                OutlineEdges::AllBut(edges) => all_but(texts(edges).join(", ")),
            };
            picture.label(transition.source, transition.target, Label { edges, assume: texts(&transition.assume) });
        }
        picture.sorted()
    }

    fn label(&mut self, source: usize, target: usize, label: Label) {
        match self.arrows.last_mut().filter(|arrow| (arrow.source, arrow.target) == (source, target)) {
            Some(arrow) => arrow.labels.push(label),
            None => self.arrows.push(Arrow { source, target, labels: vec![label] }),
        }
    }

    /// One arrow for each pair.
    fn sorted(mut self) -> Picture {
        self.arrows.sort_by_key(|arrow| (arrow.source, arrow.target));
        let mut arrows: Vec<Arrow> = Vec::with_capacity(self.arrows.len());
        for arrow in self.arrows {
            match arrows.last_mut().filter(|last| (last.source, last.target) == (arrow.source, arrow.target)) {
                Some(last) => last.labels.extend(arrow.labels),
                None => arrows.push(arrow),
            }
        }
        Picture { arrows, ..self }
    }
}

fn all_but(edges: String) -> String {
    if edges.is_empty() { "*".to_string() } else { format!("all but {edges}") }
}
