//! Terms of a script: a stack machine over the nested lists, so that depth costs no stack.

use std::collections::HashMap;

use num_bigint::{BigInt, BigUint};

use super::scope::{MAXIMAL_WIDTH, Meaning, Scope, float_sort, number};
use super::text::{Atom, Content, NodeId, Nodes, ReadError};
use super::theory::{Call, Refusal};
use crate::pool::{Term, Terms};
use crate::softfloat;
use crate::sort::{FloatSort, RoundingMode, Sort};
use crate::value::BitVector;

enum Work {
    Visit(NodeId),
    /// The arguments of a list are on the stack of results.
    Apply(NodeId),
    /// The values of a `let` are on the stack of results.
    Bind(NodeId),
    Unbind(NodeId),
    /// The term that gets a name is on top of the results.
    Name(NodeId),
}

pub(super) struct Expressions<'a> {
    nodes: &'a Nodes,
    scope: &'a mut Scope,
    work: Vec<Work>,
    results: Vec<Term>,
    bound: HashMap<String, Vec<Term>>,
}

/// Reads a term. `parameters` are names that stand for terms inside it.
pub(super) fn read_term(
    nodes: &Nodes,
    scope: &mut Scope,
    at: NodeId,
    parameters: &[(String, Term)],
) -> Result<Term, ReadError> {
    let bound = parameters.iter().map(|(name, term)| (name.clone(), vec![*term])).collect();
    let mut reader = Expressions { nodes, scope, work: vec![Work::Visit(at)], results: Vec::new(), bound };
    while let Some(work) = reader.work.pop() {
        reader.step(work)?;
    }
    reader.results.pop().ok_or_else(|| nodes.unexpected(at, "a term"))
}

