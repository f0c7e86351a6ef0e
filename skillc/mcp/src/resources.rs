//! Skills as MCP resources: single files, directories, manifests with digests, and the catalog itself. The Skills
//! extension defines the directories and the manifests.
//!
//! Only skills that a model may load without confirmation are exposed. Everything here is read-only and runs on a
//! blocking thread.
//!
//! Design: catalog-policy, catalog-tools, catalog-extension, R20.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{
    DIRECTORY_MIME_TYPE, ErrorData, GetSkillResult, ListResourceTemplatesResult,
    ListResourcesResult, ListSkillsResult, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate, Skill, SkillFrontmatter, SkillResource, SkillResources,
};
use serde::Serialize;
use serde_json::json;
use skillc_core::layout::SKILL_FILE;
use skillc_core::source::WalkedFile;
use skillc_core::source::frontmatter::to_json;
use skillc_core::{Error, RelPath, SourceFile, SourceTree};
use skillc_ops::Toolkit;
use skillc_ops::catalog::model::Reference;
use skillc_ops::catalog::model::SkillHead;
use skillc_ops::catalog::model::skills_context;
use skillc_ops::catalog::model::{
    Audience, Catalog, CatalogEntry, Refusal, read_reference, reference, reference_to,
};

use crate::answer_size::json_size;
use crate::resource_index::{Digests, address, find, hidden, skills};

/// The page size of lists.
const PAGE: usize = 100;

/// The page size of lists with digests, which is smaller because each entry lists all files of a skill.
const SKILLS_PAGE: usize = 20;

/// The maximum size of a list page as JSON, in bytes. A single entry may be larger.
const PAGE_BYTES: usize = 2 << 20;

/// A skill is listed with digests only if it has at most this many files. Design: catalog-extension.
const MAX_SKILL_FILES: usize = 2000;

/// The maximum total size of a skill that is listed with digests, in bytes. Design: catalog-extension.
const MAX_SKILL_BYTES: u64 = 64 << 20;

/// The error for an invalid cursor.
pub(crate) const UNKNOWN_CURSOR: &str = "invalid cursor";

/// The URI of the catalog.
const CATALOG: &str = "skillc://catalog";

/// The URI of the overview of skills that agents receive.
const CONTEXT: &str = "skillc://context";

/// The URI template of skill files.
pub(crate) const TEMPLATE: &str = "skill://{id}/{name}/{+path}";

type Result<T> = std::result::Result<T, ErrorData>;

/// Lists the catalog, the overview for agents, and the `SKILL.md` of every exposed skill.
pub(crate) fn list(catalog: &Catalog, cursor: Option<&str>) -> Result<ListResourcesResult> {
    let mut all = catalog_resources(catalog);
    all.extend(skills(catalog).into_iter().map(resource));
    let (page, next) = page(&all, cursor, PAGE, |one| Some(one.clone()))?;
    let mut result = ListResourcesResult::with_all_items(page);
    result.next_cursor = next;
    Ok(result)
}

fn catalog_resources(catalog: &Catalog) -> Vec<Resource> {
    let mut all = Vec::new();
    if catalog.settings.enabled {
        let listed = Resource::new(CATALOG, "catalog")
            .with_description("All skills found here, and files that are not valid skills")
            .with_mime_type("application/json");
        all.push(listed);
    }
    if skills_context(catalog).is_some() {
        let told = Resource::new(CONTEXT, "skills_context")
            .with_description(
                "The list of skills for an agent, as in the server's instructions or prompt",
            )
            .with_mime_type("application/xml");
        all.push(told);
    }
    all
}

fn resource(skill: &CatalogEntry) -> Resource {
    let main = Path::new(&skill.path);
    let mut resource = Resource::new(reference(skill), skill.name.clone())
        .with_description(skill.description.clone())
        .with_mime_type(mime(main));
    resource.size = main.metadata().ok().map(|found| found.len());
    resource
}

