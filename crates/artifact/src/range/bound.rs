//! Bounds and ranges.

use super::Decisions;
use crate::TestCase;

/// One end of a range: a path.
#[derive(Clone, PartialEq, Debug)]
pub struct Bound {
    pub decisions: Decisions,
    /// Whether the path goes on with decisions that are not known. As the upper end of a range such a bound stands for the greatest path
    /// that begins so, as the lower end for the least: what is not known makes a range larger, never smaller.
    pub goes_on: bool,
    /// Inputs whose path begins with the decisions, if some are known.
    pub test: Option<TestCase>,
}

impl Bound {
    /// The path with exactly these decisions.
    pub fn path(decisions: Decisions) -> Bound {
        Bound { decisions, goes_on: false, test: None }
    }

    /// A path of which these decisions are known, and no more.
    pub fn beginning(decisions: Decisions) -> Bound {
        Bound { decisions, goes_on: true, test: None }
    }
}

/// The paths from the lower to the upper bound, both included. Without a bound, there is no end on this side.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Range {
    pub lower: Option<Bound>,
    pub upper: Option<Bound>,
}

/// Bounds of a program in their order: they cut its paths into ranges.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Bounds(Vec<Bound>);

impl Range {
    /// All paths.
    pub fn whole() -> Range {
        Range::default()
    }

    /// The paths that begin with these decisions.
    pub fn under(decisions: Decisions) -> Range {
        let bound = Bound::beginning(decisions);
        Range { lower: Some(bound.clone()), upper: Some(bound) }
    }

    pub fn contains(&self, path: &Decisions) -> bool {
        self.is_above(path) && self.is_below(path)
    }

    fn is_above(&self, path: &Decisions) -> bool {
        self.lower.as_ref().is_none_or(|lower| lower.decisions <= *path)
    }

    fn is_below(&self, path: &Decisions) -> bool {
        self.upper
            .as_ref()
            .is_none_or(|upper| *path <= upper.decisions || upper.goes_on && path.begins_with(&upper.decisions))
    }

    /// Whether no path at all can be in the range.
    pub fn is_empty(&self) -> bool {
        match (&self.lower, &self.upper) {
            (Some(lower), Some(upper)) => !self.is_below(&lower.decisions) && upper.decisions < lower.decisions,
            _ => false,
        }
    }

    /// The part of the range up to the bound, and the part from it on. Nothing if the bound does not lie in the range.
    pub fn cut(&self, at: &Bound) -> Option<(Range, Range)> {
        if !self.contains(&at.decisions) {
            return None;
        }
        let below = Range { lower: self.lower.clone(), upper: Some(at.clone()) };
        let above = Range { lower: Some(at.clone()), upper: self.upper.clone() };
        Some((below, above))
    }
}

impl Bounds {
    /// Sorted, and no two of them the same path. A bound that begins another one is kept: the ranges differ.
    pub fn new(mut bounds: Vec<Bound>) -> Bounds {
        bounds.sort_by(|one, other| (&one.decisions, one.goes_on).cmp(&(&other.decisions, other.goes_on)));
        bounds.dedup_by(|one, other| one.decisions == other.decisions);
        Bounds(bounds)
    }

    pub fn bounds(&self) -> &[Bound] {
        &self.0
    }

    /// The ranges between them, which cover all paths; one more than there are bounds.
    pub fn ranges(&self) -> Vec<Range> {
        let ends = self.0.iter().map(|bound| Some(bound.clone()));
        let mut lower = None;
        let mut ranges = Vec::new();
        for upper in ends.chain([None]) {
            ranges.push(Range { lower: lower.take(), upper: upper.clone() });
            lower = upper;
        }
        ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(ranks: &[u32]) -> Decisions {
        Decisions(ranks.to_vec())
    }

    #[test]
    fn neighbours_share_their_bound_and_nothing_else() {
        let bounds =
            Bounds::new(vec![Bound::path(path(&[1, 0])), Bound::path(path(&[0, 1, 1])), Bound::path(path(&[1, 0]))]);
        let ranges = bounds.ranges();
        assert_eq!(ranges.len(), 3);
        for ranks in [&[][..], &[0], &[0, 1], &[0, 1, 0, 5], &[0, 1, 1], &[0, 1, 1, 0], &[1], &[1, 0], &[1, 0, 0], &[2]]
        {
            let inside = ranges.iter().filter(|range| range.contains(&path(ranks))).count();
            let is_bound = bounds.bounds().iter().any(|bound| bound.decisions == path(ranks));
            assert_eq!(inside, if is_bound { 2 } else { 1 }, "{ranks:?}");
        }
    }

    #[test]
    fn what_is_not_known_makes_a_range_larger() {
        let known = Range { lower: None, upper: Some(Bound::path(path(&[0, 1]))) };
        let unknown = Range { lower: None, upper: Some(Bound::beginning(path(&[0, 1]))) };
        assert!(!known.contains(&path(&[0, 1, 0])) && unknown.contains(&path(&[0, 1, 0])));
        assert!(!unknown.contains(&path(&[0, 2])));
        let under = Range::under(path(&[1]));
        assert!(under.contains(&path(&[1])) && under.contains(&path(&[1, 9])));
        assert!(!under.contains(&path(&[0, 9])) && !under.contains(&path(&[2])) && !under.contains(&path(&[])));
    }

    #[test]
    fn empty_ranges_and_cuts() {
        let range = |lower: &[u32], upper: &[u32]| Range {
            lower: Some(Bound::path(path(lower))),
            upper: Some(Bound::path(path(upper))),
        };
        assert!(range(&[1], &[0, 5]).is_empty() && range(&[0, 0], &[0]).is_empty());
        assert!(!range(&[1], &[1]).is_empty() && !range(&[0], &[0, 0]).is_empty() && !Range::whole().is_empty());
        assert!(!Range::under(path(&[3])).is_empty());
        let (below, above) = range(&[0], &[2]).cut(&Bound::path(path(&[1, 1]))).unwrap();
        assert!(below.contains(&path(&[1, 0])) && !above.contains(&path(&[1, 0])));
        assert!(above.contains(&path(&[1, 1, 0])) && !below.contains(&path(&[1, 1, 0])));
        assert!(range(&[0], &[1]).cut(&Bound::path(path(&[2]))).is_none());
    }
}
