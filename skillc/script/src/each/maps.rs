//! The functions on maps.

use std::mem;

use rhai::{Dynamic, Map};

use crate::each::callback::Callback;
use crate::meter::HostResult;
use crate::weight::Scales;

/// Maps the entries to new values. Checks the total size of the results after each call, not only at the end.
pub(super) fn map(callback: &mut Callback<'_>, map: &mut Map, _: Dynamic) -> HostResult<Dynamic> {
    let (mut scales, mut mapped) = (Scales::default(), Map::new());
    for (index, (key, value)) in map.iter_mut().enumerate() {
        let result = callback.call(Some(key.clone().into()), value, index)?;
        scales.add(&result, 0)?;
        mapped.insert(key.clone(), result);
    }
    Ok(mapped.into())
}

pub(super) fn filter(
    callback: &mut Callback<'_>,
    map: &mut Map,
    _: Dynamic,
) -> HostResult<Dynamic> {
    let mut kept = Map::new();
    for (index, (key, value)) in map.iter_mut().enumerate() {
        if callback.holds(Some(key.clone().into()), value, index)? {
            kept.insert(key.clone(), value.clone());
        }
    }
    Ok(kept.into())
}

pub(super) fn drain(callback: &mut Callback<'_>, map: &mut Map, _: Dynamic) -> HostResult<Dynamic> {
    removed(callback, map, true)
}

pub(super) fn retain(
    callback: &mut Callback<'_>,
    map: &mut Map,
    _: Dynamic,
) -> HostResult<Dynamic> {
    removed(callback, map, false)
}

/// Removes the entries for which the function returns `wanted`, and returns them. An error leaves the map unchanged.
fn removed(callback: &mut Callback<'_>, map: &mut Map, wanted: bool) -> HostResult<Dynamic> {
    let mut goes = Vec::with_capacity(map.len());
    for (index, (key, value)) in map.iter_mut().enumerate() {
        goes.push(callback.holds(Some(key.clone().into()), value, index)? == wanted);
    }
    let mut removed = Map::new();
    for ((key, value), goes) in mem::take(map).into_iter().zip(goes) {
        let part = if goes { &mut removed } else { &mut *map };
        part.insert(key, value);
    }
    Ok(removed.into())
}
