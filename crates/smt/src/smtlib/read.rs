//! Scripts of the quantifier-free fragment of SMT-LIB 2.6 over our sorts, read command by command.

use super::expression::{attribute_name, read_term};
use super::scope::{Meaning, Scope, number};
use super::script::{Command, Located, Script};
use super::symbol::is_theory_name;
use super::text::{Atom, Content, NodeId, Nodes, ReadError, parse};
use crate::pool::{Term, Terms};
use crate::sort::Sort;

/// The commands of a script over terms of the pool. `file` is only the name that errors say.
pub fn read_script(terms: &Terms, file: &str, text: &[u8]) -> Result<Script, ReadError> {
    let (nodes, commands, broken) = parse(file, text);
    let mut reader = Reader { nodes: &nodes, scope: Scope::new(terms), terms: terms.clone() };
    let mut script = Script::default();
    for at in commands {
        let command = reader.command(at)?;
        let position = nodes.source.position(nodes.node(at).start);
        script.commands.push(Located { command, position });
    }
    match broken {
        Some(error) => Err(error),
        None => Ok(script),
    }
}

struct Reader<'a> {
    nodes: &'a Nodes,
    scope: Scope,
    terms: Terms,
}

impl Reader<'_> {
    fn command(&mut self, at: NodeId) -> Result<Command, ReadError> {
        let nodes = self.nodes;
        let Some(items) = nodes.list(at) else { return Err(nodes.unexpected(at, "a command `(NAME ...)`")) };
        let name = items.first().and_then(|&first| nodes.symbol(first));
        let Some(name) = name else { return Err(nodes.unexpected(at, "a command `(NAME ...)`")) };
        let args = &items[1..];
        match name {
            "set-logic" => self.set_logic(at, args),
            "set-option" | "set-info" | "get-info" | "get-option" => self.setting(at, name, args),
            "declare-fun" | "declare-const" => self.declare(at, name, args),
            "declare-sort" | "define-sort" => self.sort_command(at, name, args),
            "define-fun" | "define-const" => self.define(at, name, args),
            "assert" => self.assert(at, args),
            "check-sat-assuming" => {
                let &[list] = args else { return Err(self.shape(at, "(check-sat-assuming (LITERAL ...))")) };
                let Some(list) = nodes.list(list) else { return Err(nodes.unexpected(list, "a list of literals")) };
                let literals: Result<Vec<Term>, ReadError> = list.iter().map(|&at| self.boolean(at)).collect();
                literals.map(Command::CheckSatAssuming)
            }
            "push" | "pop" => self.stack(at, name, args),
            "get-value" => self.get_value(at, args),
            "echo" => match args.first().map(|&text| &nodes.node(text).content) {
                Some(Content::Atom(Atom::Text(text))) if args.len() == 1 => Ok(Command::Echo(text.clone())),
                _ => Err(self.shape(at, "(echo \"TEXT\")")),
            },
            _ => self.simple(at, name, args),
        }
    }

    fn shape(&self, at: NodeId, form: &str) -> ReadError {
        self.nodes.unexpected(at, &format!("`{form}`"))
    }

    fn simple(&mut self, at: NodeId, name: &str, args: &[NodeId]) -> Result<Command, ReadError> {
        let command = match name {
            "check-sat" => Command::CheckSat,
            "get-model" => Command::GetModel,
            "get-unsat-core" => Command::GetUnsatCore,
            "get-unsat-assumptions" => Command::GetUnsatAssumptions,
            "get-assertions" => Command::GetAssertions,
            "get-assignment" => Command::GetAssignment,
            "reset" => {
                self.scope = Scope::new(&self.terms);
                Command::Reset
            }
            "reset-assertions" => {
                while self.scope.pop() {}
                Command::ResetAssertions
            }
            "exit" => Command::Exit,
            _ => {
                let expected = "a command of SMT-LIB for quantifier-free problems".to_owned();
                return Err(self.nodes.error(at, (format!("the command `{name}`"), expected)));
            }
        };
        match args.first() {
            Some(&extra) => Err(self.nodes.unexpected(extra, &format!("`)` at the end of `{name}`"))),
            None => Ok(command),
        }
    }

    fn set_logic(&mut self, at: NodeId, args: &[NodeId]) -> Result<Command, ReadError> {
        let &[name] = args else { return Err(self.shape(at, "(set-logic NAME)")) };
        let Some(logic) = self.nodes.symbol(name) else { return Err(self.nodes.unexpected(name, "a logic")) };
        match logic_problem(logic) {
            None => Ok(Command::SetLogic(logic.to_owned())),
            Some(problem) => {
                let expected = "`ALL` or a quantifier-free logic of arrays, functions, bit-vectors and floats, such as \
                                `QF_AUFBVFP`";
                Err(self.nodes.error(name, (problem, expected.to_owned())))
            }
        }
    }

    fn setting(&self, at: NodeId, name: &str, args: &[NodeId]) -> Result<Command, ReadError> {
        let keyword = args.first().and_then(|&at| match &self.nodes.node(at).content {
            Content::Atom(Atom::Keyword(keyword)) => Some(keyword.clone()),
            _ => None,
        });
        let Some(keyword) = keyword else { return Err(self.shape(at, &format!("({name} :KEYWORD ...)"))) };
        let value: Vec<String> = args[1..].iter().map(|&value| self.nodes.text(value)).collect();
        let value = value.join(" ");
        Ok(match name {
            "set-option" => Command::SetOption(keyword, value),
            "set-info" => Command::SetInfo(keyword, value),
            "get-info" => Command::GetInfo(keyword),
            _ => Command::GetOption(keyword),
        })
    }

    /// A name that may be given to something new.
    fn new_name(&self, at: NodeId) -> Result<String, ReadError> {
        let Some(name) = self.nodes.symbol(at) else { return Err(self.nodes.unexpected(at, "a name")) };
        if self.scope.symbol(name).is_some() || is_theory_name(name) {
            let expected = "a name that is not taken".to_owned();
            return Err(self.nodes.error(at, (format!("the name `{name}`"), expected)));
        }
        Ok(name.to_owned())
    }

    fn sorts(&self, at: NodeId) -> Result<Vec<Sort>, ReadError> {
        let Some(list) = self.nodes.list(at) else { return Err(self.nodes.unexpected(at, "a list of sorts")) };
        list.iter().map(|&sort| self.scope.sort(self.nodes, sort)).collect()
    }

    fn declare(&mut self, at: NodeId, command: &str, args: &[NodeId]) -> Result<Command, ReadError> {
        let (name, parameters, result) = match (command, args) {
            ("declare-fun", &[name, parameters, result]) => (name, self.sorts(parameters)?, result),
            ("declare-const", &[name, result]) => (name, Vec::new(), result),
            ("declare-fun", _) => return Err(self.shape(at, "(declare-fun NAME (SORT ...) SORT)")),
            _ => return Err(self.shape(at, "(declare-const NAME SORT)")),
        };
        let name = self.new_name(name)?;
        let result = self.scope.sort(self.nodes, result)?;
        let symbol = self.terms.function(&name, &parameters, result);
        self.scope.define(&name, Meaning::Symbol(symbol));
        Ok(Command::Declare { name, symbol })
    }

    fn sort_command(&mut self, at: NodeId, command: &str, args: &[NodeId]) -> Result<Command, ReadError> {
        let nodes = self.nodes;
        let name = |at: NodeId, scope: &Scope| match nodes.symbol(at) {
            Some(name) if !scope.has_sort(name) && !is_theory_name(name) => Ok(name.to_owned()),
            _ => Err(nodes.unexpected(at, "the name of a new sort")),
        };
        match (command, args) {
            ("declare-sort", &[sort, ref arity @ ..]) if arity.len() <= 1 => {
                if let Some(&arity) = arity.first() {
                    number(nodes, arity, 0)?;
                }
                let name = name(sort, &self.scope)?;
                Ok(Command::DeclareSort(self.scope.declare_sort(&name)))
            }
            ("define-sort", &[sort, parameters, body]) => {
                let name = name(sort, &self.scope)?;
                let list = nodes.list(parameters).unwrap_or(&[]);
                let names: Option<Vec<String>> = list.iter().map(|&at| nodes.symbol(at).map(str::to_owned)).collect();
                let Some(names) = names else { return Err(nodes.unexpected(parameters, "names of sorts")) };
                if names.is_empty() {
                    // Checked where it stands; with parameters, where it is used.
                    self.scope.sort(nodes, body)?;
                }
                self.scope.define_sort(&name, names, body);
                Ok(Command::Define { name })
            }
            ("declare-sort", _) => Err(self.shape(at, "(declare-sort NAME 0)")),
            _ => Err(self.shape(at, "(define-sort NAME (NAME ...) SORT)")),
        }
    }

    fn define(&mut self, at: NodeId, command: &str, args: &[NodeId]) -> Result<Command, ReadError> {
        let nodes = self.nodes;
        let (name, list, result, body) = match (command, args) {
            ("define-fun", &[name, parameters, result, body]) => {
                let Some(list) = nodes.list(parameters) else {
                    return Err(nodes.unexpected(parameters, "a list of parameters"));
                };
                (name, list, result, body)
            }
            ("define-const", &[name, result, body]) => (name, &[][..], result, body),
            ("define-fun", _) => return Err(self.shape(at, "(define-fun NAME ((NAME SORT) ...) SORT TERM)")),
            _ => return Err(self.shape(at, "(define-const NAME SORT TERM)")),
        };
        let name = self.new_name(name)?;
        let mut parameters = Vec::new();
        for &pair in list {
            let (Some(&[parameter, sort]), true) = (nodes.list(pair), true) else {
                return Err(nodes.unexpected(pair, "a parameter `(NAME SORT)`"));
            };
            let Some(text) = nodes.symbol(parameter) else { return Err(nodes.unexpected(parameter, "a name")) };
            let sort = self.scope.sort(nodes, sort)?;
            // A backslash cannot be part of a name in a script.
            parameters.push((text.to_owned(), self.terms.variable(&format!("{name}\\{text}"), sort)));
        }
        let result = self.scope.sort(nodes, result)?;
        let term = read_term(nodes, &mut self.scope, body, &parameters)?;
        self.expect_sort(body, term, result)?;
        let variables = parameters.into_iter().map(|(_, variable)| variable).collect();
        self.scope.define(&name, Meaning::Definition(variables, term));
        Ok(Command::Define { name })
    }

    fn expect_sort(&self, at: NodeId, term: Term, sort: Sort) -> Result<(), ReadError> {
        use super::print::DisplaySort;
        if self.terms.sort(term) == sort {
            return Ok(());
        }
        let found = format!("a term of sort {}", DisplaySort(&self.terms, self.terms.sort(term)));
        Err(self.nodes.error(at, (found, format!("a term of sort {}", DisplaySort(&self.terms, sort)))))
    }

    fn boolean(&mut self, at: NodeId) -> Result<Term, ReadError> {
        let term = read_term(self.nodes, &mut self.scope, at, &[])?;
        self.expect_sort(at, term, Sort::Bool)?;
        Ok(term)
    }

    fn assert(&mut self, at: NodeId, args: &[NodeId]) -> Result<Command, ReadError> {
        let &[body] = args else { return Err(self.shape(at, "(assert TERM)")) };
        let items = self.nodes.list(body).unwrap_or(&[]);
        let annotated = items.first().is_some_and(|&first| self.nodes.symbol(first) == Some("!"));
        let name = if annotated { attribute_name(self.nodes, items).transpose()? } else { None };
        Ok(Command::Assert { term: self.boolean(body)?, name })
    }

    fn stack(&mut self, at: NodeId, name: &str, args: &[NodeId]) -> Result<Command, ReadError> {
        let levels = match args {
            [] => 1,
            &[levels] => number(self.nodes, levels, 1 << 20)?,
            _ => return Err(self.shape(at, &format!("({name} NUMBER)"))),
        };
        for _ in 0..levels {
            if name == "push" {
                self.scope.push();
            } else if !self.scope.pop() {
                let found = format!("a pop of {levels} levels");
                return Err(self.nodes.error(at, (found, "at most as many as were pushed".to_owned())));
            }
        }
        Ok(if name == "push" { Command::Push(levels as usize) } else { Command::Pop(levels as usize) })
    }

    fn get_value(&mut self, at: NodeId, args: &[NodeId]) -> Result<Command, ReadError> {
        let list = match args {
            &[list] => self.nodes.list(list).filter(|list| !list.is_empty()),
            _ => None,
        };
        let Some(list) = list else { return Err(self.shape(at, "(get-value (TERM ...))")) };
        let mut values = Vec::new();
        for &item in list {
            values.push((self.nodes.text(item), read_term(self.nodes, &mut self.scope, item, &[])?));
        }
        Ok(Command::GetValue(values))
    }
}

