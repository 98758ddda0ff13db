//! Guards: conjunctions of C conditions, each as it is or negated. Interned: equal guards of one automaton have equal ids.
//!
//! Guards are compared by their texts. Two texts that mean the same are two guards; a guard with a condition and its negation is
//! `false`.

use std::collections::HashMap;

use tandem_base::{FastBuild, IdVec, define_id};

define_id!(
    /// A C condition, by its text.
    AtomId,
    "atom"
);
define_id!(
    /// A guard of one [`Gia`](super::Gia).
    GuardId,
    "guard"
);

/// A condition or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GuardLiteral {
    pub atom: AtomId,
    pub holds: bool,
}

/// The guards of an automaton.
#[derive(Clone, Debug)]
pub struct Guards {
    atoms: IdVec<AtomId, Box<str>>,
    atom_index: HashMap<Box<str>, AtomId, FastBuild>,
    /// Sorted, without duplicates and without contradictions, but for [`GuardId::FALSE`], which has none either.
    guards: IdVec<GuardId, Box<[GuardLiteral]>>,
    guard_index: HashMap<Box<[GuardLiteral]>, GuardId, FastBuild>,
}

impl GuardId {
    pub const TRUE: GuardId = GuardId(0);
    pub const FALSE: GuardId = GuardId(1);
}

impl GuardLiteral {
    pub fn negated(self) -> GuardLiteral {
        GuardLiteral { holds: !self.holds, ..self }
    }
}

impl Guards {
    pub fn new() -> Guards {
        let empty: Box<[GuardLiteral]> = Box::new([]);
        Guards {
            atoms: IdVec::new(),
            atom_index: HashMap::default(),
            guards: IdVec::from(vec![empty.clone(), empty.clone()]),
            guard_index: HashMap::from_iter([(empty, GuardId::TRUE)]),
        }
    }

    /// The literal of a C condition: `!(c)` is the negation of `c`.
    pub fn literal(&mut self, text: &str) -> GuardLiteral {
        let mut text = text.trim();
        let mut holds = true;
        while let Some(inner) = negated(text) {
            text = inner;
            holds = !holds;
        }
        GuardLiteral { atom: self.atom(text), holds }
    }

    fn atom(&mut self, text: &str) -> AtomId {
        if let Some(atom) = self.atom_index.get(text) {
            return *atom;
        }
        let atom = self.atoms.push(text.into());
        self.atom_index.insert(text.into(), atom);
        atom
    }

    /// The guard that is one C condition. `1` is `true`, `0` is `false`.
    pub fn text(&mut self, text: &str) -> GuardId {
        match text.trim() {
            "" | "1" => GuardId::TRUE,
            "0" => GuardId::FALSE,
            text => {
                let literal = self.literal(text);
                self.of(vec![literal])
            }
        }
    }

    /// The conjunction of literals.
    pub fn of(&mut self, mut literals: Vec<GuardLiteral>) -> GuardId {
        literals.sort_unstable();
        literals.dedup();
        if literals.windows(2).any(|pair| pair[0].atom == pair[1].atom) {
            return GuardId::FALSE;
        }
        let literals = literals.into_boxed_slice();
        if let Some(guard) = self.guard_index.get(&literals) {
            return *guard;
        }
        let guard = self.guards.push(literals.clone());
        self.guard_index.insert(literals, guard);
        guard
    }

    pub fn and(&mut self, one: GuardId, other: GuardId) -> GuardId {
        match (one, other) {
            (GuardId::TRUE, guard) | (guard, GuardId::TRUE) => guard,
            (GuardId::FALSE, _) | (_, GuardId::FALSE) => GuardId::FALSE,
            (one, other) if one == other => one,
            (one, other) => {
                let literals = [self.literals(one), self.literals(other)].concat();
                self.of(literals)
            }
        }
    }

    /// What must hold for a guard other than [`GuardId::FALSE`].
    pub fn literals(&self, guard: GuardId) -> &[GuardLiteral] {
        &self.guards[guard]
    }

    pub fn atom_text(&self, atom: AtomId) -> &str {
        &self.atoms[atom]
    }

    pub fn atoms(&self) -> &IdVec<AtomId, Box<str>> {
        &self.atoms
    }

    /// The C text of a literal.
    pub fn literal_text(&self, literal: GuardLiteral) -> String {
        match literal.holds {
            true => self.atoms[literal.atom].to_string(),
            false => format!("!({})", self.atoms[literal.atom]),
        }
    }

    /// The guard as one C condition.
    pub fn display(&self, guard: GuardId) -> String {
        match (guard, self.literals(guard)) {
            (GuardId::FALSE, _) => "0".to_string(),
            (_, []) => "1".to_string(),
            (_, [one]) => self.literal_text(*one),
            (_, literals) => {
                let parts = literals.iter().map(|literal| match literal.holds {
                    true => format!("({})", self.atoms[literal.atom]),
                    false => format!("!({})", self.atoms[literal.atom]),
                });
                parts.collect::<Vec<_>>().join(" && ")
            }
        }
    }

    /// Whether a guard holds, when `atom` says which conditions do.
    pub fn holds(&self, guard: GuardId, mut atom: impl FnMut(AtomId) -> bool) -> bool {
        guard != GuardId::FALSE && self.literals(guard).iter().all(|literal| atom(literal.atom) == literal.holds)
    }

    /// The same guard among the guards of another automaton.
    pub fn import(&mut self, other: &Guards, guard: GuardId) -> GuardId {
        if guard == GuardId::TRUE || guard == GuardId::FALSE {
            return guard;
        }
        let literals = other.literals(guard);
        let literals = literals
            .iter()
            .map(|literal| GuardLiteral { atom: self.atom(other.atom_text(literal.atom)), holds: literal.holds });
        let literals = literals.collect();
        self.of(literals)
    }

    pub fn len(&self) -> usize {
        self.guards.len()
    }

    pub fn is_empty(&self) -> bool {
        false
    }
}

impl Default for Guards {
    fn default() -> Self {
        Guards::new()
    }
}

/// Automata with the same guards in another order of making are compared by text, not here: ids count.
impl PartialEq for Guards {
    fn eq(&self, other: &Guards) -> bool {
        self.atoms == other.atoms && self.guards == other.guards
    }
}

/// What is negated in `!(...)`, if the parenthesis that opens there closes at the very end.
fn negated(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("!(")?.strip_suffix(')')?;
    let mut depth = 0i32;
    let mut quoted = None;
    let mut escaped = false;
    for byte in inner.bytes() {
        match (quoted, byte) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), b'\\') => escaped = true,
            (Some(quote), byte) if byte == quote => quoted = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quoted = Some(byte),
            (None, b'(') => depth += 1,
            (None, b')') => depth -= 1,
            (None, _) => {}
        }
        if depth < 0 {
            return None;
        }
    }
    (depth == 0 && quoted.is_none()).then(|| inner.trim())
}
