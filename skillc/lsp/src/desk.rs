//! The state from which requests are answered: the open documents, the skills, and their findings.
//!
//! All of this state belongs to one thread, so nothing is locked. A skill is read from disk when it is needed; its
//! documents are read again only if their files have changed. The text of an open document takes precedence over the
//! file on disk. The file need not exist, so a skill is linted even before it is first saved.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_types::Position;
use skillc_core::layout::{SKILL_FILE, canonical};
use skillc_core::resolve::main_file;
use skillc_core::{Document, RelPath, Result, Skill, SkillRef, Span, Stop};
use skillc_lint::{Diagnostic, RunSkill};
use skillc_ops::lint::live::{LiveLint, PlaceInSkill, skill_of};
use skillc_ops::{NoProgress, Toolkit};

use crate::answer::Fault;
use crate::board::{Board, ByFile, shown};
use crate::client::Client;
use crate::documents::Open;
use crate::uris::{path_of, uri_of};

/// The maximum number of skills with open documents that are kept in memory.
const MAX_SKILLS: usize = 16;

/// A folder of the workspace.
pub(crate) struct Folder {
    /// The path of the folder, as sent by the client.
    pub(crate) dir: PathBuf,
    /// The canonical path.
    real: PathBuf,
    toolkit: Toolkit,
    /// The skills that have been found in the folder.
    pub(crate) skills: Vec<SkillRef>,
}

/// The state from which requests are answered.
pub(crate) struct Desk {
    /// The client.
    pub(crate) client: Client,
    /// The current findings.
    pub(crate) board: Board,
    /// The folders of the workspace.
    pub(crate) folders: Vec<Folder>,
    /// The last valid lint configuration of each directory.
    pub(crate) live: LiveLint,
    /// Interrupts the answer to the current request.
    pub(crate) stop: Stop,
    /// The environment for files outside the folders of the workspace.
    base: Toolkit,
    open: BTreeMap<String, Arc<Open>>,
    /// Skills as read from disk, without the text of open documents. The most recently used skill is last.
    skills: Vec<Skill>,
    /// The number of operations that scripts have used since the last change.
    used: u64,
}

/// A Markdown file, with the skill that contains it. The text of open documents takes precedence over files on disk.
pub(crate) struct View {
    /// The skill.
    pub(crate) skill: Skill,
    /// The file.
    pub(crate) file: RelPath,
    /// The parsed text.
    pub(crate) document: Arc<Document>,
    /// The toolkit, with the configuration that applies to the skill.
    pub(crate) toolkit: Toolkit,
}

impl Desk {
    /// Creates a desk without folders.
    pub(crate) fn new(base: Toolkit, client: Client) -> Self {
        Self {
            live: LiveLint::for_clients(client.lint_for.clone()),
            client,
            stop: Stop::default(),
            board: Board::default(),
            folders: Vec::new(),
            base,
            open: BTreeMap::new(),
            skills: Vec::new(),
            used: 0,
        }
    }

    /// Gives scripts a new budget, which they share until the next change.
    pub(crate) const fn renew_scripts(&mut self) {
        self.used = 0;
    }

    /// Adds a folder of the workspace.
    ///
    /// # Errors
    /// E999 if the plug-ins of the folder cannot be loaded.
    pub(crate) fn add_folder(&mut self, dir: PathBuf) -> Result<()> {
        let toolkit = self.base.in_dir(dir.clone())?;
        self.folders.push(Folder {
            real: canonical(&dir),
            dir,
            toolkit,
            skills: Vec::new(),
        });
        Ok(())
    }

    /// Opens, changes or closes (`None`) a document.
    pub(crate) fn set_open(&mut self, uri: String, open: Option<Arc<Open>>) {
        match open {
            Some(open) => drop(self.open.insert(uri, open)),
            None => drop(self.open.remove(&uri)),
        }
        let is_open = |root: &Path| in_open(&self.open, root);
        self.skills.retain(|skill| is_open(&skill.tree.root));
    }

    /// Returns the open documents.
    pub(crate) fn open(&self) -> impl Iterator<Item = &Arc<Open>> {
        self.open.values()
    }

    /// Returns whether a document below a canonical path is open.
    pub(crate) fn has_open(&self, root: &Path) -> bool {
        in_open(&self.open, root)
    }

    /// Returns the document that is open under a canonical path.
    pub(crate) fn open_at(&self, real: &Path) -> Option<(&String, &Arc<Open>)> {
        let mut open = self.open.iter();
        open.find(|(_, open)| open.real.as_deref() == Some(real))
    }

    /// Returns the environment of a file or skill, with its current configuration.
    pub(crate) fn toolkit(&self, real: &Path, stop: Stop) -> Toolkit {
        let inside = self.folders.iter();
        let inside = inside.filter(|folder| real.starts_with(&folder.real));
        let innermost = inside.max_by_key(|folder| folder.real.as_os_str().len());
        let toolkit = innermost.map_or(&self.base, |folder| &folder.toolkit);
        toolkit.for_call(Box::new(NoProgress), stop)
    }

    /// Returns whether the `SKILL.md` of a canonical directory is open. Neither the file nor the directory need exist
    /// on disk.
    fn has_open_main(&self, dir: &Path) -> bool {
        let open = self.open.values().filter(|open| open.is_known());
        let mut files = open.filter_map(|open| open.real.as_deref());
        files.any(|file| {
            let name = file.file_name();
            let is_main = name.is_some_and(|name| name.eq_ignore_ascii_case(SKILL_FILE));
            is_main && file.parent() == Some(dir) && !leads_out(dir, file)
        })
    }

