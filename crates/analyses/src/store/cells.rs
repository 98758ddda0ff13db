//! The contents of an object: runs of bytes with a value each, and what lies between them. Knows bytes and values, no types.

use imbl::OrdMap;

use super::domain::Domain;

/// What a slot or a run of bytes holds.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell<V> {
    /// Never written: an input when it is read.
    Undefined,
    Zero,
    /// What it held in the state from which nothing is known.
    Start,
    /// Anything: precision was given up here.
    Unknown,
    Value(V),
}

/// A run of bytes, relative to where it was asked for.
pub type Run<V> = (u64, u64, Cell<V>);

#[derive(Clone, PartialEq, Debug)]
pub struct Cells<V: Clone> {
    /// By offset: how many bytes, and what they hold. Runs do not overlap.
    pub runs: OrdMap<u64, (u64, Cell<V>)>,
    /// Everything else.
    pub rest: Cell<V>,
    /// If set, all contents are elements of so many bytes, by their byte offset, and there are no runs.
    pub elements: Option<(u64, V)>,
}

impl<V: Clone + PartialEq> Cells<V> {
    pub fn new(rest: Cell<V>) -> Cells<V> {
        Cells { runs: OrdMap::new(), rest, elements: None }
    }

    /// The run that covers exactly these bytes.
    pub fn exact(&self, offset: u64, size: u64) -> Option<&Cell<V>> {
        self.runs.get(&offset).filter(|(length, _)| *length == size).map(|(_, cell)| cell)
    }

    /// Whether no run has a byte in the range.
    pub fn is_untouched(&self, offset: u64, size: u64) -> bool {
        if self.runs.is_empty() {
            return true;
        }
        match self.runs.range(..offset.saturating_add(size)).next_back() {
            Some((start, (length, _))) => start + length <= offset,
            None => true,
        }
    }

    /// Everything in the range, run by run, cut to it; gaps are runs of the rest.
    pub fn pieces<D: Domain<Value = V>>(&self, domain: &mut D, offset: u64, size: u64) -> Vec<Run<V>> {
        let end = offset + size;
        let mut pieces = Vec::new();
        let mut at = offset;
        let first = self.runs.range(..=offset).next_back().map_or(offset, |(start, _)| *start);
        for (start, (length, cell)) in self.runs.range(first..end) {
            let (start, stop) = (*start, start + length);
            if stop <= at {
                continue;
            }
            if start > at {
                pieces.push((at - offset, start - at, self.rest.clone()));
                at = start;
            }
            let upto = stop.min(end);
            pieces.push((at - offset, upto - at, cut(domain, cell, *length, at - start, upto - at)));
            at = upto;
        }
        if at < end {
            pieces.push((at - offset, end - at, self.rest.clone()));
        }
        pieces
    }

    /// Writes a run, cutting those it overlaps.
    pub fn write<D: Domain<Value = V>>(&mut self, domain: &mut D, offset: u64, size: u64, cell: Cell<V>) {
        if size == 0 {
            return;
        }
        if self.runs.get(&offset).is_none_or(|(length, _)| *length != size) && !self.is_untouched(offset, size) {
            self.clear(domain, offset, size);
        }
        self.runs.insert(offset, (size, cell));
    }

    /// Takes the range out of all runs.
    fn clear<D: Domain<Value = V>>(&mut self, domain: &mut D, offset: u64, size: u64) {
        let end = offset + size;
        let first = self.runs.range(..=offset).next_back().map_or(offset, |(start, _)| *start);
        let overlapping: Vec<(u64, u64, Cell<V>)> = self
            .runs
            .range(first..end)
            .filter(|(start, (length, _))| *start + length > offset)
            .map(|(start, (length, cell))| (*start, *length, cell.clone()))
            .collect();
        for (start, length, cell) in overlapping {
            self.runs.remove(&start);
            if start < offset {
                self.runs.insert(start, (offset - start, cut(domain, &cell, length, 0, offset - start)));
            }
            if start + length > end {
                let rest = start + length - end;
                self.runs.insert(end, (rest, cut(domain, &cell, length, end - start, rest)));
            }
        }
    }
}

/// Some bytes of a run.
fn cut<D: Domain>(domain: &mut D, cell: &Cell<D::Value>, length: u64, from: u64, size: u64) -> Cell<D::Value> {
    match cell {
        Cell::Value(value) if size != length => {
            Cell::Value(domain.extract(value, length as u32 * 8, from as u32 * 8, size as u32 * 8))
        }
        Cell::Value(_) | Cell::Undefined | Cell::Zero | Cell::Start | Cell::Unknown => cell.clone(),
    }
}
