//! Skills as scripts see them: documents, files, and references between them.

use std::sync::Arc;

use rhai::{Array, ImmutableString, NativeCallContext};
use skillc_core::{Anchor, Document, Follow, Reference, ReferenceKind, RelPath, Skill, Target};

use super::api::Api;
use super::doc::{Doc, kind_name};
use super::list::{self, List, maybe};
use super::page::Page;
use super::piece::{Piece, Placed, glob, register_placed, string};
use crate::limits::{MAX_ARRAY, MAX_PATH_BYTES};
use crate::meter::{HostResult, Meter};

/// Processing a path costs one operation per this many bytes.
const PATH_BYTES_PER_OPERATION: usize = 16;

/// The cost of matching a path against a glob.
const OPERATIONS_PER_PATH: u64 = 8;

/// A skill.
#[derive(Clone)]
pub(crate) struct SkillView(Arc<Skill>);

impl SkillView {
    pub(crate) fn new(skill: &Skill) -> Self {
        Self(Arc::new(skill.clone()))
    }

    pub(crate) fn skill(&self) -> &Skill {
        &self.0
    }

    /// Returns a shared handle to a document of the skill.
    pub(crate) fn shared(&self, document: &Document) -> Arc<Document> {
        let own = self.0.shared_document(&document.path);
        own.map_or_else(|| Arc::new(document.clone()), Arc::clone)
    }

    fn documents(&self) -> List<Doc> {
        let documents: Vec<Arc<Document>> = self.0.shared_documents().cloned().collect();
        let skill = self.clone();
        List::new(documents.len(), move |at| {
            Doc::new(Arc::clone(&documents[at]), skill.clone())
        })
    }

    fn document(&self, path: &RelPath) -> Option<Doc> {
        let document = self.0.shared_document(path)?;
        Some(Doc::new(Arc::clone(document), self.clone()))
    }

    fn main(&self) -> Option<Doc> {
        let path = self.0.main()?.path.clone();
        self.document(&path)
    }

    fn files(&self) -> List<ImmutableString> {
        let tree = Arc::clone(&self.0.tree);
        List::new(tree.entries.len(), move |at| {
            tree.entries[at].path.as_str().into()
        })
    }

    fn files_matching(&self, text: &str, meter: &Meter) -> HostResult<Array> {
        let pattern = glob(text, meter)?;
        let entries = self.0.tree.entries.iter();
        meter.charge(OPERATIONS_PER_PATH * entries.len() as u64)?;
        let found = entries.filter(|entry| pattern.matches(&entry.path));
        let found = found.take(MAX_ARRAY + 1);
        Ok(found.map(|entry| entry.path.as_str().into()).collect())
    }

    /// Returns the references of a document.
    pub(crate) fn references(&self, document: &Arc<Document>) -> List<Referred> {
        let len = self.0.references().in_document(&document.path).len();
        let (skill, document) = (Arc::clone(&self.0), Arc::clone(document));
        List::new(len, move |at| Referred {
            skill: Arc::clone(&skill),
            document: Arc::clone(&document),
            at,
        })
    }
}

/// Runs a query on a path in the skill. Returns `None` if the path is invalid or too long.
fn asked<T>(
    context: &NativeCallContext<'_>,
    path: &str,
    ask: impl FnOnce(&RelPath) -> T,
) -> HostResult<Option<T>> {
    if path.len() > MAX_PATH_BYTES {
        return Ok(None);
    }
    Meter::from_context(context).charge((path.len() / PATH_BYTES_PER_OPERATION) as u64)?;
    Ok(RelPath::parse(path).ok().as_ref().map(ask))
}

/// One reference from a document.
#[derive(Clone)]
pub(crate) struct Referred {
    skill: Arc<Skill>,
    document: Arc<Document>,
    at: usize,
}

impl Referred {
    fn inner(&self) -> &Reference {
        &self.skill.references().in_document(&self.document.path)[self.at]
    }

