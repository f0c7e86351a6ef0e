"""Long-running calls: they report progress, can be cancelled, and do not block other calls."""

import fcntl
import shutil
import sqlite3
from itertools import pairwise

import anyio
import pytest

from calls import call, value
from servers import Way
from world import CHAPTERS, World


@pytest.fixture(autouse=True)
def unbuilt(world: World) -> None:
    """Removes the build of `book` before each test."""
    shutil.rmtree(world.project / ".skillc" / "runtime" / "book", ignore_errors=True)


async def test_a_long_build_tells_how_far_it_is(way: Way) -> None:
    seen: list[tuple[float, float | None]] = []

    async def notice(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total))

    async with way.connect() as client:
        await client.call_tool("skc_build", {"skill": "book"}, progress_callback=notice)
    assert len(seen) >= 2, seen
    assert all(before[0] < after[0] for before, after in pairwise(seen)), seen
    assert all(total is None or done <= total for done, total in seen), seen
    assert seen[-1][1] is None or seen[-1][1] >= CHAPTERS


async def test_who_does_not_ask_is_not_told(way: Way) -> None:
    told: list[object] = []

    async def notice(message: object) -> None:
        told.append(message)

    async with way.connect(message_handler=notice) as client:
        await client.call_tool("skc_build", {"skill": "book"})
    assert told == []


async def test_a_build_that_is_given_up_stops(way: Way, world: World) -> None:
    async with way.connect() as client:
        with anyio.CancelScope() as scope:

            async def give_up(progress: float, total: float | None, message: str | None) -> None:
                scope.cancel()

            await client.call_tool("skc_build", {"skill": "book"}, progress_callback=give_up)
        assert scope.cancelled_caught, "the build was over before it could be given up"
        assert value(await call(client, "skc_outline", skill="atlas"))
        # Builds are serialized, so this build is answered after the other one has ended.
        await call(client, "skc_build", skill="atlas")
        listed = value(await call(client, "skc_list", pattern="book"))
        assert [skill["status"] for skill in listed["skills"]] == ["not-built"]
        rebuilt = await call(client, "skc_build", skill="book")
        assert value(rebuilt)["success"] is True


async def test_a_call_that_is_given_up_is_in_the_audit(way: Way, world: World) -> None:
    def outcomes() -> list[tuple[int | None, str | None]]:
        state = sqlite3.connect(world.home / ".skillc" / "state.db")
        with state:
            rows = state.execute(
                "SELECT ok, error_code FROM audit WHERE tool = 'skc_build' AND phase = 'exit' ORDER BY id"
            ).fetchall()
        state.close()
        return rows

    async with way.connect() as client:
        await call(client, "skc_build", skill="atlas")
        before = len(outcomes())
        with anyio.CancelScope() as scope:

            async def give_up(progress: float, total: float | None, message: str | None) -> None:
                scope.cancel()

            await client.call_tool("skc_build", {"skill": "book"}, progress_callback=give_up)
        assert scope.cancelled_caught
        await call(client, "skc_build", skill="atlas")
    assert outcomes()[before:] == [(0, "CANCELLED"), (1, None)]


async def test_others_are_answered_while_a_build_goes_on(way: Way, world: World) -> None:
    order: list[str] = []
    held = world.project / ".skillc" / "runtime" / "counted" / ".skillc-meta" / "build.lock"

    async with way.connect() as client, anyio.create_task_group() as group:

        async def build() -> None:
            await call(client, "skc_build", skill="counted")
            order.append("build")

        # The build cannot end before its lock is released.
        with held.open("rb+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            group.start_soon(build)
            for _ in range(5):
                await call(client, "skc_search", skill="atlas", query="nile")
            order.append("searches")
    assert order == ["searches", "build"]


async def test_many_calls_at_once_get_their_own_answers(way: Way) -> None:
    words = ["Nile", "Baikal", "Aare", "Rivers", "Lakes", "spring", "winter", "downhill"]
    answers: dict[int, str] = {}

    async with way.connect() as client, anyio.create_task_group() as group:

        async def ask(number: int) -> None:
            query = words[number % len(words)]
            found = value(await call(client, "skc_search", skill="atlas", query=query))
            answers[number] = found["query"]

        for number in range(64):
            group.start_soon(ask, number)
    assert answers == {number: words[number % len(words)] for number in range(64)}
