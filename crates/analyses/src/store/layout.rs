//! Where variables live: slots of frames, slots of statics, or objects.

use tandem_base::IdVec;
use tandem_cfa::types::{Length, Type, TypeId};
use tandem_cfa::{FunctionId, Program, Types, VariableId};

/// Where a variable lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Home {
    StaticSlot(u32),
    FrameSlot(u32),
    StaticObject,
    LocalObject,
}

pub struct Layout {
    pub homes: IdVec<VariableId, Home>,
    /// Static slots by number.
    pub static_slots: Vec<VariableId>,
    /// The slots of each function.
    pub frame_slots: IdVec<FunctionId, Vec<VariableId>>,
}

impl Layout {
    pub fn of(program: &Program) -> Layout {
        let mut static_slots = Vec::new();
        let mut frame_slots: IdVec<FunctionId, Vec<VariableId>> = IdVec::filled(Vec::new(), program.functions.len());
        let homes = program.variables.enumerate().map(|(id, variable)| {
            match (variable.in_memory, variable.kind.is_static(), variable.function) {
                (true, true, _) => Home::StaticObject,
                (true, false, _) => Home::LocalObject,
                (false, false, Some(function)) => {
                    frame_slots[function].push(id);
                    Home::FrameSlot(frame_slots[function].len() as u32 - 1)
                }
                (false, _, _) => {
                    static_slots.push(id);
                    Home::StaticSlot(static_slots.len() as u32 - 1)
                }
            }
        });
        let homes = homes.collect::<Vec<_>>().into();
        Layout { homes, static_slots, frame_slots }
    }
}

/// The scalar that lies at exactly this offset of a type, as offset and size; bytes of unions and padding are one each.
pub fn leaf(types: &Types, ty: TypeId, offset: u64) -> (u64, u64) {
    let (mut ty, mut base) = (ty, 0);
    loop {
        let at = offset - base;
        match types.get(ty) {
            Type::Array { element, .. } => {
                let size = types.size(*element).unwrap_or(1).max(1);
                base += at / size * size;
                ty = *element;
            }
            Type::Record(record) => {
                let record = &types.records[*record];
                let field = record.fields.iter().rfind(|field| {
                    let size = types.size(field.ty).unwrap_or(0);
                    field.bits.is_none() && field.offset <= at && at < field.offset + size
                });
                match field {
                    Some(field) if !record.is_union => {
                        base += field.offset;
                        ty = field.ty;
                    }
                    Some(_) | None => return (offset, 1),
                }
            }
            _ => {
                return match types.size(ty) {
                    Some(size) if types.scalar(ty).is_some_and(|scalar| u64::from(scalar.bits()) == size * 8) => {
                        (base, size)
                    }
                    Some(_) | None => (offset, 1),
                };
            }
        }
    }
}

/// The size of the elements, if the type is an array of many equal scalars.
pub fn element_size(types: &Types, ty: TypeId) -> Option<u64> {
    match types.get(ty) {
        Type::Array { element, length: Length::Fixed(_) } => match types.get(*element) {
            Type::Array { .. } => element_size(types, *element),
            Type::Record(_) => Some(1),
            _ => {
                let size = types.size(*element)?;
                let whole = types.scalar(*element).is_some_and(|scalar| u64::from(scalar.bits()) == size * 8);
                Some(if whole { size } else { 1 })
            }
        },
        _ => None,
    }
}
