//! The state of a program, and how each step changes it: variables, frames, objects, pointers, the library. Written once, for
//! all kinds of values (see [`Domain`]): terms, known numbers, intervals.
//!
//! Rules, the same as the interpreter's: an access outside every object or through an invalid pointer ends the path, as does a
//! division by zero; memory that was never written is an input when it is read; functions without a body return inputs and change no
//! memory. A pointer that came from outside points to no object of the program: what is read through it is any
//! value, what is written through it is lost.
//!
//! A store can begin where the program begins, or in a state from which nothing is known ([`Cell::Start`]).

mod access;
pub mod address;
mod address_number;
mod bytes;
pub mod cells;
mod content;
pub mod domain;
mod evaluate;
mod join;
mod layout;
mod library;
mod merge;
mod path_end;
mod place;
mod step;
mod trace;

use std::rc::Rc;

use imbl::OrdMap;
use tandem_base::{IdVec, Span};
use tandem_cfa::library::Kind;
use tandem_cfa::points_to::PointsTo;
use tandem_cfa::{EdgeId, FunctionId, Program};
use tandem_cpa::Flow;

pub use address::{Addresses, ObjectKey};
pub(crate) use address_number::makes_numbers;
pub use cells::{Cell, Cells};
pub use content::{Content, mixed};
pub use domain::{Domain, Part, Parts, StartKey};
pub use join::Combine;
pub use layout::{Home, Layout};
pub use path_end::PathEnd;
pub use trace::{Touched, Trace};

/// The state of a program.
pub struct Store<D: Domain> {
    pub path: D::Path,
    /// Static variables that are not in memory, by their slots.
    pub statics: Rc<Vec<Cell<D::Value>>>,
    /// One for each call, the innermost last.
    pub frames: Vec<Rc<Frame<D::Value>>>,
    /// By address. In a state from which nothing is known, objects appear here when they are first touched.
    pub objects: OrdMap<u64, Rc<Object<D::Value>>>,
    /// Allocations on this path.
    pub allocations: u32,
    /// What the function that is about to be left returns.
    returned: Option<Returned<D::Value>>,
    /// Whether it began in a state from which nothing is known.
    pub from_anywhere: bool,
}

#[derive(Clone, Debug)]
pub struct Frame<V: Clone> {
    pub function: FunctionId,
    pub slots: Vec<Cell<V>>,
    /// Arguments behind the named ones.
    variadic: Rc<[Returned<V>]>,
    /// Objects that end with the call.
    own: Vec<u64>,
    instance: u32,
}

/// Frames of two stores for one call.
type FramePair<'a, V> = (&'a Rc<Frame<V>>, &'a Rc<Frame<V>>);

#[derive(Clone, PartialEq, Debug)]
pub struct Object<V: Clone> {
    pub size: Size<V>,
    pub alive: bool,
    pub read_only: bool,
    pub cells: Cells<V>,
    /// The call that allocated it.
    pub site: Option<EdgeId>,
    /// Its address, where that is not simply the number by which the store knows it.
    pub address: Option<V>,
    /// What was found out about its content.
    pub notes: Notes<V>,
}

/// Notes on the content of an object, for those who look at it often. Lost when the object changes.
#[derive(Debug)]
pub struct Notes<V> {
    /// Its number ([`Content`]), if that was computed.
    number: std::cell::Cell<Option<u64>>,
    /// What single runs held when it was computed, where that has changed since.
    before: std::cell::RefCell<Vec<(u64, Cell<V>)>>,
    /// Whatever else somebody wants to remember; zero if nothing.
    pub mark: std::cell::Cell<u64>,
}

/// Runs that may change before a number is computed from scratch.
const FEW: usize = 32;

impl<V> Default for Notes<V> {
    fn default() -> Notes<V> {
        Notes { number: Default::default(), before: Default::default(), mark: Default::default() }
    }
}

impl<V> Clone for Notes<V> {
    fn clone(&self) -> Notes<V> {
        Notes::default()
    }
}

impl<V> PartialEq for Notes<V> {
    fn eq(&self, _: &Notes<V>) -> bool {
        true
    }
}

impl<V: Clone + PartialEq> Notes<V> {
    /// What can still be used once these bytes are written; nothing if that changes more than one run.
    fn after_write(&self, cells: &Cells<V>, offset: u64, size: u64) -> Option<Notes<V>> {
        let number = self.number.get()?;
        let held = match cells.exact(offset, size) {
            Some(cell) => cell,
            None if cells.is_untouched(offset, size) => &cells.rest,
            None => return None,
        };
        let mut before = self.before.borrow().clone();
        if before.iter().all(|(at, _)| *at != offset) {
            before.push((offset, held.clone()));
        }
        let few = before.len() <= FEW;
        few.then(|| Notes { number: Some(number).into(), before: before.into(), mark: Default::default() })
    }
}

