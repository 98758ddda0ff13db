//! The loop that runs most operations. What it cannot finish alone, it leaves to [`slow`](super::slow): calls, and whatever may
//! need an input or end the path.
//!
//! The arithmetic here is that of [`semantics`](crate::semantics), for the widths that a register has; a test holds the two
//! against each other.

use super::code::*;
use super::machine::{Log, Machine};
use super::{EventKind, Undefined};
use crate::model::BinaryOp;
use crate::semantics;

/// Why the loop was left.
pub(super) enum Leave {
    /// The current operation is for somebody else.
    Step,
    /// It is time to look at the budget.
    Check,
    Undefined(Undefined),
}

impl Machine<'_> {
    /// Runs from the current operation on.
    pub(super) fn fast(&mut self) -> Leave {
        let ops = &self.code.ops[..];
        let frame = &mut self.registers[self.base..self.top];
        let memory = &mut self.memory;
        let log = &mut self.log;
        let mut pc = self.pc;

        macro_rules! get {
            ($register:expr) => {
                frame[usize::from($register)]
            };
        }
        macro_rules! set {
            ($register:expr, $value:expr) => {{
                let value: u64 = $value;
                frame[usize::from($register)] = value;
            }};
        }
        macro_rules! leave {
            ($why:expr) => {{
                self.pc = pc;
                return $why;
            }};
        }
        // A signed operation: wraps, and notes that it did.
        macro_rules! signed {
            ($int:ty, $unsigned:ty, $operation:ident, $to:expr, $a:expr, $b:expr) => {{
                let (result, overflow) = ($a as $int).$operation($b as $int);
                if overflow && log.seen & 1 == 0 {
                    log.note(EventKind::Overflow, pc);
                }
                set!($to, u64::from(result as $unsigned));
            }};
        }
        macro_rules! divide {
            ($int:ty, $unsigned:ty, $operation:ident, $to:expr, $a:expr, $b:expr) => {{
                let (a, b) = (get!($a) as $int, get!($b) as $int);
                match a.$operation(b) {
                    Some(result) => set!($to, u64::from(result as $unsigned)),
                    None if b == 0 => leave!(Leave::Undefined(Undefined::DivisionByZero)),
                    None => leave!(Leave::Undefined(Undefined::DivisionOverflow)),
                }
            }};
        }
        // The amount of a shift, modulo the width.
        macro_rules! amount {
            ($b:expr, $width:expr) => {{
                let amount = get!($b);
                if amount >= $width {
                    log.note(EventKind::Shift, pc);
                }
                (amount % $width) as u32
            }};
        }
        macro_rules! float {
            ($op:ident, $to:expr, $a:expr, $b:expr, $operator:tt) => {{
                let (a, b) = (get!($a), get!($b));
                let result = f64::from_bits(a) $operator f64::from_bits(b);
                set!($to, if result.is_nan() { nan(BinaryOp::$op, a, b) } else { result.to_bits() });
            }};
        }
        macro_rules! load {
            ($to:expr, $address:expr, $int:ty) => {
                match memory.load($address) {
                    Some(bytes) => set!($to, u64::from(<$int>::from_le_bytes(bytes))),
                    None => leave!(Leave::Step),
                }
            };
        }
        macro_rules! store {
            ($from:expr, $address:expr, $int:ty) => {
                if memory.store($address, (get!($from) as $int).to_le_bytes()).is_none() {
                    leave!(Leave::Step)
                }
            };
        }
        macro_rules! at {
            ($at:expr, $offset:expr) => {
                memory.cut(get!($at).wrapping_add($offset))
            };
        }
        macro_rules! jump {
            ($condition:expr, $target:expr) => {
                if $condition {
                    pc = $target as usize;
                    continue;
                }
            };
        }

        loop {
            match ops[pc] {
                Op::Block { block, rank, weight } => {
                    log.counts[block as usize] += 1;
                    log.last_block = block;
                    log.steps += u64::from(weight);
                    if rank != NO_RANK && log.recording {
                        log.path.choose(rank);
                    }
                    if log.steps >= log.next_check {
                        pc += 1;
                        leave!(Leave::Check)
                    }
                }
                Op::Const { to, value } => set!(to, value),
                Op::Move { to, from } => set!(to, get!(from)),
                Op::AddS32 { to, a, b } => signed!(i32, u32, overflowing_add, to, get!(a), get!(b)),
                Op::AddS32I { to, a, value } => signed!(i32, u32, overflowing_add, to, get!(a), value),
                Op::AddS64 { to, a, b } => signed!(i64, u64, overflowing_add, to, get!(a), get!(b)),
                Op::AddS64I { to, a, value } => signed!(i64, u64, overflowing_add, to, get!(a), value),
                Op::Add32 { to, a, b } => set!(to, u64::from((get!(a) as u32).wrapping_add(get!(b) as u32))),
                Op::Add64 { to, a, b } => set!(to, get!(a).wrapping_add(get!(b))),
                Op::Add32I { to, a, value } => set!(to, u64::from((get!(a) as u32).wrapping_add(value as u32))),
                Op::Add64I { to, a, value } => set!(to, get!(a).wrapping_add(value)),
                Op::SubS32 { to, a, b } => signed!(i32, u32, overflowing_sub, to, get!(a), get!(b)),
                Op::SubS32I { to, a, value } => signed!(i32, u32, overflowing_sub, to, get!(a), value),
                Op::SubS64 { to, a, b } => signed!(i64, u64, overflowing_sub, to, get!(a), get!(b)),
                Op::SubS64I { to, a, value } => signed!(i64, u64, overflowing_sub, to, get!(a), value),
                Op::Sub32 { to, a, b } => set!(to, u64::from((get!(a) as u32).wrapping_sub(get!(b) as u32))),
                Op::Sub64 { to, a, b } => set!(to, get!(a).wrapping_sub(get!(b))),
                Op::MulS32 { to, a, b } => signed!(i32, u32, overflowing_mul, to, get!(a), get!(b)),
                Op::MulS32I { to, a, value } => signed!(i32, u32, overflowing_mul, to, get!(a), value),
                Op::MulS64 { to, a, b } => signed!(i64, u64, overflowing_mul, to, get!(a), get!(b)),
                Op::MulS64I { to, a, value } => signed!(i64, u64, overflowing_mul, to, get!(a), value),
                Op::Mul32 { to, a, b } => set!(to, u64::from((get!(a) as u32).wrapping_mul(get!(b) as u32))),
                Op::Mul64 { to, a, b } => set!(to, get!(a).wrapping_mul(get!(b))),
                Op::Mul32I { to, a, value } => set!(to, u64::from((get!(a) as u32).wrapping_mul(value as u32))),
                Op::Mul64I { to, a, value } => set!(to, get!(a).wrapping_mul(value)),
                Op::DivS32 { to, a, b } => divide!(i32, u32, checked_div, to, a, b),
                Op::DivS64 { to, a, b } => divide!(i64, u64, checked_div, to, a, b),
                Op::DivU { to, a, b } => divide!(u64, u64, checked_div, to, a, b),
                Op::RemS32 { to, a, b } => divide!(i32, u32, checked_rem, to, a, b),
                Op::RemS64 { to, a, b } => divide!(i64, u64, checked_rem, to, a, b),
                Op::RemU { to, a, b } => divide!(u64, u64, checked_rem, to, a, b),
                Op::And { to, a, b } => set!(to, get!(a) & get!(b)),
                Op::AndI { to, a, value } => set!(to, get!(a) & value),
                Op::Or { to, a, b } => set!(to, get!(a) | get!(b)),
                Op::OrI { to, a, value } => set!(to, get!(a) | value),
                Op::Xor { to, a, b } => set!(to, get!(a) ^ get!(b)),
                Op::XorI { to, a, value } => set!(to, get!(a) ^ value),
                Op::Shl32 { to, a, b } => set!(to, u64::from((get!(a) as u32) << amount!(b, 32))),
                Op::Shl64 { to, a, b } => set!(to, get!(a) << amount!(b, 64)),
                Op::ShrS32 { to, a, b } => set!(to, u64::from((get!(a) as i32 >> amount!(b, 32)) as u32)),
                Op::ShrS64 { to, a, b } => set!(to, (get!(a) as i64 >> amount!(b, 64)) as u64),
                Op::ShrU32 { to, a, b } => set!(to, get!(a) >> amount!(b, 32)),
                Op::ShrU64 { to, a, b } => set!(to, get!(a) >> amount!(b, 64)),
                Op::Shl32I { to, a, value } => set!(to, u64::from((get!(a) as u32) << (value & 31))),
                Op::Shl64I { to, a, value } => set!(to, get!(a) << (value & 63)),
                Op::ShrS32I { to, a, value } => set!(to, u64::from((get!(a) as i32 >> (value & 31)) as u32)),
                Op::ShrS64I { to, a, value } => set!(to, (get!(a) as i64 >> (value & 63)) as u64),
                Op::ShrUI { to, a, value } => set!(to, get!(a) >> (value & 63)),
                Op::Eq { to, a, b } => set!(to, u64::from(get!(a) == get!(b))),
                Op::Ne { to, a, b } => set!(to, u64::from(get!(a) != get!(b))),
                Op::EqI { to, a, value } => set!(to, u64::from(get!(a) == value)),
                Op::NeI { to, a, value } => set!(to, u64::from(get!(a) != value)),
                Op::LtS32 { to, a, b } => set!(to, u64::from((get!(a) as i32) < get!(b) as i32)),
                Op::LtS64 { to, a, b } => set!(to, u64::from((get!(a) as i64) < get!(b) as i64)),
                Op::LtU { to, a, b } => set!(to, u64::from(get!(a) < get!(b))),
                Op::LeS32 { to, a, b } => set!(to, u64::from((get!(a) as i32) <= get!(b) as i32)),
                Op::LeS64 { to, a, b } => set!(to, u64::from((get!(a) as i64) <= get!(b) as i64)),
                Op::LeU { to, a, b } => set!(to, u64::from(get!(a) <= get!(b))),
                Op::SignExtend8To32 { to, a } => set!(to, u64::from(get!(a) as i8 as u32)),
                Op::SignExtend16To32 { to, a } => set!(to, u64::from(get!(a) as i16 as u32)),
                Op::SignExtend8To64 { to, a } => set!(to, get!(a) as i8 as u64),
                Op::SignExtend16To64 { to, a } => set!(to, get!(a) as i16 as u64),
                Op::SignExtend32To64 { to, a } => set!(to, get!(a) as i32 as u64),
                Op::AddF64 { to, a, b } => float!(Add, to, a, b, +),
                Op::SubF64 { to, a, b } => float!(Sub, to, a, b, -),
                Op::MulF64 { to, a, b } => float!(Mul, to, a, b, *),
                Op::DivF64 { to, a, b } => float!(Div, to, a, b, /),
                Op::LtF64 { to, a, b } => set!(to, u64::from(f64::from_bits(get!(a)) < f64::from_bits(get!(b)))),
                Op::LeF64 { to, a, b } => set!(to, u64::from(f64::from_bits(get!(a)) <= f64::from_bits(get!(b)))),
                Op::EqF64 { to, a, b } => set!(to, u64::from(f64::from_bits(get!(a)) == f64::from_bits(get!(b)))),
                Op::SignedToF64 { to, a, bits } => {
                    let value = if bits == 32 { i64::from(get!(a) as i32) } else { get!(a) as i64 };
                    set!(to, (value as f64).to_bits());
                }
                Op::IndexS32 { to, base, index, stride } => {
                    set!(to, get!(base).wrapping_add((i64::from(get!(index) as i32) * i64::from(stride)) as u64));
                }
                Op::Index64 { to, base, index, stride } => {
                    set!(to, get!(base).wrapping_add(get!(index).wrapping_mul(i64::from(stride) as u64)));
                }
                Op::IndexS32Narrow { to, base, index, stride } | Op::Index64Narrow { to, base, index, stride } => {
                    let distance = (get!(index) as u32).wrapping_mul(stride as u32);
                    set!(to, u64::from((get!(base) as u32).wrapping_add(distance)));
                }
                Op::Load8 { to, at, offset } => load!(to, at!(at, offset), u8),
                Op::LoadAt8 { to, address } => load!(to, address, u8),
                Op::Store8 { from, at, offset } => store!(from, at!(at, offset), u8),
                Op::StoreAt8 { from, address } => store!(from, address, u8),
                Op::Load16 { to, at, offset } => load!(to, at!(at, offset), u16),
                Op::LoadAt16 { to, address } => load!(to, address, u16),
                Op::Store16 { from, at, offset } => store!(from, at!(at, offset), u16),
                Op::StoreAt16 { from, address } => store!(from, address, u16),
                Op::Load32 { to, at, offset } => load!(to, at!(at, offset), u32),
                Op::LoadAt32 { to, address } => load!(to, address, u32),
                Op::Store32 { from, at, offset } => store!(from, at!(at, offset), u32),
                Op::StoreAt32 { from, address } => store!(from, address, u32),
                Op::Load64 { to, at, offset } => load!(to, at!(at, offset), u64),
                Op::LoadAt64 { to, address } => load!(to, address, u64),
                Op::Store64 { from, at, offset } => store!(from, at!(at, offset), u64),
                Op::StoreAt64 { from, address } => store!(from, address, u64),
                Op::Jump { target } => jump!(true, target),
                Op::JumpIf { a, target } => jump!(get!(a) != 0, target),
                Op::JumpIfNot { a, target } => jump!(get!(a) == 0, target),
                Op::JumpEq { a, b, target } => jump!(get!(a) == get!(b), target),
                Op::JumpNe { a, b, target } => jump!(get!(a) != get!(b), target),
                Op::JumpEqI { a, value, target } => jump!(get!(a) == value, target),
                Op::JumpNeI { a, value, target } => jump!(get!(a) != value, target),
                Op::JumpLtS32 { a, b, target } => jump!((get!(a) as i32) < get!(b) as i32, target),
                Op::JumpLtS64 { a, b, target } => jump!((get!(a) as i64) < get!(b) as i64, target),
                Op::JumpLtU { a, b, target } => jump!(get!(a) < get!(b), target),
                Op::JumpLeS32 { a, b, target } => jump!((get!(a) as i32) <= get!(b) as i32, target),
                Op::JumpLeS64 { a, b, target } => jump!((get!(a) as i64) <= get!(b) as i64, target),
                Op::JumpLeU { a, b, target } => jump!(get!(a) <= get!(b), target),
                Op::JumpLtS32I { a, value, target } => jump!((get!(a) as i32) < value as i32, target),
                Op::JumpLtS64I { a, value, target } => jump!((get!(a) as i64) < value as i64, target),
                Op::JumpLtUI { a, value, target } => jump!(get!(a) < value, target),
                Op::JumpLeS32I { a, value, target } => jump!((get!(a) as i32) <= value as i32, target),
                Op::JumpLeS64I { a, value, target } => jump!((get!(a) as i64) <= value as i64, target),
                Op::JumpLeUI { a, value, target } => jump!(get!(a) <= value, target),
                Op::JumpGtS32I { a, value, target } => jump!((get!(a) as i32) > value as i32, target),
                Op::JumpGtS64I { a, value, target } => jump!((get!(a) as i64) > value as i64, target),
                Op::JumpGtUI { a, value, target } => jump!(get!(a) > value, target),
                Op::JumpGeS32I { a, value, target } => jump!((get!(a) as i32) >= value as i32, target),
                Op::JumpGeS64I { a, value, target } => jump!((get!(a) as i64) >= value as i64, target),
                Op::JumpGeUI { a, value, target } => jump!(get!(a) >= value, target),
                Op::Observe { a } => {
                    if get!(a) != 0 && log.seen & 8 == 0 {
                        log.note(EventKind::AddressObserved, pc);
                    }
                }
                Op::Together { a, b } => {
                    if log.seen & 8 == 0 && !memory.together(get!(a), get!(b)) {
                        log.note(EventKind::AddressObserved, pc);
                    }
                }
                Op::Pure { index } => {
                    if let Err(undefined) = pure(&self.code.pure[index as usize], frame, log, pc) {
                        leave!(Leave::Undefined(undefined))
                    }
                }
                Op::Result { to, base } => {
                    if self.valueless {
                        leave!(Leave::Step)
                    }
                    set!(to, get!(base));
                }
                Op::Memory { .. }
                | Op::Local { .. }
                | Op::Forget { .. }
                | Op::Call { .. }
                | Op::Site { .. }
                | Op::Return { .. }
                | Op::ReturnWide { .. }
                | Op::ReturnRecord { .. }
                | Op::ReturnNothing
                | Op::Stuck
                | Op::Probe { .. }
                | Op::Unsupported { .. } => leave!(Leave::Step),
            }
            pc += 1;
        }
    }
}

