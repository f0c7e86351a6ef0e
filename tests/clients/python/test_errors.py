"""Error messages of the tools: the same as on the command line, once, as a result that a model can read."""

from typing import Any

import pytest
from mcp import MCPError

from calls import call, refused, value
from servers import Way
from world import World

# A tool, its arguments, the equivalent command line, and the beginning of the message.
FAILURES: list[tuple[str, dict[str, Any], list[str], str]] = [
    ("skc_outline", {"skill": "nobody"}, ["outline", "nobody"], "error[E001]: skill 'nobody' not found"),
    ("skc_show", {"skill": "nobody", "section": "x"}, ["show", "nobody", "--section", "x"], "error[E001]"),
    ("skc_open", {"skill": "nobody", "path": "x"}, ["open", "nobody", "x"], "error[E001]"),
    ("skc_sources", {"skill": "nobody"}, ["sources", "nobody"], "error[E001]"),
    ("skc_search", {"skill": "nobody", "query": "x"}, ["search", "nobody", "x"], "error[E001]"),
    ("skc_stats", {"skill": "nobody"}, ["stats", "nobody"], "error[E001]"),
    ("skc_lint", {"skill": "nobody"}, ["lint", "nobody"], "error[E001]"),
    ("skc_build", {"skill": "nobody"}, ["build", "nobody"], "error[E001]"),
    ("skc_outline", {"skill": ".."}, ["outline", ".."], "error[E"),
    ("skc_outline", {"skill": "hollow"}, ["outline", "hollow"], "error[E010]: not a valid skill: "),
    ("skc_build", {"skill": "broken"}, ["build", "broken"], "error[E011]: missing frontmatter field 'name'"),
    ("skc_search", {"skill": "draft", "query": "x"}, ["search", "draft", "x"], "error[E002]: search index unusable"),
    ("skc_show", {"skill": "draft", "section": "Use"}, ["show", "draft", "--section", "Use"], "error[E002]"),
    ("skc_search", {"skill": "atlas", "query": " \t"}, ["search", "atlas", " \t"], "error[E004]: empty query"),
    ("skc_search", {"skill": "atlas", "query": ""}, ["search", "atlas", ""], "error[E004]: empty query"),
    (
        "skc_show",
        {"skill": "atlas", "section": "Lake"},
        ["show", "atlas", "--section", "Lake"],
        "error[E020]: section not found: 'Lake'\n\nDid you mean one of these?\n  - Lakes (SKILL.md)\n",
    ),
    (
        "skc_show",
        {"skill": "atlas", "section": "Lakes", "file": "references/rivers.md"},
        ["show", "atlas", "--section", "Lakes", "--file", "references/rivers.md"],
        "error[E020]: section not found: 'Lakes'",
    ),
    (
        "skc_open",
        {"skill": "atlas", "path": "no.md"},
        ["open", "atlas", "no.md"],
        "error[E021]: file not found: 'no.md'",
    ),
    ("skc_open", {"skill": "atlas", "path": "assets"}, ["open", "atlas", "assets"], "error[E021]"),
    (
        "skc_open",
        {"skill": "atlas", "path": "../draft/SKILL.md"},
        ["open", "atlas", "../draft/SKILL.md"],
        "error[E012]: path escapes skill root: '../draft/SKILL.md'",
    ),
    ("skc_open", {"skill": "atlas", "path": "/etc/hostname"}, ["open", "atlas", "/etc/hostname"], "error[E012]"),
    ("skc_open", {"skill": "linked", "path": "out.md"}, ["open", "linked", "out.md"], "error[E012]"),
    ("skc_sources", {"skill": "atlas", "dir": "no"}, ["sources", "atlas", "--dir", "no"], "error[E022]"),
    ("skc_sources", {"skill": "atlas", "dir": "../.."}, ["sources", "atlas", "--dir", "../.."], "error[E012]"),
    (
        "skc_stats",
        {"skill": "atlas", "group_by": "no"},
        ["stats", "atlas", "--group-by", "no"],
        "error[E030]: invalid query type: 'no'",
    ),
    ("skc_stats", {"skill": "atlas", "since": "soon"}, ["stats", "atlas", "--since", "soon"], "error[E031]"),
    ("skc_build", {"skill": "linked"}, ["build", "linked"], "error[E012]"),
    ("skc_init", {"name": "atlas"}, ["init", "atlas"], "error[E050]: skill 'atlas' already exists"),
    ("skc_list", {"pattern": "["}, ["list", "--pattern", "["], "error[E100]: invalid option: 'invalid glob"),
]

