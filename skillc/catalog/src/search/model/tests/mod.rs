//! Tests that the tokens equal those of the Python package `tokenizers`, and that hostile files are refused.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;

/// The vocabulary of a tokenizer like BERT's.
const WORDS: [&str; 20] = [
    "[UNK]", "invoice", "bill", "##s", "send", "ship", "deploy", "##ment", "money", "cafe", "世",
    "界", "-", ".", "x", "##y", "##z", "か", "!", "naive",
];

/// Input strings, and their tokens in `WordLlama`'s vocabulary.
const WORDLLAMA: [(&str, &[u32]); 30] = [
    ("Review a pull request", &[13957, 263, 8206, 2009]),
    (
        "Our invoices and the purchase orders do not match, find out why.",
        &[
            8680, 297, 1365, 1575, 322, 278, 20590, 11299, 437, 451, 1993, 29892, 1284, 714, 2020,
            29889,
        ],
    ),
    ("deploy to k8s", &[7246, 304, 413, 29947, 29879]),
    (
        "Fill in the form fields of a PDF document.",
        &[383, 453, 297, 278, 883, 4235, 310, 263, 11328, 1842, 29889],
    ),
    ("   leading spaces", &[1678, 8236, 8162]),
    ("two  spaces   three", &[1023, 29871, 8162, 259, 2211]),
    ("trailing ", &[25053, 29871]),
    ("line one\nline two", &[1196, 697, 13, 1220, 1023]),
    ("tab\there", &[4434, 12, 4150]),
    ("naïve café", &[1055, 30085, 345, 274, 28059]),
    ("Über die Straße", &[12093, 762, 22667]),
    (
        "UPPER lower MiXeD",
        &[11901, 13171, 5224, 5493, 29990, 29872, 29928],
    ),
    ("snake_case_name", &[269, 21040, 29918, 4878, 29918, 978]),
    ("kebab-case-name", &[413, 774, 370, 29899, 4878, 29899, 978]),
    (
        "https://example.com/a?b=c&d=1",
        &[
            2045, 597, 4773, 29889, 510, 29914, 29874, 29973, 29890, 29922, 29883, 29987, 29881,
            29922, 29896,
        ],
    ),
    (
        "def main(argv: list[str]) -> int:",
        &[
            822, 1667, 29898, 19218, 29901, 1051, 29961, 710, 2314, 1599, 938, 29901,
        ],
    ),
    (
        "for (let i = 0; i < 10; i++) { sum += i; }",
        &[
            363, 313, 1026, 474, 353, 29871, 29900, 29936, 474, 529, 29871, 29896, 29900, 29936,
            474, 4862, 426, 2533, 4619, 474, 29936, 500,
        ],
    ),
    (
        "SELECT name FROM skills WHERE id = 42;",
        &[
            5097, 1024, 3895, 25078, 5754, 1178, 353, 29871, 29946, 29906, 29936,
        ],
    ),
    (
        "{\"key\": [1, 2.5, null]}",
        &[
            8853, 1989, 1115, 518, 29896, 29892, 29871, 29906, 29889, 29945, 29892, 1870, 12258,
        ],
    ),
    ("C:\\Users\\me", &[315, 3583, 5959, 29905, 1004]),
    (
        "审查代码并撰写发布说明",
        &[
            29871, 232, 177, 164, 31213, 30690, 31183, 31666, 233, 149, 179, 31479, 30910, 31454,
            31639, 30592,
        ],
    ),
    (
        "请帮我部署这个服务",
        &[
            29871, 31088, 232, 187, 177, 30672, 30636, 234, 192, 181, 30810, 30502, 31520, 31358,
        ],
    ),
    (
        "发票与采购订单不一致",
        &[
            29871, 30910, 234, 168, 171, 31267, 236, 138, 138, 235, 183, 176, 235, 177, 165, 31166,
            30413, 30287, 235, 138, 183,
        ],
    ),
    (
        "コードレビューを行う",
        &[
            29871, 30459, 30185, 30335, 30420, 30809, 30645, 30185, 30396, 30448, 30465,
        ],
    ),
    (
        "회의를 정리한다",
        &[
            29871, 31953, 30708, 31517, 29871, 30852, 30826, 30877, 30709,
        ],
    ),
    ("🦀 crab", &[29871, 243, 162, 169, 131, 274, 4201]),
    ("e\u{301} combining", &[321, 30103, 29299]),
    (
        "1234567890",
        &[
            29871, 29896, 29906, 29941, 29946, 29945, 29953, 29955, 29947, 29929, 29900,
        ],
    ),
    ("a", &[263]),
    ("", &[]),
];

