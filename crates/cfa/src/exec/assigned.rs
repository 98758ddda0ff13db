//! Which local variables can live in registers: scalars whose address nobody takes and that are written before they are
//! read on every path. Knows the automaton, not the code made from it.

use std::collections::HashMap;

use tandem_base::FastBuild;

use crate::model::*;

/// Bit sets of one length, one for each node of a function.
struct Sets {
    words: usize,
    bits: Vec<u64>,
}

impl Sets {
    fn row(&self, index: usize) -> &[u64] {
        &self.bits[index * self.words..(index + 1) * self.words]
    }
}

/// The candidates of a body, numbered, and what is known about them.
struct Search<'p> {
    program: &'p Program,
    body: &'p Body,
    numbers: HashMap<VariableId, usize, FastBuild>,
    /// Candidates that some path reads before it writes them.
    late: Vec<bool>,
}

/// The locals and parameters of a body that can live in registers.
pub(crate) fn register_variables(program: &Program, body: &Body, limit: usize) -> Vec<VariableId> {
    let scalar = |variable: &VariableId| {
        let variable = &program.variables[*variable];
        !variable.in_memory && program.types.scalar(variable.ty).is_some()
    };
    let mut candidates: Vec<VariableId> = body.parameters.iter().copied().filter(scalar).collect();
    candidates.extend(body.locals.iter().copied().filter(scalar));
    candidates.truncate(limit);
    let numbers = candidates.iter().enumerate().map(|(number, id)| (*id, number)).collect();
    let mut search = Search { program, body, numbers, late: vec![false; candidates.len()] };
    search.run();
    let late = search.late;
    candidates.into_iter().enumerate().filter(|(number, _)| !late[*number]).map(|(_, id)| id).collect()
}

impl Search<'_> {
    /// The variables written on every path to each node, to a fixed point; then all reads are looked at.
    fn run(&mut self) {
        let words = self.late.len().div_ceil(64);
        if words == 0 {
            return;
        }
        let first = self.body.nodes.start.0;
        let count = self.body.nodes.len();
        let mut known = Sets { words, bits: vec![u64::MAX; words * count] };
        let entry = (self.body.entry.0 - first) as usize;
        known.bits[entry * words..(entry + 1) * words].fill(0);
        for parameter in &self.body.parameters {
            if let Some(number) = self.numbers.get(parameter) {
                known.bits[entry * words + number / 64] |= 1 << (number % 64);
            }
        }
        let mut queued = vec![false; count];
        let mut reached = vec![false; count];
        let mut work = std::collections::VecDeque::from([self.body.entry]);
        reached[entry] = true;
        let mut row = vec![0; words];
        while let Some(node) = work.pop_front() {
            let index = (node.0 - first) as usize;
            queued[index] = false;
            for edge in self.program.out(node).iter() {
                row.copy_from_slice(known.row(index));
                self.write(edge, &mut row);
                let target = self.program.edges[edge].target;
                let to = (target.0 - first) as usize;
                let mut changed = !std::mem::replace(&mut reached[to], true);
                for (word, new) in known.bits[to * words..(to + 1) * words].iter_mut().zip(&row) {
                    changed |= *word & new != *word;
                    *word &= new;
                }
                if changed && !std::mem::replace(&mut queued[to], true) {
                    work.push_back(target);
                }
            }
        }
        for node in self.body.nodes.iter() {
            let index = (node.0 - first) as usize;
            if reached[index] {
                for edge in self.program.out(node).iter() {
                    self.look(edge, known.row(index));
                }
            }
        }
    }

    fn number(&self, place: PlaceId) -> Option<usize> {
        match self.program.place(place).kind {
            PlaceKind::Variable(variable) => self.numbers.get(&variable).copied(),
            PlaceKind::Deref(_) | PlaceKind::Field(..) | PlaceKind::Index(..) => None,
        }
    }

    fn write(&self, edge: EdgeId, row: &mut [u64]) {
        let (place, written) = match &self.program.edges[edge].op {
            Op::Assign { place, .. } => (self.number(*place), true),
            Op::Call { result, .. } => (result.and_then(|place| self.number(place)), true),
            Op::Declare(variable) => (self.numbers.get(variable).copied(), false),
            Op::Skip | Op::Assume { .. } | Op::Return { .. } | Op::Unsupported { .. } => (None, false),
        };
        if let Some(number) = place {
            let bit = 1 << (number % 64);
            if written { row[number / 64] |= bit } else { row[number / 64] &= !bit }
        }
    }

    fn look(&mut self, edge: EdgeId, known: &[u64]) {
        let program = self.program;
        match &program.edges[edge].op {
            Op::Assume { condition, .. } => self.look_expr(*condition, known),
            Op::Assign { place, value } => {
                self.look_expr(*value, known);
                self.look_target(*place, known);
            }
            Op::Call { callee, arguments, result } => {
                if let Callee::Pointer(pointer) = callee {
                    self.look_expr(*pointer, known);
                }
                arguments.iter().for_each(|argument| self.look_expr(*argument, known));
                if let Some(place) = result {
                    self.look_target(*place, known);
                }
            }
            Op::Return { value: Some(value) } => self.look_expr(*value, known),
            Op::Skip | Op::Return { value: None } | Op::Declare(_) | Op::Unsupported { .. } => {}
        }
    }

    /// A place that is written: only the way to it is read.
    fn look_target(&mut self, place: PlaceId, known: &[u64]) {
        match self.program.place(place).kind {
            PlaceKind::Variable(_) => {}
            PlaceKind::Deref(pointer) => self.look_expr(pointer, known),
            PlaceKind::Field(base, ..) => self.look_target(base, known),
            PlaceKind::Index(base, index) => {
                self.look_target(base, known);
                self.look_expr(index, known);
            }
        }
    }

    fn look_expr(&mut self, expr: ExprId, known: &[u64]) {
        match self.program.expr(expr).kind {
            ExprKind::Bits(_) | ExprKind::Wide(_) | ExprKind::Zero | ExprKind::Function(_) => {}
            ExprKind::Read(place) => {
                if let Some(number) = self.number(place) {
                    if known[number / 64] & 1 << (number % 64) == 0 {
                        self.late[number] = true;
                    }
                }
                self.look_target(place, known);
            }
            ExprKind::AddressOf(place) => self.look_target(place, known),
            ExprKind::Unary(_, operand) | ExprKind::Convert(operand) => self.look_expr(operand, known),
            ExprKind::Binary(_, left, right) => {
                self.look_expr(left, known);
                self.look_expr(right, known);
            }
            ExprKind::Intrinsic(_, first, second) => {
                self.look_expr(first, known);
                if let Some(second) = second {
                    self.look_expr(second, known);
                }
            }
        }
    }
}
