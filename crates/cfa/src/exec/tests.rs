//! The operations of the fast loop against their definitions, and memory on its own.

use tandem_base::{Budget, SourceText};
use tandem_syntax::{DataModel, Scalar};

use super::memory::{Fault, Memory, ObjectKind};
use super::{End, Machine, Options, Values};
use crate::model::BinaryOp;
use crate::semantics;

const OPERATORS: [(BinaryOp, &str); 16] = [
    (BinaryOp::Add, "+"),
    (BinaryOp::Sub, "-"),
    (BinaryOp::Mul, "*"),
    (BinaryOp::Div, "/"),
    (BinaryOp::Rem, "%"),
    (BinaryOp::Shl, "<<"),
    (BinaryOp::Shr, ">>"),
    (BinaryOp::And, "&"),
    (BinaryOp::Or, "|"),
    (BinaryOp::Xor, "^"),
    (BinaryOp::Eq, "=="),
    (BinaryOp::Ne, "!="),
    (BinaryOp::Lt, "<"),
    (BinaryOp::Le, "<="),
    (BinaryOp::Gt, ">"),
    (BinaryOp::Ge, ">="),
];

/// Runs `a op b`, as a value and as a condition, on inputs; the third input is the expected value.
fn check(name: &str, scalar: Scalar, op: BinaryOp, symbol: &str, constant: Option<u128>) {
    let width = scalar.bits();
    let right = match constant {
        Some(value) => format!("({name}){value}ull"),
        None => "b".to_string(),
    };
    let text = format!(
        "{name} input(void); int main(void) {{ {name} a = input(), b = input(), e = input(), r = a {symbol} {right}; \
         int taken = 0; if (a {symbol} {right}) taken = 1; return r == e && taken == (e != 0); }}"
    );
    let program = crate::build(SourceText::plain("t.c", text.into_bytes()), DataModel::Lp64).program.unwrap();
    let mut machine = Machine::new(&program, Options::default());
    let top = 1u128 << (width - 1);
    let values = [0, 1, 2, 5, 31, 33, 63, top - 1, top, top + 1, semantics::mask(width), semantics::mask(width) - 6];
    for a in values {
        for b in values {
            let b = constant.unwrap_or(b);
            let (expected, undefined) = match semantics::binary(op, scalar, scalar, a, b, 1) {
                Ok(outcome) => (outcome.bits, false),
                Err(_) => (0, true),
            };
            let run = machine.run(&mut Values::new(vec![a, b, expected]), &Budget::unlimited());
            match run.end {
                End::Undefined { .. } => assert!(undefined, "{name} {a:#x} {symbol} {b:#x}"),
                end => assert_eq!(end, End::Returned(1), "{name} {a:#x} {symbol} {b:#x} is {expected:#x}"),
            }
        }
    }
}

#[test]
fn the_fast_loop_computes_what_is_defined() {
    for (name, bits, signed) in [
        ("int", 32, true),
        ("unsigned", 32, false),
        ("long", 64, true),
        ("unsigned long", 64, false),
        ("__int128", 128, true),
    ] {
        for (op, symbol) in OPERATORS {
            check(name, Scalar::Int { bits, signed }, op, symbol, None);
            check(name, Scalar::Int { bits, signed }, op, symbol, Some(7));
        }
    }
}

#[test]
fn dead_objects_are_remembered_and_slots_used_again() {
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        let mut memory = Memory::new(model, 1, 1 << 30);
        let first = memory.allocate(8, ObjectKind::Heap, false).unwrap();
        memory.end(first);
        assert_eq!(memory.read(first, 1), Err(Fault::Dead(ObjectKind::Heap)));
        for _ in 0..200_000 {
            let address = memory.allocate(100, ObjectKind::Heap, false).unwrap();
            assert_eq!(memory.read(address, 1), Err(Fault::Uninitialised));
            assert!(memory.read(address.wrapping_add(100), 1).is_err());
            memory.write(address, 7, 4).unwrap();
            assert_eq!(memory.read(address, 4), Ok(7));
            memory.end(address);
        }
        assert!(memory.objects.len() < 40_000);
    }
}

#[test]
fn copies_keep_what_was_written() {
    let mut memory = Memory::new(DataModel::Ilp32, 0, 1 << 20);
    let a = memory.allocate(8, ObjectKind::Heap, false).unwrap();
    let b = memory.allocate(8, ObjectKind::Heap, true).unwrap();
    memory.write(a, 0x11223344, 4).unwrap();
    memory.copy(b, a, 8).unwrap();
    assert_eq!(memory.read(b, 4), Ok(0x11223344));
    assert_eq!(memory.read(b.wrapping_add(4), 4), Err(Fault::Uninitialised));
    assert!(memory.copy(b, a, 9).is_err());
}
