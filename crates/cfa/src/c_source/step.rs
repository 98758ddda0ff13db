//! What the edges do, as C statements.

use std::cell::RefCell;
use std::collections::BTreeSet;

use tandem_base::Problem;
use tandem_syntax::types::{FloatKind, Type, TypeId};

use super::names::{Names, Scope};
use super::{Taken, outside, types};
use crate::c_print::{Printer, Spelling};
use crate::model::*;
use crate::semantics::RoundedOperation;

pub(super) struct Steps<'a> {
    pub program: &'a Program,
    pub names: &'a Names,
    pub scope: &'a Scope<'a>,
    pub printer: &'a Printer<'a>,
    pub body: &'a Body,
    /// The functions of the C library that the text itself calls.
    pub needed: &'a RefCell<BTreeSet<&'static str>>,
}

impl Steps<'_> {
    /// A step that is no `Declare`.
    pub fn text(&self, taken: &Taken) -> Result<String, Problem> {
        let edge = &self.program.edges[taken.edge];
        Ok(match &edge.op {
            Op::Skip | Op::Declare(_) => ";".to_string(),
            // Made anew when the text is read.
            Op::Call { callee: Callee::Direct(model), .. } if outside::is_of_main(self.program, *model) => {
                ";".to_string()
            }
            Op::Assume { condition, truth } => {
                let sign = if *truth { "!" } else { "" };
                format!("if ({sign}{}) {}", self.printer.operand(*condition), self.stop())
            }
            Op::Assign { place, value } => self.assignment(*place, *value),
            Op::Call { callee: Callee::Builtin(builtin), arguments, result } => {
                return self.builtin(*builtin, arguments, *result, taken.edge);
            }
            Op::Call { callee, arguments, result } => {
                let rounded = match callee {
                    Callee::Direct(function) => self.rounded(*function, arguments, *result),
                    Callee::Pointer(_) | Callee::Builtin(_) => None,
                };
                rounded.unwrap_or_else(|| self.call(taken, callee, arguments, *result))
            }
            Op::Return { value } => {
                let code = taken.leave.map_or(String::new(), |code| format!("{} = {code}u; ", self.names.code));
                match value {
                    Some(value) => format!("{code}return {};", self.printer.assigned(*value)),
                    None => format!("{code}return;"),
                }
            }
            Op::Unsupported { what } => return self.unsupported(taken.edge, what),
        })
    }

    pub fn stop(&self) -> String {
        // What is registered to run at the end of the program does not run where a path is cut.
        let exit = if self.program.library_use.registers_handlers { "_Exit" } else { "exit" };
        format!("{}(0);", self.library(exit))
    }

    pub fn declaration(&self, variable: VariableId) -> String {
        types::declare(self.program, self.names, self.program.variables[variable].ty, &self.scope.variable(variable))
            + ";"
    }

    /// Gives a variable the value of one that has none.
    pub fn undefined(&self, variable: VariableId) -> String {
        let (name, ty) = (self.scope.variable(variable), self.program.variables[variable].ty);
        let fresh = format!("{name}_undefined");
        let declared = types::declare(self.program, self.names, ty, &fresh);
        // Copying bytes reads nothing; but a variable whose address nobody takes stays such a one.
        let is_scalar = self.program.types.scalar(ty).is_some();
        match self.program.types.get(ty) {
            Type::Array { .. } => format!("{{ {declared}; {}(&{name}, &{fresh}, sizeof {name}); }}", self.copy()),
            _ if is_scalar && self.program.variables[variable].in_memory => {
                format!("{{ {declared}; {}(&{name}, &{fresh}, sizeof {name}); }}", self.copy())
            }
            _ => format!("{{ {declared}; {name} = {fresh}; }}"),
        }
    }

    /// A function of the C library, or the compiler's own form of it if the program means something else by the name.
    fn library(&self, name: &'static str) -> &'static str {
        let is_own = self.program.function_named(name).is_some_and(|id| self.program.functions[id].body.is_some());
        let is_object = self.names.variables.values().any(|taken| taken == name);
        match name {
            "memcpy" if is_own || is_object => "__builtin_memcpy",
            "memset" if is_own || is_object => "__builtin_memset",
            "exit" if is_own || is_object => self.library("_Exit"),
            _ => {
                self.needed.borrow_mut().insert(name);
                name
            }
        }
    }

    fn copy(&self) -> &'static str {
        self.library("memcpy")
    }

    fn assignment(&self, place: PlaceId, value: ExprId) -> String {
        let Expr { kind, ty } = self.program.expr(value);
        let size = self.program.types.size(ty).unwrap_or(0);
        let is_array = matches!(self.program.types.get(ty), Type::Array { .. });
        match kind {
            ExprKind::Zero => {
                let set = self.library("memset");
                format!("{set}({}, 0, {size}u);", self.printer.address_of(place))
            }
            ExprKind::Read(from) if is_array => {
                let (to, from) = (self.printer.address_of(place), self.printer.address_of(from));
                format!("{}({to}, {from}, {size}u);", self.copy())
            }
            _ => format!("{} = {};", self.printer.lvalue(place), self.printer.assigned(value)),
        }
    }

    /// An operation in the rounding mode of the program, as the source has it; `None` if the call is something else.
    fn rounded(&self, function: FunctionId, arguments: &[ExprId], result: Option<PlaceId>) -> Option<String> {
        let operation = outside::rounded(self.program, function)?;
        let place = result?;
        let ty = self.program.place(place).ty;
        let cast = self.scope.ty(ty);
        let operands: Vec<String> =
            arguments.iter().skip(1).map(|operand| format!("({cast}){}", self.printer.operand(*operand))).collect();
        let suffix = match self.program.types.get(ty) {
            Type::Float(FloatKind::Single) => "f",
            Type::Float(FloatKind::Extended) => "l",
            _ => "",
        };
        let value = match operation {
            RoundedOperation::Add => operands.join(" + "),
            RoundedOperation::Subtract => operands.join(" - "),
            RoundedOperation::Multiply => operands.join(" * "),
            RoundedOperation::Divide => operands.join(" / "),
            RoundedOperation::Convert => operands.join(""),
            RoundedOperation::SquareRoot => format!("__builtin_sqrt{suffix}({})", operands.join(", ")),
            RoundedOperation::MultiplyAdd => format!("__builtin_fma{suffix}({})", operands.join(", ")),
            RoundedOperation::ToIntegral => format!("__builtin_rint{suffix}({})", operands.join(", ")),
        };
        Some(format!("{} = {value};", self.printer.lvalue(place)))
    }

    fn call(&self, taken: &Taken, callee: &Callee, arguments: &[ExprId], result: Option<PlaceId>) -> String {
        let span = self.program.edges[taken.edge].span;
        let (name, ty) = match callee {
            Callee::Direct(function) => {
                let written = outside::written(self.program, *function, span);
                let name = taken.callee.clone().unwrap_or_else(|| self.scope.function(written));
                (name, Some(self.program.functions[written].ty))
            }
            Callee::Pointer(pointer) => {
                (self.printer.callee(*pointer), self.program.types.pointee(self.program.expr(*pointer).ty))
            }
            Callee::Builtin(_) => (String::new(), None),
        };
        let list: Vec<String> =
            arguments.iter().enumerate().map(|(number, value)| self.argument(*value, ty, number)).collect();
        let call = format!("{name}({})", list.join(", "));
        let Some(place) = result else { return call + ";" };
        let returned = ty.and_then(|ty| self.signature(ty)).map(|signature| signature.result);
        let wanted = self.program.place(place).ty;
        let cast = match returned {
            // Behind a model stands a function whose type may differ from the model's.
            Some(returned) if returned != wanted => format!("({})", self.scope.ty(wanted)),
            _ => String::new(),
        };
        if self.is_stable(place) {
            return format!("{} = {cast}{call};", self.printer.lvalue(place));
        }
        // The call may change where the result goes: the place is looked for behind it.
        let value = types::declare(self.program, self.names, wanted, "call_result");
        format!("{{ {value} = {cast}{call}; {} = call_result; }}", self.printer.lvalue(place))
    }

    fn signature(&self, ty: TypeId) -> Option<&tandem_syntax::types::FunctionType> {
        match self.program.types.get(ty) {
            Type::Function(signature) if !signature.unprototyped || signature.parameters.is_empty() => Some(signature),
            _ => None,
        }
    }

    fn argument(&self, value: ExprId, function: Option<TypeId>, number: usize) -> String {
        let wanted = function.and_then(|ty| self.signature(ty)).and_then(|ty| ty.parameters.get(number).copied());
        match wanted {
            Some(ty) if ty == self.program.expr(value).ty => self.printer.assigned(value),
            Some(ty) if self.program.types.scalar(ty).is_some() => {
                format!("({}){}", self.scope.ty(ty), self.printer.operand(value))
            }
            _ => self.printer.expression(value),
        }
    }

    /// Whether no call can change which place it is.
    fn is_stable(&self, mut place: PlaceId) -> bool {
        let mut open = Vec::new();
        loop {
            match self.program.place(place).kind {
                PlaceKind::Variable(_) => break,
                PlaceKind::Deref(pointer) => {
                    open.push(pointer);
                    break;
                }
                PlaceKind::Field(base, ..) => place = base,
                PlaceKind::Index(base, index) => {
                    open.push(index);
                    place = base;
                }
            }
        }
        while let Some(expr) = open.pop() {
            match self.program.expr(expr).kind {
                ExprKind::Bits(_) | ExprKind::Wide(_) | ExprKind::Zero | ExprKind::Function(_) => {}
                ExprKind::Read(place) => match self.program.place(place).kind {
                    PlaceKind::Variable(id)
                        if !self.program.variables[id].kind.is_static() && !self.program.variables[id].in_memory => {}
                    _ => return false,
                },
                ExprKind::AddressOf(place) => match self.program.place(place).kind {
                    PlaceKind::Variable(_) => {}
                    _ => return false,
                },
                ExprKind::Unary(_, operand) | ExprKind::Convert(operand) => open.push(operand),
                ExprKind::Binary(_, left, right) => open.extend([left, right]),
                ExprKind::Intrinsic(_, first, second) => open.extend(second.into_iter().chain([first])),
            }
        }
        true
    }

    fn builtin(
        &self,
        builtin: Builtin,
        arguments: &[ExprId],
        result: Option<PlaceId>,
        edge: EdgeId,
    ) -> Result<String, Problem> {
        let list = |number: usize| arguments.get(number).map_or(String::new(), |list| self.list(*list));
        let target = result.map_or(String::new(), |place| format!("{} = ", self.printer.lvalue(place)));
        let result_type = || result.map_or("int".to_string(), |place| self.scope.ty(self.program.place(place).ty));
        Ok(match builtin {
            Builtin::VaStart => {
                let Some(last) = self.body.parameters.last() else {
                    let span = self.program.edges[edge].span;
                    return Err(Problem::error(span, "a list of arguments without a parameter before it"));
                };
                format!("__builtin_va_start({}, {});", list(0), self.scope.variable(*last))
            }
            Builtin::VaArg => format!("{target}__builtin_va_arg({}, {});", list(0), result_type()),
            Builtin::VaEnd => format!("__builtin_va_end({});", list(0)),
            Builtin::VaCopy => format!("__builtin_va_copy({}, {});", list(0), list(1)),
            Builtin::Alloca => {
                let size = arguments.first().map_or(String::new(), |size| self.printer.expression(*size));
                format!("{target}({})__builtin_alloca({size});", result_type())
            }
            Builtin::Unreachable => "__builtin_unreachable();".to_string(),
            Builtin::Trap => "__builtin_trap();".to_string(),
        })
    }

    /// The `va_list` that a pointer points to, as the macros want it: an array decays to the pointer.
    fn list(&self, pointer: ExprId) -> String {
        let Expr { kind, ty } = self.program.expr(pointer);
        if self.program.types.pointee(ty).is_some_and(|to| types::is_va_list_tag(self.program, to)) {
            return self.printer.expression(pointer);
        }
        match kind {
            ExprKind::AddressOf(place) => self.printer.lvalue(place),
            _ => format!("*{}", self.printer.operand(pointer)),
        }
    }

    /// Assembler is copied, if all names in it are still what they were.
    fn unsupported(&self, edge: EdgeId, what: &str) -> Result<String, Problem> {
        let span = self.program.edges[edge].span;
        let fail = |why: &str| Err(Problem::error(span, format!("cannot be written as C: {what}{why}")));
        let Some(text) = outside::assembler(self.program, edge) else { return fail("") };
        for name in outside::names_in(text) {
            let is_kept = match outside::meant(self.program, edge, name) {
                Some(variable) => self.scope.variable(variable) == name,
                None => KEYWORDS.contains(&name) || self.program.function_named(name).is_some(),
            };
            if !is_kept {
                return fail(&format!(" that uses '{name}'"));
            }
        }
        Ok(format!("{text};"))
    }
}

/// Words that may stand in assembler statements beside names.
const KEYWORDS: [&str; 20] = [
    "asm",
    "__asm",
    "__asm__",
    "volatile",
    "__volatile__",
    "__volatile",
    "goto",
    "inline",
    "unsigned",
    "signed",
    "char",
    "short",
    "int",
    "long",
    "void",
    "struct",
    "union",
    "sizeof",
    "const",
    "float",
];
