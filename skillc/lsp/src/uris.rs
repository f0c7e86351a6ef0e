//! Converts between file URIs and paths.

use std::path::{Component, Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The characters of a path that are escaped in a URI.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'/')
    .remove(b'_')
    .remove(b'~');

/// The maximum length of a URI.
const MAX_BYTES: usize = 16 << 10;

/// Returns the path of a file URI; `None` for any other URI, such as that of a document that was never saved, and for a
/// path with `..`.
pub(crate) fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri
        .strip_prefix("file://")
        .filter(|_| uri.len() <= MAX_BYTES)?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let text = percent_decode_str(rest).decode_utf8().ok()?;
    let text = if cfg!(windows) {
        text.strip_prefix('/')?.replace('/', "\\")
    } else {
        text.into_owned()
    };
    let path = Path::new(&text);
    let is_plain = |part: Component<'_>| part != Component::ParentDir;
    let is_usable = path.is_absolute() && !text.contains('\0') && path.components().all(is_plain);
    // Remove `.` components and repeated separators, so that different spellings of a path compare equal.
    is_usable.then(|| path.components().collect())
}

/// Returns the URI of an absolute path; `None` if the path is not UTF-8.
pub(crate) fn uri_of(path: &Path) -> Option<String> {
    let text = path.to_str()?;
    if cfg!(windows) {
        let text = text.replace('\\', "/");
        let escaped = utf8_percent_encode(&text, ESCAPED);
        return Some(format!("file:///{escaped}"));
    }
    Some(format!("file://{}", utf8_percent_encode(text, ESCAPED)))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_path_survives_the_way_there_and_back() {
        for path in ["/", "/a b/é#?.md", "/x/100%.md", "/[a]/(b).md"] {
            let uri = uri_of(Path::new(path)).unwrap();
            assert_eq!(path_of(&uri).as_deref(), Some(Path::new(path)), "{uri}");
        }
    }

    #[test]
    fn only_absolute_file_uris_are_paths() {
        assert_eq!(path_of("file:///a//./b"), Some("/a/b".into()));
        assert_eq!(path_of("file://localhost/a"), Some("/a".into()));
        for other in [
            "untitled:Untitled-1",
            "https://example.org/a",
            "file://host/a",
            "file:a",
            "file:///a/../b",
            "file:///a%00b",
            "file:///a%ff",
            "",
        ] {
            assert_eq!(path_of(other), None, "{other}");
        }
    }
}
