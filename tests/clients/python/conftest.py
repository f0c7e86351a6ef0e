"""Fixtures: the test environment, and the transports to the server."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from servers import HANDSHAKE, STATELESS, Address, Way, http_server
from world import World, add_from_corpus, make_world

CORPUS = Path(__file__).parents[4] / "shared" / "corpus"

# Real skills: one with many files, one in Japanese, one from another repository, one with CRLF line endings.
REAL = ["mcp-builder", "oracle-db-skills-ja", "typescript", "geomaster"]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return make_world(Path(os.environ["SKC"]), tmp_path_factory.mktemp("world").resolve())


@pytest.fixture(scope="session")
def real_skills(world: World) -> list[str]:
    """The names of the skills of the corpus, if available."""
    return add_from_corpus(world, CORPUS, REAL)


@pytest.fixture(scope="session")
def http(world: World) -> Iterator[Address]:
    with http_server(world) as address:
        yield address


@pytest.fixture(
    params=[
        pytest.param(("stdio", HANDSHAKE), id="stdio-handshake"),
        pytest.param(("stdio", STATELESS), id="stdio-stateless"),
        pytest.param(("http", HANDSHAKE), id="http-handshake"),
        pytest.param(("http", STATELESS), id="http-stateless"),
    ]
)
def way(request: pytest.FixtureRequest, world: World) -> Way:
    """Each transport in each era; the tests must pass for each."""
    transport, mode = request.param
    address = request.getfixturevalue("http") if transport == "http" else None
    return Way(world, address, mode)
