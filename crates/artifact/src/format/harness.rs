//! A C file that makes a violation happen outside of this program: compiled together with the program, it gives the inputs
//! of a replayed run back, call by call.
//!
//! It is a translation unit of its own and includes nothing but the numbers of system calls, so it cannot clash with what the
//! program declares; that the program declares its functions with other parameters, or as `static`, does not matter to
//! the linker. Knows the program and the run's inputs; compiles and runs nothing.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

use tandem_cfa::exec::{Input, InputSource};
use tandem_cfa::library::{self, Model, Primitive};
use tandem_cfa::types::{Type, TypeId};
use tandem_cfa::{Callee, DataModel, ExprKind, FunctionId, Op, PlaceKind, Program, Scalar, VariableId, VariableKind};
use tandem_cfa::{semantics, types};

/// The exit status of a program that reached the error in the harness.
pub const ERROR_STATUS: i32 = 107;
/// The exit status of a program that left the path: an assumption failed, or a function that never returns was called.
pub const LEFT_STATUS: i32 = 108;

/// Reads of uninitialised objects that the head names.
const MOST_NAMED: usize = 20;
/// Values in a line.
const ROW: usize = 12;

/// The harness for a run with these inputs. `errors` are the functions whose call is the error.
pub fn write(program: &Program, inputs: &[Input], errors: &[&str]) -> String {
    write_with(Writer { program, inputs, errors, real_library: false })
}

/// The same, with the values of library functions from the real library and not from the run: whether the error is reached with
/// them is for a native run to say.
pub fn write_for_library(program: &Program, inputs: &[Input], errors: &[&str]) -> String {
    write_with(Writer { program, inputs, errors, real_library: true })
}

fn write_with(writer: Writer<'_>) -> String {
    let mut out = writer.head();
    out.push_str(BASE);
    out.push_str(writer.precision());
    for function in writer.functions() {
        out.push('\n');
        out.push_str(&writer.function(function));
    }
    for variable in writer.variables() {
        out.push('\n');
        out.push_str(&writer.variable(variable));
    }
    out + &writer.watched()
}

/// The system calls are made directly: the program may have functions called `write` or `exit` of its own.
pub(super) const BASE: &str = r#"
#include <sys/syscall.h>

extern long syscall(long number, ...);

static void tandem_stop(const char *text, int status)
{
    unsigned long length = 0;
    while (text[length])
        length++;
    syscall(SYS_write, 2, text, length);
    syscall(SYS_exit_group, status);
    for (;;)
        ;
}
"#;

/// The old floating-point unit computes with more digits than the types have, unless it is told not to.
const PRECISION: &str = r#"
#ifndef __SSE2_MATH__
__attribute__((constructor)) static void tandem_precision(void)
{
    unsigned short word = 0x27f;
    __asm__ volatile("fldcw %0" : : "m"(word));
}
#endif
"#;

pub(super) struct Writer<'a> {
    pub program: &'a Program,
    pub inputs: &'a [Input],
    pub errors: &'a [&'a str],
    /// Whether functions of the library with a contract are left to the real library.
    pub real_library: bool,
}

/// What the harness makes of a function without a body.
pub(super) enum Stub {
    Error,
    Assume,
    /// `assert` where no header made it a macro.
    Assert,
    NeverReturns,
    Values,
}