impl Expressions<'_> {
    fn terms(&self) -> &Terms {
        &self.scope.terms
    }

    fn step(&mut self, work: Work) -> Result<(), ReadError> {
        match work {
            Work::Visit(at) => self.visit(at),
            Work::Apply(at) => self.apply(at),
            Work::Bind(at) => self.bind(at),
            Work::Unbind(at) => {
                for name in self.binding_names(at)? {
                    self.bound.entry(name).or_default().pop();
                }
                Ok(())
            }
            Work::Name(at) => self.name(at),
        }
    }

    fn visit(&mut self, at: NodeId) -> Result<(), ReadError> {
        let nodes = self.nodes;
        let items = match &nodes.node(at).content {
            Content::Atom(atom) => {
                let term = self.atom(at, atom)?;
                self.results.push(term);
                return Ok(());
            }
            Content::List(items) => items,
        };
        let Some(&first) = items.first() else { return Err(nodes.unexpected(at, "a term")) };
        match nodes.symbol(first) {
            Some("let") => self.visit_let(at),
            Some("!") => {
                let Some(&body) = items.get(1) else { return Err(nodes.missing(at, "a term")) };
                self.work.push(Work::Name(at));
                self.work.push(Work::Visit(body));
                Ok(())
            }
            Some("_") => {
                let term = self.indexed_constant(at, items)?;
                self.results.push(term);
                Ok(())
            }
            Some(name @ ("forall" | "exists" | "match" | "as")) => {
                let expected = "a term without quantifiers, datatypes and qualified names".to_owned();
                Err(nodes.error(at, (format!("`{name}`"), expected)))
            }
            _ => {
                if let Some(real) = self.real_argument(items)? {
                    return self.visit_real(items, real);
                }
                self.work.push(Work::Apply(at));
                self.work.extend(items[1..].iter().rev().map(|&arg| Work::Visit(arg)));
                Ok(())
            }
        }
    }

    fn atom(&self, at: NodeId, atom: &Atom) -> Result<Term, ReadError> {
        let terms = self.terms();
        match atom {
            Atom::Symbol(name) => self.symbol(at, name),
            Atom::Hexadecimal(digits) => {
                self.literal(at, digits, 16, 4 * digits.len()).map(|value| terms.bv_value(&value))
            }
            Atom::Binary(digits) => self.literal(at, digits, 2, digits.len()).map(|value| terms.bv_value(&value)),
            Atom::Numeral(_) | Atom::Decimal(_) => {
                Err(self.nodes.unexpected(at, "a term of our sorts: integers and reals are not supported"))
            }
            Atom::Keyword(_) | Atom::Text(_) => Err(self.nodes.unexpected(at, "a term")),
        }
    }

    fn literal(&self, at: NodeId, digits: &str, radix: u32, width: usize) -> Result<BitVector, ReadError> {
        if width > MAXIMAL_WIDTH as usize {
            return Err(self.nodes.unexpected(at, "a shorter bit-vector"));
        }
        let number = BigUint::parse_bytes(digits.as_bytes(), radix).unwrap_or_default();
        Ok(BitVector::from_big(width as u32, &number))
    }

    fn symbol(&self, at: NodeId, name: &str) -> Result<Term, ReadError> {
        if let Some(&term) = self.bound.get(name).and_then(|stack| stack.last()) {
            return Ok(term);
        }
        let terms = self.terms();
        match self.scope.symbol(name) {
            Some(Meaning::Symbol(symbol)) if terms.symbol(*symbol).parameters.is_empty() => {
                return Ok(terms.constant(*symbol));
            }
            Some(Meaning::Definition(parameters, body)) if parameters.is_empty() => return Ok(*body),
            Some(_) => {
                let expected = "an application of it to arguments".to_owned();
                return Err(self.nodes.error(at, (format!("the function `{name}`"), expected)));
            }
            None => {}
        }
        match name {
            "true" => return Ok(terms.bool(true)),
            "false" => return Ok(terms.bool(false)),
            _ => {}
        }
        match RoundingMode::ALL.into_iter().find(|mode| mode.name() == name || long_name(*mode) == name) {
            Some(mode) => Ok(terms.rounding(mode)),
            None => {
                let expected = "a declared constant or a bound variable".to_owned();
                Err(self.nodes.error(at, (format!("the undeclared symbol `{name}`"), expected)))
            }
        }
    }

    /// `(_ bv5 8)`, `(_ +oo 8 24)` and the like.
    fn indexed_constant(&self, at: NodeId, items: &[NodeId]) -> Result<Term, ReadError> {
        let nodes = self.nodes;
        let name = items.get(1).and_then(|&name| nodes.symbol(name)).unwrap_or("");
        if let (Some(digits), &[_, _, width]) = (name.strip_prefix("bv"), items)
            && !digits.is_empty()
            && let Some(number) = BigUint::parse_bytes(digits.as_bytes(), 10)
        {
            let width_bits = number_of_bits(nodes, width)?;
            if number.bits() > u64::from(width_bits) {
                return Err(nodes.unexpected(items[1], &format!("a number of at most {width_bits} bits")));
            }
            return Ok(self.terms().bv_value(&BitVector::from_big(width_bits, &number)));
        }
        let &[_, _, exponent, significand] = items else {
            return Err(nodes.unexpected(at, "a constant such as `(_ bv1 8)` or `(_ NaN 8 24)`"));
        };
        let value: fn(FloatSort) -> BitVector = match name {
            "+oo" => |sort| sort.infinity(false),
            "-oo" => |sort| sort.infinity(true),
            "+zero" => |sort| sort.zero(false),
            "-zero" => |sort| sort.zero(true),
            "NaN" => FloatSort::nan,
            _ => return Err(nodes.unexpected(at, "a constant such as `(_ bv1 8)` or `(_ NaN 8 24)`")),
        };
        let sort = float_sort(nodes, exponent, significand)?;
        Ok(self.terms().float_value(sort, &value(sort)))
    }

    fn bindings(&self, at: NodeId) -> Result<(Vec<(NodeId, NodeId)>, NodeId), ReadError> {
        let nodes = self.nodes;
        let items = nodes.list(at).unwrap_or(&[]);
        let &[_, list, body] = items else {
            return Err(nodes.unexpected(at, "`(let ((NAME TERM) ...) TERM)`"));
        };
        let Some(pairs) = nodes.list(list) else { return Err(nodes.unexpected(list, "a list of bindings")) };
        let mut bindings = Vec::new();
        for &pair in pairs {
            match nodes.list(pair) {
                Some(&[name, value]) if nodes.symbol(name).is_some() => bindings.push((name, value)),
                _ => return Err(nodes.unexpected(pair, "a binding `(NAME TERM)`")),
            }
        }
        Ok((bindings, body))
    }

    fn binding_names(&self, at: NodeId) -> Result<Vec<String>, ReadError> {
        let (bindings, _) = self.bindings(at)?;
        Ok(bindings.iter().filter_map(|&(name, _)| self.nodes.symbol(name)).map(str::to_owned).collect())
    }

    fn visit_let(&mut self, at: NodeId) -> Result<(), ReadError> {
        let (bindings, _) = self.bindings(at)?;
        self.work.push(Work::Bind(at));
        self.work.extend(bindings.iter().rev().map(|&(_, value)| Work::Visit(value)));
        Ok(())
    }

    fn bind(&mut self, at: NodeId) -> Result<(), ReadError> {
        let names = self.binding_names(at)?;
        let (_, body) = self.bindings(at)?;
        let values = self.results.split_off(self.results.len() - names.len());
        for (name, value) in names.into_iter().zip(values) {
            self.bound.entry(name).or_default().push(value);
        }
        self.work.push(Work::Unbind(at));
        self.work.push(Work::Visit(body));
        Ok(())
    }

    /// `(! term :named name)`: the name stands for the term from here on.
    fn name(&mut self, at: NodeId) -> Result<(), ReadError> {
        let Some(name) = self.nodes.list(at).and_then(|items| attribute_name(self.nodes, items)) else { return Ok(()) };
        let name = name?;
        if self.scope.symbol(&name).is_some() {
            return Err(self.nodes.error(at, (format!("the name `{name}`"), "a name that is not taken".to_owned())));
        }
        if let Some(&term) = self.results.last() {
            self.scope.define(&name, Meaning::Definition(Vec::new(), term));
        }
        Ok(())
    }

    fn apply(&mut self, at: NodeId) -> Result<(), ReadError> {
        let nodes = self.nodes;
        let items = nodes.list(at).unwrap_or(&[]);
        let args = self.results.split_off(self.results.len() - (items.len() - 1));
        let term = self.application(items, &args).map_err(|problem| match problem {
            Placed::Known(error) => *error,
            Placed::Refused(refusal) => {
                let wrong = refusal.at.and_then(|index| items.get(index + 1)).copied();
                nodes.error(wrong.unwrap_or(at), (refusal.found, refusal.expected))
            }
        })?;
        self.results.push(term);
        Ok(())
    }

    fn application(&self, items: &[NodeId], args: &[Term]) -> Result<Term, Placed> {
        let nodes = self.nodes;
        let terms = self.terms();
        let Some(name) = nodes.symbol(items[0]) else { return self.indexed_application(items, args) };
        match self.scope.symbol(name) {
            Some(Meaning::Symbol(symbol)) => {
                let parameters = terms.symbol(*symbol).parameters.clone();
                self.check(name, &parameters, args)?;
                Ok(terms.apply(*symbol, args))
            }
            Some(Meaning::Definition(parameters, body)) => {
                let sorts: Vec<Sort> = parameters.iter().map(|&parameter| terms.sort(parameter)).collect();
                self.check(name, &sorts, args)?;
                Ok(terms.substitute(*body, &parameters.iter().copied().zip(args.iter().copied()).collect()))
            }
            None => Ok(Call { terms, name, indices: &[], args }.build()?),
        }
    }

    fn check(&self, name: &str, parameters: &[Sort], args: &[Term]) -> Result<(), Placed> {
        use super::print::DisplaySort;
        let terms = self.terms();
        if parameters.len() != args.len() || args.is_empty() {
            let expected = format!("{} arguments of `{name}`", parameters.len());
            return Err(Placed::new(None, format!("{} arguments", args.len()), expected));
        }
        for (at, (&sort, &arg)) in parameters.iter().zip(args).enumerate() {
            if terms.sort(arg) != sort {
                let found = format!("a term of sort {}", DisplaySort(terms, terms.sort(arg)));
                return Err(Placed::new(Some(at), found, format!("a term of sort {}", DisplaySort(terms, sort))));
            }
        }
        Ok(())
    }

    /// The head is a list: `(_ extract 7 0)` or `(as const SORT)`.
    fn indexed_application(&self, items: &[NodeId], args: &[Term]) -> Result<Term, Placed> {
        let nodes = self.nodes;
        let terms = self.terms();
        let head = nodes.list(items[0]).unwrap_or(&[]);
        match (head.first().and_then(|&first| nodes.symbol(first)), head) {
            (Some("as"), &[_, name, sort]) if nodes.symbol(name) == Some("const") => {
                let array = self.scope.sort(nodes, sort)?;
                let Sort::Array(id) = array else { return Err(nodes.unexpected(sort, "an array sort").into()) };
                self.check("const", &[terms.array_sorts(id).1], args)?;
                Ok(terms.const_array(array, args[0]))
            }
            (Some("_"), &[_, name, ref indices @ ..]) if nodes.symbol(name).is_some() => {
                let indices: Result<Vec<u32>, ReadError> =
                    indices.iter().map(|&index| number(nodes, index, u32::MAX)).collect();
                let name = nodes.symbol(name).unwrap_or("");
                Ok(Call { terms, name, indices: &indices?, args }.build()?)
            }
            _ => Err(nodes.unexpected(items[0], "an operator").into()),
        }
    }

    /// The number of `((_ to_fp E S) MODE 1.5)`.
    fn real_argument(&self, items: &[NodeId]) -> Result<Option<(BigInt, BigUint)>, ReadError> {
        let nodes = self.nodes;
        let &[head, _, value] = items else { return Ok(None) };
        let is_conversion = nodes.list(head).is_some_and(|head| {
            head.len() == 4 && head.get(1).is_some_and(|&name| nodes.symbol(name) == Some("to_fp"))
        });
        if !is_conversion { Ok(None) } else { rational(nodes, value, 8) }
    }

    fn visit_real(&mut self, items: &[NodeId], (numerator, denominator): (BigInt, BigUint)) -> Result<(), ReadError> {
        let nodes = self.nodes;
        let head = nodes.list(items[0]).unwrap_or(&[]);
        let sort = float_sort(nodes, head[2], head[3])?;
        let terms = self.terms().clone();
        let name = nodes.symbol(items[1]);
        let mode = match name {
            Some(name) => self.symbol(items[1], name)?,
            None => return Err(nodes.unexpected(items[1], "a rounding mode")),
        };
        if terms.sort(mode) != Sort::RoundingMode {
            return Err(nodes.unexpected(items[1], "a rounding mode"));
        }
        let rounded = |mode| softfloat::from_rational(sort, mode, &numerator, &denominator);
        let first = terms.float_value(sort, &rounded(RoundingMode::NearestEven));
        let term = RoundingMode::ALL.into_iter().fold(first, |rest, one| {
            let value = terms.float_value(sort, &rounded(one));
            terms.ite(terms.eq(mode, terms.rounding(one)), value, rest)
        });
        self.results.push(term);
        Ok(())
    }
}

