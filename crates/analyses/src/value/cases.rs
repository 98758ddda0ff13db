//! A table of values, said in C: "one of these rows". Columns that have one value come first; rows that differ in one column become
//! one row with a set; columns of too many values are left out, which makes the formula weaker, never wrong.

use std::collections::{BTreeMap, BTreeSet};

use tandem_cfa::{Scalar, semantics};

use crate::interval::literal;

/// Columns of one value that are said at most.
const EQUATIONS: usize = 60;
/// Rows that are said at most.
const ROWS: usize = 150;
/// Characters that are said at most.
const LENGTH: usize = 12_000;

/// What a column is called, and what its bits mean.
#[derive(Clone, Debug)]
pub struct Column {
    pub text: String,
    pub scalar: Scalar,
}

/// The bits in each column, where they are known.
pub type Row = Vec<Option<u128>>;

/// The possible values in each column; any, if there is no set.
type Case = Vec<Option<BTreeSet<u128>>>;

/// The formula that holds of every row; nothing if it would say nothing.
pub fn say(columns: Vec<Column>, rows: Vec<Row>) -> Option<String> {
    if rows.is_empty() {
        return None;
    }
    let mut parts = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for (index, column) in columns.iter().enumerate() {
        match (rows[0][index], rows.iter().all(|row| row[index] == rows[0][index])) {
            (Some(bits), true) if parts.len() < EQUATIONS => parts.push(equation(column, bits)),
            (_, true) => {}
            (_, false) => open.push(index),
        }
    }
    if let Some(text) = alternatives(&columns, &rows, open) {
        parts.push(if parts.is_empty() { text } else { format!("({text})") });
    }
    (!parts.is_empty()).then(|| parts.join(" && "))
}

/// The rows, in as many of the open columns as can be said.
fn alternatives(columns: &[Column], rows: &[Row], mut open: Vec<usize>) -> Option<String> {
    while !open.is_empty() {
        let cases = merged(&open, rows);
        if cases.iter().any(|case| case.iter().all(Option::is_none)) {
            // Some rows say nothing in these columns: whoever is known in none of them cannot help the others.
            return None;
        }
        if cases.len() <= ROWS {
            let text = disjunction(columns, &open, &cases);
            if text.len() <= LENGTH {
                return Some(text);
            }
        }
        let distinct = |index: &usize| rows.iter().map(|row| row[*index]).collect::<BTreeSet<_>>().len();
        let most = open.iter().copied().max_by_key(distinct)?;
        open.retain(|index| *index != most);
    }
    None
}

/// The rows in the open columns, with sets where rows differ in one column only, and without rows that others say.
fn merged(open: &[usize], rows: &[Row]) -> Vec<Case> {
    let distinct: BTreeSet<Case> = rows
        .iter()
        .map(|row| open.iter().map(|index| row[*index].map(|bits| BTreeSet::from([bits]))).collect())
        .collect();
    let mut cases = without_special(distinct.into_iter().collect());
    for column in (0..open.len()).rev() {
        let mut groups: BTreeMap<Case, Option<BTreeSet<u128>>> = BTreeMap::new();
        for mut case in cases {
            let here = case[column].take();
            groups
                .entry(case)
                .and_modify(|set| match (set.as_mut(), &here) {
                    (Some(set), Some(here)) => set.extend(here),
                    _ => *set = None,
                })
                .or_insert(here);
        }
        let whole = groups.into_iter().map(|(mut case, set)| {
            case[column] = set;
            case
        });
        cases = whole.collect();
    }
    cases
}

/// Without the cases that a more general one includes. (Many cases are left as they are: the comparison is one of each with each.)
fn without_special(cases: Vec<Case>) -> Vec<Case> {
    if cases.len() > 2000 {
        return cases;
    }
    let includes = |general: &Case, special: &Case| {
        general.iter().zip(special).all(|(general, special)| general.is_none() || general == special)
    };
    let kept = |case: &&Case| !cases.iter().any(|other| other != *case && includes(other, case));
    cases.iter().filter(kept).cloned().collect()
}

fn disjunction(columns: &[Column], open: &[usize], cases: &[Case]) -> String {
    let said = cases.iter().map(|case| {
        let parts = open.iter().zip(case).filter_map(|(index, set)| Some(one_of(&columns[*index], set.as_ref()?)));
        parts.collect::<Vec<_>>().join(" && ")
    });
    let said: Vec<String> = said.collect();
    match said.as_slice() {
        [one] => one.clone(),
        several => several.iter().map(|text| format!("({text})")).collect::<Vec<_>>().join(" || "),
    }
}

fn equation(column: &Column, bits: u128) -> String {
    format!("{} == {}", column.text, literal(column.scalar, semantics::integer_value(column.scalar, bits)))
}

/// A set of values: a range, if there is no gap in it.
fn one_of(column: &Column, set: &BTreeSet<u128>) -> String {
    let numbers: BTreeSet<i128> = set.iter().map(|bits| semantics::integer_value(column.scalar, *bits)).collect();
    match (numbers.first(), numbers.last()) {
        (Some(low), Some(high)) if high - low + 1 == numbers.len() as i128 && numbers.len() > 2 => {
            let (low, high) = (literal(column.scalar, *low), literal(column.scalar, *high));
            format!("{low} <= {} && {} <= {high}", column.text, column.text)
        }
        _ => {
            let all: Vec<String> = numbers
                .iter()
                .map(|number| format!("{} == {}", column.text, literal(column.scalar, *number)))
                .collect();
            match all.as_slice() {
                [one] => one.clone(),
                several => format!("({})", several.join(" || ")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Vec<Column> {
        let scalar = Scalar::Int { bits: 32, signed: true };
        ["a", "b", "c"].map(|text| Column { text: text.to_string(), scalar }).to_vec()
    }

    #[test]
    fn what_is_always_so_comes_first() {
        let rows = vec![vec![Some(1), Some(5), None], vec![Some(2), Some(5), None]];
        assert_eq!(say(columns(), rows).as_deref(), Some("b == 5 && ((a == 1 || a == 2))"));
    }

    #[test]
    fn rows_are_told_apart() {
        let minus = 0xffff_ffff;
        let rows = vec![vec![Some(1), Some(minus), None], vec![Some(2), Some(6), Some(0)]];
        assert_eq!(say(columns(), rows).as_deref(), Some("(a == 2 && b == 6 && c == 0) || (a == 1 && b == -1)"));
    }

    #[test]
    fn a_row_that_knows_nothing_takes_everything() {
        let rows = vec![vec![None, None, None], vec![Some(2), Some(6), None]];
        assert_eq!(say(columns(), rows), None);
    }

    #[test]
    fn counters_are_left_out() {
        let rows: Vec<Row> = (0..10_000u128).map(|at| vec![Some(at * 7), Some(at % 2), None]).collect();
        assert_eq!(say(columns(), rows).as_deref(), Some("(b == 0 || b == 1)"));
    }

    #[test]
    fn ranges_are_said_as_ranges() {
        let rows: Vec<Row> = (0..10_000u128).map(|at| vec![Some(at), Some(at % 2), None]).collect();
        let said = say(columns(), rows).unwrap_or_default();
        assert!(said.contains("b == 0") && said.len() < 12_000, "{said}");
    }
}