impl Writer<'_> {
    fn head(&self) -> String {
        let file = self.program.source.file();
        let machine = match self.program.model() {
            DataModel::Ilp32 => "-m32 -msse2 -mfpmath=sse ",
            DataModel::Lp64 => "",
        };
        let mut head = String::from("A violation as a program: the inputs of one run that reaches the error.\n\n");
        let _ = writeln!(head, "Compile:  gcc {machine}-std=gnu11 -fgnu89-inline -w {file} harness.c -lm");
        let _ = writeln!(head, "Expect:   \"tandem: error reached\" on standard error and exit status {ERROR_STATUS}.");
        for name in self.defined_errors() {
            let _ = writeln!(
                head,
                "          The program defines {name} itself: its body runs, and an assertion in it ends the program by\n\
                 \x20         SIGABRT. With -finstrument-functions, calling it is the exit status above."
            );
        }
        let _ = writeln!(head, "          A failing assert() ends the program by SIGABRT.");
        let _ = writeln!(head, "          Exit status {LEFT_STATUS} means that the program left the path of the run.");
        self.uninitialised(&mut head);
        let head = head.replace("*/", "* /").replace("/*", "/ *");
        let lines: Vec<String> = head.lines().map(|line| format!(" * {line}").trim_end().to_string()).collect();
        format!("/*\n{}\n */\n", lines.join("\n"))
    }

    /// What the run read without its being written: no harness can set that.
    fn uninitialised(&self, head: &mut String) {
        let (mut lines, mut known, mut more) = (Vec::new(), HashSet::new(), 0);
        for input in self.inputs {
            let name = match input.source {
                InputSource::Function(_) => continue,
                InputSource::Variable(variable) if self.is_defined_here(variable) => continue,
                InputSource::Variable(variable) => format!("'{}'", self.program.variables[variable].name),
                InputSource::Memory => "allocated memory".to_string(),
                InputSource::NoResult => "the value of a function that returned none".to_string(),
            };
            let place = self.program.source.position(self.program.edges[input.edge].span.lo);
            let line = format!("{name}, read at {}:{} as {}", place.line, place.column, self.shown(input));
            if !known.contains(&line) {
                if lines.len() < MOST_NAMED {
                    lines.push(line.clone())
                } else {
                    more += 1
                }
                known.insert(line);
            }
        }
        if lines.is_empty() {
            return;
        }
        head.push_str("\nThe run also depends on objects that were never written, which this file cannot set:\n");
        lines.iter().for_each(|line| head.push_str(&format!("  {line}\n")));
        if more > 0 {
            let _ = writeln!(head, "  and {more} more");
        }
    }

    pub(super) fn precision(&self) -> &'static str {
        let wide = |ty: &Type| matches!(ty, Type::Float(types::FloatKind::Extended));
        match self.program.model() {
            DataModel::Ilp32 if !self.program.types.iter().any(|(_, ty)| wide(ty)) => PRECISION,
            DataModel::Ilp32 | DataModel::Lp64 => "",
        }
    }

    fn shown(&self, input: &Input) -> String {
        match input.scalar {
            Scalar::Float(types::FloatKind::Single) => format!("{:?}", f32::from_bits(input.bits as u32)),
            Scalar::Float(types::FloatKind::Double) => format!("{:?}", f64::from_bits(input.bits as u64)),
            Scalar::Float(_) | Scalar::Pointer { .. } => format!("{:#x}", input.bits),
            Scalar::Bool | Scalar::Int { .. } => semantics::integer_value(input.scalar, input.bits).to_string(),
        }
    }

    fn is_error(&self, function: FunctionId) -> bool {
        self.errors.contains(&&*self.program.functions[function].name)
    }

    /// Error functions with a body in the program.
    pub(super) fn defined_errors(&self) -> Vec<&str> {
        let functions = self.program.functions.enumerate();
        let defined = functions.filter(|(id, function)| function.body.is_some() && self.is_error(*id));
        defined.map(|(_, function)| &*function.name).collect()
    }

    /// The functions without a body that the program mentions and no C library has.
    pub(super) fn functions(&self) -> Vec<FunctionId> {
        let mut mentioned: HashSet<FunctionId> = HashSet::new();
        for edge in self.program.edges.iter() {
            if let Op::Call { callee: Callee::Direct(function), .. } = edge.op {
                mentioned.insert(function);
            }
        }
        for expr in self.program.arena.exprs().iter() {
            if let ExprKind::Function(function) = expr.kind {
                mentioned.insert(function);
            }
        }
        let functions = self.program.functions.ids();
        functions.filter(|id| mentioned.contains(id) && self.is_missing(*id)).collect()
    }

    fn is_missing(&self, id: FunctionId) -> bool {
        let function = &self.program.functions[id];
        let name = &*function.name;
        let reserved = ["__builtin_", "__sync_", "__atomic_", "__tandem_"];
        if function.body.is_some() || reserved.iter().any(|prefix| name.starts_with(prefix)) {
            return false;
        }
        self.is_error(id)
            || match library::model(self.program, id) {
                None | Some(Model::Primitive(Primitive::Nondet | Primitive::Assume)) => true,
                // The values of the run, unless the real library is to give its own.
                Some(Model::Primitive(Primitive::Contract(_))) => {
                    let taken = |input: &Input| input.source == InputSource::Function(id);
                    !self.real_library && (self.inputs.is_empty() || self.inputs.iter().any(taken))
                }
                // These are in the table and in no C library for this machine.
                Some(_) => matches!(name, "assert" | "__assert_rtn" | "__assert_func"),
            }
    }

    pub(super) fn stub(&self, id: FunctionId) -> Stub {
        let function = &self.program.functions[id];
        if self.is_error(id) {
            return Stub::Error;
        }
        match library::model(self.program, id) {
            Some(Model::Primitive(Primitive::Assume)) => Stub::Assume,
            Some(Model::Primitive(Primitive::AssertFail)) => Stub::Error,
            Some(Model::Source(_)) => Stub::Assert,
            _ if function.is_noreturn => Stub::NeverReturns,
            _ => Stub::Values,
        }
    }

    pub(super) fn function(&self, id: FunctionId) -> String {
        let function = &self.program.functions[id];
        let name = &*function.name;
        let (result, parameter) = match self.program.types.get(function.ty) {
            Type::Function(signature) => (Some(signature.result), signature.parameters.first().copied()),
            _ => (None, None),
        };
        let reached = format!("tandem_stop(\"tandem: error reached\\n\", {ERROR_STATUS});");
        let left = |why: &str| format!("tandem_stop(\"tandem: {why}\\n\", {LEFT_STATUS});");
        // The condition has the type that the program passes.
        let condition = parameter.filter(|ty| self.program.types.scalar(*ty).is_some());
        let condition = condition.map_or("int".to_string(), |ty| self.scalar_name(ty));
        match self.stub(id) {
            Stub::Error => format!("void {name}()\n{{\n    {reached}\n}}\n"),
            Stub::Assert => {
                format!("void {name}({condition} condition)\n{{\n    if (!condition)\n        {reached}\n}}\n")
            }
            Stub::Assume => {
                let left = left("assumption violated");
                format!("void {name}({condition} condition)\n{{\n    if (!condition)\n        {left}\n}}\n")
            }
            Stub::NeverReturns => {
                format!("void {name}()\n{{\n    {}\n}}\n", left("a function that never returns was called"))
            }
            Stub::Values => self.values(id, name, result),
        }
    }

    fn values(&self, id: FunctionId, name: &str, result: Option<TypeId>) -> String {
        let Some(result) = result.filter(|ty| !matches!(self.program.types.get(*ty), Type::Void)) else {
            return format!("void {name}()\n{{\n}}\n");
        };
        let Some(scalar) = self.program.types.scalar(result) else {
            // Only the size of a record matters to the caller: its bytes may be anything.
            let size = self.program.types.size(result).unwrap_or(8);
            let ty = format!("struct tandem_result_{name}");
            return format!(
                "{ty} {{\n    unsigned char bytes[{size}];\n}};\n\n{ty} {name}()\n{{\n    {ty} zero = {{{{0}}}};\n    return zero;\n}}\n"
            );
        };
        let taken = self.inputs.iter().filter(|input| input.source == InputSource::Function(id));
        let bits: Vec<u128> = taken.map(|input| semantics::convert(input.scalar, scalar, input.bits).bits).collect();
        let ty = self.scalar_name(result);
        if bits.is_empty() {
            return format!("{ty} {name}()\n{{\n    return 0;\n}}\n");
        }
        let count = bits.len();
        match scalar {
            Scalar::Bool | Scalar::Int { bits: ..=64, .. } | Scalar::Pointer { .. } => {
                let items = bits.iter().map(|bits| literal(scalar, *bits)).collect();
                let items = rows(items);
                format!(
                    "{ty} {name}()\n{{\n    static {ty} const values[] = {{{items}}};\n    static unsigned long next;\n    \
                     return next < {count} ? values[next++] : 0;\n}}\n"
                )
            }
            Scalar::Int { .. } | Scalar::Float(_) => {
                let items = bits.iter().map(|bits| patterned(scalar, *bits)).collect();
                let items = rows(items);
                format!(
                    "{ty} {name}()\n{{\n    static const unsigned long long values[][2] = {{{items}}};\n    \
                     static unsigned long next;\n    union {{\n        unsigned long long bits[2];\n        {ty} value;\n    \
                     }} result = {{{{0, 0}}}};\n    if (next < {count}) {{\n        result.bits[0] = values[next][0];\n        \
                     result.bits[1] = values[next++][1];\n    }}\n    return result.value;\n}}\n"
                )
            }
        }
    }

    pub(super) fn scalar_name(&self, ty: TypeId) -> String {
        match self.program.types.get(ty) {
            Type::Pointer(_) => "void *".to_string(),
            _ => self.program.types.declare(ty, ""),
        }
    }

    /// Objects that the program uses and nobody defines.
    pub(super) fn variables(&self) -> Vec<VariableId> {
        let mut used: HashSet<VariableId> = HashSet::new();
        for place in self.program.arena.places().iter() {
            if let PlaceKind::Variable(variable) = place.kind {
                used.insert(variable);
            }
        }
        self.program.variables.ids().filter(|id| used.contains(id) && self.is_defined_here(*id)).collect()
    }

    fn is_defined_here(&self, id: VariableId) -> bool {
        const OF_THE_LIBRARY: [&str; 8] =
            ["stdin", "stdout", "stderr", "environ", "optarg", "optind", "opterr", "optopt"];
        let variable = &self.program.variables[id];
        variable.kind == VariableKind::External && !OF_THE_LIBRARY.contains(&&*variable.name)
    }

    /// Weak: the definition may be there after all, with an initialiser that is not modelled.
    pub(super) fn variable(&self, id: VariableId) -> String {
        let variable = &self.program.variables[id];
        let size = self.program.types.size(variable.ty).unwrap_or(64).max(1);
        let first = self.inputs.iter().find(|input| input.source == InputSource::Variable(id));
        let whole = first.filter(|_| self.program.types.scalar(variable.ty).is_some());
        let bits = whole.map_or(0, |input| input.bits);
        let bytes: Vec<String> = bits.to_le_bytes()[..size.min(16) as usize].iter().map(u8::to_string).collect();
        let name = &variable.name;
        format!("unsigned char {name}[{size}] __attribute__((weak, aligned(16))) = {{{}}};\n", bytes.join(", "))
    }

    /// Calls to error functions that the program defines, when it was compiled to report calls.
    pub(super) fn watched(&self) -> String {
        let names: BTreeMap<&str, ()> = self.defined_errors().into_iter().map(|name| (name, ())).collect();
        if names.is_empty() {
            return String::new();
        }
        let mut out = String::from("\n");
        for name in names.keys() {
            let _ = writeln!(out, "extern void {name}() __attribute__((weak));");
        }
        let tests: Vec<String> = names.keys().map(|name| format!("{name} && function == (void *){name}")).collect();
        let unseen = "__attribute__((no_instrument_function))";
        let _ = write!(
            out,
            "\n{unseen} void __cyg_profile_func_enter(void *function, void *caller)\n{{\n    if ({})\n        \
             tandem_stop(\"tandem: error reached\\n\", {ERROR_STATUS});\n}}\n\n\
             {unseen} void __cyg_profile_func_exit(void *function, void *caller)\n{{\n}}\n",
            tests.join(" || ")
        );
        out
    }
}

