"""The functions of the package: each calls one operation of ``skc`` with a JSON request."""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from typing import Any, Iterable, List, Optional, Union, cast

from . import _skillc
from ._errors import InvalidOptionError, SkillcWarning, error
from ._types import (
    BuildResponse,
    LintFinding,
    Loaded,
    OutlineEntry,
    RegistrySyncResponse,
    ScanResponse,
    SearchResponse,
    SearchResults,
    ShowResponse,
    SkillCatalog,
    SkillReport,
)

StrPath = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Words = Union[str, Iterable[str], None]


class Finding(LintFinding):
    """A finding, with the skill that it is about."""

    # The skill's directory name
    skill: str
    # The skill's directory
    path: str


def lint(
    path: Union[StrPath, Iterable[StrPath]] = ".",
    *,
    select: Words = None,
    ignore: Words = None,
    extend_select: Words = None,
    preset: Optional[str] = None,
    clients: Words = None,
    force: bool = False,
) -> List[Finding]:
    """Checks skills against the lint rules, and returns all findings.

    ``path`` is a skill's name or folder, a folder of skills, a glob, or several of these. ``select``, ``ignore`` and
    ``extend_select`` are codes of rules, or their beginnings: ``"SKL3"``. ``clients`` also checks how these clients
    handle the skills; ``preset`` is the name of a preset of rules; with ``force``, compiled skills are linted too.

    If one of several skills cannot be read, it has a finding whose ``name`` is ``failure``. A ``path`` that does not
    exist raises :class:`SkillcError`.
    """
    reports = lint_report(
        path,
        select=select,
        ignore=ignore,
        extend_select=extend_select,
        preset=preset,
        clients=clients,
        force=force,
    )
    return [finding for report in reports for finding in _findings(report)]


def lint_report(
    path: Union[StrPath, Iterable[StrPath]] = ".",
    *,
    select: Words = None,
    ignore: Words = None,
    extend_select: Words = None,
    preset: Optional[str] = None,
    clients: Words = None,
    force: bool = False,
) -> List[SkillReport]:
    """Does the same as :func:`lint`, and returns a report for each skill, including those without findings."""
    paths = _paths(path)
    # A request without skills would check all skills of the project.
    if not paths:
        return []
    response = _call(
        "lint",
        skill=paths,
        select=_words(select),
        ignore=_words(ignore),
        extend_select=_words(extend_select),
        preset=preset,
        client=_words(clients),
        force=force,
    )
    return cast(List[SkillReport], response["skills"] if "skills" in response else [response])


def scan(path: Union[StrPath, Iterable[StrPath]] = ".") -> ScanResponse:
    """Looks for attacks in skills. The verdict on each is ``pass``, ``review`` or ``block``.

    ``path`` is as for :func:`lint`. A skill cannot suppress findings.
    """
    paths = _paths(path)
    if not paths:
        return {"skills": [], "block": 0, "review": 0, "pass": 0}
    return cast(ScanResponse, _call("scan", skill=paths))


def build(
    path: StrPath,
    *,
    target: Words = None,
    scope: Optional[str] = None,
    user: bool = False,
    in_place: bool = False,
    copy: bool = False,
    clients: Words = None,
    force: bool = False,
) -> BuildResponse:
    """Compiles a skill, and deploys it to agents.

    ``target`` names the agents, by default ``claude``. ``scope`` says whether the skill is deployed to the agent
    folders of the ``project`` or of the ``user``. With ``user=True``, the skill is compiled into the user's runtime
    directory; with ``in_place``, the skill is only indexed, where it is; with ``copy``, it is deployed as a copy
    instead of a symlink; with ``force``, an existing skill or folder is replaced. ``clients`` reports how these clients
    handle the stub.
    """
    response = _call(
        "build",
        skill=_text(path),
        target=_words(target),
        scope=scope,
        global_=user,
        in_place=in_place,
        copy=copy,
        client=_words(clients),
        force=force,
    )
    return cast(BuildResponse, response)


def search(
    path: StrPath,
    query: str,
    *,
    limit: int = 10,
    types: Words = None,
    file: Optional[str] = None,
    phrase: bool = False,
    raw: bool = False,
) -> SearchResponse:
    """Searches the sections of a built skill; best results first.

    ``path`` is a skill's name or folder; ``"*"`` or another glob searches several. ``types`` are extensions, and
    ``file`` is a glob: only these files are searched. With ``phrase``, the words must be next to each other; with
    ``raw``, the query is in the syntax of FTS5.
    """
    response = _call(
        "search",
        skill=_text(path),
        query=query,
        limit=limit,
        type=_words(types),
        file=file,
        phrase=phrase,
        raw=raw,
    )
    return cast(SearchResponse, response)


def outline(path: StrPath, *, level: Optional[int] = None) -> List[OutlineEntry]:
    """Returns the headings of a skill, down to a ``level`` from 1 to 6."""
    return cast(List[OutlineEntry], _call("outline", skill=_text(path), level=level))


