//! Calls a script's function for the elements of a list or map.

use rhai::{Dynamic, EvalAltResult, FnPtr, NativeCallContext};

use crate::each::number;
use crate::meter::{HostResult, Meter};
use crate::weight::Scales;

/// The operations charged for each call, in addition to the steps of the called function. Without optimization, the
/// engine needs 3.5 µs to prepare a call, and 0.1 µs for a step. Charging for half of the 3.5 µs is enough, because the
/// call itself counts as one or two steps, and each use of a parameter counts as another step.
const OPERATIONS_PER_CALL: u64 = 16;

/// The way in which an element and its index are passed to the function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Form {
    /// Whether the element is bound to `this` instead of being an argument.
    binds_element: bool,
    /// Whether the index is the last argument.
    has_index: bool,
}

pub(super) const ELEMENT: Form = Form {
    binds_element: false,
    has_index: false,
};
pub(super) const ELEMENT_AND_INDEX: Form = Form {
    binds_element: false,
    has_index: true,
};
pub(super) const BOUND: Form = Form {
    binds_element: true,
    has_index: false,
};
pub(super) const BOUND_AND_INDEX: Form = Form {
    binds_element: true,
    has_index: true,
};

/// A function of the script that a library function calls for each element.
pub(super) struct Callback<'a> {
    context: &'a NativeCallContext<'a>,
    meter: Meter,
    function: &'a FnPtr,
    /// The name of the library function.
    name: &'static str,
    /// The operations charged for each call.
    cost: u64,
    /// The forms that the library function allows.
    forms: &'static [Form],
    /// The form that the script's function accepts; `None` before the first call.
    form: Option<Form>,
}

impl<'a> Callback<'a> {
    /// `name`: the name of the library function.
    pub(super) fn new(
        name: &'static str,
        context: &'a NativeCallContext<'a>,
        function: &'a FnPtr,
        forms: &'static [Form],
    ) -> HostResult<Self> {
        Ok(Self {
            context,
            meter: Meter::from_context(context),
            function,
            name,
            cost: cost(function)?,
            forms,
            form: None,
        })
    }

    /// Calls the function for an element. `before`: an additional argument before the element.
    pub(super) fn call(
        &mut self,
        before: Option<Dynamic>,
        element: &mut Dynamic,
        index: usize,
    ) -> HostResult<Dynamic> {
        if let Some(form) = self.form {
            return self.call_as(form, before, element, index);
        }
        let mut result = Ok(Dynamic::UNIT);
        for form in self.forms {
            result = self.call_as(*form, before.clone(), element, index);
            if !self.is_refused(&result) {
                self.form = Some(*form);
                break;
            }
        }
        result
    }

    fn call_as(
        &self,
        form: Form,
        before: Option<Dynamic>,
        element: &mut Dynamic,
        index: usize,
    ) -> HostResult<Dynamic> {
        let mut arguments: Vec<Dynamic> = before.into_iter().collect();
        let this = if form.binds_element {
            Some(element)
        } else {
            arguments.push(element.clone());
            None
        };
        if form.has_index {
            arguments.push(number(index).into());
        }
        self.call_with(this, arguments)
    }

    pub(super) fn call_with(
        &self,
        this: Option<&mut Dynamic>,
        arguments: Vec<Dynamic>,
    ) -> HostResult<Dynamic> {
        self.meter.charge(self.cost)?;
        self.function.call_raw(self.context, this, arguments)
    }

    /// Returns whether a call failed because the function does not accept these arguments.
    fn is_refused(&self, result: &HostResult<Dynamic>) -> bool {
        let error = result.as_ref().map_err(|error| &**error);
        let name = self.function.fn_name();
        matches!(error, Err(EvalAltResult::ErrorFunctionNotFound(signature, _)) if signature.starts_with(name))
    }

    /// Returns whether the function returns `true` for an element. As in the library's own version, a result that is
    /// not a boolean counts as `false`.
    pub(super) fn holds(
        &mut self,
        before: Option<Dynamic>,
        element: &mut Dynamic,
        index: usize,
    ) -> HostResult<bool> {
        let result = self.call(before, element, index)?;
        Ok(result.as_bool().unwrap_or(false))
    }

    /// Calls the function to compare two values. Returns whether `one` comes after `other`.
    pub(super) fn is_after(&self, one: &Dynamic, other: &Dynamic) -> HostResult<bool> {
        let result = self.call_with(None, vec![one.clone(), other.clone()])?;
        let is_after = result.as_int().map(|order| order > 0);
        let is_after = is_after.or_else(|_| result.as_bool().map(|is| !is));
        is_after.map_err(|_| {
            let name = self.name;
            format!("the function of {name} must return a number or a boolean").into()
        })
    }
}

/// Returns the operations charged for each call of a function. Each call copies the arguments that are bound to the
/// function, but not the values of captured variables, to which it only refers.
fn cost(function: &FnPtr) -> HostResult<u64> {
    let mut scales = Scales::default();
    for value in function.iter_curry().filter(|value| !value.is_shared()) {
        scales.add(value, 1)?;
    }
    let captured = function.curry().len() as u64;
    Ok(OPERATIONS_PER_CALL + captured + scales.cost_of_copying())
}
