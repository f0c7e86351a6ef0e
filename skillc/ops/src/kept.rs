//! What is kept from one call to the next of the same process, so that a server does not begin each call from nothing.

/// What calls share. It is only ever a shortcut: whatever it holds is checked against the disk before it is believed.
#[derive(Debug, Default)]
pub(crate) struct Kept {}
