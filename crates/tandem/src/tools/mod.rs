//! Programs from outside as tools: how each is started, and what its output means. Whether it is believed is decided elsewhere.

mod eva;
mod fuzz;
mod given;
mod klee;
mod outside_functions;
pub mod process;
pub mod scratch;
mod verifiers;

use tandem_artifact::plan;
use tandem_coop::outside::Tool;

/// All tools that are known, and those that a plan brings along; the latter come first.
pub fn all(brought: &[plan::Tool]) -> Vec<Box<dyn Tool>> {
    let mut tools: Vec<Box<dyn Tool>> = Vec::new();
    for tool in brought {
        tools.push(Box::new(given::Given::of(tool)));
    }
    tools.push(Box::new(fuzz::Afl));
    tools.push(Box::new(fuzz::LibFuzzer));
    tools.push(Box::new(eva::Eva));
    tools.push(Box::new(klee::Klee));
    for verifier in verifiers::all() {
        tools.push(Box::new(verifier));
    }
    tools
}
