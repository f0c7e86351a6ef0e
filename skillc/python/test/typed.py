"""A program that uses the package. It is checked by mypy, not run."""

from __future__ import annotations

from pathlib import Path

import skillc

findings: list[skillc.Finding] = skillc.lint(Path("skills"), select=["SKL3"], clients="codex,kiro")
lines: list[int] = [finding["line"] for finding in findings if finding["severity"] == "error"]
verdict: str = skillc.scan(["a", "b"])["skills"][0]["verdict"]
score: float = skillc.search("a", "words")["results"][0]["score"]
heading: str = skillc.outline("a", level=2)[0]["heading"]
text: str = skillc.show("a", "Usage")["content"]
name: str = skillc.Catalog("dir").search("task", limit=3)["results"][0]["name"]
body: str = skillc.Catalog().load("a")["content"]
try:
    skillc.build("a", target=["claude"])
except skillc.SkillNotFoundError as error:
    hint: str | None = error.hint
