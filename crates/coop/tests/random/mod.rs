//! Random programs, their runs with the values after each step, and random automata about them.

#![allow(dead_code, reason = "each test uses a part")]

use std::collections::HashMap;

use tandem_artifact::gia::*;
use tandem_base::{Budget, SourceText};
use tandem_cfa::exec::{End, Machine, Options, Random as RandomInputs, Sink, TraceEvent};
use tandem_cfa::{DataModel, EdgeId, Op, PlaceKind, Program, build};

/// A small generator of numbers: the same on every machine.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}

const VARIABLES: [&str; 3] = ["x", "y", "z"];
pub const CONDITIONS: [&str; 6] = ["x == 0", "y > 1", "z <= x", "x < 5", "y != z", "z == 3"];

/// Whether a condition holds for these values.
fn holds(condition: usize, [x, y, z]: [i32; 3]) -> bool {
    [x == 0, y > 1, z <= x, x < 5, y != z, z == 3][condition]
}

/// A program with loops, calls and recursion that always ends, and that writes a letter now and then.
pub fn program_text(numbers: &mut Numbers) -> String {
    let mut text = String::from(
        "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nextern int putchar(int);\n\
         int x, y, z, fuel = 12;\nvoid f0(void);\nvoid f1(void);\n",
    );
    for name in ["f0", "f1"] {
        text += &format!("void {name}(void) {{\n  if (fuel-- <= 0) return;\n");
        block(numbers, &mut text, 2, 2);
        text += "}\n";
    }
    text += "int main(void) {\n";
    block(numbers, &mut text, 3, 2);
    text + "  return x & 15;\n}\n"
}

fn block(numbers: &mut Numbers, text: &mut String, depth: u64, indent: usize) {
    for _ in 0..1 + numbers.below(3) {
        statement(numbers, text, depth, indent);
    }
}

fn statement(numbers: &mut Numbers, text: &mut String, depth: u64, indent: usize) {
    let pad = " ".repeat(indent);
    let variable = numbers.pick(&VARIABLES);
    let other = numbers.pick(&VARIABLES);
    let condition = CONDITIONS[numbers.below(6) as usize];
    match numbers.below(if depth == 0 { 7 } else { 12 }) {
        0 | 1 => *text += &format!("{pad}{variable} = __VERIFIER_nondet_int();\n"),
        2 => *text += &format!("{pad}{variable} = {};\n", numbers.below(6)),
        3 => *text += &format!("{pad}{variable} = ({other} & 7) + {};\n", numbers.below(4)),
        4 => *text += &format!("{pad}{variable}++;\n"),
        5 => *text += &format!("{pad}putchar({});\n", 97 + numbers.below(26)),
        6 if numbers.chance(15) => *text += &format!("{pad}if ({condition} && {other} == 4) reach_error();\n"),
        6 if numbers.chance(15) => *text += &format!("{pad}if ({condition}) reach_error();\n"),
        6 => *text += &format!("{pad};\n"),
        7 | 8 => {
            *text += &format!("{pad}if ({condition}) {{\n");
            block(numbers, text, depth - 1, indent + 2);
            *text += &format!("{pad}}} else {{\n");
            block(numbers, text, depth - 1, indent + 2);
            *text += &format!("{pad}}}\n");
        }
        9 => {
            *text += &format!("{pad}while (fuel-- > 0 && {condition}) {{\n");
            block(numbers, text, depth - 1, indent + 2);
            *text += &format!("{pad}}}\n");
        }
        10 => *text += &format!("{pad}f{}();\n", numbers.below(2)),
        _ => {
            *text += &format!("{pad}switch ({variable} & 3) {{\n{pad}case 0:\n");
            block(numbers, text, depth - 1, indent + 2);
            *text += &format!("{pad}  break;\n{pad}case 1:\n");
            block(numbers, text, depth - 1, indent + 2);
            *text += &format!("{pad}default: ;\n{pad}}}\n");
        }
    }
}

pub fn program(text: &str) -> Program {
    let built = build(SourceText::plain("random.c", text.as_bytes().to_vec()), DataModel::Lp64);
    built.program.unwrap_or_else(|| panic!("{text}\n{:?}", built.problems))
}

/// A run: its path, and what holds after each step.
pub struct Taken {
    pub edges: Vec<EdgeId>,
    values: Vec<[i32; 3]>,
    pub end: End,
    pub output: Vec<u8>,
    pub inputs: Vec<u128>,
    /// What calls without a body gave, by step.
    results: HashMap<usize, i32>,
}

impl Taken {
    pub fn holds(&self, step: usize, condition: &str) -> bool {
        let index = CONDITIONS.iter().position(|known| *known == condition).expect("a known condition");
        holds(index, self.values[step])
    }

    /// Whether a condition on the result of the call of this step holds, or one of the known ones.
    pub fn meets(&self, step: usize, condition: &str) -> bool {
        let Some(value) = condition.strip_prefix("\\result == ") else { return self.holds(step, condition) };
        let value = match value {
            "(-2147483647 - 1)" => i64::from(i32::MIN),
            value => value.trim_matches(['(', ')']).parse().unwrap_or_else(|_| panic!("{condition}")),
        };
        self.results.get(&step).is_some_and(|result| i64::from(*result) == value)
    }

