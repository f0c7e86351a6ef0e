"""The list of tools."""

import json

from jsonschema import Draft202012Validator

from calls import tools
from servers import Way

# The required arguments of each tool.
REQUIRED = {
    "skc_outline": {"skill"},
    "skc_show": {"skill"},
    "skc_open": {"skill", "path"},
    "skc_sources": {"skill"},
    "skc_search": {"skill", "query"},
    "skc_stats": {"skill"},
    "skc_list": set(),
    "skc_lint": {"skill"},
    "skc_scan": {"skill"},
    "skc_build": {"skill"},
    "skc_init": set(),
    "skill_search": {"query"},
    "skill_load": set(),
    "catalog_list": set(),
    "context_inspect": set(),
    "skill_list": set(),
}

WRITES = {"skc_build", "skc_init"}

# The maximum size of the list of command tools, in bytes.
BUDGET = 15 << 10


async def test_there_are_exactly_the_sixteen_tools(way: Way) -> None:
    """C-MCP-SERVER.4."""
    async with way.connect() as client:
        assert set(await tools(client)) == set(REQUIRED)


async def test_each_tool_says_what_it_does_wants_and_returns(way: Way) -> None:
    """C-MCP-SERVER.4."""
    async with way.connect() as client:
        for name, tool in (await tools(client)).items():
            assert tool.title, name
            assert tool.description, name
            for schema in (tool.input_schema, tool.output_schema):
                assert schema is not None, name
                assert schema["type"] == "object", name
                Draft202012Validator.check_schema(schema)
            assert set(tool.input_schema.get("required", [])) == REQUIRED[name], name
            for argument, schema in tool.input_schema["properties"].items():
                assert schema.get("description"), f"{name} does not describe '{argument}'"


async def test_each_tool_says_truly_what_it_changes(way: Way) -> None:
    async with way.connect() as client:
        for name, tool in (await tools(client)).items():
            assert tool.annotations is not None, name
            assert tool.annotations.read_only_hint is (name not in WRITES), name
            assert tool.annotations.open_world_hint is False, name
            if name == "skc_init":
                assert tool.annotations.destructive_hint is False
            if name == "skc_build":
                assert tool.annotations.destructive_hint is not False


async def test_defaults_ranges_and_choices_are_published(way: Way) -> None:
    async with way.connect() as client:
        published = {name: tool.input_schema["properties"] for name, tool in (await tools(client)).items()}
    assert published["skc_search"]["limit"]["default"] == 10
    assert published["skc_outline"]["level"]["minimum"] == 1
    assert published["skc_outline"]["level"]["maximum"] == 6
    assert "sections" in published["skc_stats"]["group_by"]["enum"]
    assert published["skc_list"]["scope"]["enum"] == ["project", "user", "all"]


async def test_the_list_costs_an_agent_little(way: Way) -> None:
    async with way.connect() as client:
        commands = [tool for name, tool in (await tools(client)).items() if name.startswith("skc_")]
        listed = [tool.model_dump(by_alias=True, exclude_none=True) for tool in commands]
    size = len(json.dumps(listed, separators=(",", ":"), ensure_ascii=False).encode())
    assert size <= BUDGET, size
