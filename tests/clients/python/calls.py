"""Tool calls, and checks of their results."""

import json
from typing import Any

from jsonschema import Draft202012Validator
from mcp import Client
from mcp_types import CallToolResult, TextContent, Tool


async def tools(client: Client) -> dict[str, Tool]:
    """Returns the tools of all pages, by name."""
    found: dict[str, Tool] = {}
    cursor = None
    while True:
        page = await client.list_tools(cursor=cursor)
        for tool in page.tools:
            assert tool.name not in found, f"{tool.name} is listed twice"
            found[tool.name] = tool
        cursor = page.next_cursor
        if cursor is None:
            return found


async def call(client: Client, tool: str, **arguments: Any) -> CallToolResult:
    """Calls a tool that must succeed; checks the properties of every successful result."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, texts(result)
    schema = (await tools(client))[tool].output_schema
    assert schema is not None, f"{tool} has no output schema"
    Draft202012Validator(schema).validate(result.structured_content)
    return result


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """Calls a tool that must fail; returns its message, which must be the only content."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.structured_content
    said = texts(result)
    assert len(said) == 1, said
    assert said[0].startswith("error["), said[0]
    assert said[0].count("error[") == 1, said[0]
    assert result.structured_content is None, result.structured_content
    return said[0]


def texts(result: CallToolResult) -> list[str]:
    """Returns the texts of a result: the result itself first, then the warnings."""
    assert all(isinstance(block, TextContent) for block in result.content), result.content
    return [block.text for block in result.content]


def value(result: CallToolResult) -> Any:
    """Returns the response of an operation as the command line prints it: a list without its wrapping."""
    structured = result.structured_content
    if isinstance(structured, dict) and "result" in structured and set(structured) <= {"result", "root"}:
        return structured["result"]
    return structured


def text_value(result: CallToolResult) -> Any:
    """Returns the response in the first text."""
    return json.loads(texts(result)[0])