    const fn kind(kind: ReferenceKind) -> &'static str {
        match kind {
            ReferenceKind::Link(kind) => kind_name(kind),
            ReferenceKind::Wiki => "wiki",
            ReferenceKind::Mention => "mention",
            _ => "other",
        }
    }

    const fn anchor(anchor: Anchor) -> &'static str {
        match anchor {
            Anchor::Unchecked => "unchecked",
            Anchor::Present => "present",
            Anchor::Missing => "missing",
        }
    }

    const fn target(target: &Target) -> &'static str {
        match target {
            Target::Elsewhere => "elsewhere",
            Target::Placeholder(_) => "placeholder",
            Target::File(_) => "file",
            Target::Directory(_) => "directory",
            Target::Glob(_) => "glob",
            Target::Missing(_) => "missing",
            Target::Outside => "outside",
            _ => "other",
        }
    }

    fn path(&self) -> Option<ImmutableString> {
        match &self.inner().target {
            Target::File(path) | Target::Directory(path) | Target::Missing(path) => {
                Some(path.as_str().into())
            }
            _ => None,
        }
    }
}

impl Placed for Referred {
    fn piece(&self) -> Piece {
        Piece {
            page: Page::Document(Arc::clone(&self.document)),
            span: self.inner().span,
        }
    }
}

pub(crate) fn register(module: &mut Api) {
    module.set_custom_type::<SkillView>("Skill");
    module.set_getter_fn("name", |skill: &mut SkillView| string(&skill.0.at.name));
    module.set_getter_fn("main", |skill: &mut SkillView| Ok(maybe(skill.main())));
    module.set_getter_fn(
        "documents",
        |context: NativeCallContext<'_>, skill: &mut SkillView| {
            let documents = skill.documents();
            Meter::from_context(&context).charge(documents.len() as u64)?;
            Ok(documents)
        },
    );
    module.set_native_fn(
        "document",
        |context: NativeCallContext<'_>, skill: &mut SkillView, path: ImmutableString| {
            let found = asked(&context, &path, |path| skill.document(path))?;
            Ok(maybe(found.flatten()))
        },
    );
    module.set_getter_fn("files", |skill: &mut SkillView| Ok(skill.files()));
    module.set_native_fn(
        "files_matching",
        |context: NativeCallContext<'_>, skill: &mut SkillView, glob: ImmutableString| {
            skill.files_matching(&glob, &Meter::from_context(&context))
        },
    );
    module.set_native_fn(
        "has_file",
        |context: NativeCallContext<'_>, skill: &mut SkillView, path: ImmutableString| {
            let found = asked(&context, &path, |path| skill.0.tree.get(path).is_some())?;
            Ok(found.unwrap_or_default())
        },
    );
    module.set_native_fn(
        "is_reachable",
        |context: NativeCallContext<'_>, skill: &mut SkillView, path: ImmutableString| {
            let references = skill.0.references();
            let found = asked(&context, &path, |path| {
                references.is_reachable(path, Follow::All)
            })?;
            Ok(found.unwrap_or_default())
        },
    );
    list::register::<Doc>(module, "Documents");
    list::register::<ImmutableString>(module, "Paths");
    register_references(module);
}

fn register_references(module: &mut Api) {
    list::register::<Referred>(module, "References");
    register_placed::<Referred>(module, "Reference");
    module.set_getter_fn("kind", |of: &mut Referred| {
        string(Referred::kind(of.inner().kind))
    });
    module.set_getter_fn("written", |of: &mut Referred| string(&of.inner().written));
    module.set_getter_fn("target", |of: &mut Referred| {
        string(Referred::target(&of.inner().target))
    });
    module.set_getter_fn("path", |of: &mut Referred| Ok(maybe(of.path())));
    module.set_getter_fn("anchor", |of: &mut Referred| {
        string(Referred::anchor(of.inner().anchor))
    });
}
