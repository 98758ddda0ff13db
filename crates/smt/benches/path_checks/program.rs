//! A small symbolic program and its exploration, the same for every back end.

#[derive(Clone, Copy)]
pub enum Operation {
    Add,
    Sub,
    Mul,
    And,
    Xor,
    Shl,
}

#[derive(Clone, Copy)]
pub enum Comparison {
    Equal,
    Less,
    Below,
}

/// Terms and feasibility checks.
pub trait Backend {
    type Term: Copy;
    /// A byte of input as a number of 32 bits.
    fn input(&mut self, number: usize) -> Self::Term;
    fn number(&mut self, value: u32) -> Self::Term;
    fn operation(&mut self, operation: Operation, left: Self::Term, right: Self::Term) -> Self::Term;
    fn comparison(&mut self, comparison: Comparison, left: Self::Term, right: Self::Term) -> Self::Term;
    fn not(&mut self, condition: Self::Term) -> Self::Term;
    /// Is the path feasible with this condition?
    fn check(&mut self, condition: Self::Term) -> bool;
    /// Adds the condition to the path.
    fn enter(&mut self, condition: Self::Term);
    /// Takes back the last condition.
    fn leave(&mut self);
}

/// What an instruction reads.
#[derive(Clone, Copy)]
enum Operand {
    Register(usize),
    Input(usize),
    Number(u32),
}

enum Instruction {
    Assign {
        target: usize,
        operation: Operation,
        left: Operand,
        right: Operand,
    },
    /// Goes on with the next instruction or, if the condition fails, skips some.
    Branch {
        comparison: Comparison,
        left: Operand,
        right: Operand,
        skip: usize,
    },
}

pub struct Program {
    instructions: Vec<Instruction>,
}

const REGISTERS: usize = 6;
const INPUTS: usize = 24;

impl Program {
    /// A program that reads bytes, mixes them into registers and branches on both, always the same for a seed.
    pub fn generate(seed: u64, length: usize) -> Program {
        let mut random = Random(seed);
        let instructions = (0..length).map(|position| random.instruction(position)).collect();
        Program { instructions }
    }
}

/// Xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 16) % bound as u64) as usize
    }

    fn instruction(&mut self, position: usize) -> Instruction {
        let near = Operand::Input((position / 8 + self.below(3)) % INPUTS);
        let register = Operand::Register(self.below(REGISTERS));
        if self.below(5) < 2 {
            let comparison = [Comparison::Equal, Comparison::Less, Comparison::Below, Comparison::Below][self.below(4)];
            let left = if self.below(3) == 0 { register } else { near };
            let right = match self.below(4) {
                0 => Operand::Input((position / 8 + self.below(4)) % INPUTS),
                _ => Operand::Number(self.below(200) as u32),
            };
            return Instruction::Branch { comparison, left, right, skip: 1 + self.below(3) };
        }
        let operation = match self.below(16) {
            0..5 => Operation::Add,
            5..9 => Operation::Sub,
            9..12 => Operation::Xor,
            12..14 => Operation::And,
            14 => Operation::Shl,
            _ => Operation::Mul,
        };
        let right = match operation {
            Operation::Mul | Operation::Shl => Operand::Number(1 + self.below(7) as u32),
            _ if self.below(2) == 0 => Operand::Number(self.below(256) as u32),
            _ => near,
        };
        let left = if self.below(4) == 0 { near } else { register };
        Instruction::Assign { target: self.below(REGISTERS), operation, left, right }
    }
}

/// Explores depth first, both sides of every branch, until so many checks are made: their answers.
pub fn explore<B: Backend>(program: &Program, backend: &mut B, checks: usize) -> Vec<bool> {
    let zero = backend.number(0);
    let mut exploration = Exploration { program, backend, checks, answers: Vec::new() };
    exploration.path(0, [zero; REGISTERS]);
    exploration.answers
}

struct Exploration<'a, B: Backend> {
    program: &'a Program,
    backend: &'a mut B,
    checks: usize,
    answers: Vec<bool>,
}

impl<B: Backend> Exploration<'_, B> {
    fn path(&mut self, mut at: usize, mut registers: [B::Term; REGISTERS]) {
        while let Some(instruction) = self.program.instructions.get(at) {
            at += 1;
            match *instruction {
                Instruction::Assign { target, operation, left, right } => {
                    let left = self.operand(left, &registers);
                    let right = self.operand(right, &registers);
                    registers[target] = self.backend.operation(operation, left, right);
                }
                Instruction::Branch { comparison, left, right, skip } => {
                    let left = self.operand(left, &registers);
                    let right = self.operand(right, &registers);
                    let condition = self.backend.comparison(comparison, left, right);
                    let negated = self.backend.not(condition);
                    self.side(condition, at, registers);
                    self.side(negated, at + skip, registers);
                    return;
                }
            }
        }
    }

    fn side(&mut self, condition: B::Term, at: usize, registers: [B::Term; REGISTERS]) {
        if self.answers.len() >= self.checks {
            return;
        }
        let feasible = self.backend.check(condition);
        self.answers.push(feasible);
        if feasible {
            self.backend.enter(condition);
            self.path(at, registers);
            self.backend.leave();
        }
    }

    fn operand(&mut self, operand: Operand, registers: &[B::Term; REGISTERS]) -> B::Term {
        match operand {
            Operand::Register(number) => registers[number],
            Operand::Input(number) => self.backend.input(number),
            Operand::Number(value) => self.backend.number(value),
        }
    }
}
