//! The one place that talks to Z3's C interface, behind handles that cannot be misused against memory safety.
//!
//! A [`Session`] owns a context, a solver and every syntax tree made in it. Handles are indices into the session's own
//! tables, so a handle of another session is at worst a wrong tree (which Z3 refuses or which gives a wrong answer), never a
//! dangling pointer. Every error of Z3 becomes an [`Error`]; no error handler is installed, so nothing exits.
//!
//! This file never knows terms. It never looks at `Z3_decl_kind`, whose numbers differ between versions.

// The C interface cannot be called otherwise. What every `unsafe` block relies on, unless it says more: the context is
// alive as long as the session is, every pointer in the session's tables was returned by Z3 for this context and is
// held by a reference count, and `&mut self` (or the fact that a session is not `Sync`) keeps threads apart.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString};
use std::sync::Arc;

use parking_lot::Mutex;
use z3_sys::*;

/// What Z3 said went wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error(pub String);

pub type Result<T> = std::result::Result<T, Error>;

/// A syntax tree of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ast(u32);

/// A sort of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SortHandle(u32);

/// A function declaration of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decl(u32);

/// Defines an enum of operations and the C function behind each.
macro_rules! operations {
    ($(#[$doc:meta])* $name:ident: fn($($argument:ty),*) { $($variant:ident => $function:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name { $($variant,)* }

        impl $name {
            fn function(self) -> unsafe extern "C" fn(Z3_context $(, $argument)*) -> Option<Z3_ast> {
                match self { $($name::$variant => $function,)* }
            }
        }
    };
}

operations! {
    /// Constants.
    Constant: fn() {
        True => Z3_mk_true,
        False => Z3_mk_false,
        NearestEven => Z3_mk_fpa_rne,
        NearestAway => Z3_mk_fpa_rna,
        TowardPositive => Z3_mk_fpa_rtp,
        TowardNegative => Z3_mk_fpa_rtn,
        TowardZero => Z3_mk_fpa_rtz,
    }
}

operations! {
    /// Functions of one argument.
    Unary: fn(Z3_ast) {
        Not => Z3_mk_not,
        BvNot => Z3_mk_bvnot,
        BvNeg => Z3_mk_bvneg,
        FloatAbs => Z3_mk_fpa_abs,
        FloatNeg => Z3_mk_fpa_neg,
        FloatToBits => Z3_mk_fpa_to_ieee_bv,
        FloatIsNormal => Z3_mk_fpa_is_normal,
        FloatIsSubnormal => Z3_mk_fpa_is_subnormal,
        FloatIsZero => Z3_mk_fpa_is_zero,
        FloatIsInfinite => Z3_mk_fpa_is_infinite,
        FloatIsNan => Z3_mk_fpa_is_nan,
        FloatIsNegative => Z3_mk_fpa_is_negative,
        FloatIsPositive => Z3_mk_fpa_is_positive,
    }
}

operations! {
    /// Functions of two arguments.
    Binary: fn(Z3_ast, Z3_ast) {
        Xor => Z3_mk_xor,
        Eq => Z3_mk_eq,
        Implies => Z3_mk_implies,
        BvAnd => Z3_mk_bvand,
        BvOr => Z3_mk_bvor,
        BvXor => Z3_mk_bvxor,
        BvAdd => Z3_mk_bvadd,
        BvMul => Z3_mk_bvmul,
        BvUdiv => Z3_mk_bvudiv,
        BvUrem => Z3_mk_bvurem,
        BvSdiv => Z3_mk_bvsdiv,
        BvSrem => Z3_mk_bvsrem,
        BvShl => Z3_mk_bvshl,
        BvLshr => Z3_mk_bvlshr,
        BvAshr => Z3_mk_bvashr,
        BvUlt => Z3_mk_bvult,
        BvUle => Z3_mk_bvule,
        BvSlt => Z3_mk_bvslt,
        BvSle => Z3_mk_bvsle,
        Concat => Z3_mk_concat,
        Select => Z3_mk_select,
        FloatEq => Z3_mk_fpa_eq,
        FloatLt => Z3_mk_fpa_lt,
        FloatLe => Z3_mk_fpa_leq,
        FloatMin => Z3_mk_fpa_min,
        FloatMax => Z3_mk_fpa_max,
        FloatRem => Z3_mk_fpa_rem,
        FloatSqrt => Z3_mk_fpa_sqrt,
        FloatRoundToIntegral => Z3_mk_fpa_round_to_integral,
    }
}

operations! {
    /// Functions of three arguments.
    Ternary: fn(Z3_ast, Z3_ast, Z3_ast) {
        Ite => Z3_mk_ite,
        Store => Z3_mk_store,
        FloatAdd => Z3_mk_fpa_add,
        FloatSub => Z3_mk_fpa_sub,
        FloatMul => Z3_mk_fpa_mul,
        FloatDiv => Z3_mk_fpa_div,
    }
}

/// Functions of one argument with numbers or a sort as parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Indexed {
    Extract { high: u32, low: u32 },
    ZeroExtend(u32),
    SignExtend(u32),
    ConstArray { index: SortHandle },
    FloatFromBits(SortHandle),
}

