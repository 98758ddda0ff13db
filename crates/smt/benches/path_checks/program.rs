//! A small symbolic program and its exploration, the same for every back end.

#[derive(Clone, Copy)]
pub enum Operation {
    Add,
    Sub,
    Mul,
    And,
    Xor,
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

#[derive(Clone, Copy)]
enum Instruction {
    Assign {
        target: usize,
        operation: Operation,
        left: Operand,
        right: Operand,
    },
    /// Goes on with the next instruction or, if the condition fails, elsewhere.
    Branch {
        comparison: Comparison,
        left: Operand,
        right: Operand,
        otherwise: usize,
    },
    Jump(usize),
}

pub struct Program {
    instructions: Vec<Instruction>,
}

const REGISTERS: usize = 3;
const VALUE: Operand = Operand::Register(0);
const SUM: Operand = Operand::Register(1);
const CHECK: Operand = Operand::Register(2);
/// Where a path ends.
const END: usize = usize::MAX;

impl Program {
    /// A reader of numbers with separators, signs and a checksum: per byte it looks at the kind of character, and now and then
    /// at what the bytes so far add up to.
    pub fn number_reader(length: usize) -> Program {
        let mut program = Program { instructions: Vec::new() };
        for position in 0..length {
            program.read_byte(Operand::Input(position));
        }
        let total = program.branch(Comparison::Equal, SUM, Operand::Number(200));
        let check = program.branch(Comparison::Below, CHECK, Operand::Number(100));
        program.land(total);
        program.land(check);
        program
    }

    fn read_byte(&mut self, byte: Operand) {
        let separator = self.branch(Comparison::Equal, byte, Operand::Number(b';'.into()));
        self.finish_number();
        let after_separator = self.jump();
        self.land(separator);

        let minus = self.branch(Comparison::Equal, byte, Operand::Number(b'-'.into()));
        self.assign(0, Operation::Sub, Operand::Number(0), VALUE);
        let after_minus = self.jump();
        self.land(minus);

        // Neither a digit nor a letter: the input is refused.
        let not_below = self.branch(Comparison::Below, byte, Operand::Number(b'0'.into()));
        self.instructions.push(Instruction::Jump(END));
        self.land(not_below);
        let digit = self.branch(Comparison::Below, Operand::Number(b'9'.into()), byte);
        let refused = self.branch(Comparison::Equal, byte, Operand::Number(b'x'.into()));
        self.instructions.push(Instruction::Jump(END));
        self.land(refused);
        self.assign(2, Operation::Xor, CHECK, byte);
        let after_letter = self.jump();
        self.land(digit);

        self.assign(0, Operation::Mul, VALUE, Operand::Number(10));
        self.assign(0, Operation::Add, VALUE, byte);
        self.assign(0, Operation::Sub, VALUE, Operand::Number(b'0'.into()));
        let small = self.branch(Comparison::Less, Operand::Number(255), VALUE);
        self.instructions.push(Instruction::Jump(END));
        self.land(small);
        for jump in [after_separator, after_minus, after_letter] {
            self.land(jump);
        }
    }

    fn finish_number(&mut self) {
        let even = self.branch(Comparison::Less, VALUE, Operand::Number(100));
        self.assign(2, Operation::Xor, CHECK, VALUE);
        self.land(even);
        self.assign(1, Operation::Add, SUM, VALUE);
        self.assign(0, Operation::And, VALUE, Operand::Number(0));
    }

    fn assign(&mut self, target: usize, operation: Operation, left: Operand, right: Operand) {
        self.instructions.push(Instruction::Assign { target, operation, left, right });
    }

    /// A branch whose other side is still to be landed.
    fn branch(&mut self, comparison: Comparison, left: Operand, right: Operand) -> usize {
        self.instructions.push(Instruction::Branch { comparison, left, right, otherwise: END });
        self.instructions.len() - 1
    }

    fn jump(&mut self) -> usize {
        self.instructions.push(Instruction::Jump(END));
        self.instructions.len() - 1
    }

    /// Lets a branch or jump go to what comes next.
    fn land(&mut self, from: usize) {
        let here = self.instructions.len();
        match &mut self.instructions[from] {
            Instruction::Branch { otherwise, .. } => *otherwise = here,
            Instruction::Jump(target) => *target = here,
            Instruction::Assign { .. } => {}
        }
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
                Instruction::Jump(target) => at = target,
                Instruction::Branch { comparison, left, right, otherwise } => {
                    let left = self.operand(left, &registers);
                    let right = self.operand(right, &registers);
                    let condition = self.backend.comparison(comparison, left, right);
                    let negated = self.backend.not(condition);
                    self.side(condition, at, registers);
                    self.side(negated, otherwise, registers);
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
