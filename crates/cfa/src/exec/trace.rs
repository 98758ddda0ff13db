//! What a run did, step by step, with values: recorded only when [`Options::trace`](super::Options::trace) asks for it. The
//! code of a run that is not traced has no operation for it.
//!
//! Steps of the user's functions count, those of library models do not. Of a long run the first and the last steps are kept.

use std::collections::VecDeque;

use super::code::Reg;
use super::machine::Machine;
use crate::model::{EdgeId, FunctionId, VariableId};

/// A step of a traced run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Traced {
    pub event: TraceEvent,
    /// How many calls were open, that of `main` included; those into library models count, too.
    pub depth: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TraceEvent {
    /// The body of a function begins; its scalar parameters follow.
    Entered(FunctionId),
    Parameter {
        variable: VariableId,
        bits: u128,
    },
    /// One of several edges was taken.
    Branch(EdgeId),
    /// A call begins.
    Called(EdgeId),
    /// A scalar was assigned, or the result of a call stored.
    Assigned {
        edge: EdgeId,
        bits: u128,
    },
    /// The function returns; the value if it is a scalar.
    Returned {
        edge: EdgeId,
        bits: Option<u128>,
    },
    /// The input with this number in [`Run::inputs`](super::Run::inputs) was taken.
    Input(usize),
}

/// The steps of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recording {
    pub first: Vec<Traced>,
    /// Steps that were not kept.
    pub omitted: u64,
    pub last: VecDeque<Traced>,
    limit: usize,
}

impl Recording {
    pub(super) fn new(limit: usize) -> Recording {
        Recording { limit, ..Recording::default() }
    }

    fn push(&mut self, step: Traced) {
        if self.first.len() < self.limit.div_ceil(2) {
            self.first.push(step);
            return;
        }
        if self.last.len() >= self.limit / 2 {
            self.last.pop_front();
            self.omitted += 1;
        }
        if self.limit / 2 > 0 {
            self.last.push_back(step);
        }
    }
}

/// What an operation of the code records.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Probe {
    Entered(FunctionId),
    Parameter(VariableId, Value),
    Branch(EdgeId),
    Called(EdgeId),
    Assigned(EdgeId, Value),
    Returned(EdgeId, Option<Value>),
}

/// Where a value is, and how many bits it has.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Value {
    pub register: Reg,
    pub bits: u32,
}

impl Machine<'_> {
    pub(super) fn probe(&mut self, index: usize) {
        let event = match self.code.probes[index] {
            Probe::Entered(function) => TraceEvent::Entered(function),
            Probe::Parameter(variable, value) => TraceEvent::Parameter { variable, bits: self.probed(value) },
            Probe::Branch(edge) => TraceEvent::Branch(edge),
            Probe::Called(edge) => TraceEvent::Called(edge),
            Probe::Assigned(edge, value) => TraceEvent::Assigned { edge, bits: self.probed(value) },
            Probe::Returned(edge, value) => TraceEvent::Returned { edge, bits: value.map(|value| self.probed(value)) },
        };
        self.record(event);
    }

    fn probed(&self, value: Value) -> u128 {
        let bits = super::fast::scalar_in(&self.registers[self.base..self.top], value.register, value.bits);
        bits & crate::semantics::mask(value.bits)
    }

    pub(super) fn record(&mut self, event: TraceEvent) {
        let depth = self.frames.len() as u32;
        if let Some(recording) = &mut self.recording {
            recording.push(Traced { event, depth });
        }
    }
}