/// Conversions of and to floats: rounding mode, argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conversion {
    ToFloat(SortHandle),
    FromSigned(SortHandle),
    FromUnsigned(SortHandle),
    ToSigned(u32),
    ToUnsigned(u32),
}

/// What a check said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    Sat,
    Unsat,
    Unknown(String),
}

/// Which of Z3's solvers a session uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The incremental core alone.
    Incremental,
    /// Tactics chosen by Z3 from the assertions; for one check.
    Tactics,
}

/// The shape of a value or of a part of one.
#[derive(Clone, Debug)]
pub enum Shape {
    Numeral,
    /// Declaration name and arguments.
    Application(String, Vec<Ast>),
    Other,
}

/// Entries and default of a function's interpretation.
pub struct Interpretation {
    pub entries: Vec<(Vec<Ast>, Ast)>,
    pub default: Option<Ast>,
}

/// Lets another thread interrupt the session; does nothing once the session is gone.
#[derive(Clone)]
pub struct Interrupter(Arc<Mutex<Option<ContextPointer>>>);

/// The pointer that an interrupter uses, only under its lock and only while the session lives.
struct ContextPointer(Z3_context);

// SAFETY: the only thing done with the pointer is `Z3_interrupt`, which Z3 allows from any thread.
unsafe impl Send for ContextPointer {}

impl Interrupter {
    pub fn interrupt(&self) {
        if let Some(context) = &*self.0.lock() {
            // SAFETY: the session takes the pointer out, under this lock, before it deletes the context.
            unsafe { Z3_interrupt(context.0) }
        }
    }
}

/// How many objects a session holds; see [`Session::release`].
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    asts: usize,
    decls: usize,
}

/// A context with a solver and all it refers to.
pub struct Session {
    context: Z3_context,
    solver: Z3_solver,
    model: Option<Z3_model>,
    asts: Vec<Z3_ast>,
    sorts: Vec<Z3_sort>,
    decls: Vec<Z3_func_decl>,
    interrupter: Interrupter,
}

// SAFETY: a context may be used by any one thread at a time, and a session is the sole owner of its own.
unsafe impl Send for Session {}

impl Session {
    pub fn new(kind: Kind) -> Result<Session> {
        let no_memory = || Error("Z3 could not make a context".into());
        // SAFETY: the configuration is deleted right after its only use; the context is owned by the session made here.
        let context = unsafe {
            let config = Z3_mk_config().ok_or_else(no_memory)?;
            let context = Z3_mk_context_rc(config);
            Z3_del_config(config);
            context.ok_or_else(no_memory)?
        };
        // SAFETY: without a handler an error only sets the code that `error` reads.
        unsafe { Z3_set_error_handler(context, None) };
        let Some(solver) = make_solver(context, kind) else {
            // SAFETY: nothing else refers to the context.
            unsafe { Z3_del_context(context) };
            return Err(no_memory());
        };
        let interrupter = Interrupter(Arc::new(Mutex::new(Some(ContextPointer(context)))));
        Ok(Session { context, solver, model: None, asts: vec![], sorts: vec![], decls: vec![], interrupter })
    }

    /// The version of the library that is linked in.
    pub fn version() -> String {
        let (mut major, mut minor, mut build, mut revision) = (0, 0, 0, 0);
        // SAFETY: the four pointers are to live integers.
        unsafe { Z3_get_version(&mut major, &mut minor, &mut build, &mut revision) };
        format!("{major}.{minor}.{build}.{revision}")
    }

