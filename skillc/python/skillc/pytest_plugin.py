"""A plug-in of pytest: ``pytest --skills=PATH`` lints each skill below a folder as a test.

A test fails if its skill has an error, and with ``--skills-strict`` also if it has a warning.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, List, Optional, Tuple, Union

import pytest

from ._types import SkillReport


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
    """Adds a test for each skill; before the hooks that deselect tests."""
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
        raise pytest.UsageError(f"--skills: {problem}") from None
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
        item: SkillItem = cls.from_parent(
            session, name=report["skill"], nodeid=f"{shown}::skill", path=folder / "SKILL.md"
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
        return lines + [failure] if failure else lines

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, SkillFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> Tuple[Union["Path", str], Optional[int], str]:
        return self.path, None, f"skill {self.name}"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "skill: the test of a skill, added by --skills")
