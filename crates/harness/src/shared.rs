//! Large buffers that the cases of a process have in common: inputs that many of them read, and room that one at a time
//! writes to. Contents are the operations'.

use crate::Failure;
use std::{
    any::{Any, TypeId},
    cell::RefCell,
    collections::BTreeMap,
    rc::{Rc, Weak},
};

/// Bytes that several cases read.
pub(crate) type Shared = Rc<Vec<u8>>;

thread_local! {
    static INPUTS: RefCell<BTreeMap<String, Weak<dyn Any>>> = const { RefCell::new(BTreeMap::new()) };
    static SCRATCH: RefCell<BTreeMap<TypeId, Box<dyn Any>>> = const { RefCell::new(BTreeMap::new()) };
}

/// What is called `name`: as another case has it that is still there, or made now.
///
/// # Errors
///
/// Those of `make`.
pub(crate) fn input<T: 'static>(
    name: &str,
    make: impl FnOnce() -> Result<T, Failure>,
) -> Result<Rc<T>, Failure> {
    let known = INPUTS.with_borrow(|all| all.get(name).and_then(Weak::upgrade));
    if let Some(Ok(known)) = known.map(Rc::downcast) {
        return Ok(known);
    }
    let made = Rc::new(make()?);
    let weak: Weak<T> = Rc::downgrade(&made);
    INPUTS.with_borrow_mut(|all| {
        all.retain(|_, it| it.strong_count() > 0);
        all.insert(name.to_owned(), weak);
    });
    Ok(made)
}

/// The one `T` of the process that is left over from whoever used it last, or one made now. Content unspecified. To be
/// given to [`put_back`].
pub(crate) fn scratch<T: 'static>(make: impl FnOnce() -> T) -> Box<T> {
    left_over().unwrap_or_else(|| Box::new(make()))
}

/// The one `T` of the process, where nobody has it now and somebody had.
pub(crate) fn left_over<T: 'static>() -> Option<Box<T>> {
    SCRATCH.with_borrow_mut(|all| all.remove(&TypeId::of::<T>()))?.downcast().ok()
}

/// Keeps `it` for the next who asks for [`scratch`].
pub(crate) fn put_back<T: 'static>(it: Box<T>) {
    SCRATCH.with_borrow_mut(|all| all.insert(TypeId::of::<T>(), it));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_shared_while_somebody_has_them() {
        let first = input("x", || Ok(vec![1])).expect("made");
        let second = input("x", || Err(Failure::Refused)).expect("known");
        assert!(Rc::ptr_eq(&first, &second));
        drop((first, second));
        assert_eq!(input::<u8>("x", || Err(Failure::Refused)), Err(Failure::Refused));
    }

    #[test]
    fn room_is_used_again() {
        let mut room = scratch(|| vec![0_u16; 3]);
        room[0] = 7;
        put_back(room);
        assert_eq!(scratch(|| vec![0_u16; 5])[..], [7, 0, 0]);
        // It is in use.
        assert_eq!(scratch(|| vec![0_u16; 5]).len(), 5);
    }
}
