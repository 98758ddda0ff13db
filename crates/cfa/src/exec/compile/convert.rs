//! Conversions between scalars in registers.

use tandem_syntax::Scalar;
use tandem_syntax::types::FloatKind;

use super::super::code::*;
use super::Compiler;

impl Compiler<'_> {
    /// The value in `a` as a value of another scalar.
    pub(super) fn converted(&mut self, from: Scalar, into: Scalar, a: Reg, want: Option<Reg>) -> Reg {
        if matches!(from, Scalar::Pointer { .. }) && matches!(into, Scalar::Int { .. }) {
            self.emit(Op::Observe { a });
        }
        if from == into {
            if from.bits() > 64 {
                if let Some(to) = want.filter(|to| *to != a) {
                    self.emit(Op::Move { to: to + 1, from: a + 1 });
                }
            }
            return self.moved(a, want);
        }
        let plain = |scalar: Scalar| !matches!(scalar, Scalar::Float(_)) && scalar.bits() <= 64;
        if plain(from) && plain(into) {
            if let Some(to) = self.converted_integer(from, into, a, want) {
                return to;
            }
        }
        if let (Scalar::Int { bits: bits @ (32 | 64), signed: true }, Scalar::Float(FloatKind::Double)) = (from, into) {
            let to = want.unwrap_or_else(|| self.take(1));
            self.emit(Op::SignedToF64 { to, a, bits });
            return to;
        }
        let to = want.unwrap_or_else(|| self.take(if into.bits() > 64 { 2 } else { 1 }));
        self.pure(Pure::Convert { from, into, to, a });
        to
    }

    fn converted_integer(&mut self, from: Scalar, into: Scalar, a: Reg, want: Option<Reg>) -> Option<Reg> {
        if into == Scalar::Bool {
            let to = want.unwrap_or_else(|| self.take(1));
            self.emit(Op::NeI { to, a, value: 0 });
            return Some(to);
        }
        let signed = from.is_signed() || matches!(from, Scalar::Pointer { .. });
        let (old, new) = (from.bits(), into.bits());
        if new == old || new > old && !signed {
            return Some(self.moved(a, want));
        }
        let build: fn(Reg, Reg) -> Op = match (old, new) {
            _ if new < old => match new {
                8 => |to, a| Op::AndI { to, a, value: 0xff },
                16 => |to, a| Op::AndI { to, a, value: 0xffff },
                _ => |to, a| Op::AndI { to, a, value: 0xffff_ffff },
            },
            (8, 32) => |to, a| Op::SignExtend8To32 { to, a },
            (16, 32) => |to, a| Op::SignExtend16To32 { to, a },
            (8, 64) => |to, a| Op::SignExtend8To64 { to, a },
            (16, 64) => |to, a| Op::SignExtend16To64 { to, a },
            (32, 64) => |to, a| Op::SignExtend32To64 { to, a },
            _ => return None,
        };
        let to = want.unwrap_or_else(|| self.take(1));
        self.emit(build(to, a));
        Some(to)
    }
}
