"""Slow commands: one line each, with where the time went, and nothing of what was asked."""

from __future__ import annotations

import asyncio
from uuid import UUID

import pytest
from structlog.testing import capture_logs

from domain.commentary.record import stream_of_commentary
from domain.errors import Refused
from domain.tournaments import commands
from domain.tournaments.boards.decide import ProceedWithDeal
from domain.tournaments.record import stream_of
from infra.measures import slow
from infra.measures.slow import LINES_PER_S, SlowCommands
from infra.measures.watches import Timed, Watch, note
from infra.sealing import Sealing
from infra.store import Append, Appended, Outcome
from infra.store.memory import MemoryStore
from infra.store.writer import ShardWriter
from services.commentary.handler import CommentHandler
from services.commentary.requests import SaidComment
from services.commentary.writers import WriterLookup
from services.matches.chance import NO_CHANCE
from services.matches.handler import CommandHandler
from services.matches.requests import CommandMetadata
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from services.seasons.handler import SeasonHandler
from services.tournaments.handler import TournamentHandler
from services.tournaments.requests import UnknownBoard
from tests.director.house import EventHouse
from tests.store.lines import append, stream

RULES = {"game": "common_hand", "options": {}, "seats": 3, "pause_ms": 0}
NAME = "Ada of the slow table"
PARTS = {"turn", "read", "decide", "queue", "commit", "other"}


def ask(key: str) -> CommandMetadata:
    return CommandMetadata("test", key, b"")


async def join(after_ms: int) -> list[dict[str, object]]:
    """Return the lines about somebody who joins a table, and then under the same name again."""
    store = MemoryStore()
    vault, lines = Vault(store, Sealing(bytes(32))), SlowCommands(after_ms)
    matches = CommandHandler(store, vault, TokenIssuer(bytes(32)), slow=lines)
    match_id = UUID((await matches.open(RULES, ask("open"))).match)
    with capture_logs() as told:
        await matches.join(match_id, NAME, "server", ask("once"))
        with pytest.raises(Refused):
            await matches.join(match_id, NAME, "server", ask("again"))
    return [dict(line) for line in told if line["event"] == "command.slow"]


async def test_a_slow_command_has_a_line_with_its_kind_its_match_and_where_its_time_went(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    steps = iter(range(10**6))
    monkeypatch.setattr("infra.measures.watches.ticks_s", lambda: next(steps) / 100)
    first, second = await join(1)
    assert first["command"] == second["command"] == "Join"
    assert str(first["stream"]).startswith("match/")
    assert (
        {"turn", "read", "decide", "other"}
        <= first.keys() - {"event", "log_level"}
        <= PARTS | {*("command", "stream", "ms")}
    )
    assert sum(int(str(first[part])) for part in PARTS & first.keys()) == first["ms"]
    assert NAME not in repr(first)
    assert "left_out" not in first
    assert second["decide"], "one that is refused has its line as well"


async def test_so_have_commands_of_tournaments_boards_and_seasons(monkeypatch: pytest.MonkeyPatch) -> None:
    house, lines, board = EventHouse(MemoryStore()), SlowCommands(1), UUID(int=3)
    await house.announce()
    season = UUID((await house.seasons.create("common_hand", {}, house.ask())).season)
    vault, tokens = Vault(house.store, Sealing(bytes(32))), TokenIssuer(bytes(32))
    tournaments = TournamentHandler(house.store, vault, tokens, slow=lines)
    steps = iter(range(10**6))
    monkeypatch.setattr("infra.measures.watches.ticks_s", lambda: next(steps) / 100)
    with capture_logs() as told:
        await tournaments.submit(house.id, commands.OpenEntry(by=house.host), house.ask())
        with pytest.raises(UnknownBoard):
            await tournaments.boards.submit(board, ProceedWithDeal(NO_CHANCE), "1")
        await SeasonHandler(house.store, tokens, slow=lines).close(season, house.ask())
    # Others of the program may say something meanwhile.
    slow_lines = [line for line in told if line["event"] == "command.slow"]
    assert [(line["command"], line["stream"]) for line in slow_lines] == [
        ("OpenEntry", stream_of(house.id)),
        ("ProceedWithDeal", f"board/{board}"),
        ("CloseSeason", f"season/{season}"),
    ]
    assert all(slow_lines[number]["decide"] for number in (0, 2))


async def test_so_have_comments_without_a_word_of_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    house = EventHouse(MemoryStore())
    opened = await house.matches.open(RULES, house.ask())
    match, token = UUID(opened.match), str(opened.token)
    lookup = WriterLookup(house.store, house.matches, house.players, house.tournaments)
    comments = CommentHandler(house.store, house.matches, lookup, slow=SlowCommands(1))
    steps = iter(range(10**6))
    monkeypatch.setattr("infra.measures.watches.ticks_s", lambda: next(steps) / 100)
    with capture_logs() as told:
        made = await comments.make(match, token, SaidComment(1, f"by {NAME}", "en"), house.ask())
        await comments.replace(match, token, UUID(made.comment), "nobody", house.ask())
        await comments.withdraw(match, token, UUID(made.comment), "mistake", house.ask())
    lines = [line for line in told if line["event"] == "command.slow"]
    assert [line["command"] for line in lines] == ["MakeComment", "ReplaceComment", "WithdrawComment"]
    assert {line["stream"] for line in lines} == {stream_of_commentary(match)}
    assert all(line["decide"] for line in lines)
    assert NAME not in repr(lines)


@pytest.mark.parametrize("after_ms", [0, 60_000])
async def test_a_command_that_is_not_slow_has_none(after_ms: int) -> None:
    assert await join(after_ms) == []


async def test_of_many_slow_ones_the_next_line_says_how_many_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(slow, "ticks_s", lambda: now)
    lines = SlowCommands(1)
    monkeypatch.setattr(Watch, "stop", lambda _watch: 1.0)
    with capture_logs() as told:
        for _ in range(LINES_PER_S + 5):
            lines.end(lines.begin(), "Bid", stream())
        now = 101.0
        lines.end(lines.begin(), "Bid", stream())
    assert len(told) == LINES_PER_S + 1
    assert [line.get("left_out") for line in told] == [None] * LINES_PER_S + [5]


async def test_the_wait_for_a_commit_is_told_from_the_commit() -> None:
    free, sent = asyncio.Event(), 0

    async def send(_shard: int, batch: list[Append]) -> list[Outcome]:
        nonlocal sent
        sent += 1
        await free.wait()
        return [Appended(1, 1) for _ in batch]

    writer, watches = ShardWriter(0, send), []

    async def command() -> None:
        watch = Watch()
        watches.append(watch)
        await writer.append(append(stream(), []))
        watch.stop()

    tasks = [asyncio.create_task(command())]
    await asyncio.sleep(0.01)
    tasks.append(asyncio.create_task(command()))
    await asyncio.sleep(0.05)
    free.set()
    await asyncio.gather(*tasks)
    first, second = (watch.parts() for watch in watches)
    assert sent == 2
    assert first["queue"] < first["commit"]
    assert second["queue"] > second["commit"]


def test_nothing_is_noted_where_nobody_asks() -> None:
    note("read", 0.0, 1.0)
    watch = Watch()
    with Timed("read"):
        pass
    watch.stop()
    note("read", 0.0, 1.0)
    assert watch.parts()["read"] < 1.0
