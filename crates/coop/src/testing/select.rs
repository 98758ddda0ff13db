//! As few tests as cover what all together cover.

use super::board::Accepted;

/// Numbers of the tests to keep: always the one with the most that is new, and in the end without those that others make superfluous.
pub fn select(tests: &[Accepted], goals: usize) -> Vec<usize> {
    let mut covered = vec![false; goals];
    let mut chosen: Vec<usize> = Vec::new();
    loop {
        let fresh = |test: &Accepted| test.goals.iter().filter(|goal| !covered[**goal]).count();
        // Of two that cover as much, the one with fewer inputs.
        let key = |index: &usize| (fresh(&tests[*index]), usize::MAX - tests[*index].inputs.len(), usize::MAX - index);
        let best = (0..tests.len()).max_by_key(key);
        let Some(best) = best.filter(|best| fresh(&tests[*best]) > 0) else { break };
        tests[best].goals.iter().for_each(|goal| covered[*goal] = true);
        chosen.push(best);
    }
    let mut times = vec![0u32; goals];
    chosen.iter().flat_map(|test| &tests[*test].goals).for_each(|goal| times[*goal] += 1);
    // The first ones were chosen when little was covered.
    let mut kept: Vec<usize> = Vec::new();
    for test in chosen {
        if tests[test].goals.iter().all(|goal| times[*goal] > 1) {
            tests[test].goals.iter().for_each(|goal| times[*goal] -= 1);
        } else {
            kept.push(test);
        }
    }
    kept.sort_unstable();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covering(goals: &[usize]) -> Accepted {
        Accepted { inputs: Vec::new(), goals: goals.to_vec(), first: Vec::new(), covered: Default::default(), by: "" }
    }

    #[test]
    fn a_test_that_others_make_superfluous_goes() {
        let tests = [covering(&[1, 2, 3, 4]), covering(&[0, 1, 2]), covering(&[3, 4, 5]), covering(&[0]), covering(&[5])];
        assert_eq!(select(&tests, 6), [1, 2]);
        assert!(select(&[], 3).is_empty());
        assert_eq!(select(&[covering(&[0]), covering(&[0, 1])], 2), [1]);
    }
}
