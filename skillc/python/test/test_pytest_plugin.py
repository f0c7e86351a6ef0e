"""The plug-in of pytest, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from conftest import write_skill


def run(*args: str) -> "tuple[int, str]":
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


def test_each_skill_is_a_test(skills: Path) -> None:
    status, out = run("--skills=skills", "-v")
    assert status == 1
    assert "skills/good::skill PASSED" in out and "skills/bad::skill FAILED" in out
    assert "1 failed, 1 passed" in out
    assert f"{skills / 'bad' / 'SKILL.md'}:1:1: error SKL101" in out


def test_tests_of_skills_can_be_selected(skills: Path) -> None:
    status, out = run("--skills=skills", "-k", "good")
    assert status == 0 and "1 passed, 1 deselected" in out
    status, out = run("--skills=skills", "--skills-select", "SKL3")
    assert status == 0 and "2 passed" in out


def test_other_tests_run_too(skills: Path) -> None:
    Path("test_it.py").write_text("def test_it(): pass\n")
    status, out = run("--skills=skills/good")
    assert status == 0 and "2 passed" in out
    status, out = run()
    assert status == 0 and "1 passed" in out


def test_warnings_fail_on_request_only(home: Path) -> None:
    write_skill(Path("skill"), body="See [this](missing.md).\n\n#### Deep")
    _, plain = run("--skills=skill", "--skills-select", "SKL2")
    status, strict = run("--skills=skill", "--skills-select", "SKL2", "--skills-strict")
    assert "1 passed" in plain
    assert status == 1 and "warning SKL205" in strict


def test_names_and_messages_cannot_forge_output(home: Path) -> None:
    folder = Path("evil\x1b[2K\n::error::forged\u202e")
    folder.mkdir()
    (folder / "SKILL.md").write_text("# No frontmatter\n")
    for option in ("-q", "-vv"):
        status, out = run("--skills=.", option)
        assert status == 1
        assert "\x1b" not in out and "\u202e" not in out and "\n::error::" not in out, ascii(out)
        assert r"evil\x1b[2K\n::error::forged\u202e" in out


def test_a_path_is_not_a_command_to_the_runner(home: Path) -> None:
    folder = Path("::error::forged")
    folder.mkdir()
    (folder / "SKILL.md").write_text("---\nname: other\n---\n\n# Other\n")
    _, out = run("--skills", "-v")
    lines = [line.strip() for line in out.splitlines()]
    assert any(line.startswith("./::error::forged") for line in lines), out
    assert not any(line.startswith("::") for line in lines), out



def test_a_missing_folder_is_an_error_of_the_command(home: Path) -> None:
    status, out = run("--skills=no-such-folder")
    assert status == 4 and "--skills:" in out and "no-such-folder" in out