pub(crate) fn templates() -> ListResourceTemplatesResult {
    let template = ResourceTemplate::new(TEMPLATE, "skill-file")
        .with_title("A file of a skill")
        .with_description("Any file of a listed skill, by its path in the skill's folder");
    ListResourceTemplatesResult::with_all_items(vec![template])
}

/// Reads the catalog, the overview for agents, or a file of a skill. Files are returned with their exact bytes, as text
/// if they are valid UTF-8.
pub(crate) fn read(catalog: &Catalog, uri: &str) -> Result<ReadResourceResult> {
    if let Some(content) = read_catalog(catalog, uri) {
        return Ok(ReadResourceResult::new(vec![content]));
    }
    address(uri).ok_or_else(|| no_resource(uri))?;
    let file = read_reference(catalog, uri).map_err(|refusal| refused(uri, &refusal))?;
    let mime_type = Some(mime(Path::new(file.path.as_str())).to_owned());
    let contents = match String::from_utf8(file.bytes) {
        Ok(text) => ResourceContents::TextResourceContents {
            uri: uri.to_owned(),
            mime_type,
            text,
            meta: None,
        },
        Err(error) => ResourceContents::BlobResourceContents {
            uri: uri.to_owned(),
            mime_type,
            blob: STANDARD.encode(error.as_bytes()),
            meta: None,
        },
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

fn read_catalog(catalog: &Catalog, uri: &str) -> Option<ResourceContents> {
    let (text, mime_type) = match uri {
        CATALOG if catalog.settings.enabled => {
            let listed = serde_json::to_string(&catalog.passed_on(Audience::Model)).ok()?;
            (listed, "application/json")
        }
        CONTEXT => (skills_context(catalog)?.text, "application/xml"),
        _ => return None,
    };
    Some(ResourceContents::TextResourceContents {
        uri: uri.to_owned(),
        mime_type: Some(mime_type.to_owned()),
        text,
        meta: None,
    })
}

/// Lists the direct children of a skill's directory or of a directory in it; the trailing slash of the URI is optional.
pub(crate) fn directory(
    catalog: &Catalog,
    uri: &str,
    cursor: Option<&str>,
) -> Result<ListResourcesResult> {
    let refuse = || ErrorData::invalid_params(format!("'{uri}' is not a skill's directory"), None);
    let (skill, address) = look_up(catalog, uri).map_err(|_| refuse())?;
    let tree = tree(catalog, skill).map_err(|e| internal(&e))?;
    let entries = children(skill, &tree, &address.path);
    if entries.is_empty() {
        return Err(refuse());
    }
    let (page, next) = page(&entries, cursor, PAGE, |one| Some(one.clone()))?;
    let mut result = ListResourcesResult::with_all_items(page);
    result.next_cursor = next;
    Ok(result)
}

/// Returns the entries of a directory, sorted bytewise by name.
fn children(skill: &CatalogEntry, tree: &SourceTree, dir: &RelPath) -> Vec<Resource> {
    let before = match dir.as_str() {
        "" => String::new(),
        dir => format!("{dir}/"),
    };
    let mut found = BTreeMap::new();
    for entry in &tree.entries {
        let Some(rest) = entry.path.as_str().strip_prefix(&before) else {
            continue;
        };
        let (name, is_dir) = match rest.split_once('/') {
            Some((dir, _)) => (dir, true),
            None => (rest, false),
        };
        let Ok(path) = RelPath::parse(&format!("{before}{name}")) else {
            continue;
        };
        let resource = Resource::new(reference_to(skill, &path), name);
        let resource = if is_dir {
            resource.with_mime_type(DIRECTORY_MIME_TYPE)
        } else {
            resource
                .with_mime_type(mime(Path::new(name)))
                .with_size(entry.stamp.size)
        };
        found.entry(name.to_owned()).or_insert(resource);
    }
    found.into_values().collect()
}

/// Lists skills with all their files and digests. Skills over the limits, and skills that cannot be read, are omitted.
pub(crate) fn list_skills(
    toolkit: &Toolkit,
    catalog: &Catalog,
    digests: &Digests,
    cursor: Option<&str>,
) -> Result<ListSkillsResult> {
    let skills = skills(catalog);
    let shown = |skill: &&CatalogEntry| manifest(toolkit, catalog, digests, skill).ok();
    let (page, next) = page(&skills, cursor, SKILLS_PAGE, shown)?;
    let mut result = ListSkillsResult::with_all_items(page);
    result.next_cursor = next;
    Ok(result)
}

/// Returns one skill, by the URI of its `SKILL.md`.
pub(crate) fn get_skill(
    toolkit: &Toolkit,
    catalog: &Catalog,
    digests: &Digests,
    uri: &str,
) -> Result<GetSkillResult> {
    let refuse = |reason: &str| ErrorData::invalid_params(format!("'{uri}': {reason}"), None);
    let found = look_up(catalog, uri).ok().map(|(skill, _)| skill);
    let skill = found.filter(|skill| reference(skill) == uri);
    let skill = skill.ok_or_else(|| refuse("not a skill's SKILL.md; see skills/list"))?;
    manifest(toolkit, catalog, digests, skill)
        .map(GetSkillResult::new)
        .map_err(|reason| refuse(&reason))
}

/// Creates a skill's manifest. The error explains why the skill has no manifest.
fn manifest(
    toolkit: &Toolkit,
    catalog: &Catalog,
    digests: &Digests,
    skill: &CatalogEntry,
) -> std::result::Result<Skill, String> {
    let words = |error: Error| error.message();
    let tree = tree(catalog, skill).map_err(words)?;
    let size: u64 = tree.entries.iter().map(|entry| entry.stamp.size).sum();
    if tree.entries.len() > MAX_SKILL_FILES || size > MAX_SKILL_BYTES {
        return Err(format!(
            "it has more than {MAX_SKILL_FILES} files or {MAX_SKILL_BYTES} bytes"
        ));
    }
    let now_ns = toolkit.context.clock.now().0.saturating_mul(1_000_000_000);
    let mut files = Vec::with_capacity(tree.entries.len());
    for entry in &tree.entries {
        toolkit.stop.check().map_err(words)?;
        if let Some((sha, size)) = digests.get(&tree.root, entry, now_ns).map_err(words)? {
            let uri = reference_to(skill, &entry.path);
            files.push(SkillResource::new(uri, format!("sha256:{sha}"), size));
        }
    }
    let frontmatter = frontmatter(skill)?;
    let files = SkillResources::Files(files);
    let entry = Skill::new(reference(skill), frontmatter, files);
    // If the skill's `SKILL.md` was just deleted, reject only this skill instead of failing the whole list.
    entry.validate().map_err(|error| error.to_string())?;
    if json_size(&entry) > PAGE_BYTES {
        return Err(format!(
            "the list of its files has more than {PAGE_BYTES} bytes"
        ));
    }
    Ok(entry)
}

/// Reads a skill's frontmatter from disk, not from the catalog, so that it matches the file's digest.
fn frontmatter(skill: &CatalogEntry) -> std::result::Result<SkillFrontmatter, String> {
    let main = RelPath::parse(SKILL_FILE).map_err(|error| error.message())?;
    let file = SourceFile::read(Path::new(&skill.dir), &main);
    let file = file.map_err(|error| error.message())?;
    let file = file.ok_or("its SKILL.md was deleted")?;
    let text = file.text();
    let head = SkillHead::parse(text.as_bytes(), 0)?;
    if head.name != skill.name {
        return Err("its name has changed".to_owned());
    }
    let mut frontmatter = SkillFrontmatter::new(head.name, head.description);
    let mut fields = to_json(&text).unwrap_or_default();
    fields.remove("name");
    fields.remove("description");
    frontmatter.extra = fields;
    Ok(frontmatter)
}

/// Returns the files of a skill, without the files of nested skills that are not exposed.
fn tree(catalog: &Catalog, skill: &CatalogEntry) -> std::result::Result<SourceTree, Error> {
    let mut tree = SourceTree::read(Path::new(&skill.dir))?;
    let mut hidden: BTreeSet<PathBuf> = hidden(catalog, skill).into_iter().collect();
    hidden.extend(catalog.policy.closed_below(&tree).into_keys());
    let is_shown = |file: &&WalkedFile| {
        let (path, real) = (file.path.under(&tree.root), tree.real_path(file));
        let mut above = path.ancestors().chain(real.ancestors());
        !above.any(|dir| hidden.contains(dir))
    };
    let entries = tree.entries.iter().filter(is_shown).cloned();
    tree.entries = entries.collect();
    Ok(tree)
}

/// Finds the skill that a URI refers to.
fn look_up<'a>(catalog: &'a Catalog, uri: &str) -> Result<(&'a CatalogEntry, Reference)> {
    let address = address(uri).ok_or_else(|| no_resource(uri))?;
    let skill = find(catalog, &address).ok_or_else(|| no_resource(uri))?;
    Ok((skill, address))
}

fn no_resource(uri: &str) -> ErrorData {
    let message = format!("unknown resource '{uri}'; see resources/list");
    ErrorData::resource_not_found(message, Some(json!({ "uri": uri })))
}

/// Returns the error for a file that cannot be read: 'resource not found', unless the file is too large.
fn refused(uri: &str, refusal: &Refusal) -> ErrorData {
    match refusal {
        Refusal::TooLarge { max_bytes, .. } => {
            let message = format!("'{uri}' is larger than {max_bytes} bytes");
            ErrorData::invalid_params(message, None)
        }
        Refusal::NotInCatalog { .. } => no_resource(uri),
        _ => not_found(uri, &refusal.error()),
    }
}

fn not_found(uri: &str, error: &Error) -> ErrorData {
    let which = json!({ "uri": uri });
    ErrorData::resource_not_found(format!("'{uri}': {error}"), Some(which))
}

fn internal(error: &Error) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

/// Returns one page and the cursor of the next page. A cursor is the offset of the page's first entry.
///
/// `size`: the maximum number of entries; a page is shorter if it would exceed [`PAGE_BYTES`]. `shown`: converts an
/// entry; `None` omits it.
fn page<T, S: Serialize>(
    all: &[T],
    cursor: Option<&str>,
    size: usize,
    shown: impl Fn(&T) -> Option<S>,
) -> Result<(Vec<S>, Option<String>)> {
    let begin: usize = match cursor {
        None => 0,
        Some(text) => text
            .parse()
            .map_err(|_| ErrorData::invalid_params(UNKNOWN_CURSOR, None))?,
    };
    let (mut page, mut bytes, mut end) = (Vec::new(), 0, begin);
    for entry in all.get(begin..).unwrap_or_default().iter().take(size) {
        if let Some(shown) = shown(entry) {
            bytes += json_size(&shown);
            if bytes > PAGE_BYTES && !page.is_empty() {
                break;
            }
            page.push(shown);
        }
        end += 1;
    }
    Ok((page, (end < all.len()).then(|| end.to_string())))
}

fn mime(path: &Path) -> &'static str {
    let extension = path.extension().and_then(|extension| extension.to_str());
    match extension.map(str::to_ascii_lowercase).as_deref() {
        Some("md" | "markdown") => "text/markdown",
        Some("json") => "application/json",
        Some("html" | "htm") => "text/html",
        Some("csv") => "text/csv",
        Some("css") => "text/css",
        Some("js" | "mjs") => "text/javascript",
        Some("xml") => "text/xml",
        Some("yaml" | "yml") => "application/yaml",
        Some("toml") => "application/toml",
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("gif") => "image/gif",
        Some("svg") => "image/svg+xml",
        Some("webp") => "image/webp",
        Some("pdf") => "application/pdf",
        Some("zip") => "application/zip",
        Some("py" | "rs" | "sh" | "ts" | "txt" | "go" | "rb" | "c" | "h") => "text/plain",
        _ => "application/octet-stream",
    }
}