    /// Finds the skill that contains a file.
    pub(crate) fn place(&self, path: &Path) -> Option<PlaceInSkill> {
        skill_of(&self.base.context, path, &|dir| self.has_open_main(dir))
    }

    /// Finds the skill that contains the file of a URI.
    pub(crate) fn place_of(&self, uri: &str) -> Option<PlaceInSkill> {
        self.place(&path_of(uri)?)
    }

    /// Returns the URI of a file, given by its canonical path; `None` if the path is not UTF-8. If the file is open, or
    /// is in a folder of the workspace, this is the URI that the client uses.
    pub(crate) fn uri(&self, real: &Path) -> Option<String> {
        if let Some((uri, _)) = self.open_at(real) {
            return Some(uri.clone());
        }
        let below = |folder: &Folder| Some(folder.dir.join(real.strip_prefix(&folder.real).ok()?));
        let named = self.folders.iter().find_map(below);
        uri_of(&named.unwrap_or_else(|| real.to_path_buf()))
    }

    /// Returns the Markdown file of a URI with its skill; `None` if the URI does not refer to a Markdown file of a
    /// skill.
    ///
    /// # Errors
    /// If the skill cannot be read.
    pub(crate) fn view(&mut self, uri: &str) -> Result<Option<View>, Fault> {
        let Some(PlaceInSkill { at, file }) = self.place_of(uri) else {
            return Ok(None);
        };
        let skill = self.read(&at)?;
        let toolkit = self.toolkit(&at.canonical, self.stop.clone());
        let document = skill.shared_document(&file).cloned();
        Ok(document.map(|document| View {
            skill,
            file,
            document,
            toolkit,
        }))
    }

    /// Reads a skill, with the text of open documents.
    ///
    /// # Errors
    /// E999 if the skill cannot be read.
    pub(crate) fn read(&mut self, at: &SkillRef) -> Result<Skill> {
        let is_same =
            |skill: &Skill| skill.at.canonical == at.canonical && skill.at.source == at.source;
        // A directory that does not exist yet is read as an empty one.
        let skill = match self.skills.iter().position(is_same) {
            Some(known) => self.skills.remove(known).read_again()?,
            None => Skill::read(at.clone())?,
        };
        if self.has_open(&at.canonical) {
            self.skills.push(skill.clone());
            if self.skills.len() > MAX_SKILLS {
                self.skills.remove(0);
            }
        }
        let open = self.open.values().filter(|open| open.is_known());
        let here = open.filter_map(|open| {
            let real = open.real.as_deref()?;
            let file = RelPath::below(&at.canonical, real)?;
            (!leads_out(&at.canonical, real)).then(|| (file, open.text.clone()))
        });
        Ok(here.fold(skill, |skill, (file, text)| skill.with_file(&file, text)))
    }

    /// Lints a skill. Returns its findings, and its data for rules that compare skills. There are no findings if the
    /// skill cannot be read, or if its `SKILL.md` was deleted, or closed without saving.
    ///
    /// # Errors
    /// E999 if the call is cancelled.
    pub(crate) fn lint(
        &mut self,
        at: &SkillRef,
        among: Vec<Diagnostic>,
        stop: &Stop,
    ) -> Result<(ByFile, Option<RunSkill>)> {
        if main_file(&at.canonical).is_none() && !self.has_open_main(&at.canonical) {
            return Ok((ByFile::new(), None));
        }
        let Ok(skill) = self.read(at) else {
            return Ok((ByFile::new(), None));
        };
        let toolkit = self.toolkit(&at.canonical, stop.clone());
        let toolkit = toolkit.with_used_operations(self.used);
        let live = self.live.lint(&toolkit, &skill, among);
        self.used = toolkit.used_operations();
        let mut live = live?;
        let compared = live.compared.take();
        let found = shown(&self.client, &skill, live, &toolkit.context.cwd, stop)?;
        Ok((found, compared))
    }
}

impl View {
    /// Returns the byte offset of a position.
    pub(crate) fn offset(&self, client: &Client, at: Position) -> usize {
        let Document { text, lines, .. } = &*self.document;
        client.encoding.offset(text, lines, at)
    }

    /// Returns the canonical path of a file in the skill.
    pub(crate) fn path(&self, file: &RelPath) -> PathBuf {
        file.under(&self.skill.tree.root)
    }

    /// Returns the text of a span of the file.
    pub(crate) fn text(&self, span: Span) -> &str {
        let text = self.document.text.get(span.start..span.end);
        text.unwrap_or_default()
    }
}

/// Returns whether a file is a symlink that leads out of a skill. The text of an open document with such a path is
/// ignored, and the file on disk is not read either, because scripts of the skill's project must not see or change a
/// file outside the skill.
fn leads_out(root: &Path, file: &Path) -> bool {
    file.is_symlink() && !(file.exists() && canonical(file).starts_with(root))
}

/// Returns whether a document below a directory is open.
fn in_open(open: &BTreeMap<String, Arc<Open>>, root: &Path) -> bool {
    let mut files = open.values().filter_map(|open| open.real.as_deref());
    files.any(|file| file.starts_with(root))
}
