//! FQL: coverage criteria as queries, and the test goals they stand for.
mod blocks;
mod filter;
mod letters;
mod lex;
mod parse;
mod parse_filter;
mod print;
mod set;
mod steps;
mod tree;
mod uses;

pub use letters::{Letter, Letters};
pub use parse::parse;
pub use tree::*;

/// Whose meaning of filters counts where the published tools differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Semantics {
    /// CPA/tiger.
    #[default]
    Tiger,
    /// FShell 2.
    FShell,
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn counts() {
        let root = "/work/shared/benchmarks/fql";
        for dir in ["locks", "ntdrivers-simplified", "examples"] {
            let mut files: Vec<_> = std::fs::read_dir(format!("{root}/{dir}")).unwrap().map(|e| e.unwrap().path()).collect();
            files.sort();
            for file in files {
                let text = std::fs::read(&file).unwrap();
                let built = tandem_cfa::build(tandem_base::SourceText::plain("a.c", text), tandem_cfa::DataModel::Lp64);
                let Some(program) = built.program else { println!("{file:?} fails"); continue };
                print!("{:30}", file.file_name().unwrap().to_string_lossy());
                for semantics in [Semantics::Tiger, Semantics::FShell] {
                    let steps = steps::Steps::of(&program, semantics);
                    let mut filters = filter::Filters::new(&steps);
                    for text in ["@BASICBLOCKENTRY", "ID", "@CONDITIONEDGE", "@BASICBLOCKENTRY | @CONDITIONEDGE"] {
                        let query = parse(&format!("in {text} cover ID")).unwrap();
                        let graph = filters.evaluate(query.scope.as_ref().unwrap()).unwrap();
                        print!(" {}/{}", graph.steps.len(), graph.points.len());
                    }
                    print!(" ;");
                }
                println!();
            }
        }
    }
}
