//! Writes `gia.yml`: one line for each state and each transition.

use tandem_base::{Id, IdVec};
use tandem_cfa::{EdgeId, Program, c_print};

use super::gia_yaml::{VERSION, mark_word};
use super::yaml_tree::quote;
use crate::gia::{EdgeNames, EdgeSet, Gia, GuardId, Transition, words};

/// The automaton as a file. Behind transitions with one edge, a comment says what the edge does.
pub fn write(gia: &Gia, program: &Program) -> String {
    let mut writer = Writer {
        gia,
        names: EdgeNames::of(program),
        guards: (0..gia.guards().len()).map(|guard| conjuncts(gia, GuardId::from_index(guard))).collect(),
        comments: IdVec::filled(None, program.edges.len()),
        program,
        out: String::new(),
    };
    writer.header();
    writer.states();
    writer.transitions();
    writer.out
}

struct Writer<'a> {
    gia: &'a Gia,
    program: &'a Program,
    names: EdgeNames,
    /// Each guard as a list.
    guards: IdVec<GuardId, Box<str>>,
    comments: IdVec<EdgeId, Option<Box<str>>>,
    out: String,
}

fn conjuncts(gia: &Gia, guard: GuardId) -> Box<str> {
    let mut out = String::from("[");
    for (index, word) in words(gia, guard).iter().enumerate() {
        out.push_str(if index == 0 { "" } else { ", " });
        quote(word, &mut out);
    }
    out.push(']');
    out.into()
}

impl Writer<'_> {
    fn header(&mut self) {
        let subject = &self.gia.subject;
        let out = &mut self.out;
        out.push_str(&format!("format_version: \"{VERSION}\"\nprogram:\n  file: "));
        quote(&subject.file, out);
        out.push_str("\n  sha256: ");
        quote(&subject.file_hash, out);
        out.push_str("\n  identity: ");
        quote(&subject.identity.hash(), out);
        out.push_str(&format!("\n  data_model: {}\ntargets:", subject.data_model().name()));
        out.push_str(if self.gia.targets.is_empty() { " []\n" } else { "\n" });
        for target in &self.gia.targets {
            self.out.push_str("- {name: ");
            word(&target.name, &mut self.out);
            self.out.push_str(", edges: ");
            self.edges(&target.edges);
            self.out.push_str("}\n");
        }
    }

    fn states(&mut self) {
        self.out.push_str("states:\n");
        for state in self.gia.states().iter() {
            self.out.push_str("- {name: ");
            word(&state.name, &mut self.out);
            if let Some(mark) = state.mark {
                self.out.push_str(", mark: ");
                self.out.push_str(mark_word(mark));
            }
            if state.invariant != GuardId::TRUE {
                self.out.push_str(", invariant: ");
                self.out.push_str(&self.guards[state.invariant]);
            }
            self.out.push_str("}\n");
        }
    }

    /// In the order of their sources, targets and texts, whatever order the guards were made in.
    fn transitions(&mut self) {
        self.out.push_str(if self.gia.transitions().is_empty() { "transitions: []\n" } else { "transitions:\n" });
        let gia = self.gia;
        let together =
            gia.transitions().chunk_by(|one, other| (one.source, one.target) == (other.source, other.target));
        for transitions in together {
            let mut sorted: Vec<&Transition> = transitions.iter().collect();
            let key = |step: &Transition| &self.guards[step.guard];
            sorted.sort_by(|one, other| key(one).cmp(key(other)).then_with(|| one.edges.cmp(&other.edges)));
            for transition in sorted {
                self.transition(transition);
            }
        }
    }

    fn transition(&mut self, transition: &Transition) {
        let states = self.gia.states();
        self.out.push_str("- {from: ");
        word(&states[transition.source].name, &mut self.out);
        match &transition.edges {
            EdgeSet::AllBut(edges) if edges.is_empty() => self.out.push_str(", edges: \"*\""),
            EdgeSet::AllBut(edges) => {
                self.out.push_str(", all_but: ");
                self.edges(edges);
            }
            EdgeSet::One(_) | EdgeSet::These(_) => {
                self.out.push_str(", edges: ");
                self.edges(transition.edges.named());
            }
        }
        if transition.guard != GuardId::TRUE {
            self.out.push_str(", assume: ");
            self.out.push_str(&self.guards[transition.guard]);
        }
        self.out.push_str(", to: ");
        word(&states[transition.target].name, &mut self.out);
        self.out.push('}');
        if let EdgeSet::One(edge) = transition.edges {
            let program = self.program;
            let comment = self.comments[edge].get_or_insert_with(|| comment(program, edge));
            self.out.push_str(comment);
        }
        self.out.push('\n');
    }

    fn edges(&mut self, edges: &[EdgeId]) {
        self.out.push('[');
        for (index, edge) in edges.iter().enumerate() {
            self.out.push_str(if index == 0 { "" } else { ", " });
            quote(self.names.name(*edge), &mut self.out);
        }
        self.out.push(']');
    }
}

/// The longest comment.
const COMMENT: usize = 60;

fn comment(program: &Program, edge: EdgeId) -> Box<str> {
    let text = c_print::edge(program, edge);
    let shown: String = text.chars().take(COMMENT).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let more = if text.chars().nth(COMMENT).is_some() { "..." } else { "" };
    format!(" # {shown}{more}").into()
}

/// A name: as it is if it is a plain word, else in quotes.
fn word(name: &str, out: &mut String) {
    let is_word = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
        && !matches!(
            name.to_ascii_lowercase().as_str(),
            "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n"
        );
    match is_word {
        true => out.push_str(name),
        false => quote(name, out),
    }
}
