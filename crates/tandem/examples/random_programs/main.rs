//! Random programs against the enumeration of all their inputs: `random_programs COUNT [options]`. See docs/soundness-checks.md.

mod enumerate;
mod generate;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use enumerate::{Truth, examine};

const USAGE: &str =
    "usage: random_programs COUNT --tandem PROGRAM [--first SEED] [--jobs N] [--time-limit TIME] [--keep DIR]";

struct Options {
    count: u64,
    first: u64,
    jobs: u64,
    limit: String,
    tandem: PathBuf,
    /// Where programs with wrong verdicts are kept.
    keep: PathBuf,
}

fn options() -> Option<Options> {
    let mut words = std::env::args().skip(1);
    let mut options = Options {
        count: words.next()?.parse().ok()?,
        first: 1,
        jobs: 2,
        limit: "6s".into(),
        tandem: PathBuf::new(),
        keep: std::env::temp_dir().join("random-programs"),
    };
    while let Some(word) = words.next() {
        let value = words.next()?;
        match word.as_str() {
            "--first" => options.first = value.parse().ok()?,
            "--jobs" => options.jobs = value.parse().ok()?,
            "--time-limit" => options.limit = value,
            "--tandem" => options.tandem = PathBuf::from(value),
            "--keep" => options.keep = PathBuf::from(value),
            _ => return None,
        }
    }
    (!options.tandem.as_os_str().is_empty()).then_some(options)
}

#[derive(Default)]
struct Counts {
    reached: u64,
    not_reached: u64,
    excluded: u64,
    decided: usize,
    asked: usize,
    wrong: u64,
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let (next, counts) = (AtomicU64::new(0), Mutex::new(Counts::default()));
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= options.count {
                        break;
                    }
                    one(&options, options.first + index, &counts);
                }
            });
        }
    });
    let counts = counts.into_inner().unwrap_or_default();
    let Counts { reached, not_reached, excluded, decided, asked, wrong } = counts;
    println!(
        "random programs: {} programs, {reached} reach the error, {not_reached} do not, {excluded} excluded; {decided} of {asked} \
         verdicts decided; {wrong} programs with wrong verdicts",
        options.count
    );
    ExitCode::from(u8::from(wrong > 0))
}

/// The seeds take turns with the data models.
fn one(options: &Options, seed: u64, counts: &Mutex<Counts>) {
    let model = if seed.is_multiple_of(2) { "ILP32" } else { "LP64" };
    let program = generate::generate(seed);
    let directory = std::env::temp_dir().join(format!("tandem-random-{}-{seed}", std::process::id()));
    let examined = examine(&program, model, &options.tandem, &options.limit, &directory);
    // What is left behind is small, and in the directory for such things.
    let _ = std::fs::remove_dir_all(&directory);
    let Ok(mut counts) = counts.lock() else { return };
    match examined {
        Err(why) => {
            counts.wrong += 1;
            println!("seed {seed} ({model}): {why}");
        }
        Ok(examined) => {
            match examined.truth {
                Truth::Reached => counts.reached += 1,
                Truth::NotReached => counts.not_reached += 1,
                Truth::Excluded => counts.excluded += 1,
            }
            counts.decided += examined.decided;
            counts.asked += examined.asked;
            if !examined.wrong.is_empty() {
                counts.wrong += 1;
                let kept = options.keep.join(format!("{seed}-{model}.c"));
                let written =
                    std::fs::create_dir_all(&options.keep).and_then(|()| std::fs::write(&kept, &program.for_verifier));
                let place = written.map_or_else(|error| error.to_string(), |()| kept.display().to_string());
                for wrong in &examined.wrong {
                    let truth = examined.truth;
                    println!(
                        "seed {seed} ({model}): WRONG: {} says {}, but {truth:?}; {place}",
                        wrong.analysis, wrong.verdict
                    );
                }
            }
        }
    }
}
