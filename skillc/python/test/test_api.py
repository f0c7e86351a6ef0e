"""The functions of the package, compared with the program."""

from __future__ import annotations

import inspect
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import skillc
from conftest import ATTACK, skc, write_skill
from skillc._types import REQUESTS

#: Arguments whose names differ from those in the request.
RENAMED = {"skill": "path", "client": "clients", "global": "user", "type": "types", "root": "roots"}

#: Options that affect only the program's exit status, or that a method offers in another form.
LEFT_OUT = {("scan", "strict"), ("catalog list", "cwd"), ("catalog list", "force_reload")}

FUNCTIONS = {
    "lint": skillc.lint,
    "scan": skillc.scan,
    "build": skillc.build,
    "outline": skillc.outline,
    "search": skillc.search,
    "show": skillc.show,
    "catalog list": skillc.Catalog.list,
    "catalog load": skillc.Catalog.load,
    "catalog search": skillc.Catalog.search,
    "registry sync": skillc.sync_registry,
}


def test_every_field_of_a_request_is_an_argument() -> None:
    assert REQUESTS.keys() == FUNCTIONS.keys()
    for operation, fields in REQUESTS.items():
        known = {RENAMED.get(field, field) for field in fields if (operation, field) not in LEFT_OUT}
        if operation.startswith("catalog"):
            known = {field for field in fields if (operation, field) not in LEFT_OUT}
        arguments = set(inspect.signature(FUNCTIONS[operation]).parameters) - {"self"}
        assert arguments == known, operation


def test_every_name_of_the_module_exists_and_is_documented() -> None:
    for name in skillc.__all__:
        assert name == "__version__" or inspect.getdoc(getattr(skillc, name)), name


