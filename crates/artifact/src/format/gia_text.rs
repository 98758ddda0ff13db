//! An exchange automaton as lines of text, and as a drawing for Graphviz.

use std::fmt::Write;

use super::gia_picture::{Picture, PictureState, colour};
use super::gia_yaml::mark_word;

/// One block for each state: its mark, its invariant, and where its transitions lead.
pub fn text(picture: &Picture) -> String {
    let mut out = format!("exchange automaton about {}\n", picture.title);
    for (name, edges) in &picture.targets {
        let _ = writeln!(out, "target {name}: {edges}");
    }
    let mut arrows = picture.arrows.iter().peekable();
    for (number, state) in picture.states.iter().enumerate() {
        let initial = if number == 0 { " (initial)" } else { "" };
        let mark = state.mark.map_or(String::new(), |mark| format!(" [{}]", mark_word(mark)));
        let invariant = match &state.invariant[..] {
            [] => String::new(),
            invariant => format!(" {{{}}}", invariant.join(" && ")),
        };
        let _ = writeln!(out, "state {}{initial}{mark}{invariant}", state.name);
        while let Some(arrow) = arrows.next_if(|arrow| arrow.source == number) {
            for label in &arrow.labels {
                let _ = writeln!(out, "  {} -> {}", label.text(), picture.states[arrow.target].name);
            }
        }
    }
    out
}

/// For Graphviz.
pub fn dot(picture: &Picture) -> String {
    let mut out = String::from(
        "digraph gia {\n  node [shape=box, style=\"rounded,filled\", fontname=\"monospace\", fontsize=11];\n",
    );
    out.push_str("  edge [fontname=\"monospace\", fontsize=10];\n  start [shape=point];\n");
    if !picture.states.is_empty() {
        out.push_str("  start -> s0;\n");
    }
    for (number, state) in picture.states.iter().enumerate() {
        let label = quoted(&lines(state));
        let _ = writeln!(out, "  s{number} [label={label}, fillcolor=\"{}\"];", colour(state.mark));
    }
    for arrow in &picture.arrows {
        let label: Vec<String> = arrow.labels.iter().map(|label| label.text()).collect();
        let _ = writeln!(out, "  s{} -> s{} [label={}];", arrow.source, arrow.target, quoted(&label));
    }
    out + "}\n"
}

/// What stands in a state: its name, then its invariant.
pub(super) fn lines(state: &PictureState) -> Vec<String> {
    std::iter::once(state.name.clone()).chain(state.invariant.iter().cloned()).collect()
}

fn quoted(lines: &[String]) -> String {
    let mut out = String::from("\"");
    for (index, line) in lines.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { "\\n" });
        for character in line.chars() {
            match character {
                '"' | '\\' => out.extend(['\\', character]),
                character if character.is_control() => out.push(' '),
                character => out.push(character),
            }
        }
    }
    out + "\""
}