    /// Replaces the solver by an empty one; the trees stay.
    pub fn renew_solver(&mut self, kind: Kind) -> Result<()> {
        self.drop_model();
        let solver = make_solver(self.context, kind).ok_or_else(|| self.error())?;
        // SAFETY: the old solver was counted when it was made.
        unsafe { Z3_solver_dec_ref(self.context, std::mem::replace(&mut self.solver, solver)) };
        Ok(())
    }

    pub fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }

    pub fn mark(&self) -> Mark {
        Mark { asts: self.asts.len(), decls: self.decls.len() }
    }

    /// Lets go of all trees and declarations made since the mark.
    pub fn release(&mut self, mark: Mark) {
        for ast in self.asts.drain(mark.asts.min(self.asts.len())..) {
            // SAFETY: counted when it was put into the table, and no handle to it can be used any more.
            unsafe { Z3_dec_ref(self.context, ast) }
        }
        for decl in self.decls.drain(mark.decls.min(self.decls.len())..) {
            release_decl(self.context, decl);
        }
    }

    // Sorts.

    pub fn bool_sort(&mut self) -> Result<SortHandle> {
        // SAFETY: see the top of the file (likewise for all blocks below that say nothing else).
        let sort = unsafe { Z3_mk_bool_sort(self.context) };
        self.keep_sort(sort)
    }

    pub fn bv_sort(&mut self, width: u32) -> Result<SortHandle> {
        // SAFETY: as above.
        let sort = unsafe { Z3_mk_bv_sort(self.context, width) };
        self.keep_sort(sort)
    }

    pub fn float_sort(&mut self, exponent: u32, significand: u32) -> Result<SortHandle> {
        // SAFETY: as above.
        let sort = unsafe { Z3_mk_fpa_sort(self.context, exponent, significand) };
        self.keep_sort(sort)
    }

    pub fn rounding_sort(&mut self) -> Result<SortHandle> {
        // SAFETY: as above.
        let sort = unsafe { Z3_mk_fpa_rounding_mode_sort(self.context) };
        self.keep_sort(sort)
    }

    pub fn array_sort(&mut self, index: SortHandle, element: SortHandle) -> Result<SortHandle> {
        // SAFETY: as above.
        let sort = unsafe { Z3_mk_array_sort(self.context, self.sort(index), self.sort(element)) };
        self.keep_sort(sort)
    }

    pub fn uninterpreted_sort(&mut self, name: &str) -> Result<SortHandle> {
        let symbol = self.symbol(name)?;
        // SAFETY: as above.
        let sort = unsafe { Z3_mk_uninterpreted_sort(self.context, symbol) };
        self.keep_sort(sort)
    }

    // Trees.

    pub fn declare(&mut self, name: &str, parameters: &[SortHandle], result: SortHandle) -> Result<Decl> {
        let symbol = self.symbol(name)?;
        let domain: Vec<Z3_sort> = parameters.iter().map(|&sort| self.sort(sort)).collect();
        // SAFETY: the domain has as many elements as is said.
        let decl =
            unsafe { Z3_mk_func_decl(self.context, symbol, domain.len() as u32, domain.as_ptr(), self.sort(result)) };
        self.keep_decl(decl)
    }

    pub fn apply(&mut self, decl: Decl, args: &[Ast]) -> Result<Ast> {
        let args: Vec<Z3_ast> = args.iter().map(|&ast| self.ast(ast)).collect();
        // SAFETY: Z3 checks number and sorts of the arguments against the declaration.
        let ast = unsafe { Z3_mk_app(self.context, self.decls[decl.0 as usize], args.len() as u32, args.as_ptr()) };
        self.keep(ast)
    }

    pub fn constant(&mut self, constant: Constant) -> Result<Ast> {
        // SAFETY: as above.
        let ast = unsafe { constant.function()(self.context) };
        self.keep(ast)
    }

    pub fn bits(&mut self, sort: SortHandle, bits: u64) -> Result<Ast> {
        // SAFETY: as above.
        let ast = unsafe { Z3_mk_unsigned_int64(self.context, bits, self.sort(sort)) };
        self.keep(ast)
    }

    /// A number of any size, in decimal.
    pub fn numeral(&mut self, sort: SortHandle, digits: &str) -> Result<Ast> {
        let digits = c_string(digits)?;
        // SAFETY: the string lives until after the call and ends with a zero.
        let ast = unsafe { Z3_mk_numeral(self.context, digits.as_ptr(), self.sort(sort)) };
        self.keep(ast)
    }

    pub fn unary(&mut self, operation: Unary, a: Ast) -> Result<Ast> {
        // SAFETY: as above.
        let ast = unsafe { operation.function()(self.context, self.ast(a)) };
        self.keep(ast)
    }

    pub fn binary(&mut self, operation: Binary, a: Ast, b: Ast) -> Result<Ast> {
        // SAFETY: as above.
        let ast = unsafe { operation.function()(self.context, self.ast(a), self.ast(b)) };
        self.keep(ast)
    }

    pub fn ternary(&mut self, operation: Ternary, a: Ast, b: Ast, c: Ast) -> Result<Ast> {
        // SAFETY: as above.
        let ast = unsafe { operation.function()(self.context, self.ast(a), self.ast(b), self.ast(c)) };
        self.keep(ast)
    }

    pub fn fma(&mut self, rounding: Ast, x: Ast, y: Ast, z: Ast) -> Result<Ast> {
        // SAFETY: as above.
        let ast = unsafe { Z3_mk_fpa_fma(self.context, self.ast(rounding), self.ast(x), self.ast(y), self.ast(z)) };
        self.keep(ast)
    }

    pub fn and(&mut self, args: &[Ast]) -> Result<Ast> {
        let args: Vec<Z3_ast> = args.iter().map(|&ast| self.ast(ast)).collect();
        // SAFETY: as many arguments as is said.
        let ast = unsafe { Z3_mk_and(self.context, args.len() as u32, args.as_ptr()) };
        self.keep(ast)
    }

    pub fn or(&mut self, args: &[Ast]) -> Result<Ast> {
        let args: Vec<Z3_ast> = args.iter().map(|&ast| self.ast(ast)).collect();
        // SAFETY: as many arguments as is said.
        let ast = unsafe { Z3_mk_or(self.context, args.len() as u32, args.as_ptr()) };
        self.keep(ast)
    }

    pub fn indexed(&mut self, operation: Indexed, a: Ast) -> Result<Ast> {
        let (context, a) = (self.context, self.ast(a));
        // SAFETY: as above; Z3 checks the parameters.
        let ast = unsafe {
            match operation {
                Indexed::Extract { high, low } => Z3_mk_extract(context, high, low, a),
                Indexed::ZeroExtend(by) => Z3_mk_zero_ext(context, by, a),
                Indexed::SignExtend(by) => Z3_mk_sign_ext(context, by, a),
                Indexed::ConstArray { index } => Z3_mk_const_array(context, self.sort(index), a),
                Indexed::FloatFromBits(sort) => Z3_mk_fpa_to_fp_bv(context, a, self.sort(sort)),
            }
        };
        self.keep(ast)
    }

    pub fn convert(&mut self, conversion: Conversion, rounding: Ast, a: Ast) -> Result<Ast> {
        let (context, rounding, a) = (self.context, self.ast(rounding), self.ast(a));
        // SAFETY: as above.
        let ast = unsafe {
            match conversion {
                Conversion::ToFloat(sort) => Z3_mk_fpa_to_fp_float(context, rounding, a, self.sort(sort)),
                Conversion::FromSigned(sort) => Z3_mk_fpa_to_fp_signed(context, rounding, a, self.sort(sort)),
                Conversion::FromUnsigned(sort) => Z3_mk_fpa_to_fp_unsigned(context, rounding, a, self.sort(sort)),
                Conversion::ToSigned(width) => Z3_mk_fpa_to_sbv(context, rounding, a, width),
                Conversion::ToUnsigned(width) => Z3_mk_fpa_to_ubv(context, rounding, a, width),
            }
        };
        self.keep(ast)
    }

    // The solver.

    pub fn push(&mut self) -> Result<()> {
        // SAFETY: as above.
        unsafe { Z3_solver_push(self.context, self.solver) };
        self.checked(())
    }

    pub fn pop(&mut self, levels: u32) -> Result<()> {
        self.drop_model();
        // SAFETY: as above; Z3 refuses to pop more than there is.
        unsafe { Z3_solver_pop(self.context, self.solver, levels) };
        self.checked(())
    }

    pub fn assert(&mut self, ast: Ast) -> Result<()> {
        // SAFETY: as above.
        unsafe { Z3_solver_assert(self.context, self.solver, self.ast(ast)) };
        self.checked(())
    }

    /// Checks under assumptions, which have to be boolean constants or their negations.
    pub fn check(&mut self, assumptions: &[Ast]) -> Result<Verdict> {
        self.drop_model();
        let assumptions: Vec<Z3_ast> = assumptions.iter().map(|&ast| self.ast(ast)).collect();
        // SAFETY: as many assumptions as is said; the text of the reason is copied at once.
        unsafe {
            let answer = if assumptions.is_empty() {
                Z3_solver_check(self.context, self.solver)
            } else {
                let count = assumptions.len() as u32;
                Z3_solver_check_assumptions(self.context, self.solver, count, assumptions.as_ptr())
            };
            match answer {
                Z3_L_TRUE => Ok(Verdict::Sat),
                Z3_L_FALSE => Ok(Verdict::Unsat),
                _ => {
                    self.checked(())?;
                    Ok(Verdict::Unknown(text(Z3_solver_get_reason_unknown(self.context, self.solver))))
                }
            }
        }
    }

    /// After `Unsat`: the positions of those of `assumptions` that Z3 used.
    pub fn core(&mut self, assumptions: &[Ast]) -> Result<Vec<usize>> {
        // SAFETY: the vector is counted while it is read; its elements live at least as long.
        unsafe {
            let Some(vector) = Z3_solver_get_unsat_core(self.context, self.solver) else { return Err(self.error()) };
            Z3_ast_vector_inc_ref(self.context, vector);
            let core: Vec<Z3_ast> = (0..Z3_ast_vector_size(self.context, vector))
                .filter_map(|i| Z3_ast_vector_get(self.context, vector, i))
                .collect();
            let used = |&(_, &handle): &(usize, &Ast)| core.contains(&self.ast(handle));
            let positions = assumptions.iter().enumerate().filter(used).map(|(position, _)| position).collect();
            Z3_ast_vector_dec_ref(self.context, vector);
            Ok(positions)
        }
    }

    // Models.

    /// After `Sat`: makes the model the one that the next functions ask.
    pub fn load_model(&mut self) -> Result<()> {
        self.drop_model();
        // SAFETY: counted here, released by `drop_model`.
        unsafe {
            let Some(model) = Z3_solver_get_model(self.context, self.solver) else { return Err(self.error()) };
            Z3_model_inc_ref(self.context, model);
            self.model = Some(model);
        }
        Ok(())
    }

    /// The value of a tree in the loaded model, all that the model leaves open completed.
    pub fn eval(&mut self, ast: Ast) -> Result<Ast> {
        let Some(model) = self.model else { return Err(Error("no model".into())) };
        let mut value = self.ast(ast);
        // SAFETY: Z3 writes the pointer only when it returns true.
        let done = unsafe { Z3_model_eval(self.context, model, self.ast(ast), true, &mut value) };
        if done { self.keep(Some(value)) } else { Err(self.error()) }
    }

    /// The interpretation of a constant in the loaded model, if the model has one.
    pub fn constant_interpretation(&mut self, decl: Decl) -> Result<Option<Ast>> {
        let Some(model) = self.model else { return Err(Error("no model".into())) };
        // SAFETY: the declaration has no parameters, else Z3 answers null.
        let value = unsafe { Z3_model_get_const_interp(self.context, model, self.decls[decl.0 as usize]) };
        value.map(|value| self.keep(Some(value))).transpose()
    }

    /// The interpretation of a function in the loaded model, if the model has one.
    pub fn function_interpretation(&mut self, decl: Decl) -> Result<Option<Interpretation>> {
        let Some(model) = self.model else { return Err(Error("no model".into())) };
        let context = self.context;
        // SAFETY: interpretation and entries are counted while they are read.
        unsafe {
            let decl = self.decls[decl.0 as usize];
            let Some(found) = Z3_model_get_func_interp(context, model, decl) else { return Ok(None) };
            Z3_func_interp_inc_ref(context, found);
            let mut entries = Vec::new();
            for i in 0..Z3_func_interp_get_num_entries(context, found) {
                let Some(entry) = Z3_func_interp_get_entry(context, found, i) else { continue };
                Z3_func_entry_inc_ref(context, entry);
                let args: Result<Vec<Ast>> = (0..Z3_func_entry_get_num_args(context, entry))
                    .map(|j| self.keep(Z3_func_entry_get_arg(context, entry, j)))
                    .collect();
                let value = self.keep(Z3_func_entry_get_value(context, entry));
                Z3_func_entry_dec_ref(context, entry);
                entries.push((args, value));
            }
            let default = Z3_func_interp_get_else(context, found).map(|default| self.keep(Some(default)));
            Z3_func_interp_dec_ref(context, found);
            let entries: Result<Vec<_>> = entries.into_iter().map(|(args, value)| Ok((args?, value?))).collect();
            Ok(Some(Interpretation { entries: entries?, default: default.transpose()? }))
        }
    }

    /// The function that an `as-array` value stands for.
    pub fn as_array(&mut self, ast: Ast) -> Result<Option<Decl>> {
        // SAFETY: as above; the second function is only called when the first allows it.
        let decl = unsafe {
            if !Z3_is_as_array(self.context, self.ast(ast)) {
                return Ok(None);
            }
            Z3_get_as_array_func_decl(self.context, self.ast(ast))
        };
        self.keep_decl(decl).map(Some)
    }

    pub fn shape(&mut self, ast: Ast) -> Result<Shape> {
        let (context, raw) = (self.context, self.ast(ast));
        // SAFETY: `to_app` is only called on applications; the name is copied at once.
        unsafe {
            if Z3_is_numeral_ast(context, raw) {
                return Ok(Shape::Numeral);
            }
            if !Z3_is_app(context, raw) {
                return Ok(Shape::Other);
            }
            let Some(app) = Z3_to_app(context, raw) else { return Err(self.error()) };
            let name = match Z3_get_app_decl(context, app).and_then(|decl| Z3_get_decl_name(context, decl)) {
                Some(symbol) => text(Z3_get_symbol_string(context, symbol)),
                None => String::new(),
            };
            let args: Result<Vec<Ast>> =
                (0..Z3_get_app_num_args(context, app)).map(|i| self.keep(Z3_get_app_arg(context, app, i))).collect();
            Ok(Shape::Application(name, args?))
        }
    }

    pub fn bool_value(&self, ast: Ast) -> Option<bool> {
        // SAFETY: as above.
        match unsafe { Z3_get_bool_value(self.context, self.ast(ast)) } {
            Z3_L_TRUE => Some(true),
            Z3_L_FALSE => Some(false),
            _ => None,
        }
    }

    /// The value of a numeral of at most 64 bits.
    pub fn small_value(&self, ast: Ast) -> Option<u64> {
        let mut value = 0;
        // SAFETY: asked for numerals only, and the pointer is to a live integer.
        unsafe {
            let raw = self.ast(ast);
            (Z3_is_numeral_ast(self.context, raw) && Z3_get_numeral_uint64(self.context, raw, &mut value))
                .then_some(value)
        }
    }

    /// The digits of a numeral, decimal.
    pub fn numeral_value(&self, ast: Ast) -> Option<String> {
        // SAFETY: asked for numerals only; the string is copied at once.
        unsafe {
            let raw = self.ast(ast);
            Z3_is_numeral_ast(self.context, raw).then(|| text(Z3_get_numeral_string(self.context, raw)))
        }
    }

    /// A number that tells trees of this session apart while they are held.
    pub fn identity(&self, ast: Ast) -> u32 {
        // SAFETY: as above.
        unsafe { Z3_get_ast_id(self.context, self.ast(ast)) }
    }

    fn drop_model(&mut self) {
        if let Some(model) = self.model.take() {
            // SAFETY: counted by `load_model`.
            unsafe { Z3_model_dec_ref(self.context, model) }
        }
    }

    fn ast(&self, ast: Ast) -> Z3_ast {
        self.asts[ast.0 as usize]
    }

    fn sort(&self, sort: SortHandle) -> Z3_sort {
        self.sorts[sort.0 as usize]
    }

    fn keep(&mut self, ast: Option<Z3_ast>) -> Result<Ast> {
        let Some(ast) = ast else { return Err(self.error()) };
        // SAFETY: Z3 just returned it for this context.
        unsafe { Z3_inc_ref(self.context, ast) };
        self.asts.push(ast);
        Ok(Ast((self.asts.len() - 1) as u32))
    }

    fn keep_sort(&mut self, sort: Option<Z3_sort>) -> Result<SortHandle> {
        let Some(sort) = sort else { return Err(self.error()) };
        // SAFETY: as in `keep`; a sort is a tree.
        if let Some(ast) = unsafe { Z3_sort_to_ast(self.context, sort) } {
            // SAFETY: as above.
            unsafe { Z3_inc_ref(self.context, ast) };
        }
        self.sorts.push(sort);
        Ok(SortHandle((self.sorts.len() - 1) as u32))
    }

    fn keep_decl(&mut self, decl: Option<Z3_func_decl>) -> Result<Decl> {
        let Some(decl) = decl else { return Err(self.error()) };
        // SAFETY: as in `keep`; a declaration is a tree.
        if let Some(ast) = unsafe { Z3_func_decl_to_ast(self.context, decl) } {
            // SAFETY: as above.
            unsafe { Z3_inc_ref(self.context, ast) };
        }
        self.decls.push(decl);
        Ok(Decl((self.decls.len() - 1) as u32))
    }

    fn symbol(&self, name: &str) -> Result<Z3_symbol> {
        let name = c_string(name)?;
        // SAFETY: Z3 copies the string.
        unsafe { Z3_mk_string_symbol(self.context, name.as_ptr()) }.ok_or_else(|| self.error())
    }

    fn checked<T>(&self, value: T) -> Result<T> {
        // SAFETY: as above.
        match unsafe { Z3_get_error_code(self.context) } {
            ErrorCode::Ok => Ok(value),
            _ => Err(self.error()),
        }
    }

    fn error(&self) -> Error {
        // SAFETY: the message is copied at once.
        unsafe {
            let code = Z3_get_error_code(self.context);
            Error(format!("Z3: {}", text(Z3_get_error_msg(self.context, code))))
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Waits for an interrupt that is under way and makes later ones do nothing.
        *self.interrupter.0.lock() = None;
        self.drop_model();
        // SAFETY: everything that was counted is released once, the context goes last.
        unsafe { Z3_solver_dec_ref(self.context, self.solver) };
        self.release(Mark { asts: 0, decls: 0 });
        for &sort in &self.sorts {
            // SAFETY: counted by `keep_sort`.
            unsafe {
                if let Some(ast) = Z3_sort_to_ast(self.context, sort) {
                    Z3_dec_ref(self.context, ast);
                }
            }
        }
        // SAFETY: nothing refers to the context any more.
        unsafe { Z3_del_context(self.context) }
    }
}