def show(
    path: StrPath,
    section: Optional[str] = None,
    *,
    file: Optional[str] = None,
    nth: Optional[int] = None,
    line: Optional[int] = None,
    max_lines: Optional[int] = None,
) -> ShowResponse:
    """Returns one section of a built skill: by its heading, or by a ``line`` of a ``file``.

    ``section`` may be a path of headings: ``"Overview > Totals"``. ``nth`` selects one of several sections.
    """
    response = _call(
        "show",
        skill=_text(path),
        section=section,
        file=file,
        nth=nth,
        line=line,
        max_lines=max_lines,
    )
    return cast(ShowResponse, response)


def sync_registry(
    roots: Iterable[StrPath] = (), *, db: Optional[StrPath] = None
) -> RegistrySyncResponse:
    """Writes an index of skills, with their names and descriptions, into a SQLite file.

    ``roots`` are folders of skills, highest precedence first, by default those of the catalog; ``db`` is the file, by
    default the user's skill registry.
    """
    response = _call(
        "registry sync", root=[_text(root) for root in roots], db=None if db is None else _text(db)
    )
    return cast(RegistrySyncResponse, response)


class Catalog:
    """The skills that an agent can find in a directory, by default the working directory."""

    def __init__(self, directory: Optional[StrPath] = None) -> None:
        self._directory = None if directory is None else os.path.abspath(os.fsdecode(directory))

    def __repr__(self) -> str:
        return f"Catalog({self._directory or '.'!r})"

    def list(self) -> SkillCatalog:
        """Returns all skills, including disabled ones, and the files that are not valid skills."""
        return cast(SkillCatalog, self._call("catalog list"))

    def search(
        self, query: str, *, limit: Optional[int] = None, scope: Optional[str] = None
    ) -> SearchResults:
        """Returns the skills that fit a task; best first. ``scope``: ``project`` or ``user``."""
        response = self._call("catalog search", query=query, limit=limit, scope=scope)
        return cast(SearchResults, response)

    def load(
        self,
        name: Optional[str] = None,
        *,
        path: Optional[StrPath] = None,
        scope: Optional[str] = None,
        run: Optional[str] = None,
        force: bool = False,
    ) -> Loaded:
        """Loads a skill as an agent does, by its name or path: its text, and the list of its files.

        ``run`` is the handle from an earlier response: a text that this run already has is not sent again, except with
        ``force``. A skill that requires confirmation raises :class:`PermissionDeniedError`.
        """
        response = self._call(
            "catalog load",
            name=name,
            path=None if path is None else _text(path),
            scope=scope,
            run=run,
            force=force,
        )
        return cast(Loaded, response)

    def _call(self, operation: str, **request: Any) -> Any:
        return _call(operation, self._directory, **request)


def _call(operation: str, directory: Optional[str] = None, **request: Any) -> Any:
    """Calls an operation. Arguments that are None are left out; a keyword of Python ends with an underscore."""
    given = {name.rstrip("_"): value for name, value in request.items() if value is not None}
    try:
        text = json.dumps(given)
    except TypeError as problem:
        raise InvalidOptionError("E100", f"invalid argument: {problem}") from None
    answer = json.loads(_skillc.call(operation, text, directory))
    for warning in answer["warnings"]:
        warnings.warn(warning, SkillcWarning, stacklevel=_outside())
    if "error" in answer:
        raise error(**answer["error"]) from None
    response = answer["response"]
    if isinstance(response, dict) and "root" in answer:
        response.setdefault("root", answer["root"])
    return response


def _outside() -> int:
    """Returns the stack level of the caller of this module, for a warning in the calling function."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("skillc."):
        level, frame = level + 1, frame.f_back
    return level


def _text(path: StrPath) -> str:
    """Returns a path, or a name, as text. A path object is never a name."""
    text = os.fsdecode(path)
    if not isinstance(path, (str, bytes)) and not os.path.isabs(text):
        text = os.path.join(os.curdir, text)
    try:
        text.encode()
    except UnicodeEncodeError:
        shown = os.fsencode(text).decode(errors="backslashreplace")
        raise InvalidOptionError(
            "E100",
            f"path is not UTF-8: '{shown}'",
            "Rename it, or give the folder that contains it.",
        ) from None
    return text


def _paths(path: Union[StrPath, Iterable[StrPath]]) -> List[str]:
    if isinstance(path, (str, bytes, os.PathLike)):
        return [_text(path)]
    return [_text(one) for one in path]


def _words(words: Words) -> List[str]:
    if words is None:
        return []
    if isinstance(words, str):
        return [word.strip() for word in words.split(",") if word.strip()]
    return list(words)


def _findings(report: SkillReport) -> Iterable[Finding]:
    """Returns the findings of a report. If the skill could not be read, this failure is also a finding."""
    place = {"skill": report["skill"], "path": report["path"]}
    for finding in report["diagnostics"]:
        yield cast(Finding, {**finding, **place})
    failure = report.get("failure")
    if failure is not None:
        coded = re.match(r"error\[(\w+)\]: (.*)", failure, re.DOTALL)
        code, message = coded.groups() if coded else ("E999", failure)
        yield cast(
            Finding,
            {
                "rule": code,
                "name": "failure",
                "code": code,
                "severity": "error",
                "file": "SKILL.md",
                "line": 1,
                "column": 1,
                "message": message,
                **place,
            },
        )
