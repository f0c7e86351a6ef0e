"""Access control over HTTP."""

from typing import Any

import httpx2
import pytest

from servers import STATELESS, Address

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "knock", "version": "1"},
    },
}

DISCOVER = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "server/discover",
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": STATELESS,
            "io.modelcontextprotocol/clientInfo": {"name": "knock", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    },
}


def knock(address: Address, message: dict[str, Any] = INITIALIZE, **headers: str | None) -> httpx2.Response:
    """Sends one message; headers that are `None` are omitted."""
    usual = {"Accept": "application/json, text/event-stream", **address.headers}
    if message is DISCOVER:
        usual |= {"MCP-Protocol-Version": STATELESS, "Mcp-Method": "server/discover"}
    sent = {name: text for name, text in (usual | headers).items() if text is not None}
    with httpx2.Client(trust_env=False, timeout=20) as http:
        return http.post(address.url, json=message, headers=sent)


@pytest.mark.parametrize("message", [INITIALIZE, DISCOVER], ids=["initialize", "discover"])
def test_who_has_the_token_is_let_in(http: Address, message: dict[str, Any]) -> None:
    answer = knock(http, message)
    assert answer.status_code == 200, answer.text
    assert "skillc" in answer.text


@pytest.mark.parametrize("message", [INITIALIZE, DISCOVER], ids=["initialize", "discover"])
@pytest.mark.parametrize(
    "authorization",
    [None, "", "Bearer", "Bearer wrong", "Basic dTpw", "{token}", "Bearer {token}x", "Bearer {shorter}"],
)
def test_who_has_not_is_not(http: Address, message: dict[str, Any], authorization: str | None) -> None:
    if authorization is not None:
        authorization = authorization.format(token=http.token, shorter=http.token[:-1])
    answer = knock(http, message, Authorization=authorization)
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert "skillc" not in answer.text
    assert http.token not in answer.text


def test_a_token_in_the_address_does_not_count(http: Address) -> None:
    asking = Address(f"{http.url}?token={http.token}&access_token={http.token}", http.token)
    assert knock(asking, Authorization=None).status_code == 401


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS"])
def test_every_method_wants_the_token(http: Address, method: str) -> None:
    with httpx2.Client(trust_env=False, timeout=20) as client:
        answer = client.request(method, http.url, headers={"Accept": "text/event-stream"})
    assert answer.status_code == 401


@pytest.mark.parametrize("host", ["evil.example.com", "evil.example.com:80", "127.0.0.1.example.com", "10.0.0.1"])
def test_another_host_is_refused(http: Address, host: str) -> None:
    assert knock(http, Host=host).status_code == 403


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example.com",
        "https://127.0.0.1.example.com",
        "http://localhost.evil.example.com",
        "null",
        "file://",
        "chrome-extension://abc",
    ],
)
def test_a_page_of_another_origin_is_refused(http: Address, origin: str) -> None:
    assert knock(http, Origin=origin).status_code == 403


def test_a_page_of_this_machine_is_let_in(http: Address) -> None:
    port = http.authority.rpartition(":")[2]
    for name in ["127.0.0.1", "localhost"]:
        answer = knock(http, Host=f"{name}:{port}", Origin=f"http://{name}:{port}")
        assert answer.status_code == 200, answer.text


def test_a_body_over_the_limit_is_refused(http: Address) -> None:
    big = INITIALIZE | {"params": INITIALIZE["params"] | {"padding": "x" * (5 << 20)}}
    assert knock(http, big).status_code == 413
    assert knock(http).status_code == 200


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"x"', b"\xff\xfe", b"[" * 10_000, b"{}"])
def test_nonsense_is_refused_and_the_server_lives(http: Address, body: bytes) -> None:
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json", **http.headers}
    with httpx2.Client(trust_env=False, timeout=20) as client:
        answer = client.post(http.url, content=body, headers=headers)
    assert 400 <= answer.status_code < 500, answer.text
    assert knock(http).status_code == 200
