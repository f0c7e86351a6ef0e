"""Types of results. Generated from the code. To update them, run

UPDATE_DOCS=1 cargo test -p skillc-tests --test interface
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict


class _SkillReport(TypedDict):
    # Findings: those of SKILL.md first, then by file and line
    diagnostics: List[LintFinding]
    # Number of findings with severity error
    error_count: int
    # Skill's directory
    path: str
    # Skill's directory name
    skill: str
    # Number of findings with severity warning
    warning_count: int


class SkillReport(_SkillReport, total=False):
    """The findings of one skill."""

    # Why the skill could not be read, or its fixes not be written
    failure: Optional[str]
    # Present and true if the skill is build output: at most the security rules check it
    skipped: bool


class _LintFinding(TypedDict):
    # E300 or W300
    code: str
    # The column in characters, from 1
    column: int
    # The file, relative to the skill's root; SKILL.md if the finding is about the skill as a whole
    file: str
    # The line, from 1
    line: int
    # The message
    message: str
    # The rule's name
    name: str
    # The rule's code
    rule: str
    # How much the finding matters
    severity: Literal["error", "warning"]


class LintFinding(_LintFinding, total=False):
    """A finding."""

    # Whether skc lint can fix the finding, and how safely
    fixable: Literal["safe", "unsafe"]


_ScanResponseKeywords = TypedDict("_ScanResponseKeywords", {"pass": "int"})


class _ScanResponse(_ScanResponseKeywords):
    block: int
    review: int
    skills: List[ScannedSkill]


class ScanResponse(_ScanResponse, total=False):
    """The findings of each skill, with its verdict, and how many skills have each verdict."""

    unchanged: List[Dict[str, Any]]


class _ScannedSkill(TypedDict):
    # Findings: those of SKILL.md first, then by file and line
    diagnostics: List[LintFinding]
    # Number of findings with severity error
    error_count: int
    # Skill's directory
    path: str
    # Skill's directory name
    skill: str
    # Pass, review or block
    verdict: Literal["pass", "review", "block"]
    # Number of findings with severity warning
    warning_count: int


class ScannedSkill(_ScannedSkill, total=False):
    """The findings of one skill, with its verdict."""

    # Why the skill could not be read, or its fixes not be written
    failure: Optional[str]
    # If the skill passed: a hash of all that the verdict depends on
    hash: Optional[str]
    # Present and true if the skill is build output: at most the security rules check it
    skipped: bool


class _BuildResponse(TypedDict):
    # Where the stub was deployed, in the requested order
    deploys: List[Deployment]
    # Runtime directory
    runtime: str
    # Scope of its runtime directory
    scope: Literal["project", "global"]
    # Skill's directory name
    skill: str
    # Source directory
    source: str
    # Always true
    success: bool


class BuildResponse(_BuildResponse, total=False):
    """What was built, and where it was deployed."""

    # The project's .gitignore, if this build created it
    gitignore: Optional[str]
    # Directory that was imported
    imported_from: Optional[str]
    # Present and true if the skill is not in a store and was indexed where it is
    in_place: bool
    # Unedited copies for other clients that were refreshed
    updated: List[str]
    # The folder with the skill's source
    root: str


class Deployment(TypedDict):
    """A skill in an agent's directory."""

    # How it was deployed
    method: Literal["symlink", "junction", "copy"]
    # Where the agent finds the skill
    path: str
    # Target, as requested
    target: str


class OutlineEntry(TypedDict):
    """A heading."""

    # File, relative to the skill's root
    file: str
    # Heading text
    heading: str
    # Heading level, from 1 to 6
    level: int
    # Line of the heading, from 1
    line: int


class _SearchResponse(TypedDict):
    # Query as given
    query: str
    # Sections, best first
    results: List[SearchResult]


class SearchResponse(_SearchResponse, total=False):
    """Search results."""

    # Skills that were skipped: not built, or changed since
    not_searched: List[str]
    # Words without matches, if there are no results
    unmatched: List[Dict[str, Any]]
    # The folder with the skill's source
    root: str


class _SearchResult(TypedDict):
    # File, relative to the skill's root
    file: str
    # Call that returns the section
    read: Dict[str, Any]
    # Higher is better: BM25, or by rank if several skills were searched
    score: float
    # Heading; empty for a whole file or text before the first heading
    section: str
    # Excerpt with matches between `[MATCH]` and `[/MATCH]`
    snippet: str


class SearchResult(_SearchResult, total=False):
    """A section that matches."""

    # Enclosing headings, outermost first
    above: List[str]
    # Line after the section
    end_line: Optional[int]
    # Skill, if several were searched
    skill: Optional[str]
    # First line of the section, from 1
    start_line: Optional[int]


class _ShowResponse(TypedDict):
    # Content of the file
    content: str
    # Encoding of `content`
    encoding: Literal["utf-8", "base64"]
    # Line after the section
    end_line: int
    # File, relative to the skill's root
    file: str
    # Number of lines omitted at the end
    more_lines: int
    # Heading as written in the file; empty for text outside headed sections
    section: str
    # First line, from 1
    start_line: int


