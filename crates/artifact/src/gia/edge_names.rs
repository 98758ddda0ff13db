//! Names of edges for people and files: where an edge stands in the source, and what kind of step it is.
//!
//! `7:3 assign` is the assignment whose text begins in line 7, column 3; `7:7 branch true` the test there that holds. Where several
//! edges would have one name, the second is `7:3 assign #2`, in the order of their ids. Edges of an included file have its name
//! in front; edges without a text of their own are named after their function: `main skip`.

use std::collections::HashMap;

use tandem_base::{FastBuild, IdVec};
use tandem_cfa::{EdgeId, Op, Program};

/// The names of a program's edges, both ways.
pub struct EdgeNames {
    names: IdVec<EdgeId, Box<str>>,
    index: HashMap<Box<str>, EdgeId, FastBuild>,
}

impl EdgeNames {
    pub fn of(program: &Program) -> EdgeNames {
        let mut names = IdVec::new();
        let mut index: HashMap<Box<str>, EdgeId, FastBuild> = HashMap::default();
        let mut counts: HashMap<String, u32, FastBuild> = HashMap::default();
        for edge in program.edges.ids() {
            let mut name = format!("{} {}", place(program, edge), kind(program, edge));
            let count = counts.entry(name.clone()).or_default();
            *count += 1;
            if *count > 1 {
                name = format!("{name} #{count}");
            }
            index.insert(name.as_str().into(), edge);
            names.push(name.into());
        }
        EdgeNames { names, index }
    }

    pub fn name(&self, edge: EdgeId) -> &str {
        &self.names[edge]
    }

    /// The edge of this name; `#1` may be said or left out.
    pub fn edge(&self, name: &str) -> Option<EdgeId> {
        let name = name.strip_suffix(" #1").unwrap_or(name);
        self.index.get(name).copied()
    }

    /// Names that begin at the same place, for messages.
    pub fn beside(&self, name: &str) -> Vec<&str> {
        let Some(place) = name.split(' ').next().filter(|place| !place.is_empty()) else { return Vec::new() };
        let here = |other: &&str| other.split(' ').next() == Some(place);
        let there: Vec<&str> = self.names.iter().map(|name| &**name).filter(here).collect();
        if !there.is_empty() {
            return there;
        }
        let line = place.rsplit_once(':').map_or(place, |(line, _)| line);
        let here = |other: &&str| other.strip_prefix(line).is_some_and(|rest| rest.starts_with(':'));
        self.names.iter().map(|name| &**name).filter(here).collect()
    }
}

fn place(program: &Program, edge: EdgeId) -> String {
    let span = program.edges[edge].span;
    if span.is_none() {
        return program.functions[program.function_of(edge)].name.to_string();
    }
    let position = program.source.position(span.lo);
    match *position.file == *program.source.file() {
        true => format!("{}:{}", position.line, position.column),
        // A name is one word, and its place is what precedes the first blank.
        false => format!("{}:{}:{}", position.file.replace(' ', "_"), position.line, position.column),
    }
}

fn kind(program: &Program, edge: EdgeId) -> &'static str {
    match &program.edges[edge].op {
        Op::Skip => "skip",
        Op::Assume { truth: true, .. } => "branch true",
        Op::Assume { truth: false, .. } => "branch false",
        Op::Assign { .. } => "assign",
        Op::Call { .. } => "call",
        Op::Return { .. } => "return",
        Op::Declare(_) => "declare",
        Op::Unsupported { .. } => "unsupported",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gia::testing::program;

    #[test]
    fn every_edge_has_a_name_of_its_own() {
        let text =
            "int a; int main(void) {\n  for (;;) { a = a ? 1 : 2; if (a && a > 3) break; a++; a++; }\n  return a;\n}\n";
        let program = program(text);
        let names = EdgeNames::of(&program);
        for edge in program.edges.ids() {
            assert_eq!(names.edge(names.name(edge)), Some(edge), "{}", names.name(edge));
        }
        assert!(names.edge("3:3 return").is_some() && names.edge("3:3 return #1") == names.edge("3:3 return"));
        assert_eq!(names.edge("3:3 return #2"), None);
        assert_eq!(names.beside("3:3 call"), ["3:3 return"]);
        assert_eq!(names.beside("3:9 call"), ["3:3 return"]);
    }
}
