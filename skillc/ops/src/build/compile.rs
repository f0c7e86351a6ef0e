//! Compiles a skill's source into its runtime directory: stub, manifest, index and freshness table. The new files are
//! renamed into place once every file is complete. The main manifest, which makes the other files valid, comes last.
//!
//! Builds are incremental: depending on what has changed since the last build, no files, only the changed files, or all
//! files are indexed.
//!
//! Design: C-INPUT, C-OUTPUT, C-MANIFEST, C-INDEX, R20, R21, D-E011.

use std::path::Path;

use skillc_core::hash::{Sha, source_hash};
use skillc_core::layout::{RuntimeDir, SKILL_FILE};
use skillc_core::source::frontmatter::{CopyFault, copy_fields};
use skillc_core::source::{MAX_PARSED_BYTES, Stamp, read_start};
use skillc_core::{
    Document, Error, Frontmatter, RelPath, Result, SkillRef, SourceFile, SourceTree, Value, Warning,
};
use skillc_storage::Freshness;
use skillc_storage::freshness::FileRow;
use skillc_storage::search_index::index_form;

use crate::build::index::{self, Change, IndexJob};
use crate::build::stub::{MAX_ENTRIES, MAX_FIELD_LINES, Reference, StubInput, stub};
use crate::notes::Notes;
use crate::runtime::manifest::Manifest;
use crate::runtime::manifest::STUB_FORM;
use crate::runtime::record::{self, Known};
use crate::sources::note_left_out;
use crate::staged::{Durability, Staged};
use crate::toolkit::Toolkit;

/// The number of build attempts if files keep changing during the build.
const ATTEMPTS: usize = 3;

/// If at least one in this many characters is Chinese, Japanese or Korean, the tokenizer `ascii` is considered wrong.
const CJK_ONE_IN: u64 = 10;

/// The minimum number of Chinese, Japanese or Korean characters for a warning.
const CJK_LEAST: u64 = 200;

/// The frontmatter fields that come first in a stub and are formatted specially.
const FIRST_FIELDS: [&str; 2] = ["name", "description"];

/// The hint for invalid YAML. It describes how to avoid the most frequent mistake.
const YAML_HINT: &str =
    "Quote values that contain ': ' or ' #', or that start with a symbol such as [ or *.";

/// The data of a `SKILL.md` that its stub needs.
pub(crate) struct Card {
    pub(crate) name: String,
    pub(crate) description: String,
    /// The other fields of the frontmatter, as formatted for the stub.
    fields: String,
    /// The byte offset of the first invalid UTF-8 in the body.
    not_utf8: Option<usize>,
    main: Document,
    sha: Sha,
}

/// Makes sure that a skill can be built. Writes nothing.
///
/// # Errors
/// E010 if there is no `SKILL.md`, E011 for a missing field, E012 for a symlink out of the root, E999 for a `SKILL.md`
/// that is too large or has invalid YAML.
pub(crate) fn check(at: &SkillRef) -> Result<Card> {
    let tree = SourceTree::read_closed(&at.source)?;
    read_card(&tree, &at.source)
}

/// Brings a runtime directory up to date. The caller holds the build lock.
///
/// # Errors
/// The same as for [`check`]; E003 if the index belongs to another directory; E999 if reading or writing fails.
pub(crate) fn compile(
    toolkit: &Toolkit,
    at: &SkillRef,
    runtime: &RuntimeDir,
    notes: &mut Notes,
) -> Result<()> {
    record::clear_leftover(&toolkit.context, runtime);
    let compilation = Compilation {
        toolkit,
        at,
        runtime,
    };
    for _ in 0..ATTEMPTS {
        let mut said = Notes::default();
        let attempt = compilation.attempt(&mut said);
        if attempt != Ok(Attempt::FilesMoved) {
            notes.append(said);
            return attempt.map(drop);
        }
    }
    let message = format!(
        "reading '{}': files kept changing while they were read",
        at.source.display()
    );
    Err(Error::Internal {
        message,
        hint: Some(
            "Another program is writing to the skill. Build again when it has finished.".into(),
        ),
    })
}

