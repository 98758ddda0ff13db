//! The tree's values and conditions, typed by C's rules.

use tandem_base::{Problem, Span};
use tandem_syntax::Scalar;
use tandem_syntax::types::{Type, TypeId};

use super::names::Meaning;
use super::parse::{Binary, Node, NodeId, Tree, Unary};
use super::{Context, Formula, literal, problem, type_name};
use crate::model::*;

/// Atoms in the condition of `?:`.
const LARGEST_CONDITION: usize = 256;

pub(super) struct Typing<'a> {
    pub program: &'a mut Program,
    pub context: Context<'a>,
    pub tree: &'a Tree,
}

/// A value, and its width if it was just loaded from a bit-field.
#[derive(Clone, Copy)]
pub(super) struct Value {
    pub expr: ExprId,
    pub bit_field: Option<u32>,
}

impl Value {
    pub fn plain(expr: ExprId) -> Value {
        Value { expr, bit_field: None }
    }
}

impl<'a> Typing<'a> {
    pub fn new(program: &'a mut Program, context: Context<'a>, tree: &'a Tree) -> Typing<'a> {
        Typing { program, context, tree }
    }

    pub fn scalar_value(&mut self, id: NodeId) -> Result<Value, Problem> {
        let value = self.value(id)?;
        match self.scalar(self.type_of(value.expr)) {
            Some(_) => Ok(value),
            None => Err(problem(self.tree.span(id), "the expression is not a number or pointer")),
        }
    }

    /// A condition: what holds exactly if the node compares unequal to zero.
    pub fn formula(&mut self, id: NodeId) -> Result<Formula, Problem> {
        let tree = self.tree;
        match tree.node(id) {
            Node::All(parts) => Ok(Formula::And(self.formulas(parts)?)),
            Node::Any(parts) => Ok(Formula::Or(self.formulas(parts)?)),
            Node::Unary(Unary::Not, operand) if self.is_logical(*operand) => {
                Ok(Formula::Not(Box::new(self.formula(*operand)?)))
            }
            Node::Conditional(condition, then, otherwise) => {
                let condition = self.formula(*condition)?;
                // It is written down twice, so that conditions of conditions would grow without bound.
                if condition.atoms().len() > LARGEST_CONDITION {
                    return Err(problem(tree.span(id), "the condition of '?:' is too large"));
                }
                let (then, otherwise) = (self.formula(*then)?, self.formula(*otherwise)?);
                let refused = Formula::Not(Box::new(condition.clone()));
                Ok(Formula::Or(vec![Formula::And(vec![condition, then]), Formula::And(vec![refused, otherwise])]))
            }
            Node::Binary(operator @ (Binary::Eq | Binary::Ne), left, right)
                if self.is_logical(*left) && self.is_zero(*right) =>
            {
                let inner = self.formula(*left)?;
                Ok(if *operator == Binary::Eq { Formula::Not(Box::new(inner)) } else { inner })
            }
            Node::Cast(words, operand) if self.is_logical(*operand) => {
                let ty = type_name::resolve(self.program, self.context.names, words, tree.span(id))?;
                if self.scalar(ty).is_none() {
                    return Err(problem(tree.span(id), "the cast does not give a number"));
                }
                // The truth value is 0 or 1, which every scalar type holds.
                self.formula(*operand)
            }
            _ => Ok(Formula::Atom(self.scalar_value(id)?.expr)),
        }
    }

    fn formulas(&mut self, parts: &[NodeId]) -> Result<Vec<Formula>, Problem> {
        parts.iter().map(|part| self.formula(*part)).collect()
    }

    /// Whether the node is 0 or 1 and has a short-circuit operator in it that a formula can express.
    fn is_logical(&self, mut id: NodeId) -> bool {
        loop {
            match self.tree.node(id) {
                Node::All(_) | Node::Any(_) => return true,
                Node::Unary(Unary::Not, operand) | Node::Cast(_, operand) => id = *operand,
                Node::Binary(Binary::Eq | Binary::Ne, left, right) if self.is_zero(*right) => id = *left,
                _ => return false,
            }
        }
    }

    fn is_zero(&self, id: NodeId) -> bool {
        matches!(self.tree.node(id), Node::Number(text) if text == "0")
    }

    pub fn value(&mut self, id: NodeId) -> Result<Value, Problem> {
        match self.place(id)? {
            Some(place) => self.load(place, id),
            None => self.computed(id),
        }
    }

    /// The value of a node that is no lvalue.
    pub fn computed(&mut self, id: NodeId) -> Result<Value, Problem> {
        let (tree, span) = (self.tree, self.tree.span(id));
        let model = self.program.model();
        let expr = match tree.node(id) {
            Node::Name(name) => self.named_value(name, span)?,
            Node::Number(text) => {
                let constant = literal::number(text, model);
                self.literal(constant, text, span)?
            }
            Node::Character(text) => {
                let constant = literal::character(text, model);
                self.literal(constant, text, span)?
            }
            Node::Unary(operator, operand) => self.unary(*operator, *operand, span)?,
            Node::Binary(operator, left, right) => {
                let (left, right) = (self.scalar_value(*left)?, self.scalar_value(*right)?);
                self.binary(*operator, left, right, span)?
            }
            Node::All(parts) => self.eager(BinaryOp::And, parts)?,
            Node::Any(parts) => self.eager(BinaryOp::Or, parts)?,
            Node::Conditional(..) => {
                return Err(problem(span, "'?:' is supported as a condition, not as a value"));
            }
            Node::Cast(words, operand) => {
                let ty = type_name::resolve(self.program, self.context.names, words, span)?;
                let value = self.scalar_value(*operand)?.expr;
                self.cast(value, ty, span)?
            }
            Node::SizeOfType(words) => {
                let ty = type_name::resolve(self.program, self.context.names, words, span)?;
                self.size_of(ty, span)?
            }
            Node::SizeOf(operand) => {
                let ty = self.type_of_node(*operand)?;
                self.size_of(ty, span)?
            }
            Node::Member { .. } | Node::Index(..) => return Err(problem(span, "this is no object")),
        };
        Ok(Value::plain(expr))
    }

    fn named_value(&mut self, name: &str, span: Span) -> Result<ExprId, Problem> {
        let int = self.int();
        if self.is_truth_word(name) {
            return Ok(self.constant(u128::from(name == "true"), int));
        }
        let context = self.context;
        match context.names.meaning(self.program, context.function, context.at, name, span)? {
            Meaning::Constant(value) => Ok(self.constant(value as u128, int)),
            Meaning::Function(function) => {
                let pointer = self.program.types.pointer(self.program.functions[function].ty);
                Ok(self.expr(ExprKind::Function(function), pointer))
            }
            Meaning::Variable(_) => Err(problem(span, format!("'{name}' is no value"))),
        }
    }

    fn literal(&mut self, constant: Option<literal::Constant>, text: &str, span: Span) -> Result<ExprId, Problem> {
        let refused = || problem(span, format!("'{text}' is no literal that fits a type"));
        let (bits, ty) = constant.ok_or_else(refused)?;
        let ty = self.program.types.intern(ty);
        Ok(self.constant(bits, ty))
    }

    fn unary(&mut self, operator: Unary, operand: NodeId, span: Span) -> Result<ExprId, Problem> {
        match operator {
            Unary::Address => return self.address(operand, span),
            Unary::Deref => return Err(problem(span, "what is dereferenced here is no pointer to an object")),
            Unary::Plus | Unary::Minus | Unary::Complement | Unary::Not => {}
        }
        let value = self.scalar_value(operand)?;
        if operator == Unary::Not {
            let inner = self.without_truth_conversion(value.expr);
            let int = self.int();
            return Ok(self.expr(ExprKind::Unary(UnaryOp::Not, inner), int));
        }
        let scalar = self.scalar(self.type_of(value.expr));
        let fits = match scalar {
            Some(Scalar::Bool | Scalar::Int { .. }) => true,
            Some(Scalar::Float(_)) => operator != Unary::Complement,
            Some(Scalar::Pointer { .. }) | None => false,
        };
        let promoted = self.promote(value).filter(|_| fits);
        let value = promoted.ok_or_else(|| problem(span, "the operator does not apply to a value of this type"))?;
        let ty = self.type_of(value);
        match operator {
            Unary::Plus => Ok(value),
            Unary::Complement => Ok(self.expr(ExprKind::Unary(UnaryOp::Complement, value), ty)),
            _ => Ok(self.negated(value, ty)),
        }
    }

    /// A negative constant is a constant, unless its computation overflows.
    fn negated(&mut self, value: ExprId, ty: TypeId) -> ExprId {
        if let Some(constant) = self.integer_of(value) {
            let negative = self.constant(constant.wrapping_neg() as u128, ty);
            let signed = self.scalar(ty).is_some_and(|scalar| scalar.is_signed());
            if !signed || self.integer_of(negative) == constant.checked_neg() {
                return negative;
            }
        }
        self.expr(ExprKind::Unary(UnaryOp::Neg, value), ty)
    }

    fn without_truth_conversion(&self, value: ExprId) -> ExprId {
        match self.program.arena.expr(value).kind {
            ExprKind::Convert(inner) if self.scalar(self.type_of(value)) == Some(Scalar::Bool) => inner,
            _ => value,
        }
    }

    fn address(&mut self, operand: NodeId, span: Span) -> Result<ExprId, Problem> {
        let Some(place) = self.place(operand)? else {
            let value = self.computed(operand)?.expr;
            return match self.program.arena.expr(value).kind {
                ExprKind::Function(_) => Ok(value),
                _ => Err(problem(span, "the address of something that is no object")),
            };
        };
        let ty = self.program.arena.place(place).ty;
        if self.bit_field(place).is_some() || self.is_variable_array(ty) {
            return Err(problem(span, "the address of a bit-field or variable-length array is not supported"));
        }
        let pointer = self.program.types.pointer(ty);
        Ok(self.address_of(place, pointer))
    }

    fn cast(&mut self, value: ExprId, ty: TypeId, span: Span) -> Result<ExprId, Problem> {
        let from = self.scalar(self.type_of(value));
        match (from, self.scalar(ty)) {
            (Some(Scalar::Float(_)), Some(Scalar::Pointer { .. }))
            | (Some(Scalar::Pointer { .. }), Some(Scalar::Float(_)))
            | (_, None)
            | (None, _) => Err(problem(span, "this conversion is not allowed")),
            (Some(_), Some(_)) => Ok(self.convert(value, ty)),
        }
    }

    fn size_of(&mut self, ty: TypeId, span: Span) -> Result<ExprId, Problem> {
        let size = self.program.types.size(ty);
        let size = size.ok_or_else(|| problem(span, "the size of this type is not known"))?;
        let size_type = self.program.types.size_type();
        Ok(self.constant(u128::from(size), size_type))
    }

    /// The type of an operand that is not evaluated.
    fn type_of_node(&mut self, id: NodeId) -> Result<TypeId, Problem> {
        match self.place(id)? {
            Some(place) if self.bit_field(place).is_some() => {
                Err(problem(self.tree.span(id), "a bit-field has no size"))
            }
            Some(place) => Ok(self.program.arena.place(place).ty),
            None => {
                let value = self.computed(id)?.expr;
                if let ExprKind::Function(_) = self.program.arena.expr(value).kind {
                    return Err(problem(self.tree.span(id), "a function has no size"));
                }
                Ok(self.type_of(value))
            }
        }
    }

    pub fn binary(&mut self, operator: Binary, left: Value, right: Value, span: Span) -> Result<ExprId, Problem> {
        let pointers = (self.is_pointer(self.type_of(left.expr)), self.is_pointer(self.type_of(right.expr)));
        let comparison = comparison(operator);
        if let (Some(op), (true, _) | (_, true)) = (comparison, pointers) {
            return self.compare_pointers(op, left.expr, right.expr, span);
        }
        let refused = || problem(span, "the operator does not apply to values of these types");
        match (operator, pointers) {
            (_, (false, false)) => {}
            (Binary::Add, (true, false)) => return self.moved(left, right, false, span),
            (Binary::Add, (false, true)) => return self.moved(right, left, false, span),
            (Binary::Sub, (true, false)) => return self.moved(left, right, true, span),
            (Binary::Sub, (true, true)) => return self.pointer_difference(left.expr, right.expr, span),
            _ => return Err(refused()),
        }
        if let Binary::Shl | Binary::Shr = operator {
            let (left, right) = (self.promote(left).ok_or_else(refused)?, self.promote(right).ok_or_else(refused)?);
            let ty = self.type_of(left);
            if !self.is_integer(ty) || !self.is_integer(self.type_of(right)) {
                return Err(refused());
            }
            let op = if operator == Binary::Shl { BinaryOp::Shl } else { BinaryOp::Shr };
            return Ok(self.expr(ExprKind::Binary(op, left, right), ty));
        }
        let common = self.common(left, right).ok_or_else(refused)?;
        let (left, right) = (self.convert(left.expr, common), self.convert(right.expr, common));
        if let Some(op) = comparison {
            let int = self.int();
            return Ok(self.expr(ExprKind::Binary(op, left, right), int));
        }
        let op = arithmetic(operator, self.is_integer(common)).ok_or_else(refused)?;
        Ok(self.expr(ExprKind::Binary(op, left, right), common))
    }

    fn moved(&mut self, pointer: Value, index: Value, down: bool, span: Span) -> Result<ExprId, Problem> {
        if !self.is_integer(self.type_of(index.expr)) {
            return Err(problem(span, "only an integer can be added to a pointer"));
        }
        let moved = self.pointer_add(pointer.expr, index.expr, down);
        moved.ok_or_else(|| problem(span, "the pointer is to something without a fixed size"))
    }

    fn pointer_difference(&mut self, left: ExprId, right: ExprId, span: Span) -> Result<ExprId, Problem> {
        let pointer = self.type_of(left);
        let to = self.program.types.pointee(pointer).and_then(|to| self.program.types.size(to));
        if to.is_none_or(|size| size == 0) || self.type_of(right) != pointer {
            return Err(problem(span, "these pointers cannot be subtracted"));
        }
        let difference = self.program.types.difference_type();
        Ok(self.expr(ExprKind::Binary(BinaryOp::PointerDiff, left, right), difference))
    }

    /// Integers become pointers, and the right pointer takes the type of the left one: only addresses are compared.
    fn compare_pointers(&mut self, op: BinaryOp, left: ExprId, right: ExprId, span: Span) -> Result<ExprId, Problem> {
        let (first, second) = (self.type_of(left), self.type_of(right));
        let is_number = |ty| matches!(self.program.types.get(ty), Type::Pointer(_) | Type::Int(_) | Type::Bool);
        if !is_number(first) || !is_number(second) {
            return Err(problem(span, "a pointer is compared with something else"));
        }
        let ty = match (self.is_pointer(first), self.is_pointer(second)) {
            (true, false) => first,
            (false, true) => second,
            _ => first,
        };
        let (left, right) = (self.convert(left, ty), self.convert(right, ty));
        let int = self.int();
        Ok(self.expr(ExprKind::Binary(op, left, right), int))
    }

    /// `&&` or `||` as a value: all operands are evaluated, so all but the first must be defined whatever the others are.
    fn eager(&mut self, op: BinaryOp, parts: &[NodeId]) -> Result<ExprId, Problem> {
        let int = self.int();
        let mut result = None;
        for &part in parts {
            let value = self.scalar_value(part)?.expr;
            if result.is_some() && !self.is_total(value) {
                let message = "as a value, '&&' and '||' are supported only if their operands divide by nothing unknown \
                               and follow no pointer or index";
                return Err(problem(self.tree.span(part), message));
            }
            let truth = self.truth(value);
            result = Some(match result {
                None => truth,
                Some(before) => self.expr(ExprKind::Binary(op, before, truth), int),
            });
        }
        result.ok_or_else(|| problem(Span::NONE, "an operand is missing"))
    }

    /// 1 if the value compares unequal to zero, else 0.
    fn truth(&mut self, value: ExprId) -> ExprId {
        let int = self.int();
        match self.program.arena.expr(value).kind {
            ExprKind::Unary(UnaryOp::Not, _) => return value,
            ExprKind::Binary(op, ..) if is_comparison(op) => return value,
            _ => {}
        }
        let inner = self.expr(ExprKind::Unary(UnaryOp::Not, value), int);
        self.expr(ExprKind::Unary(UnaryOp::Not, inner), int)
    }
}

fn comparison(operator: Binary) -> Option<BinaryOp> {
    Some(match operator {
        Binary::Lt => BinaryOp::Lt,
        Binary::Gt => BinaryOp::Gt,
        Binary::Le => BinaryOp::Le,
        Binary::Ge => BinaryOp::Ge,
        Binary::Eq => BinaryOp::Eq,
        Binary::Ne => BinaryOp::Ne,
        Binary::Mul
        | Binary::Div
        | Binary::Rem
        | Binary::Add
        | Binary::Sub
        | Binary::Shl
        | Binary::Shr
        | Binary::And
        | Binary::Xor
        | Binary::Or => return None,
    })
}

fn is_comparison(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne)
}

/// The operation of a plain arithmetic operator; some are for integers only.
fn arithmetic(operator: Binary, integer: bool) -> Option<BinaryOp> {
    Some(match operator {
        Binary::Mul => BinaryOp::Mul,
        Binary::Div => BinaryOp::Div,
        Binary::Add => BinaryOp::Add,
        Binary::Sub => BinaryOp::Sub,
        Binary::Rem if integer => BinaryOp::Rem,
        Binary::And if integer => BinaryOp::And,
        Binary::Xor if integer => BinaryOp::Xor,
        Binary::Or if integer => BinaryOp::Or,
        _ => return None,
    })
}
