//! Converts frontmatter to JSON. Numbers and booleans keep their types, and unknown keys are included.
//!
//! Design: REG-DB.10, catalog-extension, R9.

use serde_json::{Map, Value};

use super::{Frontmatter, block_of};

/// Returns all fields of a file's frontmatter; `None` if the file has no frontmatter, or its frontmatter is invalid.
pub fn to_json(text: &str) -> Option<Map<String, Value>> {
    let (Frontmatter::Valid(_), body) = Frontmatter::split(text) else {
        return None;
    };
    let block = block_of(text, body)?;
    let options = serde_yaml::options! { strict_booleans: true, with_snippet: false };
    serde_yaml::from_str_with_options(block, options).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_field_has_its_written_value() {
        let text = "\u{feff}---\r\nname: a\r\ndescription: |\r\n  b\r\n  c\r\nmetadata:\r\n  n: 3\r\n  on: [true, x]\r\nv: '1'\r\nyes: no\r\n---\r\n# A\r\n---\r\n";
        let fields = to_json(text).unwrap();
        let wanted = json!({
            "name": "a", "description": "b\nc\n", "metadata": {"n": 3, "on": [true, "x"]}, "v": "1", "yes": "no",
        });
        assert_eq!(Value::Object(fields), wanted);
    }

    #[test]
    fn an_empty_block_has_no_fields_and_a_broken_one_no_value() {
        for text in [
            "# A\n",
            "---\nname: a\n",
            "---\na: b: c\n---\n",
            "---\n- a\n---\n",
        ] {
            assert_eq!(to_json(text), None, "{text}");
        }
    }
}