fn word_piece() -> Value {
    let vocab = WORDS.iter().enumerate();
    let vocab: serde_json::Map<String, Value> = vocab
        .map(|(id, word)| ((*word).to_owned(), json!(id)))
        .collect();
    json!({
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": true,
            "handle_chinese_chars": true,
            "strip_accents": null,
            "lowercase": true,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": null,
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": vocab,
        },
    })
}

fn byte_pairs() -> Value {
    let bytes = (0..=255).map(|byte| format!("<0x{byte:02X}>"));
    let special = ["<unk>", "<s>", "</s>"].map(str::to_owned);
    let texts = [
        "▁", "a", "b", "c", "ab", "▁ab", "▁▁", "bc", "abc", "▁abc", "代", "码", "代码",
    ];
    let all = special
        .into_iter()
        .chain(bytes)
        .chain(texts.map(str::to_owned));
    let vocab: serde_json::Map<String, Value> = all
        .enumerate()
        .map(|(id, token)| (token, json!(id)))
        .collect();
    json!({
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Prepend", "prepend": "▁"},
                {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
            ],
        },
        "pre_tokenizer": null,
        "model": {
            "type": "BPE",
            "byte_fallback": true,
            "vocab": vocab,
            "merges": [
                "▁ ▁", "a b", ["▁", "ab"], "b c", "a bc", "ab c", ["▁", "abc"], "代 码", "no merge",
            ],
        },
    })
}

fn tokenizer(file: &Value) -> Result<Tokenizer, String> {
    let dir = TempDir::new().expect("a directory");
    let path = dir.path().join("tokenizer.json");
    fs::write(&path, file.to_string()).expect("a file");
    Tokenizer::read(&path)
}

fn tokens(tokenizer: &Tokenizer, text: &str) -> Vec<u32> {
    let mut tokens = Vec::new();
    tokenizer.each_token(text, |token| tokens.push(token));
    tokens
}

/// The expected tokens are from the Python package, without the tokens of unknown words.
#[test]
fn words_are_split_as_in_bert() {
    let tokenizer = tokenizer(&word_piece()).expect("a tokenizer");
    let long = "x".repeat(101);
    let cases: [(&str, &[u32]); 15] = [
        ("Invoices, bills!", &[1, 3, 2, 3, 18]),
        ("deployment-xyz", &[6, 7, 12, 14, 15, 16]),
        ("Café NAÏVE", &[9, 19]),
        ("世界世", &[10, 11, 10]),
        ("x\u{ad}yz x\u{200b}y", &[14, 15, 16, 14, 15]),
        ("が か", &[17, 17]),
        ("unknownword ships", &[5, 3]),
        ("xyzxyz", &[]),
        ("bill\0s\tsend\nship", &[2, 3, 4, 5]),
        ("İ-x", &[12, 14]),
        ("“x”—y", &[14]),
        (&long, &[]),
        ("", &[]),
        ("한국어 x", &[14]),
        ("ship.s", &[5, 13]),
    ];
    for (text, expected) in cases {
        assert_eq!(tokens(&tokenizer, text), expected, "{text}");
    }
}

/// The expected tokens are from the Python package.
#[test]
fn pairs_are_merged_as_in_llama() {
    let tokenizer = tokenizer(&byte_pairs()).expect("a tokenizer");
    let cases: [(&str, &[u32]); 9] = [
        ("abc", &[264, 262]),
        ("ab c", &[264, 259, 262]),
        ("  abc", &[265, 264, 262]),
        ("代码é", &[259, 271, 198, 172]),
        ("abcabc", &[264, 262, 267]),
        ("a\nb", &[259, 260, 13, 261]),
        ("", &[]),
        ("bcab  ab", &[259, 266, 263, 265, 263]),
        (" ", &[265]),
    ];
    for (text, expected) in cases {
        assert_eq!(tokens(&tokenizer, text), expected, "{text}");
    }
    // A long word is split into parts, so the time is linear.
    let long = "abc".repeat(2_000);
    assert!(tokens(&tokenizer, &long).len() < 4_100);
}