/// The object, to be changed.
fn changed<V: Clone>(object: &mut Rc<Object<V>>) -> &mut Object<V> {
    let object = Rc::make_mut(object);
    object.notes = Notes::default();
    object
}

impl<V: Clone> Object<V> {
    fn new(size: Size<V>, read_only: bool, cells: Cells<V>) -> Object<V> {
        Object { size, alive: true, read_only, cells, site: None, address: None, notes: Notes::default() }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub enum Size<V> {
    Known(u64),
    Value(V),
}

/// A value on its way into or out of a function.
#[derive(Clone, PartialEq, Debug)]
enum Returned<V> {
    Scalar(V, u32),
    Record(u64, Rc<[cells::Run<V>]>),
    Nothing,
}

pub type Result<T> = std::result::Result<T, PathEnd>;

/// Carries out steps on stores.
pub struct Executor<'a, D: Domain> {
    pub program: &'a Program,
    pub kinds: IdVec<FunctionId, Kind>,
    pub domain: D,
    pub layout: Rc<Layout>,
    pub addresses: Addresses,
    /// The edge that is being carried out.
    edge: EdgeId,
    /// Whether objects are numbered over all paths and not on each: needed when stores are merged.
    pub unique_allocations: bool,
    allocations: u32,
    points_to: Option<Rc<PointsTo>>,
    /// Undefined operations that were met: the path, the condition if it was not certain, the place.
    pub beyond: Vec<Beyond<D>>,
    /// Whether an access was met through a pointer of which nobody knows whether it points into its object.
    pub unclear_bounds: bool,
    /// See [`Flow::unwritten_pointers_are_outside`].
    unwritten_pointers_are_outside: bool,
    /// Whether the program makes numbers of addresses.
    makes_numbers: bool,
    /// If set, what is read and written is noted here.
    pub trace: Option<Trace>,
}

/// An operation whose behaviour is not defined: an access beyond an object, a division by zero, a double free.
pub struct Beyond<D: Domain> {
    pub what: &'static str,
    pub path: D::Path,
    pub when: Option<D::Guard>,
    pub at: Span,
}

impl<D: Domain> Clone for Beyond<D> {
    fn clone(&self) -> Beyond<D> {
        Beyond { what: self.what, path: self.path.clone(), when: self.when.clone(), at: self.at }
    }
}

impl<'a, D: Domain> Executor<'a, D> {
    pub fn new(flow: &Flow<'a>, domain: D) -> Executor<'a, D> {
        let program = flow.program;
        Executor {
            program,
            kinds: flow.kinds.clone(),
            domain,
            layout: Rc::new(Layout::of(program)),
            addresses: Addresses::new(program.model(), program.functions.len()),
            edge: EdgeId(0),
            unique_allocations: false,
            allocations: 0,
            points_to: None,
            beyond: Vec::new(),
            unclear_bounds: false,
            unwritten_pointers_are_outside: flow.unwritten_pointers_are_outside,
            makes_numbers: address_number::makes_numbers(program),
            trace: None,
        }
    }

    fn note_read(&mut self, touched: Touched) {
        if let Some(trace) = &mut self.trace {
            trace.reads.push(touched);
        }
    }

    fn note_write(&mut self, touched: Touched) {
        if let Some(trace) = &mut self.trace {
            trace.writes.push(touched);
        }
    }

    /// Where pointers may point to, whatever the path: found out when somebody asks.
    pub fn points_to(&mut self) -> Rc<PointsTo> {
        self.points_to.get_or_insert_with(|| Rc::new(PointsTo::of(self.program))).clone()
    }

    /// What is not modelled, where the executor stands.
    pub fn place(&self) -> Span {
        self.program.edges.get(self.edge).map_or(Span::NONE, |edge| edge.span)
    }

    fn pointer_width(&self) -> u32 {
        self.addresses.width()
    }

    fn unsupported<T>(&self, what: impl Into<String>) -> Result<T> {
        Err(PathEnd::Unsupported(what.into()))
    }

    fn require(&mut self, store: &mut Store<D>, guard: &D::Guard) -> Result<()> {
        match self.domain.decided(guard) {
            Some(true) => Ok(()),
            Some(false) => Err(PathEnd::Infeasible),
            None if self.domain.assume(&mut store.path, guard) => Ok(()),
            None => Err(PathEnd::Infeasible),
        }
    }
}

impl<D: Domain> Clone for Store<D> {
    fn clone(&self) -> Store<D> {
        Store {
            path: self.path.clone(),
            statics: self.statics.clone(),
            frames: self.frames.clone(),
            objects: self.objects.clone(),
            allocations: self.allocations,
            returned: self.returned.clone(),
            from_anywhere: self.from_anywhere,
        }
    }
}

impl<D: Domain> Store<D> {
    pub fn frame(&self) -> Option<&Frame<D::Value>> {
        self.frames.last().map(|frame| &**frame)
    }
}
