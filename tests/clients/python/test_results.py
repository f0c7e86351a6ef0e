"""Results of the tools: the same as those of the command line, and valid for their schemas."""

import shutil
from typing import Any

import pytest

from calls import call, text_value, texts, value
from servers import Way
from world import World

# Tool, arguments, and the equivalent command line.
QUESTIONS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("skc_outline", {"skill": "atlas"}, ["outline", "atlas"]),
    ("skc_outline", {"skill": "atlas", "level": 1}, ["outline", "atlas", "--level", "1"]),
    ("skc_outline", {"skill": "draft"}, ["outline", "draft"]),
    ("skc_outline", {"skill": "roaming"}, ["outline", "roaming"]),
    ("skc_show", {"skill": "atlas", "section": "lakes"}, ["show", "atlas", "--section", "lakes"]),
    (
        "skc_show",
        {"skill": "atlas", "section": "Sources", "file": "references/rivers.md"},
        ["show", "atlas", "--section", "Sources", "--file", "references/rivers.md"],
    ),
    (
        "skc_show",
        {"skill": "atlas", "section": "Rivers", "max_lines": 2},
        ["show", "atlas", "--section", "Rivers", "--max-lines", "2"],
    ),
    ("skc_open", {"skill": "atlas", "path": "SKILL.md"}, ["open", "atlas", "SKILL.md"]),
    ("skc_open", {"skill": "atlas", "path": "references/åar.md"}, ["open", "atlas", "references/åar.md"]),
    ("skc_open", {"skill": "atlas", "path": "assets/pixel.png"}, ["open", "atlas", "assets/pixel.png"]),
    (
        "skc_open",
        {"skill": "atlas", "path": "SKILL.md", "max_lines": 3},
        ["open", "atlas", "SKILL.md", "--max-lines", "3"],
    ),
    ("skc_sources", {"skill": "atlas"}, ["sources", "atlas"]),
    ("skc_sources", {"skill": "atlas", "pattern": "*.md"}, ["sources", "atlas", "--pattern", "*.md"]),
    ("skc_sources", {"skill": "atlas", "dir": "references"}, ["sources", "atlas", "--dir", "references"]),
    ("skc_sources", {"skill": "atlas", "depth": 1, "limit": 2}, ["sources", "atlas", "--depth", "1", "--limit", "2"]),
    ("skc_search", {"skill": "atlas", "query": "nile"}, ["search", "atlas", "nile"]),
    ("skc_search", {"skill": "atlas", "query": "water", "limit": 1}, ["search", "atlas", "water", "--limit", "1"]),
    ("skc_search", {"skill": "atlas", "query": "nowhere"}, ["search", "atlas", "nowhere"]),
    ("skc_stats", {"skill": "atlas", "until": "2001-01-01"}, ["stats", "atlas", "--until", "2001-01-01"]),
    ("skc_stats", {"skill": "counted", "group_by": "sections"}, ["stats", "counted", "--group-by", "sections"]),
    ("skc_stats", {"skill": "counted", "group_by": "search"}, ["stats", "counted", "--group-by", "search"]),
    ("skc_list", {}, ["list"]),
    ("skc_list", {"scope": "global"}, ["list", "--scope", "global"]),
    ("skc_list", {"status": "not-built", "limit": 1}, ["list", "--status", "not-built", "--limit", "1"]),
    ("skc_list", {"pattern": "a*", "check_obsolete": True}, ["list", "--pattern", "a*", "--check-obsolete"]),
    ("skc_lint", {"skill": "atlas"}, ["lint", "atlas"]),
    ("skc_lint", {"skill": "broken"}, ["lint", "broken"]),
    ("skc_lint", {"skill": "atlas", "select": ["SKL2"]}, ["lint", "atlas", "--select", "SKL2"]),
    ("skc_build", {"skill": "atlas"}, ["build", "atlas"]),
    ("skc_build", {"skill": "roaming", "copy": True}, ["build", "roaming", "--copy"]),
]

PLAIN = {"skc_show", "skc_open"}


def named(question: tuple[str, dict[str, Any], list[str]]) -> str:
    return "-".join(question[2]).replace("/", ".")


def still(response: Any) -> Any:
    """Returns a response without the time of the last use, which changes with every query."""
    return response | {"period": None} if isinstance(response, dict) and "period" in response else response


