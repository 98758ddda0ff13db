//! Runs SMT-LIB scripts on a solver and says what SMT-LIB wants said.
//!
//! Reading is done by `smtlib`; this file never looks at text.

use std::fmt::Write;

use tandem_base::{Budget, StopReason};

use crate::pool::{Term, Terms};
use crate::smtlib::{Command, DisplaySort, DisplayValue, Located, Script};
use crate::solver::{Answer, Solver, UnknownReason};
use crate::sort::Sort;
use crate::value::{FunctionValue, Model};

/// What a run came to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ScriptRun {
    /// The answers to the checks, in order.
    pub answers: Vec<Answer>,
    /// Checks (counted from zero) whose answer is not the `:status` that the script promises.
    pub surprises: Vec<usize>,
    /// Commands that could not be obeyed.
    pub errors: usize,
}

/// Runs a script on a solver without assertions. Each response goes to `emit` as soon as it is known, without a line end.
pub fn run_script<S: Solver>(
    script: &Script,
    solver: &mut S,
    budget: &Budget,
    emit: &mut dyn FnMut(&str),
) -> ScriptRun {
    // Cores are over named assertions, which must then be assumptions.
    let wants_cores = script.commands.iter().any(|located| located.command == Command::GetUnsatCore);
    let mut runner = Runner {
        terms: solver.terms().clone(),
        solver,
        budget,
        emit,
        wants_cores,
        levels: vec![Level::default()],
        assumed: Vec::new(),
        status: None,
        print_success: false,
        run: ScriptRun::default(),
    };
    // The script's base is a level, so that it can be reset.
    runner.solver.push();
    for Located { command, .. } in &script.commands {
        if *command == Command::Exit {
            break;
        }
        runner.command(command);
    }
    let levels = runner.levels.len();
    runner.solver.pop(levels);
    runner.run
}

struct Runner<'a, S> {
    terms: Terms,
    solver: &'a mut S,
    budget: &'a Budget,
    emit: &'a mut dyn FnMut(&str),
    wants_cores: bool,
    levels: Vec<Level>,
    /// The assumptions of the last check.
    assumed: Vec<Term>,
    /// The status that the script promises for the next check.
    status: Option<String>,
    print_success: bool,
    run: ScriptRun,
}

/// What a level of the script declares and asserts.
#[derive(Default)]
struct Level {
    symbols: Vec<(String, u32)>,
    assertions: Vec<(Term, Option<String>)>,
}

