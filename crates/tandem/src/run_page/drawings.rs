//! The automata of a program as drawings: a control-flow automaton for each function, the exchange automaton. Drawn by the same hand.

use tandem_analyses::arg::{Arg, ArgState};
use tandem_artifact::format::gia_picture::{Arrow, Label, Picture, PictureState};
use tandem_artifact::format::gia_svg;
use tandem_artifact::gia::{Gia, Mark};
use tandem_base::Id;
use tandem_cfa::exec::Coverage;
use tandem_cfa::{Body, EdgeId, FunctionId, Program, c_print};

use crate::page::drawing::Drawing;

/// Larger automata are no drawings any more.
const MOST_STATES: usize = 400;
/// Functions that are drawn: the page must stay quick.
const MOST_FUNCTIONS: usize = 60;

/// The user's functions, `main` first, and the names of those that are too large. What is covered is blue.
pub fn functions(program: &Program, covered: Option<&Coverage>) -> (Vec<Drawing>, Vec<String>) {
    let mut ids: Vec<(FunctionId, &Body)> = program
        .functions
        .enumerate()
        .filter(|(_, function)| !function.is_library)
        .filter_map(|(id, function)| Some((id, function.body.as_ref()?)))
        .collect();
    ids.sort_by_key(|(id, _)| (Some(*id) != program.entry, id.index()));
    let (mut drawings, mut omitted) = (Vec::new(), Vec::new());
    for (id, body) in ids {
        let name = program.functions[id].name.to_string();
        if body.nodes.len() > MOST_STATES || drawings.len() >= MOST_FUNCTIONS {
            omitted.push(name);
            continue;
        }
        let picture = picture(program, &name, body, covered);
        let svg = gia_svg::drawing(&picture, &format!("Control-flow automaton of {name}"));
        drawings.push(Drawing { name, svg });
    }
    (drawings, omitted)
}

fn picture(program: &Program, name: &str, body: &Body, covered: Option<&Coverage>) -> Picture {
    let is_covered = |edge| covered.is_some_and(|covered| covered.contains(edge));
    // The entry is drawn first, whatever its number.
    let mut nodes: Vec<_> = body.nodes.iter().collect();
    nodes.sort_by_key(|node| (*node != body.entry, node.index()));
    let place = |node| nodes.iter().position(|other| *other == node).unwrap_or(0);
    let state = |node: &tandem_cfa::NodeId| {
        let touched = body.edges.iter().any(|edge| {
            let step = &program.edges[edge];
            is_covered(edge) && (step.source == *node || step.target == *node)
        });
        PictureState { name: node.to_string(), mark: touched.then_some(Mark::Reached), invariant: Vec::new() }
    };
    let arrow = |edge| {
        let step = &program.edges[edge];
        let label = Label { edges: c_print::edge(program, edge), assume: Vec::new() };
        Arrow { source: place(step.source), target: place(step.target), labels: vec![label] }
    };
    Picture {
        title: name.to_string(),
        targets: Vec::new(),
        states: nodes.iter().map(state).collect(),
        arrows: body.edges.iter().map(arrow).collect(),
    }
}

/// The abstract states of the search that decided.
pub fn states(program: &Program, arg: &Arg) -> Drawing {
    let state = |state: &ArgState| {
        let mark = match (state.is_target, state.is_open, state.covered_by.is_empty()) {
            (true, _, _) => Some(Mark::Reached),
            (false, true, _) => Some(Mark::Candidate),
            (false, false, false) => Some(Mark::Unreachable),
            (false, false, true) => None,
        };
        PictureState { name: state.name(), mark, invariant: state.holds.iter().cloned().collect() }
    };
    let way = |way: &Option<(EdgeId, EdgeId)>| match way {
        None => String::new(),
        Some((first, last)) if first == last => c_print::edge(program, *first),
        Some((first, last)) => format!("{} ... {}", c_print::edge(program, *first), c_print::edge(program, *last)),
    };
    let arrow = |source: usize, target: usize, edges: String| Arrow {
        source,
        target,
        labels: vec![Label { edges, assume: Vec::new() }],
    };
    let mut arrows = Vec::new();
    for (at, state) in arg.states.iter().enumerate() {
        arrows.extend(state.from.iter().map(|(from, edges)| arrow(*from, at, way(edges))));
        arrows.extend(state.covered_by.iter().map(|by| arrow(at, *by, "covered by".into())));
    }
    let title = "abstract states".to_string();
    let picture = Picture { title, targets: Vec::new(), states: arg.states.iter().map(state).collect(), arrows };
    Drawing { name: "abstract states".into(), svg: gia_svg::drawing(&picture, "Abstract reachability graph") }
}

/// The exchange automaton, if it is small enough to be looked at.
pub fn exchange(program: &Program, gia: &Gia) -> Option<Drawing> {
    (gia.states().len() <= MOST_STATES)
        .then(|| Drawing { name: "exchange automaton".into(), svg: gia_svg::svg(&Picture::of(gia, program)) })
}
