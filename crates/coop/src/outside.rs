//! Actors that know nothing of exchange automata: other programs. What is settled is taken out of the program before they get it, and
//! what they say about the rest is brought back to the whole.
//!
//! Nothing that they say is taken for a fact. A violation counts when the interpreter has followed it to the error in the original
//! program; a proof counts when its witness is confirmed, or when the user trusts the tool. How a program is started and what its
//! output means is known elsewhere.

mod believe;
mod bytes;
mod sites;

use tandem_analyses::validate::Claim;
use tandem_artifact::gia::{Gia, Mark};
use tandem_artifact::{Caveat, ErrorCall, TestCase};
use tandem_base::{Budget, SourceText};
use tandem_cfa::library::{Kind, Primitive};
use tandem_cfa::{Program, build};

use crate::check::error_edges;
use crate::cooperation::{Actor, Cast, Declaration, Delivery, Known, Setting, Troupe};
use crate::reduce::{Residual, reduce};
use believe::Believing;
pub use bytes::{ByteInputs, size_of_input};
pub use sites::Site;

/// Another program.
pub trait Tool: Sync {
    fn declaration(&self) -> Declaration;

    /// Works on a program until it is done or the budget is used up. Never fails: what went wrong is part of the report.
    fn work(&self, order: &Order<'_>, budget: &Budget) -> Report;
}

/// What a tool is asked.
pub struct Order<'a> {
    /// The program, as complete C without directives. Error functions have no body in it.
    pub text: &'a str,
    /// The same text, understood.
    pub program: &'a Program,
    pub error: &'a ErrorCall,
    /// The functions that the program declares and whose call is an error, those behind `assert` included.
    pub errors: Vec<String>,
    /// The calls of these, if all of them are known one by one.
    pub sites: &'a [Site],
    pub threads: usize,
    /// Inputs that are known already, as bytes, one value after the other.
    pub seeds: &'a [Vec<u8>],
    /// Whether the original program reaches the error if its inputs are these bytes, one after the other.
    pub reaches_error: &'a dyn Fn(&[u8]) -> bool,
}

/// What a tool has to say.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Whether it says that the property holds.
    pub claim: Option<bool>,
    /// The sites that it shows not to be reached, if it does not say so of all.
    pub unreached: Vec<usize>,
    pub tests: Vec<TestCase>,
    /// Inputs as bytes, one value after the other.
    pub streams: Vec<Vec<u8>>,
    /// Of what it claims, about the text it was given.
    pub witness: Option<Claim>,
    /// What went wrong, in a few words.
    pub problem: Option<String>,
    pub note: String,
}

impl Report {
    /// The report of a tool that could not work.
    pub fn failed(problem: impl Into<String>) -> Report {
        Report { problem: Some(problem.into()), ..Report::default() }
    }
}

/// Tools as actors of a plan. The word of those in `trust` is taken without a check.
pub struct Outside {
    pub tools: Vec<Box<dyn Tool>>,
    pub trust: Vec<String>,
}

impl Cast for Outside {
    fn names(&self) -> Vec<String> {
        self.tools.iter().map(|tool| tool.declaration().name).collect()
    }

    fn declaration(&self, name: &str) -> Option<Declaration> {
        self.tools.iter().map(|tool| tool.declaration()).find(|declared| declared.name == name)
    }

    fn troupe<'a>(&'a self, _: Setting<'a>) -> Box<dyn Troupe<'a> + 'a> {
        let wrap = |tool: &'a dyn Tool| {
            let name = tool.declaration().name;
            let trusted = self.trust.contains(&name);
            Wrapped { tool, name, trusted }
        };
        Box::new(Visitors { visitors: self.tools.iter().map(|tool| wrap(&**tool)).collect() })
    }
}

struct Visitors<'a> {
    visitors: Vec<Wrapped<'a>>,
}

impl<'a> Troupe<'a> for Visitors<'a> {
    fn actor(&mut self, name: &str) -> Option<&mut dyn Actor<'a>> {
        let visitor = self.visitors.iter_mut().find(|visitor| visitor.name == name)?;
        Some(visitor)
    }
}

/// A tool between reducer and combiner (Figure 13 of the paper on exchange automata).
struct Wrapped<'a> {
    tool: &'a dyn Tool,
    name: String,
    trusted: bool,
}

