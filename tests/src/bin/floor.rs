//! The floor of the benchmark: for each command, the minimum work a competent program must do.
//!
//! The floor hashes and checks nothing, reads no configuration, and uses one thread (except for `lint`). It has the
//! same tables, settings and queries as the product. It relies on properties of the generated files: they are ASCII,
//! and `#` at the start of a line always begins a heading.
//!
//! The arguments of `skc-floor` are one of: `build <source> <db>`, `search <source> <db> <words>`,
//! `searches <words> <db>…`, `show <source> <db> <heading>`, `outline <source>`, `walk <source>`, `lint <dir>…`,
//! `log [<db>]`, `rows <db>`, `copy <source> <db> <new>`, `heads <dir>…`, `stats <dir>…`.

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::io::{self, BufWriter, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use rusqlite::{Connection, OpenFlags, Statement};
use walkdir::WalkDir;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const SCHEMA: &str = include_str!("../../../skillc/storage/src/schema/search_v2.sql");

const SETTINGS: &str = "PRAGMA page_size = 4096;
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA cache_size = -65536;
    PRAGMA temp_store = MEMORY;";

const BEST: &str = "SELECT rowid, rank FROM sections
    WHERE sections MATCH ?1 AND rank MATCH 'bm25(0.5, 5.0, 1.0)'
    ORDER BY rank, file, rowid LIMIT 10";

const SNIPPET: &str = "SELECT file, section, snippet(sections, 2, '[MATCH]', '[/MATCH]', '...', 32)
    FROM sections WHERE sections MATCH ?1 AND rowid = ?2";

const HEADING: &str = "SELECT file, start_line, end_line FROM headings
    WHERE text = ?1 COLLATE NOCASE ORDER BY file, start_line, id";

const ACCESS: &str = "INSERT INTO access_log
    (timestamp, run_id, command, skill, skill_path, cwd, args, error)
    VALUES ('2026-01-31T08:15:00Z', '20260131T081500Z-00ff', 'open', 'demo',
            '/home/user/project/.skillc/skills/demo', '/home/user/project', ?1, NULL)";

/// Reads all columns that a summary of the usage log needs, from every row.
const LOGGED: &str = "SELECT count(*), count(error), max(timestamp),
    sum(length(run_id) + length(command) + length(skill) + length(skill_path) + length(cwd) + length(args))
    FROM access_log";

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let mut out = BufWriter::new(io::stdout().lock());
    match args[..] {
        ["build", source, db] => build(Path::new(source), Path::new(db)),
        ["search", source, db, words] => search(Path::new(source), Path::new(db), words, &mut out),
        ["searches", words, ref dbs @ ..] => dbs
            .iter()
            .try_for_each(|db| search_index(Path::new(db), words, &mut out)),
        ["show", source, db, heading] => show(Path::new(source), Path::new(db), heading, &mut out),
        ["outline", source] => outline(Path::new(source), &mut out),
        ["walk", source] => Ok(writeln!(out, "{}", walk(Path::new(source))?.len())?),
        ["lint", ref dirs @ ..] => lint(dirs, &mut out),
        ["heads", ref dirs @ ..] => skills(dirs, &mut out, head),
        ["stats", ref dirs @ ..] => skills(dirs, &mut out, |path| Ok(path.metadata()?.len())),
        ["log"] => Ok(()),
        ["log", db] => log(Path::new(db)),
        ["rows", db] => Ok(writeln!(out, "{}", rows(Path::new(db))?)?),
        ["copy", source, db, new] => {
            walk(Path::new(source))?;
            Ok(writeln!(out, "{}", fs::copy(db, new)?)?)
        }
        _ => Err("unknown arguments".into()),
    }
}

/// Walks directories and applies `look` to every `SKILL.md`. Prints the number of these files and the sum of the
/// results.
fn skills(dirs: &[&str], out: &mut impl Write, look: fn(&Path) -> Result<u64>) -> Result<()> {
    let (mut count, mut sum) = (0, 0);
    for dir in dirs {
        for entry in WalkDir::new(dir) {
            let entry = entry?;
            if entry.file_name() == "SKILL.md" {
                count += 1;
                sum += look(entry.path())?;
            }
        }
    }
    writeln!(out, "{count} {sum}")?;
    Ok(())
}

