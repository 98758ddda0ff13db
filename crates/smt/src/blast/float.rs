//! stub
use crate::pool::{Term, Terms};
pub(super) struct Floats;
impl Floats {
    pub fn new(_: &Terms) -> Floats {
        Floats
    }
    pub fn is_known(&self, _: Term) -> bool {
        false
    }
    pub fn is_atom(&self, _: Term) -> bool {
        false
    }
    pub fn lowered(&self, _: Term) -> Option<Term> {
        None
    }
    pub fn make(&mut self, _: Term) -> Result<(), String> {
        Err("floats".into())
    }
    pub fn lower(&mut self, _: Term) -> Result<(), String> {
        Err("floats".into())
    }
}
