//! Library functions of which only a contract is known: they write no memory that the program can see, apart from
//! `errno`, and return a value in a range. Which they are stands in `contracts.txt`.

use std::collections::HashMap;
use std::sync::OnceLock;

use tandem_syntax::Scalar;

/// Lines `range [errno]: names`; a range is `any` or two numbers with `..` between them; `#` begins a comment.
const CONTRACTS: &str = include_str!("contracts.txt");

/// What is known of a call that is not modelled any closer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Contract {
    /// The least and the greatest value of an integer result; nothing: any value of the type.
    pub range: Option<(i64, i64)>,
    /// Whether the call may leave another number in `errno`.
    pub sets_errno: bool,
}

/// Any value of the type.
pub const ANYTHING: Contract = Contract { range: None, sets_errno: false };

/// The function that gives models a number for `errno`, zero for no change.
pub const ANY_ERRNO: &str = "__tandem_any_errno";

/// The variable of the models that `errno` is.
pub(crate) const ERRNO_VARIABLE: &str = "__tandem_errno_number";

impl Contract {
    /// The contract for a result of this type; nothing if the type does not hold what the range says.
    pub fn within(self, scalar: Scalar) -> Option<Contract> {
        let (least, greatest) = self.range?;
        let range = match scalar {
            Scalar::Pointer { bits } => (least >= 0).then_some((least, greatest.min((u64::MAX >> (65 - bits)) as i64))),
            Scalar::Int { bits: bits @ ..=64, signed: true } => {
                let limit = i64::MAX >> (64 - bits);
                (least >= -limit - 1 && greatest <= limit).then_some((least, greatest))
            }
            Scalar::Int { bits: bits @ ..=64, signed: false } => {
                let limit = u64::MAX >> (64 - bits);
                (least >= 0 && greatest as u64 <= limit).then_some((least, greatest))
            }
            Scalar::Int { .. } | Scalar::Bool | Scalar::Float(_) => None,
        };
        range.map(|range| Contract { range: Some(range), ..self })
    }

    /// A number that the contract allows; itself, if it does already.
    pub fn nearest(self, value: i128) -> i128 {
        match self.range {
            Some((least, greatest)) => {
                let (least, greatest) = (i128::from(least), i128::from(greatest));
                match (least..=greatest).contains(&value) {
                    true => value,
                    false => least + (value - least).rem_euclid(greatest - least + 1),
                }
            }
            None => value,
        }
    }
}

/// The contract of a function, by its C name.
pub(super) fn contract(name: &str) -> Option<Contract> {
    table().get(name).copied()
}

/// The names of all functions with a contract.
#[cfg(test)]
pub(super) fn contract_names() -> impl Iterator<Item = &'static str> {
    table().keys().copied()
}

fn table() -> &'static HashMap<&'static str, Contract> {
    static TABLE: OnceLock<HashMap<&'static str, Contract>> = OnceLock::new();
    TABLE.get_or_init(|| CONTRACTS.lines().filter_map(entries).flatten().collect())
}

fn entries(line: &'static str) -> Option<impl Iterator<Item = (&'static str, Contract)>> {
    let line = line.split('#').next()?.trim();
    let (head, names) = line.split_once(':')?;
    let mut words = head.split_whitespace();
    let range = match words.next()? {
        "any" => None,
        range => {
            let (least, greatest) = range.split_once("..")?;
            Some((least.parse().ok()?, greatest.parse().ok()?))
        }
    };
    let contract = Contract { range, sets_errno: words.next() == Some("errno") };
    Some(names.split_whitespace().map(move |name| (name, contract)))
}