/// Returns the folder of the Python package `wordllama`, if it is installed.
fn wordllama() -> Option<PathBuf> {
    let code =
        "import importlib.util as u; print(u.find_spec('wordllama').submodule_search_locations[0])";
    let found = Command::new("python3").args(["-c", code]).output().ok()?;
    let path = String::from_utf8(found.stdout).ok()?;
    found.status.success().then(|| PathBuf::from(path.trim()))
}

/// The expected tokens are from the Python package `tokenizers`.
#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn the_files_of_wordllama_are_read() {
    let Some(package) = wordllama() else {
        eprintln!("skipped: the Python package wordllama is not installed");
        return;
    };
    let dir = TempDir::new().expect("a directory");
    for (from, to) in [
        ("weights/l2_supercat_256.safetensors", FILES[0]),
        ("tokenizers/l2_supercat_tokenizer_config.json", FILES[1]),
    ] {
        fs::copy(package.join(from), dir.path().join(to)).expect("a file");
    }
    let model = Model::read(dir.path()).expect("a model");
    for (text, expected) in WORDLLAMA {
        assert_eq!(tokens(&model.tokenizer, text), expected, "{text}");
    }
    let similarity = |a: &str, b: &str| dot(&model.vector(a), &model.vector(b));
    assert!((similarity("a bill", "a bill") - 1.0).abs() < 1e-4);
    assert!(similarity("pay a bill", "check an invoice") > similarity("pay a bill", "red shoes"));
    let known = Model::read(dir.path()).expect("a model");
    assert!(Arc::ptr_eq(&model, &known), "it is not read again");
}

#[test]
fn other_tokenizers_are_refused() {
    let change = |mut file: Value, at: &str, value: Value| {
        *file.pointer_mut(at).expect("a value") = value;
        tokenizer(&file).err().unwrap_or_default()
    };
    let unsupported = "is not supported, only WordPiece as in BERT";
    let steps = json!(vec![json!({"type": "NFC"}); 9]);
    for (at, value, expected) in [
        ("/model/type", json!("Unigram"), unsupported),
        ("/model/type", json!("BPE"), unsupported),
        ("/normalizer/type", json!("Lowercase"), unsupported),
        ("/pre_tokenizer", json!(null), unsupported),
        ("/pre_tokenizer/type", json!("ByteLevel"), unsupported),
        ("/model/vocab", json!([["a", 0.5]]), "not a tokenizer: "),
        ("/model/vocab/bill", json!(-1), "not a tokenizer: "),
        ("/model", json!(7), "not a tokenizer: "),
    ] {
        let found = change(word_piece(), at, value);
        assert!(found.contains(expected), "{at}: {found}");
    }
    for (at, value, expected) in [
        ("/model/byte_fallback", json!(false), unsupported),
        ("/model/merges", json!([["a"]]), "not a tokenizer: "),
        ("/normalizer/normalizers", steps, "too many steps"),
    ] {
        let found = change(byte_pairs(), at, value);
        assert!(found.contains(expected), "{at}: {found}");
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for text in ["", "{", "[]", "\u{feff}{}", deep.as_str()] {
        let dir = TempDir::new().expect("a directory");
        let path = dir.path().join("tokenizer.json");
        fs::write(&path, text).expect("a file");
        let found = Tokenizer::read(&path).err().unwrap_or_default();
        assert!(found.starts_with("not a tokenizer: "), "{found}");
    }
}

/// Returns the reason why a table with these bytes is refused; an empty string if the table is accepted.
fn refusal(bytes: &[u8]) -> String {
    let dir = TempDir::new().expect("a directory");
    let path = dir.path().join(FILES[0]);
    fs::write(&path, bytes).expect("a file");
    Table::read(&path).err().unwrap_or_default()
}

/// Returns a table with this header, and 8 bytes of data.
fn with_header(header: &str) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.bytes());
    bytes.extend([0; 8]);
    bytes
}

