//! The arrows between the crates: a new one makes this test fail, and is thought about before it gets into the list.

use std::collections::BTreeMap;
use std::path::Path;

/// What each crate may depend on.
const ALLOWED: [(&str, &[&str]); 10] = [
    ("base", &[]),
    ("syntax", &["base"]),
    ("cfa", &["syntax", "base"]),
    ("smt", &["base"]),
    ("artifact", &["cfa", "base"]),
    ("cpa", &["cfa", "base"]),
    ("analyses", &["cpa", "artifact", "smt", "cfa", "base"]),
    ("coop", &["analyses", "cpa", "artifact", "smt", "cfa", "syntax", "base"]),
    ("net", &["coop", "artifact", "base"]),
    ("tandem", &["net", "coop", "analyses", "cpa", "artifact", "smt", "cfa", "syntax", "base"]),
];

/// The crates of the workspace that a manifest names as dependencies, also for tests and build scripts.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut in_dependencies = false;
    let mut found = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            in_dependencies = section.ends_with("dependencies");
            if let Some((_, name)) = section.split_once("dependencies.") {
                found.extend(name.strip_prefix("tandem-").map(str::to_string));
            }
        } else if in_dependencies {
            let name = line.split(['.', '=', ' ']).next().unwrap_or_default();
            found.extend(name.trim_matches('"').strip_prefix("tandem-").map(str::to_string));
        }
    }
    found
}

#[test]
fn arrows_point_one_way() {
    let allowed: BTreeMap<&str, &[&str]> = ALLOWED.into_iter().collect();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut seen = 0;
    for entry in std::fs::read_dir(crates).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Ok(manifest) = std::fs::read_to_string(path.join("Cargo.toml")) else { continue };
        let targets = allowed.get(name.as_str()).unwrap_or_else(|| panic!("the crate `{name}` is not in the list"));
        for dependency in dependencies(&manifest) {
            assert!(targets.contains(&dependency.as_str()), "`{name}` must not depend on `{dependency}`");
        }
        seen += 1;
    }
    assert!(seen >= 5, "only {seen} crates found");
}

#[test]
fn the_front_end_stays_behind_one_crate() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for entry in std::fs::read_dir(crates).unwrap() {
        let path = entry.unwrap().path();
        let Ok(manifest) = std::fs::read_to_string(path.join("Cargo.toml")) else { continue };
        let uses_front_end = manifest.lines().any(|line| line.starts_with("rucc-"));
        assert_eq!(uses_front_end, path.ends_with("syntax"), "{}", path.display());
    }
}

#[test]
fn all_kinds_of_dependencies_are_found() {
    let manifest = "[dependencies]\ntandem-base.workspace = true\nserde = \"1\"\ntandem-cfa = { path = \"..\" }\n\
                    [dev-dependencies.tandem-smt]\npath = \"x\"\n[dev-dependencies]\ntandem-cpa = \"1\"\n[lints]\ntandem-x = 1\n";
    assert_eq!(dependencies(manifest), ["base", "cfa", "smt", "cpa"]);
}

/// A path of an analysis ends only with a reason that [`PathEnd`] names, made in these files and in no others: a path that is lost without a
/// reason would be a proof of everything.
#[test]
fn no_path_ends_by_itself() {
    const MAKERS: [(&str, &[&str]); 3] = [
        ("PathEnd::Infeasible", &["store/mod.rs", "store/path_end.rs", "value/refine.rs", "interval/assume.rs"]),
        ("PathEnd::Terminated", &["store/path_end.rs", "store/library.rs", "store/step.rs"]),
        ("PathEnd::Undefined", &["store/path_end.rs", "store/access.rs"]),
    ];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("analyses/src");
    let mut open = vec![root.clone()];
    let mut seen = 0;
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let name = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
            for (end, makers) in MAKERS {
                assert!(!text.contains(end) || makers.contains(&name.as_str()), "{name} ends paths by {end}");
                seen += usize::from(text.contains(end));
            }
        }
    }
    assert!(seen >= 7, "only {seen} places found");
}

/// No code asks whether an analysis is the one of a certain name: what is to be known of an analysis is in its entry. The one exception is a switch that is
/// called like an analysis.
#[test]
fn analyses_are_not_told_apart_by_their_names() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut open: Vec<_> = ["analyses", "coop", "net", "tandem"].map(|name| crates.join(name).join("src")).into();
    let (mut found, mut seen) = (Vec::new(), 0);
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let production = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            seen += 1;
            for line in production.lines() {
                let compares = |name: &str| {
                    let texts = [format!("== \"{name}\""), format!("!= \"{name}\""), format!("\"{name}\" =>")];
                    texts.iter().any(|text| line.contains(text)) || line.contains(&format!("= Some(\"{name}\")"))
                };
                if tandem_analyses::ANALYSES.iter().any(|entry| compares(entry.name)) {
                    found.push(format!("{}: {}", path.file_name().unwrap().to_string_lossy(), line.trim()));
                }
            }
        }
    }
    assert!(seen > 100, "only {seen} files found");
    assert_eq!(found, ["run.rs: \"random\" => all.random = false,"]);
}
