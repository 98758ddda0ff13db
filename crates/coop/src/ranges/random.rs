//! Random paths as bounds: at each decision some edge, the first one with a given probability. The same on every machine.

use tandem_analyses::paths::{Next, Paths, Way};

use super::split::{Cut, LONGEST, cut_at_run};

/// Paths that are tried for each cut that is wanted.
const TRIES: usize = 4;

pub fn cuts(paths: &mut Paths<'_>, first: u32, wanted: usize) -> Result<Vec<Cut>, String> {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let mut cuts: Vec<Cut> = Vec::new();
    for _ in 0..wanted * TRIES {
        if cuts.len() >= wanted {
            break;
        }
        let Some(cut) = cut(paths, first, &mut numbers) else { break };
        let is_new = cuts.iter().all(|other| other.bound.decisions != cut.bound.decisions);
        if is_new && !cut.bound.decisions.is_empty() {
            cuts.push(cut);
        }
    }
    Ok(cuts)
}

fn cut(paths: &mut Paths<'_>, first: u32, numbers: &mut Numbers) -> Option<Cut> {
    let mut spot = paths.start()?;
    loop {
        match paths.advance(spot) {
            Next::End(end) => return Some(cut_at_run(paths, &end)),
            Next::Ways(here, ways) => {
                let way = choose(&ways, first, numbers).filter(|_| here.decisions.len() < LONGEST);
                match way.and_then(|way| paths.take(&here, way)) {
                    Some(next) => spot = next,
                    None => return Some(cut_at_run(paths, &here)),
                }
            }
        }
    }
}

fn choose<'w>(ways: &'w [Way], first: u32, numbers: &mut Numbers) -> Option<&'w Way> {
    let others = ways.len().checked_sub(1)?;
    if others == 0 || numbers.next() % 100 < u64::from(first) {
        return ways.first();
    }
    ways.get(1 + (numbers.next() % others as u64) as usize)
}

struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }
}
