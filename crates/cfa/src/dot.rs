//! The automaton as a drawing for Graphviz: a cluster per function, loop heads doubled, labels as C.

use std::fmt::Write;

use crate::c_print;
use crate::graph::Graph;
use crate::model::*;

/// What is drawn.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Also functions that come from the library of C models.
    pub library: bool,
}

/// A drawing of the defined functions.
pub fn write(program: &Program, options: Options) -> String {
    let mut out = String::from("digraph cfa {\n  node [shape=circle, fontname=\"monospace\", fontsize=10];\n");
    out.push_str("  edge [fontname=\"monospace\", fontsize=10];\n");
    for (id, function) in program.functions.enumerate() {
        if let Some(body) = &function.body
            && (options.library || !function.is_library)
        {
            cluster(program, id, body, &mut out);
        }
    }
    out + "}\n"
}

fn cluster(program: &Program, id: FunctionId, body: &Body, out: &mut String) {
    let name = quoted(&program.functions[id].name);
    let _ = writeln!(out, "  subgraph cluster_{id} {{\n    label={name};");
    let loops = Graph::of(program, body).loops();
    for node in body.nodes.iter() {
        // The exit is there even if no path leads to it, and then it is not worth drawing.
        let is_loose = node == body.exit && !program.edges.slice(body.edges).iter().any(|edge| edge.target == node);
        if is_loose {
            continue;
        }
        let shape = match (node == body.entry, node == body.exit, loops.is_head(node)) {
            (true, _, false) => " [style=bold]",
            (true, _, true) => " [style=bold, shape=doublecircle]",
            (false, true, _) => " [shape=square]",
            (false, false, true) => " [shape=doublecircle]",
            (false, false, false) => "",
        };
        let _ = writeln!(out, "    {node}{shape};");
    }
    for edge in body.edges.iter() {
        let Edge { source, target, ref op, .. } = program.edges[edge];
        let style = match op {
            Op::Unsupported { .. } => ", color=red",
            Op::Skip => ", style=dashed",
            Op::Assume { .. } | Op::Assign { .. } | Op::Call { .. } | Op::Return { .. } | Op::Declare(_) => "",
        };
        let label = quoted(&c_print::edge(program, edge));
        let _ = writeln!(out, "    {source} -> {target} [label={label}{style}];");
    }
    out.push_str("  }\n");
}

/// A string as Graphviz reads it, cut where it is too long to be drawn.
fn quoted(text: &str) -> String {
    const LONGEST: usize = 120;
    let mut quoted = String::from("\"");
    for (count, character) in text.chars().enumerate() {
        match character {
            _ if count == LONGEST => {
                quoted.push('…');
                break;
            }
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            other => quoted.push(other),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_base::SourceText;

    #[test]
    fn a_loop_is_drawn() {
        let text = b"int main(void) { int x = 0; while (x < 5) x++; return x; }".to_vec();
        let program = crate::build(SourceText::plain("a.c", text), tandem_syntax::DataModel::Lp64).program.unwrap();
        let dot = write(&program, Options::default());
        for part in ["label=\"main\"", "[label=\"[x < 5]\"]", "[label=\"[!(x < 5)]\"]", "[label=\"return x\"]"] {
            assert!(dot.contains(part), "{part}\n{dot}");
        }
        assert_eq!(dot.matches("doublecircle").count(), 1);
        assert_eq!(dot.matches('{').count(), dot.matches('}').count());
    }

    #[test]
    fn strings_do_not_break_out() {
        assert_eq!(quoted("a\"b\\n\n"), r#""a\"b\\n\n""#);
    }
}
