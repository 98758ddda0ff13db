//! As few tests as cover what all together cover.

use super::board::Accepted;

/// Numbers of the tests to keep: first so that what counts is covered, then so that what might be covered is.
pub fn select(tests: &[Accepted], goals: usize) -> Vec<usize> {
    let mut covered = vec![false; goals];
    let mut kept = cover(tests, &mut covered, |test| &test.goals);
    for test in &kept {
        tests[*test].perhaps.iter().for_each(|goal| covered[*goal] = true);
    }
    // Those that might cover something are no reason to drop one that does.
    kept.extend(cover(tests, &mut covered, |test| &test.perhaps));
    kept.sort_unstable();
    kept.dedup();
    kept
}

/// Always the one with the most that is new, and in the end without those that others make superfluous.
fn cover(tests: &[Accepted], covered: &mut [bool], of: impl Fn(&Accepted) -> &Vec<usize>) -> Vec<usize> {
    let before = covered.to_vec();
    let mut chosen: Vec<usize> = Vec::new();
    loop {
        let fresh = |test: &Accepted| of(test).iter().filter(|goal| !covered[**goal]).count();
        // Of two that cover as much, the one with fewer inputs.
        let key = |index: &usize| (fresh(&tests[*index]), usize::MAX - tests[*index].inputs.len(), usize::MAX - index);
        let best = (0..tests.len()).max_by_key(key);
        let Some(best) = best.filter(|best| fresh(&tests[*best]) > 0) else { break };
        of(&tests[best]).iter().for_each(|goal| covered[*goal] = true);
        chosen.push(best);
    }
    let mut times = vec![0u32; covered.len()];
    chosen.iter().flat_map(|test| of(&tests[*test])).for_each(|goal| times[*goal] += 1);
    // The first ones were chosen when little was covered.
    chosen.retain(|test| {
        let needed = |goal: &usize| times[*goal] <= 1 && !before[*goal];
        let is_needed = of(&tests[*test]).iter().any(needed);
        if !is_needed {
            of(&tests[*test]).iter().for_each(|goal| times[*goal] -= 1);
        }
        is_needed
    });
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covering(goals: &[usize]) -> Accepted {
        might(goals, &[])
    }

    fn might(goals: &[usize], perhaps: &[usize]) -> Accepted {
        let (inputs, first, covered) = (Vec::new(), Vec::new(), Default::default());
        Accepted { inputs, goals: goals.to_vec(), first, perhaps: perhaps.to_vec(), covered, steps: 0, by: "" }
    }

    #[test]
    fn what_might_be_covered_comes_second() {
        let tests = [might(&[0], &[2]), might(&[0, 1], &[]), might(&[], &[2, 3]), might(&[], &[3])];
        assert_eq!(select(&tests, 4), [1, 2]);
    }

    #[test]
    fn a_test_that_others_make_superfluous_goes() {
        let tests =
            [covering(&[1, 2, 3, 4]), covering(&[0, 1, 2]), covering(&[3, 4, 5]), covering(&[0]), covering(&[5])];
        assert_eq!(select(&tests, 6), [1, 2]);
        assert!(select(&[], 3).is_empty());
        assert_eq!(select(&[covering(&[0]), covering(&[0, 1])], 2), [1]);
    }
}
