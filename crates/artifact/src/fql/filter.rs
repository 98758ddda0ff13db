//! Filters: from the graph of the program to parts of it.

use std::sync::Arc;

use tandem_base::{Id, Problem};
use tandem_cfa::{Callee, DecisionKind, EdgeId, FunctionId, Op};

use super::Semantics;
use super::blocks::{entries, first_counted, reachable};
use super::set::Bits;
use super::steps::{PointId, StepId, StepKind, Steps};
use super::tree::*;
use super::uses::{defines, uses};

/// A part of the graph of the program.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct TargetGraph {
    /// The edges of the graph, by step.
    pub steps: Bits,
    /// Steps that lie in the part but are no edges of it, unless another filter says so.
    pub hidden: Bits,
    pub points: Bits,
    pub initial: Bits,
    /// Every node is there twice for each, once where it holds and once where it does not.
    pub splits: Vec<Box<str>>,
}

impl TargetGraph {
    pub fn has(&self, step: StepId) -> bool {
        self.steps.contains(step.index()) || self.hidden.contains(step.index())
    }
}

/// Evaluates filters over one program.
pub(super) struct Filters<'s> {
    pub steps: &'s Steps<'s>,
    all: Arc<TargetGraph>,
    /// Warnings: filters that select nothing.
    pub warnings: Vec<Problem>,
}