#[test]
fn broken_tables_are_refused() {
    let tensor = |name: &str, dtype: &str, shape: &str, offsets: &str| {
        with_header(&format!(
            "{{\"{name}\":{{\"dtype\":\"{dtype}\",\"shape\":{shape},\"data_offsets\":{offsets}}}}}"
        ))
    };
    let of_shape = |shape: &str, offsets: &str| tensor("embeddings", "F16", shape, offsets);
    let good = of_shape("[2,2]", "[0,8]");
    assert_eq!(refusal(&good), "");
    assert_eq!(
        refusal(&tensor("embedding.weight", "I8", "[1,2]", "[6,8]")),
        ""
    );
    let truncated = "the file is truncated";
    for end in [0, 7, 8, 20, good.len() - 1] {
        assert_eq!(refusal(&good[..end]), truncated, "{end}");
    }
    let mut huge = good.clone();
    huge[..8].fill(0xff);
    let length = "the length of the table does not match its shape";
    for (bytes, expected) in [
        (huge, "the header is larger than 1 MiB"),
        (with_header("[]"), "not a safetensors file: "),
        (with_header("{}"), "there is no tensor 'embeddings'"),
        (with_header("{\"embeddings\":7}"), "tensor 'embeddings': "),
        (
            with_header("{\"embeddings\":{},\"mapping\":{}}"),
            "the tensor 'mapping' is not supported",
        ),
        (
            tensor("embeddings", "I64", "[2,2]", "[0,8]"),
            "numbers of type 'I64' are not supported",
        ),
        (of_shape("[4]", "[0,8]"), "1 dimensions"),
        (of_shape("[2,2,1]", "[0,8]"), "3 dimensions"),
        (of_shape("[0,2]", "[0,0]"), "the table has 0 rows"),
        (of_shape("[2,0]", "[0,0]"), "must have 1 to 4096"),
        (of_shape("[1,4097]", "[0,8194]"), "must have 1 to 4096"),
        (of_shape("[18446744073709551615,2]", "[0,8]"), length),
        (of_shape("[2,2]", "[8,0]"), length),
        (of_shape("[2,2]", "[0,6]"), length),
        (of_shape("[2,2]", "[1,9]"), truncated),
        (
            of_shape("[2,2]", "[18446744073709551607,18446744073709551615]"),
            truncated,
        ),
        (of_shape("[2,-2]", "[0,8]"), "tensor 'embeddings': "),
    ] {
        let found = refusal(&bytes);
        assert!(found.contains(expected), "{expected}: {found}");
    }
}

/// Huge numbers must not produce vectors with NaN.
#[test]
fn vectors_have_length_one_or_are_zero() {
    let vector = |rows: [[f32; 2]; 2], text: &str| {
        let dir = TempDir::new().expect("a directory");
        let header = "{\"embeddings\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[0,16]}}";
        let mut bytes = with_header(header);
        bytes.truncate(bytes.len() - 8);
        bytes.extend(
            rows.iter()
                .flatten()
                .flat_map(|number| number.to_le_bytes()),
        );
        fs::write(dir.path().join(FILES[0]), bytes).expect("a file");
        fs::write(dir.path().join(FILES[1]), word_piece().to_string()).expect("a file");
        let model = Model::read(dir.path()).expect("a model");
        model.vector(text).to_vec()
    };
    let near = |found: Vec<f32>, expected: [f32; 2]| {
        let is_near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-6;
        assert!(found.iter().zip(&expected).all(is_near), "{found:?}");
    };
    near(vector([[9.0, 9.0], [3.0, 4.0]], "invoice"), [0.6, 0.8]);
    near(vector([[9.0, 9.0], [3.0, f32::NAN]], "invoice"), [1.0, 0.0]);
    near(
        vector([[0.0; 2], [f32::MAX; 2]], "invoice invoice"),
        [0.0; 2],
    );
    near(
        vector([[0.0; 2], [f32::MIN_POSITIVE; 2]], "invoice"),
        [0.0; 2],
    );
    // The other words of the vocabulary have no row.
    near(vector([[1.0; 2], [1.0; 2]], "bill"), [0.0; 2]);
    near(vector([[1.0; 2], [1.0; 2]], ""), [0.0; 2]);
}

#[test]
fn missing_files_are_named() {
    let dir = TempDir::new().expect("a directory");
    let found = Model::read(dir.path()).expect_err("a reason");
    assert!(found.contains("tokenizer.json: "), "{found}");
    fs::write(dir.path().join(FILES[1]), word_piece().to_string()).expect("a file");
    let found = Model::read(dir.path()).expect_err("a reason");
    assert!(
        found.ends_with("model.safetensors: no such file"),
        "{found}"
    );
    // The message must stay short even if the file contains a long string instead of a known type.
    let mut long = word_piece();
    long["model"]["type"] = json!("x".repeat(10_000));
    fs::write(dir.path().join(FILES[1]), long.to_string()).expect("a file");
    let found = Model::read(dir.path()).expect_err("a reason");
    assert!(found.len() < 2_000, "{}", found.len());
}