/// How an attempt ended.
#[derive(PartialEq, Eq)]
enum Attempt {
    Done,
    /// A race: a file disappeared or changed between the walk and the last read.
    FilesMoved,
}

/// The state of the stub.
enum Stub {
    /// A file that the stub lists has changed since it was hashed.
    Moved,
    /// The stub is up to date.
    Current,
    /// A new stub has been staged, together with this manifest.
    Staged(Box<Manifest>),
}

struct Compilation<'a> {
    toolkit: &'a Toolkit,
    at: &'a SkillRef,
    runtime: &'a RuntimeDir,
}

impl Compilation<'_> {
    fn attempt(&self, notes: &mut Notes) -> Result<Attempt> {
        let hash16 = self.at.hash16();
        let context = &self.toolkit.context;
        let mut staged = Staged::new(&context.home, Durability::from_context(context));
        let ours = Known::read(&self.toolkit.context, self.runtime);
        let index_path = self.runtime.index(&hash16);
        for target in [
            &index_path,
            &self.runtime.stub(),
            &self.runtime.compatible_manifest(),
        ] {
            staged.clear_leftovers_beside(target)?;
        }
        let index_temp = staged.place(&index_path)?;
        let stamps_path = self.runtime.stamps(&hash16);
        // Use the clock of the file system that contains the build, because it can differ from the system clock.
        let taken_ns = Stamp::from_metadata(&staged.write(&stamps_path, b"")?).mtime_ns;

        let tree = SourceTree::read_closed(&self.at.source)?;
        let card = read_card(&tree, &self.at.source)?;
        let job = IndexJob {
            toolkit: self.toolkit,
            at: self.at,
            tree: &tree,
            known: Freshness::read(&stamps_path),
            ours: &ours,
            current: &index_path,
            temporary: &index_temp,
            begun_ns: taken_ns,
        };
        let Some(result) = index::bring_up_to_date(&job, notes)? else {
            return Ok(Attempt::FilesMoved);
        };
        if sha_of(&result.rows, &card.main.path) != Some(card.sha) {
            return Ok(Attempt::FilesMoved);
        }
        note_left_out(&tree, notes);
        if let Some(offset) = card.not_utf8 {
            let path = self.at.source.join(SKILL_FILE).display().to_string();
            notes.warn(Warning::NotUtf8 { path, offset });
        }
        notes.detail(format!("index   {}", result.change.as_str()));
        if result.change == Change::Nothing {
            staged.forget(&index_path);
        }
        if let Some((chars, cjk)) = result.char_counts {
            self.warn_of_cjk(chars, cjk, notes);
        }

        let freshness = Freshness {
            taken_ns,
            index: result.index,
            form: Some(index_form(self.toolkit.config.tokenizer)),
            rows: result.rows,
        };
        if result.is_settled {
            staged.forget(&stamps_path);
        } else {
            staged.write(&stamps_path, freshness.to_text().as_bytes())?;
        }
        let stub = self.stage_stub(&tree, &card, &freshness.rows, &ours, &mut staged)?;
        let manifest = match stub {
            Stub::Moved => return Ok(Attempt::FilesMoved),
            Stub::Current => None,
            Stub::Staged(manifest) => Some(manifest),
        };
        let index = (hash16.as_str(), freshness.index);
        if let Some(record) = ours.after(self.runtime, index, manifest.as_deref()) {
            self.write_record(&record)?;
        }
        staged.commit()?;
        Ok(Attempt::Done)
    }

    /// Writes the record of the build, before its files are renamed into place.
    fn write_record(&self, record: &[u8]) -> Result<()> {
        let context = &self.toolkit.context;
        let path = record::path(context, self.runtime);
        let mut staged = Staged::new(&context.home, Durability::from_context(context));
        let written = staged.write(&path, record).map(drop);
        written
            .and_then(|()| staged.commit())
            .map_err(|error| unrecorded(&path, &error))
    }

    /// Stages the stub and both manifests. The main manifest comes last, because it makes the other files valid.
    fn stage_stub(
        &self,
        tree: &SourceTree,
        card: &Card,
        rows: &[FileRow],
        ours: &Known,
        staged: &mut Staged<'_>,
    ) -> Result<Stub> {
        let hash = source_hash(rows.iter().map(|row| (&row.path, row.sha)));
        let old = Manifest::read(&self.runtime.manifest());
        let is_current = |old: &Manifest| {
            old.source_hash == hash.to_string()
                && old.source == self.at.canonical.to_string_lossy()
                && self.outputs_are_whole(old)
                && ours.has_manifest(self.runtime)
        };
        if old.as_ref().is_some_and(is_current) {
            return Ok(Stub::Current);
        }
        let others: Vec<&RelPath> = tree
            .markdown()
            .map(|entry| &entry.path)
            .filter(|path| path.as_str() != SKILL_FILE)
            .collect();
        let Some(references) = read_references(tree, &others, rows)? else {
            return Ok(Stub::Moved);
        };
        let text = stub(&StubInput {
            name: &card.name,
            description: &card.description,
            fields: &card.fields,
            has_assets: tree.entries.len() > others.len() + 1,
            directory: &self.at.name,
            main: &card.main,
            references: &references,
            reference_count: others.len(),
        });
        let now = self.toolkit.context.clock.now();
        let hashes = [hash, Sha::digest(text.as_bytes())];
        let manifest = Manifest::new(&card.name, now, &self.at.canonical, hashes);
        let json = manifest.to_json();
        staged.write(&self.runtime.stub(), text.as_bytes())?;
        staged.write(&self.runtime.compatible_manifest(), &json)?;
        staged.write(&self.runtime.manifest(), &json)?;
        Ok(Stub::Staged(Box::new(manifest)))
    }

    /// Returns whether the stub and the compatible manifest still match the main manifest.
    fn outputs_are_whole(&self, manifest: &Manifest) -> bool {
        let stub = self.runtime.stub();
        let is_same = |stub: Vec<u8>| Sha::digest(&stub).to_string() == manifest.stub_hash;
        manifest.stub_form == STUB_FORM
            && read_start(&stub, MAX_PARSED_BYTES).is_ok_and(is_same)
            && Manifest::read(&self.runtime.compatible_manifest()).as_ref() == Some(manifest)
    }

    fn warn_of_cjk(&self, chars: u64, cjk: u64, notes: &mut Notes) {
        let is_ascii = self.toolkit.config.tokenizer == skillc_core::config::Tokenizer::Ascii;
        if is_ascii && cjk >= CJK_LEAST && cjk.saturating_mul(CJK_ONE_IN) >= chars {
            notes.warn(Warning::CjkUnderAscii {});
        }
    }
}