/// A value of at most 64 bits that every compiler reads back.
pub(super) fn literal(scalar: Scalar, bits: u128) -> String {
    match scalar {
        Scalar::Pointer { .. } => format!("(void *){bits:#x}"),
        Scalar::Bool | Scalar::Int { .. } | Scalar::Float(_) => match semantics::integer_value(scalar, bits) {
            value if value == i128::from(i64::MIN) => format!("(-{}LL - 1)", i64::MAX),
            value if value > i128::from(i64::MAX) => format!("{value}ULL"),
            value if i32::try_from(value).is_ok() => value.to_string(),
            value => format!("{value}LL"),
        },
    }
}

/// The bits of a value, and for people the value itself.
pub(super) fn patterned(scalar: Scalar, bits: u128) -> String {
    let shown = match scalar {
        Scalar::Float(types::FloatKind::Single) => format!(" /* {:?} */", f32::from_bits(bits as u32)),
        Scalar::Float(types::FloatKind::Double) => format!(" /* {:?} */", f64::from_bits(bits as u64)),
        Scalar::Float(_) | Scalar::Bool | Scalar::Int { .. } | Scalar::Pointer { .. } => String::new(),
    };
    format!("{{{:#x}ULL, {:#x}ULL}}{shown}", bits as u64, (bits >> 64) as u64)
}

pub(super) fn rows(items: Vec<String>) -> String {
    let rows: Vec<String> = items.chunks(ROW).map(|row| row.join(", ")).collect();
    rows.join(",\n        ")
}
