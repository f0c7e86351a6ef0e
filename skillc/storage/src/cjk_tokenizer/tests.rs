use std::thread;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::*;

const TABLE: &str = "CREATE VIRTUAL TABLE f USING fts5(content, tokenize='skc unicode61');
    CREATE VIRTUAL TABLE tokens USING fts5vocab(f, instance);";
const CHECK: &str = "INSERT INTO f(f) VALUES('integrity-check')";

fn connect() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    register(&connection).unwrap();
    connection
}

fn table(documents: &[&str]) -> Connection {
    let connection = connect();
    connection.execute_batch(TABLE).unwrap();
    for document in documents {
        connection
            .execute("INSERT INTO f VALUES(?1)", [document])
            .unwrap();
    }
    connection
}

fn phrase(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn found(connection: &Connection, text: &str) -> Vec<i64> {
    let sql = "SELECT rowid FROM f WHERE f MATCH ?1 ORDER BY rowid";
    let mut statement = connection.prepare(sql).unwrap();
    let rows = statement
        .query_map([phrase(text)], |row| row.get(0))
        .unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

/// Returns the tokens of the first document, in order.
fn tokens(connection: &Connection) -> Vec<String> {
    let sql = "SELECT term FROM tokens WHERE doc = 1 ORDER BY offset";
    let mut statement = connection.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

fn shown(connection: &Connection, sql: &str, text: &str) -> String {
    connection
        .query_row(
            &format!("SELECT {sql} FROM f WHERE f MATCH ?1"),
            [phrase(text)],
            |row| row.get(0),
        )
        .unwrap()
}

/// C-TOKENIZER.1.
#[test]
fn mixed_text_is_split_at_every_cjk_character() {
    let connection = table(&["使用cargo构建, Café を Rust2で 한글 naïve"]);
    let expected = [
        "使", "用", "cargo", "构", "建", "cafe", "を", "rust2", "で", "한", "글", "naive",
    ];
    assert_eq!(tokens(&connection), expected);
    for query in [
        "使用cargo构建",
        "cargo",
        "CARGO构",
        "用cargo",
        "cafe",
        "rust2で",
    ] {
        assert_eq!(found(&connection, query), [1], "{query}");
    }
    for query in ["carg", "使cargo", "argo", "rust", "用 构"] {
        assert_eq!(found(&connection, query), [0; 0], "{query}");
    }
}

/// C-TOKENIZER.1.
#[test]
fn one_and_two_characters_find_chinese_japanese_and_korean() {
    let documents = [
        "软件包管理器的配置文件",
        "設定ファイルを読み込む",
        "설정 파일을 읽습니다",
        "plain",
    ];
    let connection = table(&documents);
    for (query, expected) in [
        ("配", 1),
        ("配置", 1),
        ("理器", 1),
        ("ァ", 2),
        ("ファ", 2),
        ("読み", 2),
        ("定フ", 2),
        ("설", 3),
        ("파일", 3),
        ("니다", 3),
    ] {
        assert_eq!(found(&connection, query), [expected], "{query}");
    }
}

/// C-TOKENIZER.1.
#[test]
fn adjacent_characters_of_a_query_must_be_adjacent_and_in_order() {
    let connection = table(&["构建", "建构", "构x建", "构。建", "重构 建"]);
    assert_eq!(found(&connection, "构建"), [1, 4, 5]);
}

/// C-QUERY-SYNTAX.5, C-TOKENIZER.1.
#[test]
fn words_match_whole_and_unstemmed() {
    let connection = table(&["configure 配置", "configuring"]);
    assert_eq!(found(&connection, "configure"), [1]);
    assert_eq!(found(&connection, "configuring"), [2]);
    assert_eq!(found(&connection, "config"), [0; 0]);
}

/// C-TOKENIZER.1.
#[test]
fn snippet_highlight_and_rank_work_on_the_original_text() {
    let text = "前文。使用 Cargo构建项目, then test";
    let connection = table(&[text, "x"]);
    let marked = "前文。使用 [Cargo构建]项目, then test";
    assert_eq!(
        shown(&connection, "highlight(f, 0, '[', ']')", "cargo构建"),
        marked
    );
    assert_eq!(
        shown(
            &connection,
            "snippet(f, 0, '[', ']', '...', 64)",
            "cargo构建"
        ),
        marked
    );
    assert_eq!(
        shown(&connection, "snippet(f, 0, '[', ']', '...', 3)", "构建"),
        "...[构建]项..."
    );
    assert_eq!(shown(&connection, "content", "构建"), text);
    assert_eq!(shown(&connection, "CAST(bm25(f) < 0 AS TEXT)", "构建"), "1");
}

#[test]
fn deleted_and_replaced_rows_are_no_longer_found() {
    let connection = table(&["使用cargo", "使用npm"]);
    connection
        .execute_batch(
            "DELETE FROM f WHERE rowid = 1; UPDATE f SET content = '한글' WHERE rowid = 2;",
        )
        .unwrap();
    assert_eq!(found(&connection, "使用"), [0; 0]);
    assert_eq!(found(&connection, "한"), [2]);
    connection.execute_batch(CHECK).unwrap();
    connection
        .execute_batch("INSERT INTO f(f) VALUES('rebuild'); INSERT INTO f(f) VALUES('optimize');")
        .unwrap();
    connection.execute_batch(CHECK).unwrap();
}

#[test]
fn arguments_after_the_name_reach_the_inner_tokenizer() {
    let connection = connect();
    let sql = r#"CREATE VIRTUAL TABLE f USING fts5(c, tokenize="skc unicode61 tokenchars '-'")"#;
    connection.execute_batch(sql).unwrap();
    connection
        .execute_batch("INSERT INTO f VALUES('用dry-run')")
        .unwrap();
    assert_eq!(found(&connection, "dry-run"), [1]);
    assert_eq!(found(&connection, "dry"), [0; 0]);
}

#[test]
fn a_tokenizer_that_cannot_be_created_is_an_sql_error() {
    let connection = connect();
    let nested = "skc porter ".repeat(20_000);
    for tokenize in [
        "skc",
        "skc nosuch",
        "skc skc unicode61",
        "skc unicode61 bogus",
        &nested,
    ] {
        let sql = format!("CREATE VIRTUAL TABLE f USING fts5(content, tokenize='{tokenize}')");
        let error = connection.execute_batch(&sql).unwrap_err();
        assert!(
            error.to_string().contains("tokenizer constructor"),
            "{error}"
        );
    }
    connection.execute_batch(TABLE).unwrap();
}

#[test]
fn a_connection_without_registration_says_that_the_tokenizer_is_missing() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let writer = Connection::open(file.path()).unwrap();
    register(&writer).unwrap();
    writer
        .execute_batch(&format!("{TABLE} INSERT INTO f VALUES('使用cargo')"))
        .unwrap();
    drop(writer);
    let reader = Connection::open(file.path()).unwrap();
    let error = reader
        .query_row("SELECT 1 FROM f WHERE f MATCH 'x'", [], |_| Ok(()))
        .unwrap_err();
    assert!(
        error.to_string().contains("no such tokenizer: skc"),
        "{error}"
    );
    register(&reader).unwrap();
    assert_eq!(found(&reader, "使用"), [1]);
}

fn factory(connection: &Connection) -> Factory {
    let api = api_of(connection).unwrap();
    // SAFETY: the structure lives as long as the connection.
    let find = unsafe { (*api).xFindTokenizer }.unwrap();
    Factory {
        api,
        find,
        is_busy: Cell::new(false),
    }
}

#[test]
fn registering_again_does_nothing_and_open_tables_keep_working() {
    let connection = table(&["使用cargo"]);
    let registered = || factory(&connection).find(NAME.as_ptr()).unwrap().0;
    let first = registered();
    register(&connection).unwrap();
    assert_eq!(registered(), first);
    assert_eq!(found(&connection, "用"), [1]);
    assert!(connection.close().is_ok());
}

#[test]
fn no_argument_is_read_beyond_the_count() {
    let connection = connect();
    let mut factory = factory(&connection);
    let mut args = [c"unicode61".as_ptr()];
    for (args, count) in [
        (args.as_mut_ptr(), 0),
        (args.as_mut_ptr(), -1),
        (ptr::null_mut(), 1),
    ] {
        let mut made = ptr::null_mut();
        // SAFETY: factory, arguments and result live until the call returns.
        let code = unsafe { create((&raw mut factory).cast(), args, count, &raw mut made) };
        assert_eq!(
            (code, made),
            (ffi::SQLITE_ERROR, ptr::null_mut()),
            "{count}"
        );
    }
}

#[test]
fn connections_and_threads_do_not_share_anything() {
    let workers: Vec<_> = (0..4)
        .map(|_| {
            thread::spawn(|| {
                let all: Vec<Connection> = (0..8).map(|_| table(&["使用cargo"])).collect();
                all.iter()
                    .map(|connection| found(connection, "使用").len())
                    .sum::<usize>()
            })
        })
        .collect();
    for worker in workers {
        assert_eq!(worker.join().unwrap(), 8);
    }
}

#[test]
fn text_that_is_not_utf_8_is_left_to_the_inner_tokenizer() {
    let connection = table(&[]);
    connection
        .execute_batch(
            "INSERT INTO f VALUES(CAST(x'6162FF20E4BDBF20E4' AS TEXT)), (NULL), (''), (x'00')",
        )
        .unwrap();
    assert_eq!(found(&connection, "使"), [1]);
    connection.execute_batch(CHECK).unwrap();
}

/// A minimal tokenizer. It emits two tokens at the same position, and reports success, whatever the callback returns.
unsafe extern "C" fn twins(
    _: *mut Fts5Tokenizer,
    context: *mut c_void,
    _: c_int,
    text: *const c_char,
    length: c_int,
    emit: Option<Emit>,
) -> c_int {
    for flags in [0, ffi::FTS5_TOKEN_COLOCATED] {
        // SAFETY: the arguments are passed on unchanged.
        if unsafe { (emit.unwrap())(context, flags, text, length, 0, length) } != ffi::SQLITE_OK {
            break;
        }
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn keep(_: *mut Fts5Tokenizer) {}

struct Log {
    tokens: Vec<(c_int, String, c_int, c_int)>,
    answers: Vec<c_int>,
}

unsafe extern "C" fn record(
    context: *mut c_void,
    flags: c_int,
    token: *const c_char,
    length: c_int,
    start: c_int,
    end: c_int,
) -> c_int {
    // SAFETY: `cut` passes a log, and tokens have `length` bytes.
    let (log, bytes) = unsafe {
        (
            &mut *context.cast::<Log>(),
            slice::from_raw_parts(token.cast::<u8>(), length.try_into().unwrap()),
        )
    };
    log.tokens.push((
        flags,
        String::from_utf8(bytes.to_vec()).unwrap(),
        start,
        end,
    ));
    log.answers.pop().unwrap_or(ffi::SQLITE_OK)
}

/// Calls `xTokenize` with [`twins`] as the inner tokenizer. The callback returns the `answers` from the last to the
/// first, and then `SQLITE_OK`.
fn cut(text: Option<&[u8]>, answers: &[c_int]) -> (c_int, Vec<(c_int, String, c_int, c_int)>) {
    let mut log = Log {
        tokens: Vec::new(),
        answers: answers.to_vec(),
    };
    let mut wrapper = Wrapper {
        inner: ptr::null_mut(),
        tokenize: twins,
        delete: keep,
    };
    let (start, length) = text.map_or((ptr::null(), 7), |text| {
        (text.as_ptr().cast(), text.len().try_into().unwrap())
    });
    // SAFETY: wrapper, log and text live until the call returns.
    let code = unsafe {
        tokenize(
            (&raw mut wrapper).cast(),
            (&raw mut log).cast(),
            0,
            start,
            length,
            Some(record),
        )
    };
    (code, log.tokens)
}

#[test]
fn flags_pass_through_and_offsets_count_from_the_start_of_the_text() {
    let token = |flags, text: &str, start, end| (flags, text.to_owned(), start, end);
    let expected = vec![
        token(0, "ab", 0, 2),
        token(1, "ab", 0, 2),
        token(0, "使", 2, 5),
        token(0, "c", 5, 6),
        token(1, "c", 5, 6),
        token(0, "用", 6, 9),
    ];
    assert_eq!(
        cut(Some("ab使c用".as_bytes()), &[]),
        (ffi::SQLITE_OK, expected)
    );
}

#[test]
fn the_first_result_that_is_not_ok_stops_tokenizing() {
    for (answers, code, count) in [
        (&[ffi::SQLITE_NOMEM][..], ffi::SQLITE_NOMEM, 1),
        (&[ffi::SQLITE_NOMEM, 0], ffi::SQLITE_NOMEM, 2),
        (&[ffi::SQLITE_FULL, 0, 0], ffi::SQLITE_FULL, 3),
        (&[ffi::SQLITE_DONE, 0, 0, 0], ffi::SQLITE_OK, 4),
    ] {
        let (answered, tokens) = cut(Some("ab使c用d".as_bytes()), answers);
        assert_eq!((answered, tokens.len()), (code, count), "{answers:?}");
    }
}

#[test]
fn empty_text_has_no_tokens() {
    assert_eq!(cut(None, &[]), (ffi::SQLITE_OK, Vec::new()));
    assert_eq!(cut(Some(b""), &[]), (ffi::SQLITE_OK, Vec::new()));
}

#[test]
fn a_panic_becomes_a_result_code() {
    assert_eq!(guarded(|| panic!("on purpose")), ffi::SQLITE_INTERNAL);
}

/// Generates text without NUL and without the markers that the test uses.
fn text() -> impl Strategy<Value = String> {
    let cjk = prop::sample::select(skillc_core::cjk::RANGES.to_vec())
        .prop_flat_map(|(first, last)| prop::char::range(first, last));
    let other = prop::sample::select(
        "aZ09 \t\n.,\"-_éßΩжא\u{301}\u{308}\u{3099}\u{200b}\u{200d}\u{fe0f}、。・🦀👩Ａ"
            .chars()
            .collect::<Vec<_>>(),
    );
    let c = prop_oneof![4 => cjk, 4 => other, 2 => "[a-z]".prop_map(|s| s.chars().next().unwrap()), 1 => any::<char>()];
    prop::collection::vec(c.prop_filter("marks", |c| *c > '\u{2}'), 0..40)
        .prop_map(String::from_iter)
}

/// C-TOKENIZER.1.
#[test]
fn every_text_matches_itself_and_highlight_only_adds_markers() {
    let connection = table(&["neighbour 使用"]);
    let outcome = TestRunner::default().run(&text(), |text| {
        connection
            .execute("INSERT INTO f(rowid, content) VALUES(2, ?1)", [&text])
            .unwrap();
        let cut: bool = connection
            .query_row(
                "SELECT EXISTS(SELECT 1 FROM tokens WHERE doc = 2)",
                [],
                |row| row.get(0),
            )
            .unwrap();
        prop_assert_eq!(found(&connection, &text).contains(&2), cut);
        prop_assert!(cut || !text.chars().any(is_cjk));
        for query in text.split_whitespace().chain([text.as_str()]) {
            if found(&connection, query).contains(&2) {
                let marked = shown(&connection, "highlight(f, 0, char(1), char(2))", query);
                prop_assert_eq!(marked.replace(['\u{1}', '\u{2}'], ""), text.as_str());
            }
        }
        connection.execute_batch(CHECK).unwrap();
        connection
            .execute_batch("DELETE FROM f WHERE rowid = 2")
            .unwrap();
        prop_assert!(!found(&connection, &text).contains(&2));
        connection.execute_batch(CHECK).unwrap();
        Ok(())
    });
    assert_eq!(outcome, Ok(()));
}