/// A solver, counted.
fn make_solver(context: Z3_context, kind: Kind) -> Option<Z3_solver> {
    // SAFETY: called with the context of a session only; the solver is counted before anything else is called.
    unsafe {
        let solver = match kind {
            Kind::Incremental => Z3_mk_simple_solver(context),
            Kind::Tactics => Z3_mk_solver(context),
        }?;
        Z3_solver_inc_ref(context, solver);
        Some(solver)
    }
}

fn release_decl(context: Z3_context, decl: Z3_func_decl) {
    // SAFETY: called once for each declaration that `keep_decl` counted, by the session that owns the context.
    unsafe {
        if let Some(ast) = Z3_func_decl_to_ast(context, decl) {
            Z3_dec_ref(context, ast);
        }
    }
}

/// Bytes that Z3 has allocated in this process, over all sessions.
pub fn allocated_bytes() -> u64 {
    // SAFETY: reads a counter.
    unsafe { Z3_get_estimated_alloc_size() }
}

fn c_string(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error("a name with a zero character".into()))
}

/// A copy of a string of Z3, which owns the original only until its next call.
///
/// # Safety
/// The pointer is null or to a string that ends with a zero.
unsafe fn text(string: Z3_string) -> String {
    if string.is_null() {
        return String::new();
    }
    // SAFETY: by the function's contract.
    unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned()
}
