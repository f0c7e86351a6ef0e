//! The functions on lists.

use std::mem;

use rhai::{Array, Dynamic};

use crate::each::callback::Callback;
use crate::each::{number, offset};
use crate::meter::HostResult;
use crate::weight::Scales;

/// Returns the first element for which the function returns `wanted`, and its index. `start`: the index of the first
/// element to examine.
fn first<'a>(
    callback: &mut Callback<'_>,
    list: &'a mut Array,
    start: Dynamic,
    wanted: bool,
) -> HostResult<Option<(usize, &'a mut Dynamic)>> {
    let start = offset(list.len(), start.try_cast().unwrap_or(0));
    for (index, element) in list.iter_mut().enumerate().skip(start) {
        if callback.holds(None, element, index)? == wanted {
            return Ok(Some((index, element)));
        }
    }
    Ok(None)
}

pub(super) fn all(
    callback: &mut Callback<'_>,
    list: &mut Array,
    start: Dynamic,
) -> HostResult<Dynamic> {
    Ok(first(callback, list, start, false)?.is_none().into())
}

pub(super) fn some(
    callback: &mut Callback<'_>,
    list: &mut Array,
    start: Dynamic,
) -> HostResult<Dynamic> {
    Ok(first(callback, list, start, true)?.is_some().into())
}

pub(super) fn index_of(
    callback: &mut Callback<'_>,
    list: &mut Array,
    start: Dynamic,
) -> HostResult<Dynamic> {
    let found = first(callback, list, start, true)?;
    Ok(found.map_or(-1, |(index, _)| number(index)).into())
}

pub(super) fn find(
    callback: &mut Callback<'_>,
    list: &mut Array,
    start: Dynamic,
) -> HostResult<Dynamic> {
    let found = first(callback, list, start, true)?;
    Ok(found.map_or(Dynamic::UNIT, |(_, element)| element.clone()))
}

pub(super) fn find_map(
    callback: &mut Callback<'_>,
    list: &mut Array,
    start: Dynamic,
) -> HostResult<Dynamic> {
    let start = offset(list.len(), start.try_cast().unwrap_or(0));
    for (index, element) in list.iter_mut().enumerate().skip(start) {
        let result = callback.call(None, element, index)?;
        if !result.is_unit() {
            return Ok(result);
        }
    }
    Ok(Dynamic::UNIT)
}

pub(super) fn filter(
    callback: &mut Callback<'_>,
    list: &mut Array,
    _: Dynamic,
) -> HostResult<Dynamic> {
    let mut kept = Array::new();
    for (index, element) in list.iter_mut().enumerate() {
        if callback.holds(None, element, index)? {
            kept.push(element.clone());
        }
    }
    Ok(kept.into())
}

/// Maps the elements to new values. Checks the total size of the results after each call, not only at the end.
pub(super) fn map(
    callback: &mut Callback<'_>,
    list: &mut Array,
    _: Dynamic,
) -> HostResult<Dynamic> {
    let (mut scales, mut mapped) = (Scales::default(), Array::new());
    for (index, element) in list.iter_mut().enumerate() {
        let result = callback.call(None, element, index)?;
        scales.add(&result, 0)?;
        mapped.push(result);
    }
    Ok(mapped.into())
}

/// Combines two lists. Checks the total size of the results after each call, as [`map`] does.
pub(super) fn zip(
    callback: &mut Callback<'_>,
    list: &mut Array,
    other: Dynamic,
) -> HostResult<Dynamic> {
    let (mut scales, mut mapped) = (Scales::default(), Array::new());
    let mut other = other.try_cast::<Array>().unwrap_or_default();
    for (index, (one, other)) in list.iter().zip(&mut other).enumerate() {
        let result = callback.call(Some(one.clone()), other, index)?;
        scales.add(&result, 0)?;
        mapped.push(result);
    }
    Ok(mapped.into())
}