impl<'s> Filters<'s> {
    pub fn new(steps: &'s Steps<'s>) -> Filters<'s> {
        let reached = reachable(steps);
        let everywhere = steps.semantics == Semantics::FShell;
        let mut filters = Filters { steps, all: Arc::new(TargetGraph::default()), warnings: Vec::new() };
        let mut all = filters.select_anywhere(|step| everywhere || reached.contains(&steps.get(step).function));
        all.initial = match steps.program.entry {
            Some(main) => filters.start_of(main),
            None => Bits::default(),
        };
        filters.all = Arc::new(all);
        filters
    }

    pub fn evaluate(&mut self, filter: &Filter) -> Result<Arc<TargetGraph>, Problem> {
        let graph = self.part(filter)?;
        if graph.steps.is_empty() && graph.points.is_empty() {
            let message = format!("`{filter}` selects nothing of this program");
            self.warnings.push(Problem::warning(filter.span, message));
        }
        Ok(graph)
    }

    fn part(&mut self, filter: &Filter) -> Result<Arc<TargetGraph>, Problem> {
        let graph = match &filter.kind {
            FilterKind::Identity => return Ok(self.all.clone()),
            FilterKind::Not(inner) => self.all.clone().minus(&*self.part(inner)?, filter)?,
            FilterKind::Minus(one, other) => self.part(one)?.minus(&*self.part(other)?, filter)?,
            FilterKind::Compose(one, other) => {
                let (one, other) = (self.part(one)?, self.part(other)?);
                let mut graph = one.meet(&other, filter)?;
                graph.initial = graph_initial(&one, &graph);
                graph
            }
            FilterKind::Union(parts) => self.fold(parts, filter, TargetGraph::join)?,
            FilterKind::Intersection(parts) => self.fold(parts, filter, TargetGraph::meet)?,
            FilterKind::Split(inner, predicate) => {
                let mut graph = (*self.part(inner)?).clone();
                graph.splits.push(predicate.clone());
                if graph.splits.len() > 8 {
                    return Err(Problem::error(filter.span, "more than eight predicates split one filter"));
                }
                graph
            }
            _ => self.primitive(filter)?,
        };
        Ok(Arc::new(graph))
    }

    fn fold(
        &mut self,
        parts: &[Filter],
        filter: &Filter,
        join: fn(&TargetGraph, &TargetGraph, &Filter) -> Result<TargetGraph, Problem>,
    ) -> Result<TargetGraph, Problem> {
        let mut graph: Option<TargetGraph> = None;
        for part in parts {
            let part = self.part(part)?;
            graph = Some(match graph {
                None => (*part).clone(),
                Some(graph) => join(&graph, &part, filter)?,
            });
        }
        Ok(graph.unwrap_or_default())
    }

    fn primitive(&mut self, filter: &Filter) -> Result<TargetGraph, Problem> {
        let steps = self.steps;
        let program = steps.program;
        let source = &program.source;
        Ok(match &filter.kind {
            FilterKind::File(name) => {
                let of_file = |file: &str| file == &**name || file.rsplit('/').next() == Some(name);
                self.select(|step| {
                    let span = steps.get(step).span;
                    !span.is_none() && of_file(&source.position(span.lo).file)
                })
            }
            FilterKind::Line(line) => self.at(|place| place.0 == *line),
            FilterKind::Column(column) => self.at(|place| place.1 == *column),
            FilterKind::Function(name) => {
                let function = self.function(name, filter)?;
                let mut graph = self.select(|step| steps.get(step).function == function);
                graph.initial = self.start_of(function);
                graph
            }
            FilterKind::Label(name) => {
                let bodies = program.functions.iter().filter_map(|function| function.body.as_ref());
                let nodes: Vec<_> = bodies
                    .flat_map(|body| body.labels.iter())
                    .filter(|label| label.0 == *name)
                    .map(|label| label.1)
                    .collect();
                self.select_edges(|edge| nodes.contains(&program.edges[edge].source))
            }
            FilterKind::Call(name) => self.select_edges(|edge| match &program.edges[edge].op {
                Op::Call { callee: Callee::Direct(callee), .. } => program.functions[*callee].name == *name,
                _ => false,
            }),
            FilterKind::Calls => self.select_edges(|edge| {
                matches!(&program.edges[edge].op, Op::Call { callee: Callee::Direct(_) | Callee::Pointer(_), .. })
            }),
            FilterKind::Entry(name) => {
                let start = steps.functions[&self.function(name, filter)?].start;
                let first = match steps.semantics {
                    Semantics::Tiger => vec![start],
                    Semantics::FShell => first_counted(steps, steps.get(start).target),
                };
                self.named(first)
            }
            FilterKind::Exit(name) => {
                let function = self.function(name, filter)?;
                self.select_edges(|edge| {
                    program.function_of(edge) == function && matches!(program.edges[edge].op, Op::Return { .. })
                })
            }
            FilterKind::BasicBlockEntry => self.named(entries(steps)),
            FilterKind::ConditionEdge => self.select_edges(|edge| matches!(program.edges[edge].op, Op::Assume { .. })),
            FilterKind::DecisionEdge => self.select_edges(|edge| {
                matches!(program.edges[edge].op, Op::Assume { .. }) && program.edges[edge].outcome.is_some()
            }),
            FilterKind::ConditionGraph => self.condition_graph(),
            FilterKind::Definition(name) => self.select_edges(|edge| defines(program, edge, name)),
            FilterKind::Use(name) => self.select_edges(|edge| uses(program, edge, name, steps.semantics)),
            FilterKind::StatementType(types) => {
                self.select_edges(|edge| types.iter().any(|ty| self.is_of_type(edge, *ty)))
            }
            FilterKind::Identity
            | FilterKind::Not(_)
            | FilterKind::Union(_)
            | FilterKind::Intersection(_)
            | FilterKind::Minus(..)
            | FilterKind::Compose(..)
            | FilterKind::Split(..) => TargetGraph::default(),
        })
    }

    fn function(&self, name: &str, filter: &Filter) -> Result<FunctionId, Problem> {
        let found = self.steps.program.function_named(name).filter(|id| self.steps.functions.contains_key(id));
        found.ok_or_else(|| {
            Problem::error(filter.span, format!("the program has no function `{name}` with a body"))
                .help("the name of a function that is defined in the program")
        })
    }

    fn at(&self, fits: impl Fn((u32, u32)) -> bool) -> TargetGraph {
        let source = &self.steps.program.source;
        self.select(|step| {
            let span = self.steps.get(step).span;
            !span.is_none() && {
                let position = source.position(span.lo);
                fits((position.line, position.column))
            }
        })
    }

    /// The subgraph in which decisions are evaluated: tests, and side effects between them.
    fn condition_graph(&self) -> TargetGraph {
        let program = self.steps.program;
        let mut graph = self.select_edges(|edge| {
            let span = program.edges[edge].span;
            let inside = |decision: &tandem_cfa::Decision| {
                decision.function == program.function_of(edge) && decision.span.contains(span)
            };
            program.edges[edge].condition.is_some() || (!span.is_none() && program.decisions.iter().any(inside))
        });
        let entered = |point: PointId| {
            let mut into = self.steps.into(point).iter();
            into.any(|step| graph.steps.contains(step.index()) && !self.settles(*step))
        };
        let begins = |point: &usize| !entered(PointId::from_index(*point));
        graph.initial = graph.initial.iter().filter(begins).collect();
        graph
    }

    fn settles(&self, step: StepId) -> bool {
        matches!(self.steps.get(step).kind, StepKind::Edge(edge) if self.steps.program.edges[edge].outcome.is_some())
    }

    fn is_of_type(&self, edge: EdgeId, ty: StatementType) -> bool {
        let program = self.steps.program;
        let content = &program.edges[edge];
        if ty == StatementType::Assert {
            let names = ["assert", "__VERIFIER_assert", "__assert", "__assert_fail"];
            return match &content.op {
                Op::Call { callee: Callee::Direct(callee), .. } => names.contains(&&*program.functions[*callee].name),
                _ => false,
            };
        }
        let Some(condition) = content.condition.filter(|_| matches!(content.op, Op::Assume { .. })) else {
            return false;
        };
        match program.decisions[program.conditions[condition].decision].kind {
            DecisionKind::If => ty == StatementType::If,
            DecisionKind::While | DecisionKind::DoWhile => ty == StatementType::While,
            DecisionKind::For => ty == StatementType::For,
            DecisionKind::Switch => ty == StatementType::Switch,
            DecisionKind::Conditional => ty == StatementType::Conditional,
            DecisionKind::Logical | DecisionKind::Computed => false,
        }
    }

    fn start_of(&self, function: FunctionId) -> Bits {
        let start = self.steps.functions.get(&function).map(|function| self.steps.get(function.enter).source);
        start.into_iter().map(|point| point.index()).collect()
    }

    fn select_edges(&self, fits: impl Fn(EdgeId) -> bool) -> TargetGraph {
        self.select(|step| matches!(self.steps.get(step).kind, StepKind::Edge(edge) if fits(edge)))
    }

    /// The steps of the program that fit; sources are initial.
    fn select(&self, fits: impl Fn(StepId) -> bool) -> TargetGraph {
        self.select_anywhere(|step| self.all.has(step) && fits(step))
    }

    fn select_anywhere(&self, fits: impl Fn(StepId) -> bool) -> TargetGraph {
        let chosen = self.steps.ids().filter(|step| fits(*step));
        let (counted, hidden): (Vec<StepId>, Vec<StepId>) = chosen.partition(|step| self.steps.is_counted(*step));
        let mut graph = self.graph_of(&counted);
        graph.hidden = hidden.iter().map(|step| step.index()).collect();
        graph
    }

    /// These steps, whatever they are.
    fn named(&self, chosen: Vec<StepId>) -> TargetGraph {
        let chosen: Vec<StepId> = chosen.into_iter().filter(|step| self.all.has(*step)).collect();
        self.graph_of(&chosen)
    }

    fn graph_of(&self, chosen: &[StepId]) -> TargetGraph {
        let steps = self.steps;
        let behind = |step: &StepId| {
            let target = steps.get(*step).target;
            if steps.is_inside_call(target) { steps.get(steps.out(target)[0]).target } else { target }
        };
        let sources = chosen.iter().map(|step| steps.get(*step).source);
        TargetGraph {
            steps: chosen.iter().map(|step| step.index()).collect(),
            hidden: Bits::default(),
            points: sources.clone().chain(chosen.iter().map(behind)).map(|point| point.index()).collect(),
            initial: sources.map(|point| point.index()).collect(),
            splits: Vec::new(),
        }
    }
}