impl<S: Solver> Runner<'_, S> {
    fn command(&mut self, command: &Command) {
        match command {
            Command::SetOption(name, value) if name == "print-success" => self.print_success = value == "true",
            Command::SetInfo(name, value) if name == "status" => self.status = Some(value.clone()),
            Command::SetLogic(_) | Command::SetOption(..) | Command::SetInfo(..) => {}
            Command::DeclareSort(_) | Command::Define { .. } => {}
            Command::Declare { name, symbol } => self.top().symbols.push((name.clone(), *symbol)),
            Command::Assert { term, name } => self.assert(*term, name.clone()),
            Command::Push(levels) => (0..*levels).for_each(|_| self.push()),
            Command::Pop(levels) => self.pop(*levels),
            Command::Reset | Command::ResetAssertions => {
                self.solver.pop(self.levels.len());
                self.levels.clear();
                self.push();
            }
            Command::CheckSat => return self.check(&[]),
            Command::CheckSatAssuming(literals) => return self.check(literals),
            Command::GetModel => return self.model(),
            Command::GetValue(wanted) => return self.values(wanted),
            Command::GetUnsatCore => return self.unsat_core(),
            Command::GetUnsatAssumptions => return self.unsat_assumptions(),
            Command::GetAssertions => return self.assertions(),
            Command::GetAssignment => return self.assignment(),
            Command::GetInfo(name) => return self.info(name),
            Command::GetOption(name) => return self.error(&format!("the value of :{name} is not kept")),
            Command::Echo(text) => return (self.emit)(&format!("\"{}\"", text.replace('"', "\"\""))),
            Command::Exit => return,
        }
        if self.print_success {
            (self.emit)("success");
        }
    }

    fn top(&mut self) -> &mut Level {
        if self.levels.is_empty() {
            self.levels.push(Level::default());
        }
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    fn push(&mut self) {
        self.solver.push();
        self.levels.push(Level::default());
    }

    fn pop(&mut self, levels: usize) {
        if levels >= self.levels.len() {
            return self.error("more is popped than was pushed");
        }
        self.solver.pop(levels);
        self.levels.truncate(self.levels.len() - levels);
    }

    fn assert(&mut self, term: Term, name: Option<String>) {
        if name.is_none() || !self.wants_cores {
            self.solver.assert(term);
        }
        self.top().assertions.push((term, name));
    }

    fn check(&mut self, literals: &[Term]) {
        let named = self.levels.iter().flat_map(|level| &level.assertions).filter(|(_, name)| name.is_some());
        let named: Vec<Term> = if self.wants_cores { named.map(|(term, _)| *term).collect() } else { Vec::new() };
        self.assumed = [named.as_slice(), literals].concat();
        let answer = self.solver.check(&self.assumed, self.budget);
        let text = match answer {
            Answer::Sat => "sat",
            Answer::Unsat => "unsat",
            Answer::Unknown(_) => "unknown",
        };
        if let Some(promised) = self.status.take() {
            let known = matches!(promised.as_str(), "sat" | "unsat") && text != "unknown";
            if known && promised != text {
                self.run.surprises.push(self.run.answers.len());
            }
        }
        self.run.answers.push(answer);
        (self.emit)(text);
    }

    fn model(&mut self) {
        if self.run.answers.last() != Some(&Answer::Sat) {
            return self.error("there is no model: the last check was not sat");
        }
        let model = self.solver.model();
        let mut text = String::from("(\n");
        for (name, symbol) in self.levels.iter().flat_map(|level| &level.symbols) {
            text.push_str(&definition(&self.terms, name, *symbol, &model));
        }
        text.push(')');
        (self.emit)(&text);
    }

    fn values(&mut self, wanted: &[(String, Term)]) {
        if self.run.answers.last() != Some(&Answer::Sat) {
            return self.error("there are no values: the last check was not sat");
        }
        let model = self.solver.model();
        let pairs = wanted.iter().map(|(text, term)| {
            let value = self.terms.eval(*term, &model);
            format!("({text} {})", DisplayValue(&self.terms, &value, self.terms.sort(*term)))
        });
        let pairs: Vec<String> = pairs.collect();
        (self.emit)(&format!("({})", pairs.join("\n ")));
    }

    fn unsat_core(&mut self) {
        if self.run.answers.last() != Some(&Answer::Unsat) {
            return self.error("there is no core: the last check was not unsat");
        }
        let core = self.solver.core();
        let named = self.levels.iter().flat_map(|level| &level.assertions);
        let names: Vec<&str> =
            named.filter(|(term, _)| core.contains(term)).filter_map(|(_, name)| name.as_deref()).collect();
        (self.emit)(&format!("({})", names.join(" ")));
    }

    fn unsat_assumptions(&mut self) {
        if self.run.answers.last() != Some(&Answer::Unsat) {
            return self.error("there are no unsat assumptions: the last check was not unsat");
        }
        let core = self.solver.core();
        let names: Vec<String> = core.iter().map(|&term| self.terms.display(term).to_string()).collect();
        (self.emit)(&format!("({})", names.join(" ")));
    }

    fn assertions(&mut self) {
        let all = self.levels.iter().flat_map(|level| &level.assertions);
        let all: Vec<String> = all.map(|(term, _)| self.terms.display(*term).to_string()).collect();
        (self.emit)(&format!("({})", all.join("\n ")));
    }

    fn assignment(&mut self) {
        if self.run.answers.last() != Some(&Answer::Sat) {
            return self.error("there is no assignment: the last check was not sat");
        }
        let model = self.solver.model();
        let all = self.levels.iter().flat_map(|level| &level.assertions);
        let named = all.filter_map(|(term, name)| Some((name.as_deref()?, self.terms.holds(*term, &model))));
        let named: Vec<String> = named.map(|(name, truth)| format!("({name} {truth})")).collect();
        (self.emit)(&format!("({})", named.join(" ")));
    }

    fn info(&mut self, name: &str) {
        let text = match name {
            "name" => "(:name \"tandem\")".to_owned(),
            "version" => format!("(:version \"{}\")", env!("CARGO_PKG_VERSION")),
            "error-behavior" => "(:error-behavior continued-execution)".to_owned(),
            "assertion-stack-levels" => format!("(:assertion-stack-levels {})", self.levels.len() - 1),
            "reason-unknown" => match self.run.answers.last() {
                Some(Answer::Unknown(UnknownReason::Stopped(StopReason::Memory))) => {
                    "(:reason-unknown memout)".to_owned()
                }
                Some(Answer::Unknown(UnknownReason::Incomplete(_))) => "(:reason-unknown incomplete)".to_owned(),
                Some(Answer::Unknown(UnknownReason::Stopped(reason))) => format!("(:reason-unknown \"{reason}\")"),
                _ => return self.error("the last check was not unknown"),
            },
            _ => "unsupported".to_owned(),
        };
        (self.emit)(&text);
    }

    fn error(&mut self, message: &str) {
        self.run.errors += 1;
        (self.emit)(&format!("(error \"{message}\")"));
    }
}

/// A symbol's value as a definition.
fn definition(terms: &Terms, name: &str, symbol: u32, model: &Model) -> String {
    let declared = terms.symbol(symbol);
    let result = declared.result;
    let sort = DisplaySort(terms, result);
    let default = terms.default_value(result);
    let mut text = String::new();
    if declared.parameters.is_empty() {
        let value = model.constants.get(&symbol).unwrap_or(&default);
        let _ = writeln!(text, "  (define-fun {name} () {sort} {})", DisplayValue(terms, value, result));
        return text;
    }
    let parameters: Vec<String> = declared
        .parameters
        .iter()
        .enumerate()
        .map(|(i, &sort)| format!("(x!{i} {})", DisplaySort(terms, sort)))
        .collect();
    let body = match model.functions.get(&symbol) {
        Some(function) => function_body(terms, function, &declared.parameters, result),
        None => DisplayValue(terms, &default, result).to_string(),
    };
    let _ = writeln!(text, "  (define-fun {name} ({}) {sort} {body})", parameters.join(" "));
    text
}

/// The entries of a function as a chain of conditions, in a fixed order.
fn function_body(terms: &Terms, function: &FunctionValue, parameters: &[Sort], result: Sort) -> String {
    let mut entries: Vec<_> = function.entries.iter().collect();
    entries.sort();
    let mut text = String::new();
    for (args, value) in &entries {
        let equal = args.iter().zip(parameters).enumerate();
        let equal: Vec<String> =
            equal.map(|(i, (arg, &sort))| format!("(= x!{i} {})", DisplayValue(terms, arg, sort))).collect();
        let condition = if equal.len() == 1 { equal.concat() } else { format!("(and {})", equal.join(" ")) };
        let _ = write!(text, "(ite {condition} {} ", DisplayValue(terms, value, result));
    }
    let _ = write!(text, "{}{}", DisplayValue(terms, &function.default, result), ")".repeat(entries.len()));
    text
}