impl<'a> Actor<'a> for Wrapped<'a> {
    fn act(&mut self, setting: Setting<'a>, known: &Known, budget: &Budget) -> Delivery {
        let rest = match rest(setting, known) {
            Ok(Some(rest)) => rest,
            Ok(None) => return Delivery { note: "nothing is left to look at".into(), ..Delivery::default() },
            Err(why) => return self.failed(&why),
        };
        let believing = Believing { setting, known, name: &self.name, trusted: self.trusted, budget };
        let reaches_error = |bytes: &[u8]| believing.replay(&mut ByteInputs::new(setting.program, bytes)).is_ok();
        let order = Order {
            text: &rest.text,
            program: &rest.program,
            error: setting.error,
            errors: error_functions(&rest.program, setting.error),
            sites: &rest.sites,
            threads: setting.threads,
            seeds: &[],
            reaches_error: &reaches_error,
        };
        let report = self.tool.work(&order, budget);
        believing.deliver(&rest, report)
    }
}

impl Wrapped<'_> {
    fn failed(&self, why: &str) -> Delivery {
        let caveat = Caveat::Imprecise(format!("{}: {why}", self.name));
        Delivery { caveats: vec![caveat], ..Delivery::default() }
    }
}

/// The functions of the program whose call is an error.
pub(crate) fn error_functions(program: &Program, error: &ErrorCall) -> Vec<String> {
    let kinds = Kind::of_all(program, &error.functions());
    let is_error = |kind: &Kind| match kind {
        Kind::Error => true,
        Kind::Library(Primitive::AssertFail) => error.includes_assert(),
        Kind::Body | Kind::Library(_) | Kind::Intrinsic(_) | Kind::Model(_) | Kind::Missing | Kind::Unknown => false,
    };
    let functions = program.functions.iter().zip(kinds.iter()).filter(|(_, kind)| is_error(kind));
    functions.map(|(function, _)| function.name.to_string()).collect()
}

/// What is left of a program.
pub(crate) struct Rest {
    pub text: String,
    pub program: Program,
    sites: Vec<Site>,
    /// The candidates, if only those are left.
    pub candidates: Option<Gia>,
}

/// What a tool gets; nothing if no path to an error is left.
fn rest(setting: Setting<'_>, known: &Known) -> Result<Option<Rest>, String> {
    let errors = setting.error.functions();
    let calls = error_edges(setting.program, setting.error);
    let is_open = |residual: &Residual| {
        let left = residual.edges();
        calls.iter().any(|edge| left.contains(edge))
    };
    let whole = known.whole();
    // Candidates that are settled by now are no request.
    if let Some(request) = known.request.as_ref().filter(|_| whole.has_candidates()) {
        let residual = reduce(setting.program, &whole, Mark::Unreachable, &errors);
        if is_open(&residual) {
            return written(setting.error, residual, Some(request.clone())).map(Some);
        }
    }
    let settled = whole.remarked(|mark| mark.is_settled().then_some(mark));
    let residual = reduce(setting.program, &settled, Mark::Unreachable, &errors);
    if is_open(&residual) { written(setting.error, residual, None).map(Some) } else { Ok(None) }
}

/// The residual as a program of its own. What an error function does is of no interest, and takes nobody in.
pub(crate) fn written(error: &ErrorCall, mut residual: Residual, candidates: Option<Gia>) -> Result<Rest, String> {
    let errors = error.functions();
    let model = residual.program.model();
    let is_error = |name: &str| errors.contains(&name);
    let Residual { program, source, .. } = &mut residual;
    source.functions.retain(|shape| !is_error(&shape.name));
    if source.functions.iter().any(|shape| is_error(&program.functions[shape.original].name)) {
        return Err("an error function has a copy in what is left of the program".into());
    }
    let with_lines =
        residual.c_text("program.c").map_err(|problem| format!("no program to work on: {}", problem.message))?;
    // Places are those in the text itself.
    let plain = |line: &str| if line.starts_with("#line") { "\n".to_string() } else { format!("{line}\n") };
    let text: String = with_lines.lines().map(plain).collect();
    let built = build(SourceText::plain("program.c", text.clone().into_bytes()), model);
    let program = built.program.ok_or("what is left of the program is not understood")?;
    // Of candidates, either all are settled or none.
    let sites = match &candidates {
        Some(_) => Vec::new(),
        None => sites::sites(&program, error, &text, &with_lines),
    };
    Ok(Rest { text, program, sites, candidates })
}
