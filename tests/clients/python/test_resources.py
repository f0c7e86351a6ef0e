"""Files of skills as resources, and the prompt that inserts a skill."""

import base64

import pytest
from mcp import Client, MCPError
from mcp_types import BlobResourceContents, Resource, TextContent, TextResourceContents

from servers import Way
from world import ATLAS, PIXEL, World

LISTED = {"atlas", "book", "counted", "draft", "linked", "roaming"}


async def resources(client: Client) -> list[Resource]:
    """Returns the resources of all pages."""
    found: list[Resource] = []
    cursor = None
    while True:
        page = await client.list_resources(cursor=cursor)
        found += page.resources
        cursor = page.next_cursor
        if cursor is None:
            return found


async def root_of(client: Client, name: str) -> str:
    """Returns the address of a skill's directory, with a slash at its end."""
    ends = f"/{name}/SKILL.md"
    uris = [str(one.uri) for one in await resources(client) if str(one.uri).endswith(ends)]
    assert len(uris) == 1, uris
    assert uris[0].startswith("skill://")
    return uris[0].removesuffix("SKILL.md")


async def read_text(client: Client, uri: str) -> str:
    contents = (await client.read_resource(uri)).contents
    assert len(contents) == 1
    assert isinstance(contents[0], TextResourceContents)
    assert str(contents[0].uri) == uri
    return contents[0].text


async def test_every_skill_that_is_listed_is_a_resource(way: Way) -> None:
    async with way.connect() as client:
        uris = [str(one.uri) for one in await resources(client)]
    assert len(uris) == len(set(uris))
    pages = {uri.split("/")[-2] for uri in uris if uri.endswith("/SKILL.md")}
    assert LISTED <= pages
    assert not {"broken", "hollow"} & pages


async def test_a_resource_tells_its_name_and_what_it_is(way: Way) -> None:
    async with way.connect() as client:
        page = next(one for one in await resources(client) if str(one.uri).endswith("/atlas/SKILL.md"))
    assert page.name
    assert page.description == "Tells of rivers and lakes. Use when water is asked for."
    assert page.mime_type == "text/markdown"


async def test_there_is_a_template_for_the_files_of_a_skill(way: Way) -> None:
    async with way.connect() as client:
        templates = (await client.list_resource_templates()).resource_templates
    assert "skill://{id}/{name}/{+path}" in [template.uri_template for template in templates]


async def test_each_file_of_a_skill_can_be_read(way: Way) -> None:
    async with way.connect() as client:
        root = await root_of(client, "atlas")
        for path in ["SKILL.md", "references/rivers.md", "scripts/depth.sh"]:
            assert await read_text(client, root + path) == ATLAS[path]


async def test_a_name_that_is_not_ascii_is_written_with_percent_signs(way: Way) -> None:
    async with way.connect() as client:
        root = await root_of(client, "atlas")
        assert await read_text(client, root + "references/%C3%A5ar.md") == ATLAS["references/åar.md"]


async def test_bytes_that_are_no_text_come_as_a_blob(way: Way) -> None:
    async with way.connect() as client:
        root = await root_of(client, "atlas")
        contents = (await client.read_resource(root + "assets/pixel.png")).contents
    assert len(contents) == 1
    assert isinstance(contents[0], BlobResourceContents)
    assert base64.b64decode(contents[0].blob) == PIXEL


@pytest.mark.parametrize(
    "path",
    [
        "no.md",
        "",
        "references",
        "../draft/SKILL.md",
        "references/../../draft/SKILL.md",
        "%2e%2e/draft/SKILL.md",
        "..%2fdraft%2fSKILL.md",
        "%2fetc%2fhostname",
        "/etc/hostname",
        "SKILL.md%00",
        "a\\..\\..\\secret.md",
    ],
)
async def test_what_is_not_a_file_of_the_skill_cannot_be_read(way: Way, path: str) -> None:
    async with way.connect() as client:
        root = await root_of(client, "atlas")
        with pytest.raises(MCPError) as caught:
            await client.read_resource(root + path)
        assert caught.value.error.code in {-32602, -32002}
        assert await read_text(client, root + "SKILL.md") == ATLAS["SKILL.md"]


async def test_a_link_that_leads_out_cannot_be_read(way: Way) -> None:
    async with way.connect() as client:
        root = await root_of(client, "linked")
        with pytest.raises(MCPError) as caught:
            await client.read_resource(root + "out.md")
    assert "Nobody may read" not in str(caught.value.error)


@pytest.mark.parametrize(
    "uri", ["skill://0000000000000000/atlas/SKILL.md", "skill://atlas", "file:///etc/hostname", "nonsense"]
)
async def test_an_address_of_no_skill_is_refused(way: Way, uri: str) -> None:
    async with way.connect() as client:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(uri)
    assert caught.value.error.code in {-32602, -32002}


async def test_a_skill_is_only_read_by_its_own_name(way: Way) -> None:
    async with way.connect() as client:
        root = await root_of(client, "atlas")
        with pytest.raises(MCPError):
            await client.read_resource(root.replace("/atlas/", "/draft/") + "SKILL.md")


async def test_the_prompt_hands_a_skill_over(way: Way, world: World) -> None:
    async with way.connect() as client:
        prompts = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
        use = prompts["use_skill"]
        assert use.description
        assert [(argument.name, argument.required) for argument in use.arguments or []] == [("name", True)]
        got = await client.get_prompt("use_skill", {"name": "atlas"})
    said = "\n".join(message.content.text for message in got.messages if isinstance(message.content, TextContent))
    assert got.messages[0].role == "user"
    assert "Rivers run downhill." in said
    assert str(world.root / "secret.md") not in said


@pytest.mark.parametrize("arguments", [{"name": "nobody"}, {"name": "../draft"}, {"name": ""}, {}, {"nmae": "atlas"}])
async def test_a_prompt_without_a_skill_is_refused(way: Way, arguments: dict[str, str]) -> None:
    async with way.connect() as client:
        with pytest.raises(MCPError) as caught:
            await client.get_prompt("use_skill", arguments)
        assert caught.value.error.code == -32602


async def test_a_prompt_that_is_not_there_is_refused(way: Way) -> None:
    async with way.connect() as client:
        with pytest.raises(MCPError) as caught:
            await client.get_prompt("no_prompt", {})
        assert caught.value.error.code == -32602
