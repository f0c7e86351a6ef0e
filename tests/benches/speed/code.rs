//! A skill that consists mostly of source code, and the same bytes as plain text.

use std::fs;
use std::path::Path;

use skillc_tests::World;

use crate::skills::{NAME, Prose, Sample};

/// For each file type, a template of a documented function. `@` stands for a word, `%` for a sentence, and `#` for a
/// number that makes the function's name unique.
const FUNCTIONS: [(&str, &str); 11] = [
    (
        "c",
        "/* %\n * % */\nstatic int @_#(const char *@, int count)\n{\n    int @ = 0;\n    for (int i = 0; i < count; i++) {\n        // %\n        if (@[i] == '@'[0])\n            @ += call_@(i, \"%\");\n    }\n    return @;\n}\n\n",
    ),
    (
        "cpp",
        "/// %\n/// %\ntemplate <typename T>\nT Class::@_#(const std::vector<T> &@, int count) const\n{\n    auto @ = @.begin();\n    // %\n    for (const auto &item : @) {\n        if (item->@() && count > 0) return std::move(item);\n        log_ << \"%\" << std::endl;\n    }\n    return T{};\n}\n\n",
    ),
    (
        "go",
        "// % %\nfunc (s *Server) @_#(@ string, count int) (*Result, error) {\n\tfor i := 0; i < count; i++ {\n\t\t// %\n\t\tif err := s.@(@, i); err != nil {\n\t\t\treturn nil, fmt.Errorf(\"%: %w\", err)\n\t\t}\n\t}\n\treturn &Result{Name: @}, nil\n}\n\n",
    ),
    (
        "h",
        "/**\n * %\n * %\n */\nint @_#(const struct @ *first, int count, unsigned flags);\n\n#define @_MAX_# 64 /* % */\n\n",
    ),
    (
        "java",
        "class @# {\n    private int @ = 3;\n\n    /**\n     * % %\n     */\n    public List<String> @_#(Map<String, Integer> @, int count) {\n        // %\n        for (String key : @.keySet()) {\n            if (count > 0) this.@.add(key + \"%\");\n        }\n        return new ArrayList<>(@.keySet());\n    }\n}\n\n",
    ),
    (
        "js",
        "/**\n * %\n * %\n */\nexport async function @_#(@, { count = 3, ...rest } = {}) {\n  // %\n  const found = await @.filter((item) => item.@ > count);\n  if (!found.length) throw new Error(`% ${count}`);\n  return found.map(({ @ }) => ({ @, ...rest }));\n}\n\n",
    ),
    (
        "py",
        "def @_#(@, count=3, *, flag: bool = False) -> list[str]:\n    \"\"\"%\n\n    % %\n    \"\"\"\n    result = []\n    # %\n    for item in @:\n        if item.@ and not flag:\n            result.append(f\"% {item.@}\")\n    return result[:count]\n\n\n",
    ),
    (
        "rs",
        "/// %\n///\n/// %\npub fn @_#<T: Clone>(@: &[T], count: usize) -> Option<Vec<T>> {\n    // %\n    let found = @.iter().take(count).filter(|item| item.@());\n    if count > 3 {\n        tracing::info!(\"% {count}\");\n    }\n    Some(found.cloned().collect())\n}\n\n",
    ),
    (
        "sh",
        "# %\n# %\n@_#() {\n    local @=\"$1\"\n    # %\n    for file in \"$@\"/*.txt; do\n        if [[ -f \"$file\" ]]; then\n            @ --@ \"$file\" | grep -v '%' >>\"$log\" || return 1\n        fi\n    done\n}\n\n",
    ),
    (
        "ts",
        "/**\n * %\n * %\n */\nexport async function @_#<T>(@: readonly T[], count?: number): Promise<Record<string, T>> {\n  // %\n  const found = @.filter((item): item is T => item !== undefined);\n  if (!found.length) throw new Error(`% ${count}`);\n  return Object.fromEntries(found.map((item) => [String(item), item]));\n}\n\n",
    ),
    (
        "tsx",
        "/** % */\nexport function @_#({ @, onOpen }: { @: string; onOpen(): void }) {\n  const [open, setOpen] = useState<boolean>(false);\n  // %\n  return (\n    <section className=\"@\" onClick={() => setOpen(!open)}>\n      <h2>% {open}</h2>\n    </section>\n  );\n}\n\n",
    ),
];

/// One of this many files is Markdown.
const PROSE_ONE_IN: usize = 6;

impl Sample {
    /// Generates a skill with `files` files and `bytes` bytes in total: mostly source code, the rest prose. Also
    /// generates a second skill with the same content in plain-text files.
    pub(crate) fn with_code(files: usize, bytes: usize) -> [Self; 2] {
        let worlds = [World::project(), World::project()];
        let card = format!(
            "---\nname: {NAME}\ndescription: A synthetic skill. Use when measuring.\n---\n\n# Bench\n"
        );
        let samples = worlds.map(|world| Self {
            source: world.project_skill(NAME, &[("SKILL.md", &card)]),
            world,
        });
        let mut prose = Prose::new();
        for at in 0..files {
            let (kind, function) = FUNCTIONS[at % FUNCTIONS.len()];
            let (kind, text) = if at % PROSE_ONE_IN == 0 {
                ("md", prose.file(bytes / files))
            } else {
                (kind, source(function, bytes / files, &mut prose))
            };
            let [code, plain] = &samples;
            write(&code.source, &format!("scripts/file-{at:04}.{kind}"), &text);
            write(&plain.source, &format!("scripts/file-{at:04}.txt"), &text);
        }
        samples
    }
}

/// Returns a source file of about this many bytes.
fn source(function: &str, bytes: usize, prose: &mut Prose) -> String {
    let mut text = String::with_capacity(bytes + 1024);
    let mut number = 0;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    while text.len() < bytes {
        for c in function.chars() {
            match c {
                '@' => prose.words(1, &mut text),
                '%' => prose.words(9, &mut text),
                '#' if text.ends_with(is_word) => text.push_str(&number.to_string()),
                c => text.push(c),
            }
        }
        number += 1;
    }
    text
}

fn write(source: &Path, path: &str, text: &str) {
    let path = source.join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a directory");
    fs::write(path, text).expect("a file");
}
