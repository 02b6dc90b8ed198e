"""The rule of the house for people who stop: added to a match that says nothing, or what its host says instead."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import msgspec
import pytest

from domain import commands
from domain.errors import Refused
from domain.games import GAMES
from domain.match.settings import HOUSE_IDLE
from infra.sealing import Sealing
from infra.store.memory import MemoryStore
from services.matches.handler import CommandHandler
from services.matches.requests import CommandMetadata
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault

HOUSES = msgspec.to_builtins(HOUSE_IDLE)


def house(store: MemoryStore | None = None) -> CommandHandler:
    store = store or MemoryStore()
    return CommandHandler(store, Vault(store, Sealing(bytes(32))), TokenIssuer(bytes(range(32))))


def asking(key: str) -> CommandMetadata:
    return CommandMetadata("test", key, b"")


async def opened(matches: CommandHandler, **rules: Any) -> UUID:
    return UUID((await matches.open({"game": "common_hand", "options": {}, **rules}, asking("open"))).match)


@pytest.mark.parametrize("game", GAMES)
async def test_every_game_has_the_rule_unless_its_host_says_otherwise(game: str) -> None:
    matches = house()
    match_id = await opened(matches, game=game)
    assert (await matches.view(match_id, None)).rules["idle"] == HOUSES


@pytest.mark.parametrize(
    ("asked", "stands"), [({"turns": 1}, {**HOUSES, "turns": 1}), ({"turn_ms": 60_000}, {**HOUSES, "turn_ms": 60_000})]
)
async def test_what_the_host_leaves_out_is_as_the_house_has_it(asked: dict[str, int], stands: dict[str, int]) -> None:
    matches = house()
    match_id = await opened(matches, idle=asked)
    assert (await matches.view(match_id, None)).rules["idle"] == stands


async def test_only_a_host_who_says_so_has_a_table_that_waits_for_ever() -> None:
    matches = house()
    match_id = await opened(matches, idle=None)
    view = await matches.view(match_id, None)
    assert "idle" not in view.rules
    assert view.due_at is None


async def test_the_hosts_end_is_told_at_once_and_counts_when_the_round_is_over() -> None:
    matches = house()
    match_id = await opened(matches, pause_ms=0)
    for name in ("Ada", "Bob"):
        await matches.join(match_id, name, "server", asking(name))
    await matches.start(match_id, asking("start"))
    await matches.submit(match_id, commands.LogDeal(0, 0, (), "checkpoint"), asking("log"))
    await matches.submit(match_id, commands.EndMatch(), asking("end"))
    view = await matches.view(match_id, None)
    assert (view.ending, view.phase) == ("host", "claiming")
    with pytest.raises(Refused) as refused:
        await matches.submit(match_id, commands.EndMatch(), asking("again"))
    assert (refused.value.code, refused.value.facts) == ("wrong_phase", {"ending": "host"})
    assert view.turn is not None
    await matches.submit(match_id, commands.Bid(view.turn, 1, 6), asking("bid"))
    await matches.submit(match_id, commands.Challenge(3 - view.turn), asking("challenge"))
    view = await matches.view(match_id, None)
    assert (view.phase, view.winner) == ("finished", None)


async def test_a_table_that_nobody_has_started_ends_at_once() -> None:
    matches = house()
    match_id = await opened(matches)
    await matches.submit(match_id, commands.EndMatch(), asking("end"))
    assert (await matches.view(match_id, None)).phase == "finished"