/// The NaN that an operation on doubles gives.
#[cold]
fn nan(op: BinaryOp, a: u64, b: u64) -> u64 {
    let double = tandem_syntax::Scalar::Float(tandem_syntax::types::FloatKind::Double);
    semantics::binary(op, double, double, u128::from(a), u128::from(b), 1).map_or(0, |outcome| outcome.bits as u64)
}

/// The value of a scalar in a register, or in two.
pub(super) fn scalar_in(frame: &[u64], register: Reg, bits: u32) -> u128 {
    let low = u128::from(frame[usize::from(register)]);
    if bits > 64 { low | u128::from(frame[usize::from(register) + 1]) << 64 } else { low }
}

pub(super) fn put_scalar(frame: &mut [u64], register: Reg, bits: u32, value: u128) {
    frame[usize::from(register)] = value as u64;
    if bits > 64 {
        frame[usize::from(register) + 1] = (value >> 64) as u64;
    }
}

/// Carries out an operation on any scalars.
fn pure(operation: &Pure, frame: &mut [u64], log: &mut Log, pc: usize) -> Result<(), Undefined> {
    let (to, bits, outcome) = match *operation {
        Pure::Unary { op, scalar, to, a } => {
            let bits = if op == crate::model::UnaryOp::Not { 32 } else { scalar.bits() };
            (to, bits, semantics::unary(op, scalar, scalar_in(frame, a, scalar.bits())))
        }
        Pure::Binary { op, left, right, stride, to, a, b } => {
            let (x, y) = (scalar_in(frame, a, left.bits()), scalar_in(frame, b, right.bits()));
            let outcome = semantics::binary(op, left, right, x, y, stride).map_err(|undefined| match undefined {
                semantics::Undefined::DivisionByZero => Undefined::DivisionByZero,
                semantics::Undefined::DivisionOverflow => Undefined::DivisionOverflow,
            })?;
            (to, if result_is_int(op) { 32 } else { left.bits() }, outcome)
        }
        Pure::Convert { from, into, to, a } => {
            (to, into.bits(), semantics::convert(from, into, scalar_in(frame, a, from.bits())))
        }
        Pure::Intrinsic { intrinsic, scalar, into, to, a, b } => {
            let (x, y) = (scalar_in(frame, a, scalar.bits()), scalar_in(frame, b, scalar.bits()));
            let bits = semantics::intrinsic(intrinsic, scalar, x, y);
            let outcome = semantics::convert(semantics::intrinsic_result(intrinsic, scalar), into, bits);
            (to, into.bits(), outcome)
        }
        Pure::Wide { to, value } => {
            put_scalar(frame, to, 128, value);
            return Ok(());
        }
    };
    if !outcome.flags.is_empty() {
        log.flags(outcome.flags, pc);
    }
    put_scalar(frame, to, bits, outcome.bits);
    Ok(())
}

fn result_is_int(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
}
