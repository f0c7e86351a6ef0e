"""Signals, threads and forks, and the program that runs in this interpreter."""

from __future__ import annotations

import importlib.metadata
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import skillc
from conftest import SKC, skc, write_skill

#: The maximum time for a process to end after Ctrl-C, in seconds.
ENDING = 8

unix_only = pytest.mark.skipif(os.name == "nt", reason="signals and forks of Unix")


def many(folder: Path, count: int) -> Path:
    for number in range(count):
        write_skill(folder / f"skill-{number}")
    return folder


def test_versions_agree(home: Path) -> None:
    version = importlib.metadata.version("skillc")
    assert skillc.__version__ == version
    assert skc("--version").stdout == f"skc {version}\n"
    module = subprocess.run([sys.executable, "-m", "skillc", "--version"], capture_output=True, text=True)
    assert module.stdout == f"skc {version}\n"


def test_the_program_passes_on_arguments_streams_and_status(skills: Path) -> None:
    good, bad, wrong = skc("lint", "skills/good"), skc("lint", "skills/bad"), skc("lint", "--no-such-option")
    assert (good.returncode, bad.returncode, wrong.returncode) == (0, 1, 1)
    assert "0 errors" in good.stdout and "SKL101" in bad.stderr and wrong.stderr
    piped = skc("lint", "--stdin", "--stdin-filename", "skills/good/SKILL.md", input="# x\n")
    assert piped.returncode == 1, piped


def test_a_client_gets_the_program_of_this_environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another version of skc may be the first in PATH."""
    other = Path.cwd() / "other"
    other.mkdir()
    (other / SKC.name).write_text("#!/bin/sh\necho 'skc 0.0.1'\n")
    (other / SKC.name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{other}{os.pathsep}{os.environ['PATH']}")
    done = skc("mcp", "install", "--client", "cursor", "--dry-run")
    assert done.returncode == 0, done
    assert str(SKC) in done.stdout


@unix_only
def test_ctrl_c_ends_a_call(home: Path) -> None:
    many(Path("skills"), 300)
    code = (
        "import skillc\nprint('started', flush=True)\n"
        "try:\n    while True: skillc.lint('skills')\n"
        "except KeyboardInterrupt:\n    print('interrupted', flush=True)\n"
        "print(len(skillc.lint_report('skills/skill-1')))\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout and child.stdout.readline() == "started\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=ENDING)
    assert out == "interrupted\n1\n"


@unix_only
def test_ctrl_c_ends_the_program(home: Path) -> None:
    write_skill(Path("skill"))
    child = subprocess.Popen([SKC, "lint", "skill", "--watch"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1)
    assert child.poll() is None
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=ENDING)
    # The status of the last run, or of an interrupted run. A Python traceback would exit with 1.
    assert child.returncode in (0, 130, -signal.SIGINT)


def test_other_threads_run_during_a_call(home: Path) -> None:
    skills = many(Path("skills"), 300)
    counts = [0]
    done = threading.Event()

    def count() -> None:
        while not done.is_set():
            counts[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before = counts[0]
    skillc.lint(skills)
    during = counts[0] - before
    done.set()
    thread.join()
    assert during > 5, during


def test_calls_of_several_threads_do_not_disturb_each_other(skills: Path) -> None:
    expected = skillc.lint(skills)
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: skillc.lint(skills), range(64)))
    assert all(result == expected for result in results)


@unix_only
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_can_call_too(skills: Path) -> None:
    many(Path("many"), 50)
    expected = len(skillc.lint_report("many"))
    child = os.fork()
    if child == 0:
        reports = [len(skillc.lint_report("many")) for _ in range(2)]
        # Exit here, so that pytest does not continue in the child process.
        os._exit(0 if reports == [expected, expected] else 1)
    for _ in range(200):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        time.sleep(0.1)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        pytest.fail("the forked process does not end")
    assert os.waitstatus_to_exitcode(status) == 0