/// Reads the beginning of a file.
fn head(path: &Path) -> Result<u64> {
    let mut head = [0; 4 << 10];
    let read = fs::File::open(path)?.read(&mut head)?;
    Ok(black_box(&head[..read]).len() as u64)
}

/// A file and its metadata, which the product checks too.
struct Seen {
    path: PathBuf,
    name: String,
    _metadata: fs::Metadata,
}

/// Returns the files below a directory, sorted by name. Calls `stat` once for each file.
fn walk(source: &Path) -> Result<Vec<Seen>> {
    let mut files = Vec::new();
    for entry in WalkDir::new(source) {
        let entry = entry?;
        if entry.file_type().is_file() {
            let name = entry.path().strip_prefix(source)?.to_string_lossy();
            files.push(Seen {
                name: name.into_owned(),
                _metadata: entry.metadata()?,
                path: entry.into_path(),
            });
        }
    }
    files.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Ok(files)
}

fn build(source: &Path, db: &Path) -> Result<()> {
    let connection = Connection::open(db)?;
    connection.execute_batch(SETTINGS)?;
    connection.execute_batch(&SCHEMA.replace("{tokenize}", "porter unicode61"))?;
    connection
        .execute_batch("INSERT INTO sections(sections, rank) VALUES('automerge', 0); BEGIN;")?;
    let mut rows = Rows::new(&connection)?;
    for file in walk(source)? {
        rows.add(&file.name, &fs::read_to_string(&file.path)?)?;
    }
    drop(rows);
    connection.execute_batch(
        "CREATE INDEX idx_headings_text ON headings(text COLLATE NOCASE);
         INSERT INTO sections(sections, rank) VALUES('automerge', 4);
         COMMIT;",
    )?;
    connection.close().map_err(|(_, error)| error)?;
    Ok(())
}

/// The prepared statements of a build.
struct Rows<'a> {
    heading: Statement<'a>,
    section: Statement<'a>,
    lines: Statement<'a>,
    file: Statement<'a>,
    next_heading: i64,
    next_section: i64,
}

impl<'a> Rows<'a> {
    fn new(connection: &'a Connection) -> Result<Self> {
        Ok(Self {
            heading: connection.prepare("INSERT INTO headings VALUES(?1, ?2, ?3, ?4, ?5, ?6)")?,
            section: connection.prepare(
                "INSERT INTO sections(rowid, file, section, content) VALUES(?1, ?2, ?3, ?4)",
            )?,
            lines: connection.prepare("INSERT INTO section_lines VALUES(?1, ?2, ?3)")?,
            file: connection.prepare("INSERT INTO files VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)")?,
            next_heading: 1,
            next_section: 1,
        })
    }

    fn add(&mut self, name: &str, text: &str) -> Result<()> {
        let (first_heading, first_section) = (self.next_heading, self.next_section);
        let mut chars = 0;
        for section in sections(text) {
            let (start, end) = (section.lines.start, section.lines.end);
            let id = self.next_heading;
            self.heading
                .execute((id, name, section.heading, section.level, start, end))?;
            self.next_heading += 1;
            let id = self.next_section;
            let content = &text[section.bytes];
            self.section.execute((id, name, section.heading, content))?;
            self.lines.execute((id, start, end))?;
            self.next_section += 1;
            chars += content.len();
        }
        let (end_heading, end_section) = (self.next_heading, self.next_section);
        self.file.execute((
            name,
            first_section,
            end_section,
            first_heading,
            end_heading,
            chars,
            0,
        ))?;
        Ok(())
    }
}

/// A heading and the text under it.
struct Section<'a> {
    heading: &'a str,
    level: usize,
    lines: Range<usize>,
    bytes: Range<usize>,
}

/// Splits a file at the lines that begin with `#`. (In these files, no line of the frontmatter begins with `#`.)
fn sections(text: &str) -> Vec<Section<'_>> {
    let (mut found, mut open): (Vec<Section<'_>>, Vec<usize>) = (Vec::new(), Vec::new());
    let (mut offset, mut line) = (0, 1);
    for content in text.split_inclusive('\n') {
        let level = content.bytes().take_while(|byte| *byte == b'#').count();
        if level > 0 {
            while let Some(at) = open.pop_if(|at| found[*at].level >= level) {
                (found[at].bytes.end, found[at].lines.end) = (offset, line);
            }
            open.push(found.len());
            found.push(Section {
                heading: content[level..].trim(),
                level,
                lines: line..line,
                bytes: offset..offset,
            });
        }
        offset += content.len();
        line += 1;
    }
    for at in open {
        (found[at].bytes.end, found[at].lines.end) = (offset, line);
    }
    found
}