@pytest.mark.parametrize("question", QUESTIONS, ids=named)
async def test_a_result_is_what_the_command_line_prints(
    way: Way, world: World, question: tuple[str, dict[str, Any], list[str]]
) -> None:
    """C-MCP-SERVER.5."""
    tool, arguments, line = question
    async with way.connect() as client:
        result = await call(client, tool, **arguments)
    expected = still(world.json(*line))
    assert still(value(result)) == expected
    assert (set(result.structured_content) <= {"result", "root"}) == isinstance(expected, list)
    if tool in PLAIN:
        if expected["encoding"] == "utf-8":
            assert texts(result)[0].rstrip("\n") == world.text(*line).rstrip("\n")
    else:
        assert still(text_value(result)) == expected


async def test_each_tool_was_asked() -> None:
    asked = {tool for tool, _, _ in QUESTIONS} | {"skc_init"}
    assert len(asked) == 10


async def test_a_new_skill_is_made_as_the_command_line_makes_it(way: Way, world: World) -> None:
    """C-MCP-SERVER.5, D-MCP-RESULTS."""
    made = world.store / "fresh"
    try:
        async with way.connect() as client:
            result = await call(client, "skc_init", name="fresh")
        ours = (made / "SKILL.md").read_bytes()
        shutil.rmtree(made)
        assert value(result) == world.json("init", "fresh") == text_value(result)
        assert (made / "SKILL.md").read_bytes() == ours
        assert result.structured_content["success"] is True
    finally:
        shutil.rmtree(made, ignore_errors=True)


async def test_what_a_result_is_warned_of_reaches_the_caller(way: Way, world: World) -> None:
    """C-MCP-SERVER.8."""
    async with way.connect() as client:
        shown = await call(client, "skc_show", skill="atlas", section="Sources")
        [warning] = [text for text in texts(shown)[1:] if text.startswith("warning")]
        first, *others = warning.splitlines()
        assert first == "warning[W001]: multiple matches for 'Sources'; showing first"
        assert others == ["  references/rivers.md:7 (--nth 2)"]
        listed = await call(client, "skc_list")
        assert texts(listed)[1:] == ["warning[W021]: skipped 'broken': no frontmatter"]
        found = await call(client, "skc_search", skill="atlas", query="nile")
        assert len(texts(found)) == 1


async def test_uses_over_the_protocol_are_counted(way: Way) -> None:
    """C-MCP-SERVER.7."""
    async with way.connect() as client:
        before = value(await call(client, "skc_stats", skill="counted", group_by="sections"))["data"]
        await call(client, "skc_show", skill="counted", section="use")
        after = value(await call(client, "skc_stats", skill="counted", group_by="sections"))["data"]
    count = {row["section"]: row["count"] for row in before}.get("Use", 0)
    assert {"section": "Use", "file": "SKILL.md", "count": count + 1} in after


async def test_an_edit_between_two_calls_is_noticed(way: Way, world: World) -> None:
    page = world.store / "counted" / "SKILL.md"
    before = page.read_text()
    try:
        async with way.connect() as client:
            await call(client, "skc_search", skill="counted", query="read")
            page.write_text(before + "\n## Reread\n\nAnd once more.\n")
            outline = value(await call(client, "skc_outline", skill="counted"))
            assert outline[-1]["heading"] == "Reread"
            stale = await client.call_tool("skc_search", {"skill": "counted", "query": "read"})
            assert stale.is_error and texts(stale)[0].startswith("error[E002]")
            await call(client, "skc_build", skill="counted")
            found = value(await call(client, "skc_search", skill="counted", query="once"))
            assert "Reread" in [hit["section"] for hit in found["results"]]
    finally:
        page.write_text(before)
        world.text("build", "counted")


async def test_real_skills_are_read_as_on_the_command_line(way: Way, world: World, real_skills: list[str]) -> None:
    if not real_skills:
        pytest.skip("there is no corpus beside the repository")
    async with way.connect() as client:
        for name in real_skills:
            outline = await call(client, "skc_outline", skill=name)
            assert value(outline) == world.json("outline", name)
            sources = await call(client, "skc_sources", skill=name)
            assert value(sources) == world.json("sources", name)
            lint = await call(client, "skc_lint", skill=name)
            assert value(lint) == world.json("lint", name)
            found = await call(client, "skc_search", skill=name, query="use")
            assert value(found) == world.json("search", name, "use")
            for entry in value(outline)[:5]:
                shown = await call(client, "skc_show", skill=name, section=entry["heading"], file=entry["file"])
                expected = ["show", name, "--section", entry["heading"], "--file", entry["file"]]
                assert value(shown) == world.json(*expected)
