//! How long the points-to analysis takes, and what it finds: `points_to [--ilp32|--lp64] FILE...`, preprocessed C.

use std::time::Instant;

use tandem_base::SourceText;
use tandem_cfa::points_to::PointsTo;
use tandem_cfa::{Callee, DataModel, Op, PlaceKind, build};

fn main() {
    let mut model = DataModel::Lp64;
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--ilp32" => model = DataModel::Ilp32,
            "--lp64" => model = DataModel::Lp64,
            path => file(path, model),
        }
    }
}

fn file(path: &str, model: DataModel) {
    let Ok(text) = std::fs::read(path) else { return println!("{path}: cannot be read") };
    let Some(program) = build(SourceText::plain(path, text), model).program else {
        return println!("{path}: cannot be built");
    };
    let start = Instant::now();
    let solution = PointsTo::of(&program);
    let time = start.elapsed();
    let mut sizes: Vec<usize> = Vec::new();
    for place in program.arena.places().iter() {
        if let PlaceKind::Deref(pointer) = place.kind {
            sizes.push(solution.targets(pointer).sites.len());
        }
    }
    sizes.sort_unstable();
    let mean = sizes.iter().sum::<usize>() as f64 / sizes.len().max(1) as f64;
    let mut indirect: Vec<usize> = Vec::new();
    for (id, edge) in program.edges.enumerate() {
        if let Op::Call { callee: Callee::Pointer(_), .. } = edge.op {
            indirect.push(solution.callees(id).len());
        }
    }
    let reached = program.functions.ids().filter(|function| solution.is_reached(*function)).count();
    println!(
        "{:6.1} ms, {} edges, {} exprs, {} reached, {} dereferenced: mean {mean:.1}, most {}; pointer calls {}: most {}; {}",
        time.as_secs_f64() * 1e3,
        program.edges.len(),
        program.arena.exprs().len(),
        reached,
        sizes.len(),
        sizes.last().unwrap_or(&0),
        indirect.len(),
        indirect.iter().max().unwrap_or(&0),
        path.rsplit('/').next().unwrap_or(path)
    );
}