    pub fn covered(&self, gia: &Gia) -> Covered {
        gia.covers(&self.edges, |step, atom| self.holds(step, gia.guards().atom_text(atom)))
    }
}

pub fn run(program: &Program, seed: u64) -> Taken {
    let options = Options {
        path: Some(1 << 20),
        trace: Some(1 << 20),
        output: Sink::Collect,
        steps: 100_000,
        ..Options::default()
    };
    let mut machine = Machine::new(program, options);
    let run = machine.run(&mut RandomInputs::new(seed), &Budget::unlimited());
    let edges: Vec<EdgeId> = run.edges(program).expect("a recorded path");
    let recording = run.trace.as_ref().expect("a recorded trace");
    assert_eq!(recording.omitted, 0);
    let assigned = recording.first.iter().chain(&recording.last).filter_map(|traced| match traced.event {
        TraceEvent::Assigned { edge, bits } => Some((edge, bits)),
        _ => None,
    });
    let mut assigned = assigned.peekable();
    let places: HashMap<_, _> = program
        .variables
        .enumerate()
        .filter_map(|(id, variable)| Some((id, VARIABLES.iter().position(|name| *name == &*variable.name)?)))
        .collect();
    let mut now = [0; 3];
    let mut values = Vec::new();
    let mut results = HashMap::new();
    for (step, edge) in edges.iter().enumerate() {
        if assigned.peek().is_some_and(|(at, _)| at == edge) {
            let (_, bits) = assigned.next().expect("was there");
            if matches!(program.edges[*edge].op, Op::Call { .. }) {
                results.insert(step, bits as u32 as i32);
            }
            let place = match &program.edges[*edge].op {
                Op::Assign { place, .. } | Op::Call { result: Some(place), .. } => Some(*place),
                _ => None,
            };
            if let Some(PlaceKind::Variable(variable)) = place.map(|place| program.place(place).kind)
                && let Some(index) = places.get(&variable)
            {
                now[*index] = bits as u32 as i32;
            }
        }
        values.push(now);
    }
    assert!(assigned.next().is_none(), "every assignment belongs to a step");
    let inputs = run.inputs.iter().map(|input| input.bits).collect();
    Taken { edges, values, end: run.end, output: run.output, inputs, results }
}

pub fn subject() -> Subject {
    Subject::plain("random.c", b"", DataModel::Lp64)
}

/// An automaton that follows parts of some runs, with conditions that hold there or elsewhere, and marks where they end.
pub fn automaton(numbers: &mut Numbers, runs: &[Taken], with_candidates: bool) -> Gia {
    let mut builder = GiaBuilder::new(subject(), Vec::new());
    builder.state(None);
    for _ in 0..1 + numbers.below(3) {
        let run = &runs[numbers.below(runs.len() as u64) as usize];
        if run.edges.is_empty() {
            continue;
        }
        let length = 1 + numbers.below(run.edges.len() as u64) as usize;
        let mark = match numbers.below(4) {
            0 => Mark::Reached,
            1 if with_candidates => Mark::Candidate,
            _ => Mark::Unreachable,
        };
        let (guarded, loose) = (numbers.below(20), numbers.below(15));
        let mut at = Gia::INITIAL;
        for (step, edge) in run.edges[..length].iter().enumerate() {
            let last = step + 1 == length;
            let (guard, invariant) = [(); 2].map(|()| label(numbers, &mut builder, run, step, guarded)).into();
            if !last && numbers.chance(loose) {
                // Waits here: whatever comes.
                builder.transition(at, EdgeSet::all(), GuardId::TRUE, at);
                continue;
            }
            let name = format!("q{}", builder.states().len());
            let next = builder.named(&name, invariant, last.then_some(mark));
            builder.transition(at, EdgeSet::One(*edge), guard, next);
            at = next;
        }
    }
    builder.finish().expect("a well-formed automaton")
}

fn label(numbers: &mut Numbers, builder: &mut GiaBuilder, run: &Taken, step: usize, percent: u64) -> GuardId {
    if !numbers.chance(percent) {
        return GuardId::TRUE;
    }
    let condition = CONDITIONS[numbers.below(6) as usize];
    let negated = format!("!({condition})");
    let fits = run.holds(step, condition) != numbers.chance(10);
    builder.guards().text(if fits { condition } else { &negated })
}

/// An automaton for a person who looks for the mistake.
pub fn shown(gia: &Gia) -> String {
    let mut text = String::new();
    for (state, content) in gia.states().enumerate() {
        text += &format!("{state} {:?} [{}]\n", content.mark, gia.guards().display(content.invariant));
        for transition in gia.from(state) {
            let guard = gia.guards().display(transition.guard);
            text += &format!("   {:?} [{guard}] -> {}\n", transition.edges, transition.target);
        }
    }
    text
}