# A tool, invalid arguments, and the name of the argument with which the message must begin.
MISFITS: list[tuple[str, dict[str, Any], str]] = [
    ("skc_search", {"skill": "atlas", "query": "x", "limits": 3}, "limits"),
    ("skc_outline", {"skill": "atlas", "format": "json"}, "format"),
    ("skc_list", {"skill": "atlas"}, "skill"),
    ("skc_init", {"nmae": "x"}, "nmae"),
    ("skc_build", {"skill": "atlas", "dry_run": True}, "dry_run"),
    ("skc_outline", {}, "skill"),
    ("skc_show", {"skill": "atlas"}, "section"),
    ("skc_open", {"skill": "atlas"}, "path"),
    ("skc_search", {"skill": "atlas"}, "query"),
    ("skc_stats", {}, "skill"),
    ("skc_lint", {}, "skill"),
    ("skc_build", {}, "skill"),
    ("skc_outline", {"skill": 7}, "skill"),
    ("skc_outline", {"skill": None}, "skill"),
    ("skc_search", {"skill": "atlas", "query": ["x"]}, "query"),
    ("skc_search", {"skill": "atlas", "query": "x", "limit": "ten"}, "limit"),
    ("skc_search", {"skill": "atlas", "query": "x", "limit": -1}, "limit"),
    ("skc_search", {"skill": "atlas", "query": "x", "limit": 1.5}, "limit"),
    ("skc_outline", {"skill": "atlas", "level": 0}, "level"),
    ("skc_outline", {"skill": "atlas", "level": 7}, "level"),
    ("skc_sources", {"skill": "atlas", "depth": 0}, "depth"),
    ("skc_list", {"scope": "nowhere"}, "scope"),
    ("skc_list", {"status": "broken"}, "status"),
    ("skc_list", {"check_obsolete": "yes"}, "check_obsolete"),
    ("skc_build", {"skill": "atlas", "copy": 1}, "copy"),
    ("skc_build", {"skill": "atlas", "target": [1]}, "target.0"),
    ("skc_lint", {"skill": "atlas", "select": {"SKL1": True}}, "select"),
    ("skc_stats", {"skill": "atlas", "prune": True}, "prune"),
]


def named(failure: tuple[Any, ...]) -> str:
    return f"{failure[0]}-{failure[-1][:24]}"


@pytest.mark.parametrize("failure", FAILURES, ids=named)
async def test_a_failure_is_a_result_with_the_words_of_the_command_line(
    way: Way, world: World, failure: tuple[str, dict[str, Any], list[str], str]
) -> None:
    """C-MCP-SERVER.6. On the command line a hint may follow, for example for a mistyped name."""
    tool, arguments, line, beginning = failure
    async with way.connect() as client:
        said = await refused(client, tool, **arguments)
        assert value(await call(client, "skc_outline", skill="atlas"))
    assert said.startswith(beginning)
    assert world.failure(*line).startswith(said.rstrip("\n"))


@pytest.mark.parametrize("misfit", MISFITS, ids=lambda misfit: f"{misfit[0]}-{misfit[2]}")
async def test_an_argument_that_does_not_fit_is_named(way: Way, misfit: tuple[str, dict[str, Any], str]) -> None:
    """C-MCP-SERVER.6."""
    tool, arguments, name = misfit
    async with way.connect() as client:
        said = await refused(client, tool, **arguments)
        assert value(await call(client, "skc_outline", skill="atlas"))
    assert said.startswith(f"error[E100]: invalid option: '{name}: "), said


@pytest.mark.parametrize("name", ["skc_nothing", "outline", "", "SKC_OUTLINE", "skc_sync"])
async def test_a_tool_that_is_not_there_is_an_error_of_the_protocol(way: Way, name: str) -> None:
    """C-MCP-SERVER.6."""
    async with way.connect() as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool(name, {})
        assert caught.value.error.code == -32602
        assert value(await call(client, "skc_outline", skill="atlas"))
