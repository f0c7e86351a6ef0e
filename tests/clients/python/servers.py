"""The two transports of `skc mcp`, and the two kinds of protocol revisions: with a handshake and without."""

import re
import subprocess
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from world import World

# The client's `mode` for the newest protocol revision with a handshake, and for the revision without one.
HANDSHAKE = "legacy"
STATELESS = "2026-07-28"

# Timeout for an answer, in seconds.
PATIENCE = 60


@dataclass(frozen=True)
class Address:
    """The address of a server, and the token that it requires."""

    url: str
    token: str

    @property
    def authority(self) -> str:
        """The host and port."""
        return httpx2.URL(self.url).netloc.decode()

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


@contextmanager
def http_server(world: World) -> Iterator[Address]:
    """Starts `skc mcp --http` on a free port; ends it afterwards."""
    process = subprocess.Popen(
        [world.skc, "mcp", "--http", "127.0.0.1:0"],
        cwd=world.project,
        env=world.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    try:
        yield announced(process)
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        finally:
            process.kill()


def announced(process: subprocess.Popen[str]) -> Address:
    """Waits for the address and the token on standard error."""
    said = ""
    too_late = threading.Timer(20, process.kill)
    too_late.start()
    for line in process.stderr:
        said += line
        url = re.search(r"http://127\.0\.0\.1:[0-9]+[^\s'\"`,;]*", said)
        token = re.search(r"(?i)\b(?:bearer|token)\b[^A-Za-z0-9_-]+([A-Za-z0-9_-]{16,})", said)
        if url and token:
            too_late.cancel()
            threading.Thread(target=process.stderr.read, daemon=True).start()
            return Address(url[0], token[1])
    raise AssertionError(f"the server did not tell its address and its token:\n{said}")


@dataclass(frozen=True)
class Way:
    """A transport and a kind of protocol revision."""

    world: World
    address: Address | None
    mode: str

    @asynccontextmanager
    async def connect(self, **options: Any) -> AsyncIterator[Client]:
        """Connects the official client; anything that it cannot parse fails the test."""
        unreadable: list[Exception] = []

        async def notice(message: object) -> None:
            if isinstance(message, Exception):
                unreadable.append(message)

        settings = {"mode": self.mode, "message_handler": notice, "read_timeout_seconds": PATIENCE} | options
        try:
            async with Client(self.transport(), **settings) as client:
                yield client
        except BaseExceptionGroup as group:
            raise alone(group) from None
        assert not unreadable

    def transport(self) -> Any:
        return over_http(self.address) if self.address else over_stdio(self.world)


def alone(raised: BaseException) -> BaseException:
    """Unwraps exception groups with a single exception, in which the client wraps a test's own failure."""
    while isinstance(raised, BaseExceptionGroup) and len(raised.exceptions) == 1:
        raised = raised.exceptions[0]
    return raised


@asynccontextmanager
async def over_stdio(world: World) -> AsyncIterator[Any]:
    """Starts `skc mcp` and talks to it through its standard streams."""
    server = StdioServerParameters(command=str(world.skc), args=["mcp"], env=world.env, cwd=world.project)
    with open(world.root / "stderr.log", "a", encoding="utf-8") as log:
        async with stdio_client(server, errlog=log) as streams:
            yield streams


@asynccontextmanager
async def over_http(address: Address) -> AsyncIterator[Any]:
    """Connects to a running HTTP server."""
    async with (
        httpx2.AsyncClient(headers=address.headers, timeout=PATIENCE, trust_env=False) as http,
        streamable_http_client(address.url, http_client=http) as streams,
    ):
        yield streams
