//! The pool of interned terms: append-only, shared by threads, read without locks.
//!
//! [`Terms::intern`] makes exactly the node it is given; the constructors that simplify are in `construct`.

use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use hashbrown::HashTable;
use parking_lot::Mutex;
use tandem_base::FastBuild;

use crate::op::Op;
use crate::sort::Sort;
use crate::value::BitVector;

/// A term of some [`Terms`] pool.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term(pub(crate) u32);

impl Term {
    /// The number of the term in its pool; arguments have smaller numbers than the terms made of them.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a term is made of.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    pub op: Op,
    pub sort: Sort,
    pub args: Arguments,
}

/// Up to three arguments inline, more in a box.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Arguments {
    Few { count: u8, terms: [Term; 3] },
    Many(Box<[Term]>),
}

impl Arguments {
    pub fn new(args: &[Term]) -> Arguments {
        if args.len() <= 3 {
            let mut terms = [Term(0); 3];
            terms[..args.len()].copy_from_slice(args);
            Arguments::Few { count: args.len() as u8, terms }
        } else {
            Arguments::Many(args.into())
        }
    }
}

impl std::ops::Deref for Arguments {
    type Target = [Term];
    #[inline]
    fn deref(&self) -> &[Term] {
        match self {
            Arguments::Few { count, terms } => &terms[..*count as usize],
            Arguments::Many(terms) => terms,
        }
    }
}

/// A declared constant or function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    pub name: Box<str>,
    pub parameters: Box<[Sort]>,
    pub result: Sort,
}

const SHARDS: usize = 16;

/// The pool. Cheap to clone; clones are the same pool.
#[derive(Clone)]
pub struct Terms(Arc<Pool>);

struct Pool {
    nodes: boxcar::Vec<Node>,
    table: [Mutex<HashTable<u32>>; SHARDS],
    symbols: boxcar::Vec<Symbol>,
    symbol_table: Mutex<hashbrown::HashMap<Box<str>, u32>>,
    wide: boxcar::Vec<BitVector>,
    wide_table: Mutex<hashbrown::HashMap<BitVector, u32>>,
    arrays: boxcar::Vec<(Sort, Sort)>,
    array_table: Mutex<hashbrown::HashMap<(Sort, Sort), u32>>,
    sorts: boxcar::Vec<Box<str>>,
    sort_table: Mutex<hashbrown::HashMap<Box<str>, u32>>,
}

impl Default for Terms {
    fn default() -> Self {
        Terms::new()
    }
}

impl Terms {
    /// Whether both are the same pool, so that a term of one is a term of the other.
    pub fn is_same(&self, other: &Terms) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub fn new() -> Terms {
        Terms(Arc::new(Pool {
            nodes: boxcar::Vec::new(),
            table: Default::default(),
            symbols: boxcar::Vec::new(),
            symbol_table: Mutex::default(),
            wide: boxcar::Vec::new(),
            wide_table: Mutex::default(),
            arrays: boxcar::Vec::new(),
            array_table: Mutex::default(),
            sorts: boxcar::Vec::new(),
            sort_table: Mutex::default(),
        }))
    }

    pub fn node(&self, term: Term) -> &Node {
        &self.0.nodes[term.index()]
    }

    pub fn op(&self, term: Term) -> Op {
        self.node(term).op
    }

    pub fn sort(&self, term: Term) -> Sort {
        self.node(term).sort
    }

    pub fn args(&self, term: Term) -> &[Term] {
        &self.node(term).args
    }

    /// Number of terms made so far.
    pub fn len(&self) -> usize {
        self.0.nodes.count()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether both are handles of one pool.
    pub fn same_pool(&self, other: &Terms) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// By bits in the middle: a table itself uses the lowest and the highest ones.
    fn shard(&self, hash: u64) -> &Mutex<HashTable<u32>> {
        &self.0.table[(hash >> 45) as usize % SHARDS]
    }

    /// The term with exactly this operator and these arguments. The caller answers for sorts and normal forms.
    pub fn intern(&self, op: Op, sort: Sort, args: &[Term]) -> Term {
        let node = Node { op, sort, args: Arguments::new(args) };
        let hash = FastBuild::default().hash_one(&node);
        let mut shard = self.shard(hash).lock();
        let nodes = &self.0.nodes;
        if let Some(&found) = shard.find(hash, |&id| nodes[id as usize] == node) {
            return Term(found);
        }
        let id = u32::try_from(nodes.push(node)).expect("more than four thousand million terms");
        shard.insert_unique(hash, id, |&id| FastBuild::default().hash_one(&nodes[id as usize]));
        Term(id)
    }

    /// The term with exactly this operator and these arguments if it was made before.
    pub fn find(&self, op: Op, sort: Sort, args: &[Term]) -> Option<Term> {
        let node = Node { op, sort, args: Arguments::new(args) };
        let hash = FastBuild::default().hash_one(&node);
        let shard = self.shard(hash).lock();
        shard.find(hash, |&id| self.0.nodes[id as usize] == node).map(|&id| Term(id))
    }

    /// Declares a constant (no parameters) or function; the same name with the same type is the same symbol.
    /// `None` if the name is taken by a symbol of another type.
    pub fn declare(&self, name: &str, parameters: &[Sort], result: Sort) -> Option<u32> {
        let mut table = self.0.symbol_table.lock();
        if let Some(&id) = table.get(name) {
            let symbol = &self.0.symbols[id as usize];
            return (*symbol.parameters == *parameters && symbol.result == result).then_some(id);
        }
        let symbol = Symbol { name: name.into(), parameters: parameters.into(), result };
        let id = self.0.symbols.push(symbol) as u32;
        table.insert(name.into(), id);
        Some(id)
    }

    pub fn symbol(&self, id: u32) -> &Symbol {
        &self.0.symbols[id as usize]
    }

    pub fn find_symbol(&self, name: &str) -> Option<u32> {
        self.0.symbol_table.lock().get(name).copied()
    }

    pub fn wide_bits(&self, id: u32) -> &BitVector {
        &self.0.wide[id as usize]
    }

    pub(crate) fn intern_wide(&self, value: BitVector) -> u32 {
        let mut table = self.0.wide_table.lock();
        *table.entry(value).or_insert_with_key(|value| self.0.wide.push(value.clone()) as u32)
    }

    pub fn array_sort(&self, index: Sort, element: Sort) -> Sort {
        let mut table = self.0.array_table.lock();
        let id = *table.entry((index, element)).or_insert_with(|| self.0.arrays.push((index, element)) as u32);
        Sort::Array(id)
    }

    /// Index and element sort of an array sort.
    pub fn array_sorts(&self, id: u32) -> (Sort, Sort) {
        self.0.arrays[id as usize]
    }

    pub fn declare_sort(&self, name: &str) -> Sort {
        let mut table = self.0.sort_table.lock();
        let id = *table.entry(name.into()).or_insert_with(|| self.0.sorts.push(name.into()) as u32);
        Sort::Uninterpreted(id)
    }

    pub fn sort_name(&self, id: u32) -> &str {
        &self.0.sorts[id as usize]
    }
}

impl Hash for Terms {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (Arc::as_ptr(&self.0) as usize).hash(state);
    }
}