pub(super) fn reduce(
    callback: &mut Callback<'_>,
    list: &mut Array,
    initial: Dynamic,
) -> HostResult<Dynamic> {
    let mut elements = list.iter_mut().enumerate();
    elements.try_fold(initial, |result, (index, element)| {
        callback.call(Some(result), element, index)
    })
}

pub(super) fn reduce_rev(
    callback: &mut Callback<'_>,
    list: &mut Array,
    initial: Dynamic,
) -> HostResult<Dynamic> {
    let mut elements = list.iter_mut().enumerate().rev();
    elements.try_fold(initial, |result, (index, element)| {
        callback.call(Some(result), element, index)
    })
}

pub(super) fn for_each(
    callback: &mut Callback<'_>,
    list: &mut Array,
    _: Dynamic,
) -> HostResult<Dynamic> {
    for (index, element) in list.iter_mut().enumerate() {
        drop(callback.call(None, element, index)?);
    }
    Ok(Dynamic::UNIT)
}

pub(super) fn drain(
    callback: &mut Callback<'_>,
    list: &mut Array,
    _: Dynamic,
) -> HostResult<Dynamic> {
    removed(callback, list, true)
}

pub(super) fn retain(
    callback: &mut Callback<'_>,
    list: &mut Array,
    _: Dynamic,
) -> HostResult<Dynamic> {
    removed(callback, list, false)
}

/// Removes the elements for which the function returns `wanted`, and returns them. An error leaves the list unchanged.
fn removed(callback: &mut Callback<'_>, list: &mut Array, wanted: bool) -> HostResult<Dynamic> {
    let mut goes = Vec::with_capacity(list.len());
    for (index, element) in list.iter_mut().enumerate() {
        goes.push(callback.holds(None, element, index)? == wanted);
    }
    let mut removed = Array::new();
    for (element, goes) in mem::take(list).into_iter().zip(goes) {
        let part = if goes { &mut removed } else { &mut *list };
        part.push(element);
    }
    Ok(removed.into())
}

/// Sorts a list. This function, [`order`] and [`dedup`] fail if the comparison function fails. The library's own
/// versions ignore such errors, even exceeded limits, and continue with a default result.
pub(super) fn sort(
    callback: &mut Callback<'_>,
    list: &mut Array,
    _: Dynamic,
) -> HostResult<Dynamic> {
    *list = sorted(callback, list.clone())?;
    Ok(Dynamic::UNIT)
}

pub(super) fn order(
    callback: &mut Callback<'_>,
    list: &mut Array,
    _: Dynamic,
) -> HostResult<Dynamic> {
    Ok(sorted(callback, list.clone())?.into())
}

/// A merge sort. Unlike `slice::sort_by`, it stops if the comparison fails, and cannot panic if the comparison is
/// inconsistent.
fn sorted(callback: &Callback<'_>, mut values: Array) -> HostResult<Array> {
    if values.len() < 2 {
        return Ok(values);
    }
    let right = values.split_off(values.len() / 2);
    let mut left = sorted(callback, values)?.into_iter().peekable();
    let mut right = sorted(callback, right)?.into_iter().peekable();
    let mut merged = Array::with_capacity(left.len() + right.len());
    while let (Some(one), Some(other)) = (left.peek(), right.peek()) {
        let next = if callback.is_after(one, other)? {
            right.next()
        } else {
            left.next()
        };
        merged.extend(next);
    }
    merged.extend(left);
    merged.extend(right);
    Ok(merged)
}

pub(super) fn dedup(
    callback: &mut Callback<'_>,
    list: &mut Array,
    _: Dynamic,
) -> HostResult<Dynamic> {
    let mut kept = Array::new();
    for value in list.iter() {
        let is_same = match kept.last() {
            None => false,
            Some(before) => {
                let result = callback.call_with(None, vec![before.clone(), value.clone()])?;
                result
                    .as_bool()
                    .map_err(|_| "the function of dedup must return a boolean".to_owned())?
            }
        };
        if !is_same {
            kept.push(value.clone());
        }
    }
    *list = kept;
    Ok(Dynamic::UNIT)
}
