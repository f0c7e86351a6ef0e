//! The numeric settings: their names, defaults and bounds.
//!
//! Design: limits-catalog, CAT-CONF.2, CAT-CONF.3, CAT-CONF.4, CAT-CONF.5, R20.

use toml::Value;

/// The number of numeric settings.
const COUNT: usize = 9;

/// The upper bound of every setting that is a count.
const MOST: usize = 1_000_000;

/// The upper bound of every setting that is a size, in bytes.
const MOST_BYTES: usize = 64 << 20;

/// A numeric setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    MaxEntries,
    MaxBytes,
    DefaultLimit,
    MaxLimit,
    MaxFiles,
    MaxListingBytes,
    MaxBodyBytes,
    MaxDepth,
    MaxDirs,
}

/// The name and the range of a numeric setting.
#[derive(Debug)]
pub struct NumberKey {
    /// The setting that this entry describes.
    pub(super) number: Number,
    /// The TOML table that contains the setting, such as `skills.initial`.
    pub table: &'static str,
    /// The key in that table.
    pub key: &'static str,
    /// An alias of the key, if there is one.
    pub alias: Option<&'static str>,
    /// The default value.
    pub default: usize,
    /// The maximum value; the minimum is 1.
    pub most: usize,
}

/// All numeric settings.
pub const NUMBERS: [NumberKey; COUNT] = {
    use Number::{
        DefaultLimit, MaxBodyBytes, MaxBytes, MaxDepth, MaxDirs, MaxEntries, MaxFiles, MaxLimit,
        MaxListingBytes,
    };
    [
        number(MaxEntries, "skills.initial", "max_entries", 200, MOST).or("maxEntries"),
        number(MaxBytes, "skills.initial", "max_bytes", 32_768, MOST_BYTES).or("maxBytes"),
        number(DefaultLimit, "skills.search", "default_limit", 8, MOST).or("defaultLimit"),
        number(MaxLimit, "skills.search", "max_limit", 50, MOST).or("maxLimit"),
        number(MaxFiles, "skills.load", "max_files", 200, MOST),
        number(
            MaxListingBytes,
            "skills.load",
            "max_listing_bytes",
            16_384,
            MOST_BYTES,
        ),
        number(
            MaxBodyBytes,
            "skills.load",
            "max_body_bytes",
            524_288,
            MOST_BYTES,
        ),
        number(MaxDepth, "catalog", "max_depth", 6, 128),
        number(MaxDirs, "catalog", "max_dirs", 2_000, MOST),
    ]
};

const fn number(
    number: Number,
    table: &'static str,
    key: &'static str,
    default: usize,
    most: usize,
) -> NumberKey {
    NumberKey {
        number,
        table,
        key,
        alias: None,
        default,
        most,
    }
}

impl NumberKey {
    const fn or(mut self, alias: &'static str) -> Self {
        self.alias = Some(alias);
        self
    }

    /// Parses a value; `None` if it is not an integer, or is out of bounds.
    pub(super) fn parse(&self, value: &Value) -> Option<usize> {
        let number = usize::try_from(value.as_integer()?).ok()?;
        (1..=self.most).contains(&number).then_some(number)
    }
}

/// The value of each setting in one file; `None` for settings that are not set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Numbers([Option<usize>; COUNT]);

impl Numbers {
    pub(super) const fn unset() -> Self {
        Self([None; COUNT])
    }

    pub(super) fn set(&mut self, number: Number, value: usize) {
        self.0[number as usize] = Some(value);
    }

    /// Fills in unset values from `other`.
    pub(super) fn or(self, other: Self) -> Self {
        let mut all = self;
        for (number, other) in all.0.iter_mut().zip(other.0) {
            *number = number.or(other);
        }
        all
    }

    /// Limits each value to the user's value. Otherwise, an untrusted project could raise limits and expose an agent to
    /// more of the project's text. The limits in `[catalog]` are not changed, because a project's `[catalog]` does not
    /// apply to the user's skills.
    pub(super) fn at_most(self, users: Self) -> Self {
        let mut all = self;
        for key in NUMBERS.iter().filter(|key| key.table != "catalog") {
            let value = &mut all.0[key.number as usize];
            *value = value.map(|value| value.min(users.get(key.number)));
        }
        all
    }

    /// Returns the value of a setting, or the default if the setting is not set.
    pub(super) fn get(&self, number: Number) -> usize {
        self.0[number as usize].unwrap_or(NUMBERS[number as usize].default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_ordered_and_within_its_bounds() {
        for (at, key) in NUMBERS.iter().enumerate() {
            assert_eq!(key.number as usize, at, "{}", key.key);
            assert!((1..=key.most).contains(&key.default), "{}", key.key);
        }
    }
}
