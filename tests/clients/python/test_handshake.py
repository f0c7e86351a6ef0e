"""The handshake."""

import warnings

import mcp.client.session
import pytest
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from calls import call, tools, value
from servers import HANDSHAKE, STATELESS, Way
from world import World


async def test_the_server_tells_its_name_and_version(way: Way, world: World) -> None:
    """C-MCP-SERVER.3."""
    # A client that knows the revision skips the discovery request, so the revision is not given here.
    mode = HANDSHAKE if way.mode == HANDSHAKE else "auto"
    async with way.connect(mode=mode) as client:
        assert client.server_info is not None
        assert client.server_info.name == "skillc"
        assert f"skc {client.server_info.version}" == world.text("--version").strip()
        newest = HANDSHAKE_PROTOCOL_VERSIONS[-1] if way.mode == HANDSHAKE else STATELESS
        assert client.protocol_version == newest
        assert client.server_capabilities.tools is not None
        assert client.server_capabilities.resources is not None
        assert client.server_capabilities.prompts is not None


@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
async def test_every_revision_with_a_handshake_is_spoken(
    way: Way, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way.mode != HANDSHAKE:
        pytest.skip("there is no handshake")
    monkeypatch.setattr(mcp.client.session, "LATEST_HANDSHAKE_VERSION", version)
    async with way.connect() as client:
        assert client.protocol_version == version
        assert len(await tools(client)) == 16
        assert value(await call(client, "skc_outline", skill="atlas"))


async def test_the_server_answers_a_ping(way: Way) -> None:
    """C-MCP-SERVER.9."""
    if way.mode != HANDSHAKE:
        pytest.skip("the stateless revision has no ping")
    async with way.connect() as client:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MCPDeprecationWarning)
            for _ in range(3):
                await client.send_ping()