/// A refusal whose place may be known already.
enum Placed {
    Refused(Refusal),
    Known(Box<ReadError>),
}

impl Placed {
    fn new(at: Option<usize>, found: String, expected: String) -> Placed {
        Placed::Refused(Refusal { at, found, expected })
    }
}

impl From<Refusal> for Placed {
    fn from(refusal: Refusal) -> Placed {
        Placed::Refused(refusal)
    }
}

impl From<ReadError> for Placed {
    fn from(error: ReadError) -> Placed {
        Placed::Known(Box::new(error))
    }
}

/// The `:named` attribute of `(! term ...)`, if there is one.
pub(super) fn attribute_name(nodes: &Nodes, items: &[NodeId]) -> Option<Result<String, ReadError>> {
    let is_named =
        |&&at: &&NodeId| matches!(&nodes.node(at).content, Content::Atom(Atom::Keyword(keyword)) if keyword == "named");
    let at = items.iter().position(|at| is_named(&at))?;
    Some(match items.get(at + 1).and_then(|&name| nodes.symbol(name)) {
        Some(name) => Ok(name.to_owned()),
        None => Err(nodes.unexpected(items[at], "`:named` and a name")),
    })
}

fn number_of_bits(nodes: &Nodes, at: NodeId) -> Result<u32, ReadError> {
    match number(nodes, at, MAXIMAL_WIDTH)? {
        0 => Err(nodes.unexpected(at, "a width of at least one")),
        width => Ok(width),
    }
}

