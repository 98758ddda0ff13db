//! How long the operations on large exchange automata take: `gia_times` (to be built with `--release`).
//!
//! Prints, beside each time, what it must not exceed; the exit status says whether one does.

use std::time::{Duration, Instant};

use tandem_artifact::format::gia_yaml;
use tandem_artifact::gia::*;
use tandem_base::SourceText;
use tandem_cfa::{DataModel, EdgeId, build};

fn main() {
    let mut slow = false;
    for (what, limit, time) in [
        ("combine two automata of 10,000 states, with candidates", 1.0, combining(10_000, true)),
        ("combine two automata of 10,000 states, without", 1.0, combining(10_000, false)),
        ("minimise a chain of 50,000 states", 2.0, minimising(&chain(50_000))),
        ("minimise a trie of 50,000 states", 2.0, minimising(&trie(50_000, 5, true))),
        ("minimise an unrolled loop of 50,000 states", 2.0, minimising(&unrolled(50_000))),
        ("write and read 100,000 transitions", 1.0, writing(100_000)),
    ] {
        println!("{:8.3} s (at most {limit} s)  {what}", time.as_secs_f64());
        slow |= time.as_secs_f64() > limit;
    }
    std::process::exit(i32::from(slow));
}

fn subject() -> Subject {
    Subject::plain("program.c", b"", DataModel::Lp64)
}

fn combining(states: u32, candidates: bool) -> Duration {
    let (one, other) = (trie(states, 7, candidates), trie(states, 11, candidates));
    let start = Instant::now();
    let both = combine(&[&one, &other]).expect("one program");
    println!("{} and {} states give {}", one.states().len(), other.states().len(), both.states().len());
    start.elapsed()
}

fn minimising(gia: &Gia) -> Duration {
    let start = Instant::now();
    let small = minimise(gia);
    println!("{} states become {}", gia.states().len(), small.states().len());
    start.elapsed()
}

/// The same automaton, written as `gia.yml` and read back.
fn writing(transitions: u32) -> Duration {
    let text: String = (0..40).map(|number| format!("  if (x > {number})\n    x = x + {number};\n")).collect();
    let text = format!("int main(void) {{\n  int x = 0;\n{text}  return x;\n}}\n");
    let built = build(SourceText::plain("program.c", text.into_bytes()), DataModel::Lp64);
    let program = built.program.expect("a program");
    let edges: Vec<EdgeId> = program.edges.ids().filter(|edge| is_path_step(&program, *edge)).collect();
    let mut builder = GiaBuilder::new(subject(), Vec::new());
    let mut at = builder.state(None);
    for index in 0..transitions {
        let next = builder.state((index + 1 == transitions).then_some(Mark::Unreachable));
        let edge = edges[index as usize % edges.len()];
        builder.transition(at, EdgeSet::One(edge), GuardId::TRUE, next);
        at = next;
    }
    let gia = builder.finish().expect("a well-formed automaton");
    let start = Instant::now();
    let file = gia_yaml::write(&gia, &program);
    let back = gia_yaml::read(&file, &program, &gia.subject).expect("what was written");
    let time = start.elapsed();
    assert_eq!(back, gia, "what is read is what was written");
    println!("{} transitions are {} bytes", gia.transitions().len(), file.len());
    time
}

/// One long path to an unreachable state.
fn chain(states: u32) -> Gia {
    let mut builder = GiaBuilder::new(subject(), Vec::new());
    let mut at = builder.state(None);
    for index in 1..states {
        let next = builder.state((index + 1 == states).then_some(Mark::Unreachable));
        builder.transition(at, EdgeSet::One(EdgeId(index % 100)), GuardId::TRUE, next);
        at = next;
    }
    builder.finish().expect("a well-formed automaton")
}

/// A loop that was followed round by round, with a way out to unreachable in each.
fn unrolled(states: u32) -> Gia {
    let mut builder = GiaBuilder::new(subject(), Vec::new());
    let mut at = builder.state(None);
    let sink = builder.state(Some(Mark::Unreachable));
    for index in 2..states {
        let next = builder.state(None);
        builder.transition(at, EdgeSet::One(EdgeId(index % 7)), GuardId::TRUE, next);
        if index % 7 == 0 {
            builder.transition(at, EdgeSet::One(EdgeId(50)), GuardId::TRUE, sink);
        }
        at = next;
    }
    builder.finish().expect("a well-formed automaton")
}

/// Random paths with shared beginnings and conditions here and there.
fn trie(states: u32, seed: u64, candidates: bool) -> Gia {
    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut below = |bound: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random % bound
    };
    let mut builder = GiaBuilder::new(subject(), Vec::new());
    builder.state(None);
    let mut inner = vec![Gia::INITIAL];
    while (builder.states().len() as u32) < states {
        let mut at = inner[below(inner.len() as u64) as usize];
        for step in 0..20 {
            let last = step == 19;
            let mark = match below(10) {
                0..3 if candidates => Mark::Candidate,
                3..5 => Mark::Reached,
                _ => Mark::Unreachable,
            };
            let next = builder.state(last.then_some(mark));
            let guard = match below(10) {
                0 => builder.guards().text("x == 0"),
                1 => builder.guards().text("y > 1"),
                _ => GuardId::TRUE,
            };
            builder.transition(at, EdgeSet::One(EdgeId(below(6) as u32)), guard, next);
            if !last {
                inner.push(next);
            }
            at = next;
        }
    }
    builder.finish().expect("a well-formed automaton")
}
