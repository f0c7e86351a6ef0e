"""A plug-in of pytest: ``pytest --skills=PATH`` lints each skill below a folder as a test.

A test fails if its skill has an error, and with ``--skills-strict`` also if it has a warning.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, List, Optional, Tuple, Union

import pytest

from ._types import SkillReport

#: Characters that control a terminal, end a line, are invisible, or change the direction of text.
_UNSAFE = re.compile(
    "[\\x00-\\x1f\\x7f-\\x9f\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e"
    "\\u2060-\\u206f\\u3164\\ud800-\\udfff\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\U000e0000-\\U000e0fff]"
)


def _shown(text: str) -> str:
    """Escapes what a skill could use to forge output: names and messages are text of its author."""
    return _UNSAFE.sub(lambda found: ascii(found.group())[1:-1], text)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("skills", "Agent Skills")
    group.addoption(
        "--skills",
        action="append",
        nargs="?",
        const=".",
        metavar="PATH",
        help="lint each skill below PATH [default: .] as a test",
    )
    group.addoption("--skills-strict", action="store_true", help="fail for warnings, too")
    group.addoption("--skills-select", metavar="RULE,…", help="run only these rules")
    group.addoption("--skills-clients", metavar="ID,…", help="also check for these clients")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, items: List[pytest.Item]) -> None:
    """Adds a test for each skill. Runs before the hooks that deselect tests."""
    option = session.config.option
    if not option.skills:
        return
    from ._api import lint_report
    from ._errors import SkillcError

    directory = session.config.invocation_params.dir
    try:
        reports = lint_report(
            [str(directory / path) for path in option.skills],
            select=option.skills_select,
            clients=option.skills_clients,
        )
    except SkillcError as problem:
        raise pytest.UsageError(_shown(f"--skills: {problem}")) from None
    for report in reports:
        if not report.get("skipped"):
            items.append(SkillItem.of(session, report))


class SkillFailed(Exception):
    """A skill has findings that fail its test."""


class SkillItem(pytest.Item):
    """The test of one skill."""

    report: SkillReport

    @classmethod
    def of(cls, session: pytest.Session, report: SkillReport) -> SkillItem:
        folder = Path(report["path"])
        if not folder.is_absolute():
            folder = session.config.invocation_params.dir / folder
        try:
            shown = folder.relative_to(session.config.rootpath).as_posix()
        except ValueError:
            shown = folder.as_posix()
        if shown.lstrip().startswith(("::", "##")):
            # An output line begins with this path, and GitHub's runner would treat such a line as a command.
            shown = f"./{shown}"
        item: SkillItem = cls.from_parent(
            session,
            name=_shown(report["skill"]),
            nodeid=f"{_shown(shown)}::skill",
            path=folder / "SKILL.md",
        )
        item.report = report
        item.add_marker("skill")
        return item

    def runtest(self) -> None:
        report = self.report
        strict = self.config.option.skills_strict
        lines = "\n".join(self._lines())
        if report.get("failure") or report["error_count"] or strict and report["warning_count"]:
            raise SkillFailed(lines)
        if lines:
            self.add_report_section("call", "findings", lines)

    def _lines(self) -> List[str]:
        folder = self.path.parent
        lines = [
            f"{folder / found['file']}:{found['line']}:{found['column']}: "
            f"{found['severity']} {found['rule']} {found['message']}"
            for found in self.report["diagnostics"]
        ]
        failure = self.report.get("failure")
        return [_shown(line) for line in (lines + [failure] if failure else lines)]

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, SkillFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> Tuple[Union["Path", str], Optional[int], str]:
        return Path(_shown(str(self.path))), None, f"skill {self.name}"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "skill: the test of a skill, added by --skills")