def test_the_names_are_loaded_when_they_are_used(home: Path) -> None:
    code = """
import sys, skillc
assert "skillc._api" not in sys.modules
assert "lint" in dir(skillc) and callable(skillc.lint) and skillc.Catalog and skillc.__version__
from skillc import *
assert scan is skillc.scan
try:
    skillc.no_such_name
except AttributeError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "module 'skillc' has no attribute 'no_such_name'\n", done.stderr


def test_findings_are_those_of_the_program(skills: Path) -> None:
    findings = skillc.lint("skills")
    printed = json.loads(skc("lint", "skills", "-o", "json").stdout)
    expected = [
        {**finding, "skill": report["skill"], "path": report["path"]}
        for report in printed["skills"]
        for finding in report["diagnostics"]
    ]
    assert findings == expected
    assert "SKL101" in {finding["rule"] for finding in findings}
    assert {finding["skill"] for finding in findings} == {"bad"}


def test_paths_can_be_given_in_many_forms(skills: Path) -> None:
    expected = [finding["rule"] for finding in skillc.lint(str(skills))]
    forms = [skills, os.fsencode(skills), Path("skills"), [skills / "good", "skills/bad"], "skills/*"]
    for form in forms:
        assert [finding["rule"] for finding in skillc.lint(form)] == expected, form
    assert skillc.lint([]) == [] and skillc.scan(())["skills"] == []
    assert len(skillc.lint_report(iter([skills / "good", skills / "bad"]))) == 2


def test_a_path_object_is_not_a_name(skills: Path) -> None:
    write_skill(Path.cwd() / ".skillc" / "skills" / "stored")
    assert skillc.lint_report("stored")[0]["skill"] == "stored"
    with pytest.raises(skillc.SkillNotFoundError):
        skillc.lint_report(Path("stored"))


def test_rules_can_be_selected(skills: Path) -> None:
    bad = skills / "bad"
    assert [finding["rule"] for finding in skillc.lint(bad, select=["SKL101"])] == ["SKL101"]
    assert skillc.lint(bad, select="SKL101, SKL2", ignore="SKL101") == []
    write_skill(Path("fields"), "name: {}\ndescription: Says words. Use when needed.\ncontext: fork")
    clients = {finding["rule"] for finding in skillc.lint("fields", clients="codex")}
    others = {finding["rule"] for finding in skillc.lint("fields")}
    assert any(rule.startswith("CLT") for rule in clients - others), clients


def test_a_scan_gives_verdicts(home: Path) -> None:
    write_skill(Path("skills/bad"), body=ATTACK)
    write_skill(Path("skills/good"))
    response = skillc.scan("skills")
    assert {one["skill"]: one["verdict"] for one in response["skills"]}["good"] == "pass"
    assert (response["pass"], response["review"], response["block"]) == (1, 1, 0)


def test_a_skill_is_built_searched_and_read(home: Path) -> None:
    skill = write_skill(Path("skill"), body="Words.\n\n## Restore\n\nIt takes minutes.")
    built = skillc.build(skill, in_place=True)
    assert built["success"] and built["in_place"]
    results = skillc.search(skill, "minutes")["results"]
    assert results[0]["section"] == "Restore"
    assert [entry["heading"] for entry in skillc.outline(skill, level=2)] == ["skill", "Restore"]
    shown = skillc.show(skill, "restore")
    assert "It takes minutes." in shown["content"]
    assert shown["root"] == str(skill.resolve())
    (skill / "SKILL.md").write_text("---\nname: skill\ndescription: New.\n---\n\n# skill\n")
    with pytest.raises(skillc.IndexUnusableError):
        skillc.search(skill, "minutes")


def test_a_catalog_lists_finds_and_loads_skills(home: Path) -> None:
    write_skill(Path("project/.agents/skills/repo-review"), "name: {}\ndescription: Reviews pull requests.")
    (Path("project") / ".git").mkdir()
    catalog = skillc.Catalog("project")
    assert [skill["name"] for skill in catalog.list()["skills"]] == ["repo-review"]
    found = catalog.search("review a pull request", limit=1)
    assert found["count"] == 1 and found["results"][0]["name"] == "repo-review"
    loaded = catalog.load("repo-review")
    assert "Words." in loaded["content"] and not loaded["already_loaded"]
    write_skill(Path("project/.agents/skills/new-one"), "name: {}\ndescription: Writes release notes.")
    assert catalog.search("release notes")["results"][0]["name"] == "new-one", "the catalog is current"
    with pytest.raises(skillc.SkillNotFoundError) as refused:
        catalog.load("no-such-skill")
    assert refused.value.code == "E001"
    with pytest.raises(skillc.InvalidOptionError):
        skillc.Catalog("no-such-folder").list()


def test_an_index_of_skills_is_written_into_a_file(skills: Path) -> None:
    with pytest.warns(skillc.SkillcWarning, match="W061"):
        response = skillc.sync_registry([skills], db="index.db")
    assert (response["loaded"], response["skipped"]) == (1, 1)
    assert Path("index.db").is_file()


def test_errors_have_codes_and_hints(skills: Path) -> None:
    with pytest.raises(skillc.SkillNotFoundError) as missing:
        skillc.lint("skills/god")
    assert missing.value.code == "E001"
    assert missing.value.message in str(missing.value) and "[E001]" in str(missing.value)
    assert isinstance(missing.value, LookupError)
    for wrong in [{"preset": "no-such-preset"}, {"select": ["NO999"]}, {"clients": ["no-such-client"]}]:
        with pytest.raises(skillc.InvalidOptionError) as invalid:
            skillc.lint(skills, **wrong)
        assert "line 1" not in invalid.value.message
    with pytest.raises(skillc.InvalidOptionError):
        skillc.outline("skills/good", level=7)
    with pytest.raises(skillc.InvalidOptionError):
        skillc.outline("skills/good", level=object())  # type: ignore[arg-type]
    again = pickle.loads(pickle.dumps(missing.value))
    assert type(again) is skillc.SkillNotFoundError
    assert str(again) == str(missing.value)


@pytest.mark.skipif(os.name == "nt", reason="names are UTF-16")
def test_a_path_that_is_not_utf_8_is_an_error_that_says_so(home: Path) -> None:
    try:
        os.mkdir(b"caf\xe9")
    except OSError:
        pytest.skip("the file system refuses such names")
    for path in [b"caf\xe9", os.fsdecode(b"caf\xe9"), Path(os.fsdecode(b"caf\xe9"))]:
        with pytest.raises(skillc.InvalidOptionError, match=r"not UTF-8: '.*caf\\xe9'"):
            skillc.lint(path)
    with pytest.raises(skillc.SkillcError):
        skillc.lint("nul\0byte")


def test_warnings_are_python_warnings_of_the_calling_line(home: Path, skills: Path) -> None:
    (home / ".skillc").mkdir()
    (home / ".skillc" / "config.toml").write_text("[search]\ntokenizer = 'unknown'\n")
    with pytest.warns(skillc.SkillcWarning, match="W020") as caught:
        skillc.lint(skills / "good")
    assert caught[0].filename == __file__


def test_a_change_of_the_environment_takes_effect(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_skill(home / ".skillc" / "skills" / "mine")
    assert skillc.lint_report("mine")[0]["skill"] == "mine"
    monkeypatch.setenv("SKILLC_HOME", str(Path.cwd()))
    monkeypatch.setenv("HOME", str(Path.cwd()))
    with pytest.raises(skillc.SkillNotFoundError):
        skillc.lint("mine")
