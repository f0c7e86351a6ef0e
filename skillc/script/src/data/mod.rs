//! Structured data that scripts read: JSON, YAML, TOML and CSV with the place of every value.
