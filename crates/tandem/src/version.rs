//! What `tandem --version` says: this program and the solvers that are linked in.

use std::sync::LazyLock;

static LONG: LazyLock<String> = LazyLock::new(|| format!("{}\n{}", env!("CARGO_PKG_VERSION"), solvers("\n")));

pub fn long() -> &'static str {
    &LONG
}

/// The solvers and their versions.
pub fn solvers(between: &str) -> String {
    let solvers = tandem_smt::solver_versions();
    let all: Vec<String> = solvers.iter().map(|(name, version)| format!("{name} {version}")).collect();
    all.join(between)
}
