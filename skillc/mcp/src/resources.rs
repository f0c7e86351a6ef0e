//! Skills as resources: their files, one by one, and as the Skills extension has them, with digests and directories.
//!
//! Everything here runs on a blocking thread and only reads.
//!
//! Source: CATALOG 3.7, 3.9 and part 4 (SEP-2640), RULINGS R20.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{
    DIRECTORY_MIME_TYPE, ErrorData, GetSkillResult, ListResourceTemplatesResult,
    ListResourcesResult, ListSkillsResult, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate, Skill, SkillFrontmatter, SkillResource, SkillResources,
};
use serde_json::json;
use skillc_core::layout::SKILL_FILE;
use skillc_core::source::frontmatter::to_json;
use skillc_core::{Error, RelPath, SourceFile, SourceTree};
use skillc_ops::Toolkit;

use crate::shelf::{Address, Digests, Shelved, find, skills};

/// How many entries a page of a list has.
const PAGE: usize = 100;

/// How many skills a page with digests has: each may have a manifest of hundreds of files.
const SKILLS_PAGE: usize = 20;

/// The largest file that is sent, in bytes.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// The most files of a skill with digests. Source: CATALOG part 4.
const MAX_SKILL_FILES: usize = 2000;

/// The most bytes of a skill with digests. Source: CATALOG part 4.
const MAX_SKILL_BYTES: u64 = 64 << 20;

/// What is said of a cursor that was not given out.
pub(crate) const UNKNOWN_CURSOR: &str = "the cursor is none that was given out";

/// The form of all addresses.
pub(crate) const TEMPLATE: &str = "skill://{id}/{name}/{+path}";

type Result<T> = std::result::Result<T, ErrorData>;

/// Lists the `SKILL.md` of every skill.
pub(crate) fn list(toolkit: &Toolkit, cursor: Option<&str>) -> Result<ListResourcesResult> {
    let skills = skills(toolkit);
    let (page, next) = page(&skills, cursor, PAGE)?;
    let mut result = ListResourcesResult::with_all_items(page.iter().map(resource).collect());
    result.next_cursor = next;
    Ok(result)
}

fn resource(skill: &Shelved) -> Resource {
    let main = skill.at.canonical.join(SKILL_FILE);
    let mut resource = Resource::new(skill.main(), skill.name.clone()).with_mime_type(mime(&main));
    resource.description.clone_from(&skill.description);
    resource.size = main.metadata().ok().map(|found| found.len());
    resource
}

/// Returns the form of all addresses.
pub(crate) fn templates() -> ListResourceTemplatesResult {
    let template = ResourceTemplate::new(TEMPLATE, "skill-file")
        .with_title("A file of a skill")
        .with_description("Any file of a listed skill, by its path below the skill's folder");
    ListResourceTemplatesResult::with_all_items(vec![template])
}

/// Reads a file of a skill: its exact bytes, as text if they are UTF-8.
pub(crate) fn read(toolkit: &Toolkit, uri: &str) -> Result<ReadResourceResult> {
    let (skill, address) = look_up(toolkit, uri)?;
    let full = skill
        .locate(&address.path)
        .map_err(|e| not_found(uri, &e))?;
    if !full.is_file() {
        let path = address.path.to_string();
        return Err(not_found(uri, &Error::FileNotFound { path }));
    }
    let bytes = bytes(&full).map_err(|e| internal(&Error::io("reading", &full, &e)))?;
    let Some(bytes) = bytes else {
        let message = format!("'{uri}' is larger than {MAX_FILE_BYTES} bytes");
        return Err(ErrorData::invalid_params(message, None));
    };
    let mime_type = Some(mime(&full).to_owned());
    let contents = match String::from_utf8(bytes) {
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

/// Returns a file's content; `None` if it is too large.
fn bytes(full: &Path) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let file = File::open(full)?;
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= MAX_FILE_BYTES).then_some(bytes))
}

/// Lists what is directly in a directory of a skill; an address ends with or without a slash.
pub(crate) fn directory(
    toolkit: &Toolkit,
    uri: &str,
    cursor: Option<&str>,
) -> Result<ListResourcesResult> {
    let refuse = || ErrorData::invalid_params(format!("'{uri}' is no directory of a skill"), None);
    let (skill, address) = look_up(toolkit, uri).map_err(|_| refuse())?;
    let tree = tree(&skill)?;
    let entries = children(&skill, &tree, &address.path);
    if entries.is_empty() {
        return Err(refuse());
    }
    let (page, next) = page(&entries, cursor, PAGE)?;
    let mut result = ListResourcesResult::with_all_items(page.to_vec());
    result.next_cursor = next;
    Ok(result)
}

