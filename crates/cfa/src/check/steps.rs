//! Invariants 17 to 22, 26 and 27: what stands on the edges. Relies on the expressions being typed on their own.

use tandem_syntax::Types;
use tandem_syntax::types::{FunctionType, Type, TypeId};

use super::order::{ArenaFacts, Uses};
use super::typing::{is_aggregate, is_integer};
use super::{Found, Spot};
use crate::model::*;

pub(super) fn check(program: &Program, facts: &ArenaFacts, found: &mut Found) {
    for (id, decision) in program.decisions.enumerate() {
        let holds = match decision.kind {
            DecisionKind::Switch | DecisionKind::Computed => decision.outcomes >= 1,
            DecisionKind::If
            | DecisionKind::While
            | DecisionKind::DoWhile
            | DecisionKind::For
            | DecisionKind::Conditional
            | DecisionKind::Logical => decision.outcomes == 2,
        };
        found.require(holds, 26, Spot::Decision(id), || format!("it has {} outcomes", decision.outcomes));
    }
    for id in program.edges.ids() {
        let function = program.function_of(id);
        Step { program, types: &program.types, facts, found, spot: Spot::Edge(id), function }.edge(&program.edges[id]);
    }
}

struct Step<'a> {
    program: &'a Program,
    types: &'a Types,
    facts: &'a ArenaFacts,
    found: &'a mut Found,
    spot: Spot,
    function: FunctionId,
}

