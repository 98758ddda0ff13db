//! What `tandem --version` says: this program and the solvers that are linked in.

use std::sync::LazyLock;

static LONG: LazyLock<String> = LazyLock::new(|| {
    let solvers = tandem_smt::solver_versions();
    let lines: Vec<String> = solvers.iter().map(|(name, version)| format!("{name} {version}")).collect();
    format!("{}\n{}", env!("CARGO_PKG_VERSION"), lines.join("\n"))
});

pub fn long() -> &'static str {
    &LONG
}