/// Returns the entries of a directory, sorted bytewise by name.
fn children(skill: &Shelved, tree: &SourceTree, dir: &RelPath) -> Vec<Resource> {
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
        let resource = Resource::new(skill.address(&path), name);
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

/// Lists skills with all their files and digests. One that the extension has no form for is left out: without a
/// description, with a name that the standard does not allow, or too large.
pub(crate) fn list_skills(
    toolkit: &Toolkit,
    digests: &Digests,
    cursor: Option<&str>,
) -> Result<ListSkillsResult> {
    let skills = skills(toolkit);
    let (page, next) = page(&skills, cursor, SKILLS_PAGE)?;
    let shown = page
        .iter()
        .filter_map(|skill| manifest(toolkit, digests, skill).ok());
    let mut result = ListSkillsResult::with_all_items(shown.collect());
    result.next_cursor = next;
    Ok(result)
}

/// Returns one skill, by the address of its `SKILL.md`.
pub(crate) fn get_skill(toolkit: &Toolkit, digests: &Digests, uri: &str) -> Result<GetSkillResult> {
    let refuse = |reason: &str| ErrorData::invalid_params(format!("'{uri}': {reason}"), None);
    let found = look_up(toolkit, uri).ok().map(|(skill, _)| skill);
    let skill = found.filter(|skill| skill.main() == uri);
    let skill =
        skill.ok_or_else(|| refuse("not the SKILL.md of a skill; skills/list has them all"))?;
    manifest(toolkit, digests, &skill)
        .map(GetSkillResult::new)
        .map_err(|reason| refuse(&reason))
}

/// Makes a skill's entry; an error says why it has none.
fn manifest(
    toolkit: &Toolkit,
    digests: &Digests,
    skill: &Shelved,
) -> std::result::Result<Skill, String> {
    let description = skill.description.clone().ok_or("it has no description")?;
    if !skill.has_standard_name() {
        return Err(format!("'{}' is no name for a skill", skill.name));
    }
    let words = |error: Error| error.message();
    let tree = SourceTree::read(&skill.at.canonical).map_err(words)?;
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
        if let Some((sha, size)) = digests.of(&tree.root, entry, now_ns).map_err(words)? {
            let uri = skill.address(&entry.path);
            files.push(SkillResource::new(uri, format!("sha256:{sha}"), size));
        }
    }
    let mut frontmatter = SkillFrontmatter::new(skill.name.clone(), description);
    frontmatter.extra = extra(&tree.root).unwrap_or_default();
    let files = SkillResources::Files(files);
    let entry = Skill::new(skill.main(), frontmatter, files);
    // One that has just lost its SKILL.md would spoil the whole list.
    entry.validate().map_err(|error| error.to_string())?;
    Ok(entry)
}

/// Returns the frontmatter's fields beside name and description, as they were written.
fn extra(root: &Path) -> Option<serde_json::Map<String, serde_json::Value>> {
    let main = RelPath::parse(SKILL_FILE).ok()?;
    let file = SourceFile::read(root, &main).ok()??;
    let mut fields = to_json(&file.text())?;
    fields.remove("name");
    fields.remove("description");
    Some(fields)
}

fn tree(skill: &Shelved) -> Result<SourceTree> {
    SourceTree::read(&skill.at.canonical).map_err(|e| internal(&e))
}

/// Finds the skill of an address.
fn look_up(toolkit: &Toolkit, uri: &str) -> Result<(Shelved, Address)> {
    let no_resource = || {
        let message = format!("there is no resource '{uri}'; resources/list has them all");
        ErrorData::resource_not_found(message, Some(json!({ "uri": uri })))
    };
    let address = Address::parse(uri).ok_or_else(no_resource)?;
    let skill = find(toolkit, &address).ok_or_else(no_resource)?;
    Ok((skill, address))
}

fn not_found(uri: &str, error: &Error) -> ErrorData {
    let which = json!({ "uri": uri });
    ErrorData::resource_not_found(format!("'{uri}': {error}"), Some(which))
}

fn internal(error: &Error) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

/// Returns the entries of a page and where the next begins. A cursor is the number of entries before it.
fn page<'a, T>(
    all: &'a [T],
    cursor: Option<&str>,
    size: usize,
) -> Result<(&'a [T], Option<String>)> {
    let begin = match cursor {
        None => 0,
        Some(text) => text
            .parse()
            .map_err(|_| ErrorData::invalid_params(UNKNOWN_CURSOR, None))?,
    };
    let rest = all.get(begin..).unwrap_or_default();
    let page = &rest[..rest.len().min(size)];
    let end = begin.saturating_add(page.len());
    Ok((page, (end < all.len()).then(|| end.to_string())))
}

/// Returns the type of a file by its name.
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