/// Creates the error for a build record that cannot be written.
fn unrecorded(path: &Path, error: &Error) -> Error {
    Error::Internal {
        message: format!("recording the build in '{}': {}", path.display(), error.message()),
        hint: Some(
            "skc records project builds in your own .skillc, so that a repository cannot pass off its files as your builds. Set SKILLC_HOME to a writable directory."
                .into(),
        ),
    }
}

/// Reads the files that the stub lists. Returns `None` if a file has changed since it was hashed.
fn read_references(
    tree: &SourceTree,
    paths: &[&RelPath],
    rows: &[FileRow],
) -> Result<Option<Vec<Reference>>> {
    let mut references = Vec::new();
    for path in paths.iter().take(MAX_ENTRIES) {
        references.push(match SourceFile::read(&tree.root, path)? {
            None => Reference::unread(path.as_str()),
            Some(file) if sha_of(rows, path) == Some(file.sha()) => {
                Reference::from_document(file.document())
            }
            Some(_) => return Ok(None),
        });
    }
    Ok(Some(references))
}

/// Returns the recorded digest of a file. `rows`: sorted by path.
fn sha_of(rows: &[FileRow], path: &RelPath) -> Option<Sha> {
    let at = rows.binary_search_by(|row| row.path.cmp(path)).ok()?;
    Some(rows[at].sha)
}

