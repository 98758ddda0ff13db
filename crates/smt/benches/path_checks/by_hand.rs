//! The back end's C interface, used directly: the measure for what a layer may cost.

// Nothing else can call the C interface. All pointers come from Z3 for the one context, whose trees stay alive until it is
// deleted (a context without reference counts).
#![allow(unsafe_code)]

use z3_sys::*;

use super::program::{Backend, Comparison, Operation};

pub struct Hand {
    context: Z3_context,
    solver: Z3_solver,
    /// Whether the top level of the solver is a condition that was only checked.
    tried: Option<Z3_ast>,
}

impl Hand {
    pub fn new() -> Hand {
        // SAFETY: see the top of the file.
        unsafe {
            let config = Z3_mk_config().expect("a configuration");
            let context = Z3_mk_context(config).expect("a context");
            Z3_del_config(config);
            let solver = Z3_mk_simple_solver(context).expect("a solver");
            Z3_solver_inc_ref(context, solver);
            Hand { context, solver, tried: None }
        }
    }

    fn sort(&self, width: u32) -> Z3_sort {
        // SAFETY: see the top of the file.
        unsafe { Z3_mk_bv_sort(self.context, width).expect("a sort") }
    }

    fn untry(&mut self) {
        if self.tried.take().is_some() {
            // SAFETY: see the top of the file.
            unsafe { Z3_solver_pop(self.context, self.solver, 1) }
        }
    }
}

impl Drop for Hand {
    fn drop(&mut self) {
        // SAFETY: nothing uses the context afterwards.
        unsafe {
            Z3_solver_dec_ref(self.context, self.solver);
            Z3_del_context(self.context);
        }
    }
}

impl Backend for Hand {
    type Term = Z3_ast;

    fn input(&mut self, number: usize) -> Z3_ast {
        let name = std::ffi::CString::new(format!("input{number}")).expect("no zero in it");
        // SAFETY: see the top of the file; Z3 copies the name.
        unsafe {
            let symbol = Z3_mk_string_symbol(self.context, name.as_ptr()).expect("a symbol");
            let byte = Z3_mk_const(self.context, symbol, self.sort(8)).expect("a constant");
            Z3_mk_zero_ext(self.context, 24, byte).expect("a term")
        }
    }

    fn number(&mut self, value: u32) -> Z3_ast {
        // SAFETY: see the top of the file.
        unsafe { Z3_mk_unsigned_int64(self.context, value.into(), self.sort(32)).expect("a term") }
    }

    fn operation(&mut self, operation: Operation, left: Z3_ast, right: Z3_ast) -> Z3_ast {
        let function = match operation {
            Operation::Add => Z3_mk_bvadd,
            Operation::Sub => Z3_mk_bvsub,
            Operation::Mul => Z3_mk_bvmul,
            Operation::And => Z3_mk_bvand,
            Operation::Xor => Z3_mk_bvxor,
        };
        // SAFETY: see the top of the file.
        unsafe { function(self.context, left, right).expect("a term") }
    }

    fn comparison(&mut self, comparison: Comparison, left: Z3_ast, right: Z3_ast) -> Z3_ast {
        let function = match comparison {
            Comparison::Equal => Z3_mk_eq,
            Comparison::Less => Z3_mk_bvslt,
            Comparison::Below => Z3_mk_bvult,
        };
        // SAFETY: see the top of the file.
        unsafe { function(self.context, left, right).expect("a term") }
    }

    fn not(&mut self, condition: Z3_ast) -> Z3_ast {
        // SAFETY: see the top of the file.
        unsafe { Z3_mk_not(self.context, condition).expect("a term") }
    }

    fn check(&mut self, condition: Z3_ast) -> bool {
        self.untry();
        // SAFETY: see the top of the file.
        unsafe {
            Z3_solver_push(self.context, self.solver);
            Z3_solver_assert(self.context, self.solver, condition);
            self.tried = Some(condition);
            Z3_solver_check(self.context, self.solver) == Z3_L_TRUE
        }
    }

    fn enter(&mut self, condition: Z3_ast) {
        // What was just checked stays.
        assert!(self.tried.take() == Some(condition), "only feasible conditions are entered");
    }

    fn leave(&mut self) {
        self.untry();
        // SAFETY: see the top of the file.
        unsafe { Z3_solver_pop(self.context, self.solver, 1) }
    }
}