fn long_name(mode: RoundingMode) -> &'static str {
    match mode {
        RoundingMode::NearestEven => "roundNearestTiesToEven",
        RoundingMode::NearestAway => "roundNearestTiesToAway",
        RoundingMode::TowardPositive => "roundTowardPositive",
        RoundingMode::TowardNegative => "roundTowardNegative",
        RoundingMode::TowardZero => "roundTowardZero",
    }
}

/// A constant of numbers, `-` and `/`; `None` if it is something else.
fn rational(nodes: &Nodes, at: NodeId, depth: u32) -> Result<Option<(BigInt, BigUint)>, ReadError> {
    let parse = |digits: &str| BigInt::parse_bytes(digits.as_bytes(), 10).unwrap_or_default();
    match &nodes.node(at).content {
        Content::Atom(Atom::Numeral(digits)) => Ok(Some((parse(digits), BigUint::from(1u8)))),
        Content::Atom(Atom::Decimal(text)) => {
            let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
            let scale = BigUint::from(10u8).pow(fraction.len() as u32);
            Ok(Some((parse(&format!("{whole}{fraction}")), scale)))
        }
        Content::List(items) if depth > 0 => match (nodes.symbol(*items.first().unwrap_or(&at)), &items[..]) {
            (Some("-"), &[_, value]) => {
                Ok(rational(nodes, value, depth - 1)?.map(|(numerator, denominator)| (-numerator, denominator)))
            }
            (Some("/"), &[_, above, below]) => {
                let (above, below) = (rational(nodes, above, depth - 1)?, rational(nodes, below, depth - 1)?);
                let (Some((a, b)), Some((c, d))) = (above, below) else { return Ok(None) };
                if c.sign() == num_bigint::Sign::NoSign {
                    return Err(nodes.unexpected(at, "a divisor that is not zero"));
                }
                let sign = if c.sign() == num_bigint::Sign::Minus { -1 } else { 1 };
                Ok(Some((a * BigInt::from(d) * sign, b * c.magnitude())))
            }
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}