fn open(db: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Ok(Connection::open_with_flags(db, flags)?)
}

fn search(source: &Path, db: &Path, words: &str, out: &mut impl Write) -> Result<()> {
    walk(source)?;
    search_index(db, words, out)
}

fn search_index(db: &Path, words: &str, out: &mut impl Write) -> Result<()> {
    let connection = open(db)?;
    let quoted: Vec<String> = words.split(' ').map(|word| format!("\"{word}\"")).collect();
    let query = quoted.join(" ");
    let mut best = connection.prepare(BEST)?;
    let mut snippet = connection.prepare(SNIPPET)?;
    let mut rows = best.query([&query])?;
    while let Some(row) = rows.next()? {
        let (rowid, rank): (i64, f64) = (row.get(0)?, row.get(1)?);
        let mut shown = snippet.query((&query, rowid))?;
        if let Some(hit) = shown.next()? {
            let (file, section, text) = (hit.get_ref(0)?, hit.get_ref(1)?, hit.get_ref(2)?);
            let (file, section, text) = (file.as_str()?, section.as_str()?, text.as_str()?);
            writeln!(out, "{file}#{section} (score: {:.2})\n{text}", -rank)?;
        }
    }
    Ok(())
}

fn show(source: &Path, db: &Path, heading: &str, out: &mut impl Write) -> Result<()> {
    walk(source)?;
    let connection = open(db)?;
    let (file, start, end) = connection.query_row(HEADING, [heading], |row| {
        Ok((
            row.get::<_, String>(0)?,
            row.get::<_, usize>(1)?,
            row.get::<_, usize>(2)?,
        ))
    })?;
    let text = fs::read_to_string(source.join(file))?;
    for line in text.split_inclusive('\n').skip(start - 1).take(end - start) {
        out.write_all(line.as_bytes())?;
    }
    Ok(())
}

fn outline(source: &Path, out: &mut impl Write) -> Result<()> {
    for file in walk(source)? {
        let text = fs::read_to_string(&file.path)?;
        writeln!(out, "{}", file.name)?;
        let (body, mut heading, mut marks) = (below_frontmatter(&text), None, "");
        for event in Parser::new_ext(body, options()) {
            match event {
                Event::Start(Tag::Heading { level, .. }) => {
                    heading = Some(String::new());
                    marks = &"######"[..level as usize];
                }
                Event::Text(text) | Event::Code(text) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&text);
                    }
                }
                Event::End(TagEnd::Heading(_)) => {
                    writeln!(out, "  {marks} {}", heading.take().unwrap_or_default())?;
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Reads and parses every Markdown file on all cores; prints the number of files.
fn lint(dirs: &[&str], out: &mut impl Write) -> Result<()> {
    let mut files = Vec::new();
    for dir in dirs {
        let seen = walk(Path::new(dir))?.into_iter().map(|file| file.path);
        files.extend(seen.filter(|path| path.extension().is_some_and(|kind| kind == "md")));
    }
    let next = AtomicUsize::new(0);
    let parse = || {
        while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let text = String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned();
            black_box(
                Parser::new_ext(below_frontmatter(&text), options())
                    .into_offset_iter()
                    .count(),
            );
        }
    };
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        (0..threads).for_each(|_| drop(scope.spawn(parse)));
    });
    Ok(writeln!(out, "{}", files.len())?)
}

/// Adds a row to an existing usage log.
fn log(db: &Path) -> Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(db, flags)?;
    connection.execute_batch("PRAGMA synchronous = OFF")?;
    connection.execute(ACCESS, [r#"{"path":"SKILL.md","max_lines":null}"#])?;
    Ok(())
}

/// Reads the usage log on one thread; returns the number of rows.
fn rows(db: &Path) -> Result<i64> {
    let read = |row: &rusqlite::Row<'_>| {
        black_box(row.get::<_, i64>(3)?);
        row.get(0)
    };
    Ok(open(db)?.query_row(LOGGED, [], read)?)
}

fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM
}

fn below_frontmatter(text: &str) -> &str {
    let block = text
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"));
    block.map_or(text, |(_, body)| body)
}
