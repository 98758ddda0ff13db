//! All linear equations that a set of samples fulfils: the affine hull, by elimination over fractions.

/// Numbers beyond this are no coefficients of anything a person wrote.
const LARGEST: i128 = 1 << 20;
/// Intermediate results beyond this end the search.
const OVERFLOW: i128 = 1 << 60;

/// The equations `sum of coefficient * column + constant == 0` that all rows fulfil: a basis of them, with whole and small
/// coefficients; the constant is the last number. Rows must have equal lengths.
pub fn equations(rows: &[Vec<i128>]) -> Vec<Vec<i128>> {
    let Some(width) = rows.first().map(Vec::len) else { return Vec::new() };
    // Reduced rows with a leading column each.
    let mut reduced: Vec<(usize, Vec<i128>)> = Vec::new();
    for row in rows {
        let mut row: Vec<i128> = row.iter().copied().chain([1]).collect();
        for (lead, other) in &reduced {
            if eliminate(&mut row, other, *lead).is_none() {
                return Vec::new();
            }
        }
        let Some(lead) = row.iter().position(|value| *value != 0) else { continue };
        for (_, other) in &mut reduced {
            if eliminate(other, &row, lead).is_none() {
                return Vec::new();
            }
        }
        reduced.push((lead, row));
        if reduced.len() > width {
            return Vec::new();
        }
    }
    let free = (0..=width).filter(|column| reduced.iter().all(|(lead, _)| lead != column));
    free.filter_map(|column| equation(&reduced, width, column)).collect()
}

/// Makes the column of `row` zero with the help of `other`, which has something there.
fn eliminate(row: &mut [i128], other: &[i128], column: usize) -> Option<()> {
    let (factor, pivot) = (row[column], other[column]);
    if factor == 0 {
        return Some(());
    }
    let divisor = gcd(factor, pivot);
    let (factor, pivot) = (factor / divisor, pivot / divisor);
    let mut common = 0;
    for (value, more) in row.iter_mut().zip(other) {
        *value = value.checked_mul(pivot)?.checked_sub(more.checked_mul(factor)?)?;
        if value.abs() > OVERFLOW {
            return None;
        }
        common = gcd(common, *value);
    }
    if common > 1 {
        row.iter_mut().for_each(|value| *value /= common);
    }
    Some(())
}

/// The equation in which the free column counts and the other free ones do not: a vector that all rows are orthogonal to.
fn equation(reduced: &[(usize, Vec<i128>)], width: usize, free: usize) -> Option<Vec<i128>> {
    let mut scale: i128 = 1;
    for (lead, row) in reduced {
        let (pivot, value) = (row[*lead], row[free]);
        if value != 0 {
            let needed = (pivot / gcd(pivot, value)).abs();
            scale = scale.checked_mul(needed / gcd(scale, needed))?;
            if scale > LARGEST {
                return None;
            }
        }
    }
    let mut solution = vec![0; width + 1];
    solution[free] = scale;
    for (lead, row) in reduced {
        solution[*lead] = -(scale.checked_mul(row[free])? / row[*lead]);
    }
    let columns = solution[..width].iter().filter(|value| **value != 0).count();
    (columns > 0 && solution[..width].iter().all(|value| value.abs() <= LARGEST)).then_some(solution)
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_holds_of_all_rows() {
        // x - y == i - j, and i is always 7.
        let rows: Vec<Vec<i128>> = [(7, 3, 7, 3), (6, 2, 7, 3), (5, 4, 7, 6), (1, 0, 7, 6), (2, -4, 7, 1)]
            .into_iter()
            .map(|(x, y, i, j)| vec![x, y, i, j])
            .collect();
        let found = equations(&rows);
        assert_eq!(found.len(), 2);
        for equation in &found {
            for row in &rows {
                let sum: i128 = row.iter().zip(equation).map(|(value, factor)| value * factor).sum();
                assert_eq!(sum + equation[4], 0, "{equation:?} on {row:?}");
            }
        }
    }

    #[test]
    fn independent_columns_have_no_equation() {
        assert!(equations(&[vec![1, 2], vec![3, 7], vec![-5, 11], vec![2, 2]]).is_empty());
        assert!(equations(&[]).is_empty());
    }
}