impl Step<'_> {
    fn require(&mut self, holds: bool, invariant: u8, text: &str) {
        self.found.require(holds, invariant, self.spot, || text.to_string());
    }

    fn edge(&mut self, edge: &Edge) {
        self.decisions(edge);
        match &edge.op {
            Op::Skip | Op::Unsupported { .. } => {}
            Op::Assume { condition, .. } => {
                self.use_expr(*condition);
                let ty = self.program.expr(*condition).ty;
                self.require(self.types.scalar(ty).is_some(), 21, "the condition is no scalar");
            }
            Op::Assign { place, value } => self.assign(*place, *value),
            Op::Call { callee, arguments, result } => self.call(callee, arguments, *result),
            Op::Return { value } => {
                let Some(value) = *value else { return };
                self.use_value(value);
                let result = match self.types.get(self.program.functions[self.function].ty) {
                    Type::Function(function) => function.result,
                    _ => return,
                };
                let holds = self.program.expr(value).ty == result && *self.types.get(result) != Type::Void;
                self.require(holds, 20, "the returned value is not of the result type");
            }
            Op::Declare(variable) => {
                let variable = &self.program.variables[*variable];
                let holds = variable.function == Some(self.function) && !variable.kind.is_static();
                self.require(holds, 22, "the variable is no local of this function");
            }
        }
    }

    fn decisions(&mut self, edge: &Edge) {
        if let Some(condition) = edge.condition {
            let holds = matches!(edge.op, Op::Assume { .. } | Op::Skip);
            self.require(holds, 27, "it names a condition and neither assumes nor skips");
            let decision = &self.program.decisions[self.program.conditions[condition].decision];
            self.require(decision.function == self.function, 27, "its condition belongs to another function");
        }
        if let Some((decision, outcome)) = edge.outcome {
            let decision = &self.program.decisions[decision];
            self.require(decision.function == self.function, 27, "its decision belongs to another function");
            self.require(outcome < decision.outcomes, 26, "its outcome is none of the decision's");
        }
    }

    fn assign(&mut self, place: PlaceId, value: ExprId) {
        self.use_place(place);
        self.use_expr(value);
        let ty = self.program.place(place).ty;
        let given = self.program.expr(value).ty;
        if ty != given {
            let text = format!(
                "a value of type {} is stored as {}",
                self.types.declare(given, ""),
                self.types.declare(ty, "")
            );
            self.require(false, 18, &text);
        }
        let holds = self.types.size(ty).is_some() && *self.types.get(ty) != Type::Void;
        self.require(holds, 18, "something without a size is assigned");
    }

    fn call(&mut self, callee: &Callee, arguments: &[ExprId], result: Option<PlaceId>) {
        for argument in arguments {
            self.use_value(*argument);
        }
        if let Some(place) = result {
            self.use_place(place);
        }
        let ty = match callee {
            Callee::Direct(function) => Some(self.program.functions[*function].ty),
            Callee::Pointer(pointer) => {
                self.use_expr(*pointer);
                self.types.pointee(self.program.expr(*pointer).ty)
            }
            Callee::Builtin(builtin) => return self.builtin(*builtin, arguments, result),
        };
        match ty.map(|ty| self.types.get(ty)) {
            Some(Type::Function(function)) => self.prototype(function, arguments, result),
            _ => self.require(false, 19, "what is called is no function"),
        }
    }

    fn prototype(&mut self, function: &FunctionType, arguments: &[ExprId], result: Option<PlaceId>) {
        if !function.unprototyped {
            let wanted = function.parameters.len();
            let given = arguments.len();
            let holds = given == wanted || (function.variadic && given > wanted);
            self.require(holds, 19, &format!("{given} arguments for {wanted} parameters"));
            for (argument, parameter) in arguments.iter().zip(&function.parameters) {
                let given = self.program.expr(*argument).ty;
                if given != *parameter {
                    let (given, wanted) = (self.types.declare(given, ""), self.types.declare(*parameter, ""));
                    self.require(false, 19, &format!("an argument of type {given} for a parameter of type {wanted}"));
                }
            }
        }
        if let Some(place) = result {
            let ty = self.program.place(place).ty;
            let holds = ty == function.result && *self.types.get(ty) != Type::Void;
            self.require(holds, 19, "the result is not stored in a place of its type");
        }
    }

    fn builtin(&mut self, builtin: Builtin, arguments: &[ExprId], result: Option<PlaceId>) {
        let is_pointer = |ty: TypeId| self.types.pointee(ty).is_some();
        let is_pointer_argument = |argument: &ExprId| is_pointer(self.program.expr(*argument).ty);
        let holds = match builtin {
            Builtin::VaStart | Builtin::VaEnd => {
                arguments.len() == 1 && arguments.iter().all(is_pointer_argument) && result.is_none()
            }
            // Whoever does not use the value still goes on to the next argument.
            Builtin::VaArg => arguments.len() == 1 && arguments.iter().all(is_pointer_argument) && result.is_some(),
            Builtin::VaCopy => arguments.len() == 2 && arguments.iter().all(is_pointer_argument) && result.is_none(),
            Builtin::Alloca => {
                let sizes = arguments.iter().all(|a| is_integer(self.types, self.program.expr(*a).ty));
                let to_pointer = result.is_some_and(|place| is_pointer(self.program.place(place).ty));
                arguments.len() == 1 && sizes && to_pointer
            }
            Builtin::Unreachable | Builtin::Trap => arguments.is_empty() && result.is_none(),
        };
        self.require(holds, 19, "the arguments or the result do not fit the builtin");
    }

    /// An argument or a returned value: an array or record may be read as a whole.
    fn use_value(&mut self, value: ExprId) {
        self.use_expr(value);
        let expr = self.program.expr(value);
        let holds = match expr.kind {
            ExprKind::Zero => false,
            ExprKind::Read(_) => self.types.scalar(expr.ty).is_some() || is_aggregate(self.types, expr.ty),
            _ => self.types.scalar(expr.ty).is_some(),
        };
        self.require(holds, 17, "a value that is neither a scalar nor a whole read");
    }

    fn use_expr(&mut self, expr: ExprId) {
        self.uses(self.facts.exprs[expr].uses);
    }

    fn use_place(&mut self, place: PlaceId) {
        self.uses(self.facts.places[place].uses);
    }

    fn uses(&mut self, uses: Uses) {
        self.require(uses.fits(self.function), 22, "it uses a variable of another function");
    }
}
