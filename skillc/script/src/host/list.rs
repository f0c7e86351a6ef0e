//! Lists of host values. Scripts access their elements one by one; the lists are never copied.

use std::any::TypeId;
use std::rc::Rc;

use rhai::Dynamic;

use super::api::Api;
use super::piece::int;
use crate::meter::HostResult;

/// A list whose elements are created on access.
#[derive(Clone)]
pub(crate) struct List<T> {
    len: usize,
    make: Rc<dyn Fn(usize) -> T>,
}

impl<T: Clone + 'static> List<T> {
    pub(crate) fn new(len: usize, make: impl Fn(usize) -> T + 'static) -> Self {
        Self {
            len,
            make: Rc::new(make),
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// Returns an element; a negative index counts from the end.
    fn at(&self, index: i64) -> Option<T> {
        place(index, self.len).map(|at| (self.make)(at))
    }

    fn indexed(&self, index: i64) -> HostResult<T> {
        self.at(index)
            .ok_or_else(|| format!("index {index} out of range: length is {}", self.len).into())
    }
}

/// Registers lists of a type: `len`, `is_empty`, `first`, `last`, `list[at]` and `for x in list`.
pub(crate) fn register<T: Clone + 'static>(module: &mut Api, name: &str) {
    module.set_custom_type::<List<T>>(name);
    let len = |list: &mut List<T>| int(list.len);
    module.set_getter_fn("len", move |list: &mut List<T>| Ok(len(list)));
    module.set_native_fn("len", move |list: &mut List<T>| Ok(len(list)));
    module.set_getter_fn("is_empty", |list: &mut List<T>| Ok(list.len == 0));
    module.set_native_fn("is_empty", |list: &mut List<T>| Ok(list.len == 0));
    module.set_getter_fn("first", |list: &mut List<T>| Ok(maybe(list.at(0))));
    module.set_getter_fn("last", |list: &mut List<T>| Ok(maybe(list.at(-1))));
    module.set_indexer_get_fn(|list: &mut List<T>, index: i64| list.indexed(index));
    module.set_iter(TypeId::of::<List<T>>(), |list: Dynamic| {
        let list: List<T> = list.cast();
        Box::new((0..list.len).map(move |at| Dynamic::from((list.make)(at))))
    });
}

/// Resolves a script's index in a list of `len` elements; a negative index counts from the end.
pub(super) fn place(index: i64, len: usize) -> Option<usize> {
    let from = if index < 0 { int(len) } else { 0 };
    let at = usize::try_from(index.checked_add(from)?).ok()?;
    (at < len).then_some(at)
}

/// Converts an optional value for scripts: `None` becomes `()`.
pub(crate) fn maybe<T: Clone + 'static>(value: Option<T>) -> Dynamic {
    value.map_or(Dynamic::UNIT, Dynamic::from)
}