class ShowResponse(_ShowResponse, total=False):
    """A section."""

    # The folder with the skill's source
    root: str


class _SkillCatalog(TypedDict):
    # Files and directories that could not be read, sorted by path; at most 1000
    errors: List[SkillLoadError]
    # The skills, sorted by scope, name and path
    skills: List[SkillMetadata]
    # Whether the limit on depth or on folders was reached
    truncated: bool


class SkillCatalog(_SkillCatalog, total=False):
    """The catalog in its output form. It includes disabled skills, which are marked as disabled."""

    # How many errors there are, if not all are listed
    error_count: Optional[int]


class SkillLoadError(TypedDict):
    """An invalid `SKILL.md`, or a directory that cannot be listed."""

    # What is wrong with the file or directory, in one line
    message: str
    # The file or directory
    path: str


class _SkillMetadata(TypedDict):
    # What the skill does, and when to use it
    description: str
    # The skill's directory, canonical and absolute
    dir: str
    # Whether the skill is enabled in the configuration
    enabled: bool
    # The first 16 hex digits of the hash of the path
    id: str
    # When SKILL.md was changed, in milliseconds since 1970
    mtime_ms: int
    # The skill's name
    name: str
    # The kind of directory in which the skill was found
    origin: str
    # The skill's SKILL.md, canonical and absolute
    path: str
    # Where the skill applies: in the project, or for the user
    scope: Literal["repo", "user"]


class SkillMetadata(_SkillMetadata, total=False):
    """A skill that was found."""

    # Whether the skill is build output of another skill
    compiled: bool
    # Restriction set by disable-model-invocation or user-invocable, if any
    invocation: Literal["anyone", "person", "model", "nobody"]


class Loaded(TypedDict):
    """A loaded skill."""

    # Whether this run already has the skill; content is then only a reminder
    already_loaded: bool
    # Whether SKILL.md was truncated
    body_truncated: bool
    # The text for the agent
    content: str
    # The skill's directory
    dir: str
    # The skill's other files, sorted; none with a reminder
    files: List[str]
    # Whether there are more files
    files_truncated: bool
    # When SKILL.md was changed, in milliseconds since 1970
    mtime_ms: int
    # The skill's name
    name: str
    # The skill's SKILL.md
    path: str
    # A reference to SKILL.md, valid as long as the skill exists
    ref: str
    # The folder with the skill's files; for a stub, the folder of its source
    root: str
    # The handle of the run; pass it with the next load
    run: str
    # The first 16 hex digits of the hash of the path
    skill_id: str


class SearchResults(TypedDict):
    """The results of a search."""

    # Whether the first result fits well; if not, probably no skill does
    confident: bool
    # How many results are returned
    count: int
    # The query, truncated if it is long
    query: str
    # The skills that match, best first
    results: List[Hit]
    # Whether more skills matched
    truncated: bool


class Hit(TypedDict):
    """A skill that matches."""

    # What the skill is for, and when to use it
    description: str
    # The first 16 hex digits of the hash of the path
    id: str
    # The skill's name
    name: str
    # The skill's SKILL.md
    path: str
    # Why the skill matches
    reason: Literal["exact_path", "exact_name", "prefix", "token_overlap", "similar_meaning"]
    # Where the skill applies: in the project, or for the user
    scope: Literal["repo", "user"]
    # How well the skill matches
    score: int


class RegistrySyncResponse(TypedDict):
    """Result of a sync."""

    # Database; null if there is none, or only in memory
    db: Optional[str]
    # Valid skills found
    loaded: int
    # Rows removed because no skill has their name any more
    pruned: int
    # Valid skills without a row because another one of the same name has it
    shadowed: int
    # Invalid or unreadable files
    skipped: int
    # All SKILL.md files found: loaded and skipped
    total_on_disk: int


__all__ = [
    "BuildResponse",
    "Deployment",
    "Hit",
    "LintFinding",
    "Loaded",
    "OutlineEntry",
    "RegistrySyncResponse",
    "ScanResponse",
    "ScannedSkill",
    "SearchResponse",
    "SearchResult",
    "SearchResults",
    "ShowResponse",
    "SkillCatalog",
    "SkillLoadError",
    "SkillMetadata",
    "SkillReport",
]

# Fields of the requests, by operation.
REQUESTS: Dict[str, List[str]] = {
    "lint": ["client", "extend_select", "force", "ignore", "preset", "select", "skill"],
    "scan": ["skill", "strict"],
    "build": ["client", "copy", "force", "global", "in_place", "scope", "skill", "target"],
    "outline": ["level", "skill"],
    "search": ["file", "limit", "phrase", "query", "raw", "skill", "type"],
    "show": ["file", "line", "max_lines", "nth", "section", "skill"],
    "catalog list": ["cwd", "force_reload"],
    "catalog load": ["force", "name", "path", "run", "scope"],
    "catalog search": ["limit", "query", "scope"],
    "registry sync": ["db", "root"],
}