/// Reads `SKILL.md` and the fields that a stub needs.
///
/// `source`: the skill's directory, for messages.
fn read_card(tree: &SourceTree, source: &Path) -> Result<Card> {
    let path = RelPath::parse(SKILL_FILE)?;
    let shown = source.join(SKILL_FILE);
    let shown = shown.display();
    let Some(entry) = tree.get(&path) else {
        return Err(Error::NotASkill {
            path: tree.root.display().to_string(),
        });
    };
    if entry.stamp.size > MAX_PARSED_BYTES {
        return Err(Error::internal(format!(
            "reading '{shown}': larger than 32 MiB"
        )));
    }
    let Some(file) = SourceFile::read(&tree.root, &path)? else {
        return Err(Error::NotASkill {
            path: tree.root.display().to_string(),
        });
    };
    let sha = file.sha();
    let not_utf8 = std::str::from_utf8(&file.bytes).err();
    let not_utf8 = not_utf8.map(|error| (error.valid_up_to(), file.bytes[error.valid_up_to()]));
    let main = file.into_document();
    // Replacing invalid bytes shifts only the offsets after the first invalid byte, so that byte has the same offset in
    // the text as in the file.
    if let Some((offset, byte)) = not_utf8.filter(|(offset, _)| *offset < main.body_start) {
        return Err(Error::Internal {
            message: format!(
                "reading '{shown}': byte {offset} of the frontmatter is not UTF-8 (0x{byte:02X})"
            ),
            hint: Some("Save the file as UTF-8.".into()),
        });
    }
    if let Frontmatter::Invalid { message, .. } = &main.frontmatter {
        return Err(Error::Internal {
            message: format!("invalid frontmatter YAML: {message}"),
            hint: Some(format!("In '{shown}'. {YAML_HINT}").into()),
        });
    }
    let [name, description] = FIRST_FIELDS.map(|key| text_field(&main, key));
    let missing = |(field, why): (&str, String)| Error::MissingField {
        field: field.to_owned(),
        hint: Some(format!("'{shown}': {why}").into()),
    };
    let name = name.map_err(missing)?;
    let description = description.map_err(missing)?;
    let fields = copy_fields(&main.text, &FIRST_FIELDS, MAX_FIELD_LINES).map_err(|fault| {
        let hint = match fault {
            CopyFault::TooManyFields { .. } => "Move custom fields below 'metadata'.",
            _ => "Shorten the frontmatter; move long text below it.",
        };
        Error::Internal {
            message: format!("reading '{shown}': {fault}"),
            hint: Some(hint.into()),
        }
    })?;
    Ok(Card {
        name,
        description,
        fields,
        not_utf8: not_utf8.map(|(offset, _)| offset),
        main,
        sha,
    })
}

/// Returns a mandatory string field. The error contains the field's name and the fault.
fn text_field<'a>(main: &Document, key: &'a str) -> Result<String, (&'a str, String)> {
    let add = format!("add '{key}: …'");
    let why = match &main.frontmatter {
        Frontmatter::Absent => {
            "missing frontmatter: file does not start with ---; begin it with a line '---', the fields name and \
             description, and another '---'"
                .to_owned()
        }
        Frontmatter::Unclosed => {
            "missing frontmatter: no closing --- found; add a line '---' after the last field".to_owned()
        }
        read => match read.fields().and_then(|fields| fields.get(key)).map(|field| &field.value) {
            None => format!("the frontmatter has no field '{key}'; {add}"),
            Some(Value::Text(text)) if !text.trim().is_empty() => return Ok(text.to_string()),
            Some(Value::Text(_) | Value::Null) => format!("the field '{key}' is empty"),
            Some(other) => {
                let kind = other.structure().unwrap_or("not a string");
                format!("the field '{key}' is {kind}; it must be a string")
            }
        },
    };
    Err((key, why))
}