/// The initial nodes of the first that are still there.
fn graph_initial(one: &TargetGraph, graph: &TargetGraph) -> Bits {
    one.initial.iter().filter(|point| graph.points.contains(*point)).collect()
}

impl TargetGraph {
    fn meet(&self, other: &TargetGraph, filter: &Filter) -> Result<TargetGraph, Problem> {
        let both = |number: &usize| self.has(StepId::from_index(*number)) && other.has(StepId::from_index(*number));
        let counted = |number: &usize| self.steps.contains(*number) || other.steps.contains(*number);
        let all: Vec<usize> = self.steps.iter().chain(self.hidden.iter()).filter(both).collect();
        Ok(TargetGraph {
            steps: all.iter().copied().filter(counted).collect(),
            hidden: all.iter().copied().filter(|number| !counted(number)).collect(),
            points: self.points.iter().filter(|point| other.points.contains(*point)).collect(),
            initial: self.initial.iter().filter(|point| other.initial.contains(*point)).collect(),
            splits: self.common_splits(other, filter)?,
        })
    }

    fn join(&self, other: &TargetGraph, filter: &Filter) -> Result<TargetGraph, Problem> {
        let steps: Bits = self.steps.iter().chain(other.steps.iter()).collect();
        Ok(TargetGraph {
            hidden: self.hidden.iter().chain(other.hidden.iter()).filter(|step| !steps.contains(*step)).collect(),
            steps,
            points: self.points.iter().chain(other.points.iter()).collect(),
            initial: self.initial.iter().chain(other.initial.iter()).collect(),
            splits: self.common_splits(other, filter)?,
        })
    }

    /// A node goes with the last of its edges only.
    fn minus(&self, other: &TargetGraph, filter: &Filter) -> Result<TargetGraph, Problem> {
        let out = |number: &usize| !other.steps.contains(*number);
        Ok(TargetGraph {
            steps: self.steps.iter().filter(out).collect(),
            hidden: self.hidden.iter().filter(out).collect(),
            points: self.points.iter().filter(|point| !other.points.contains(*point)).collect(),
            initial: self.initial.iter().filter(|point| !other.initial.contains(*point)).collect(),
            splits: self.common_splits(other, filter)?,
        })
    }

    fn common_splits(&self, other: &TargetGraph, filter: &Filter) -> Result<Vec<Box<str>>, Problem> {
        if self.splits == other.splits {
            return Ok(self.splits.clone());
        }
        let message = "filters that are split by different predicates cannot be combined";
        Err(Problem::error(filter.span, message).help("PRED around the whole filter"))
    }
}