/// What is wrong with a logic; `None` if nothing is.
fn logic_problem(logic: &str) -> Option<String> {
    if logic == "ALL" || logic == "QF_ALL" {
        return None;
    }
    const OURS: [&str; 5] = ["AX", "A", "UF", "BV", "FP"];
    const OTHERS: [(&str, &str); 16] = [
        ("DTL", "datatypes"),
        ("DT", "datatypes"),
        ("FF", "finite fields"),
        ("LIRA", "integers and reals"),
        ("NIRA", "integers and reals"),
        ("LIA", "integers"),
        ("NIA", "integers"),
        ("IDL", "integers"),
        ("LRA", "reals"),
        ("NRA", "reals"),
        ("RDL", "reals"),
        ("S", "strings"),
        ("NIT", "integers"),
        ("LIT", "integers"),
        ("T", "transcendental functions"),
        ("HO_", "higher-order terms"),
    ];
    let (quantified, mut rest) = match logic.strip_prefix("QF_") {
        Some(rest) => (false, rest),
        None => (true, logic),
    };
    let mut foreign = None;
    let unknown = || Some(format!("the unknown logic `{logic}`"));
    if rest.is_empty() {
        return unknown();
    }
    while !rest.is_empty() {
        if let Some((part, what)) = OTHERS.iter().find(|(part, _)| rest.starts_with(part)) {
            foreign = foreign.or(Some(*what));
            rest = &rest[part.len()..];
        } else if let Some(part) = OURS.iter().find(|part| rest.starts_with(*part)) {
            rest = &rest[part.len()..];
        } else {
            return unknown();
        }
    }
    match (quantified, foreign) {
        (true, _) => Some(format!("the logic `{logic}`, which has quantifiers")),
        (false, Some(what)) => Some(format!("the logic `{logic}`, which has {what}")),
        (false, None) => None,
    }
}
