"""Canaries in a house: no secret of a deal, no key of a hidden die, no token and no key of the house leaves it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, Final
from unittest.mock import patch

import pytest

from infra.measures.tracing import span
from services.matches.handler import CommandHandler
from services.matches.secrets.vault import Vault
from services.relay.publisher import Publisher
from tests.attack.watched_house import Told
from tests.noninterference.canaries import Canaries, of_deal, text_of, written
from tests.noninterference.course import Plan, Table
from tests.noninterference.dice import Dice
from tests.noninterference.house import ObservedHouse
from tests.noninterference.pairs import CASES, plans, play
from tests.noninterference.planted import log
from tests.noninterference.sight import Seen
from tests.simulation.nodes import KEY
from tests.sizes import spread

SETS = spread(CASES, 1)
SEEDS: Final = range(7, 12)
"""Of houses: where a match is short, its only deal may be public when it ends, and nothing is left to find."""


def secrets_of(house: ObservedHouse, tables: list[Table]) -> Canaries:
    """Return all that nobody may be told of these matches: what has become public is none of it any more."""
    found = {"key of the house": bytes.fromhex(KEY)}
    for table in tables:
        lines = house.lines_of(table.match)
        public, seen = b"\n".join(lines), Seen(house.dice.keepers, lines)
        found |= {f"{table.match}: token of {who}": token.encode() for who, token in table.tokens.items()}
        for number, ctx in enumerate(sorted(seen.contexts & house.dice.keepers.keys())):
            keeper = house.dice.keepers[ctx]
            if keeper.secret.hex().encode() not in public:
                found |= of_deal(keeper, seen.shown, f"{table.match}: deal {number}")
    return Canaries(found)


def told_in(tables: list[Table]) -> Iterator[tuple[str, str, bytes]]:
    """Yield everything that was told to anybody, with who it was and by which way."""
    for table in tables:
        for moment in table.moments:
            yield from ((who, what, text_of(value)) for (who, what), value in moment.items())


def test_a_secret_is_known_in_every_form_that_it_may_be_written_in() -> None:
    secret = bytes(range(200, 232))
    canaries = Canaries({"it": secret})
    assert [form for form in written(secret) if canaries.found_in(b"before " + form + b" after") != {"it"}] == []
    assert canaries.found_in(text_of({"told": [("whom", {secret})]})) == {"it"}
    assert canaries.found_in(bytes(range(32))) == set()


@pytest.mark.parametrize(("game", "which"), SETS)
def test_nobody_is_told_a_secret_and_no_line_span_meter_or_message_has_one(game: str, which: int) -> None:
    assert any(keeps_its_secrets(seed, game, which) for seed in SEEDS), "in one of them a deal is secret to the end"


def keeps_its_secrets(seed: int, game: str, which: int) -> bool:
    """Hold everything that a house tells against its secrets, and report whether there are some of a deal."""
    house = ObservedHouse(seed, Dice())
    tables = play(house, plans(seed, [(game, which)], "match"))
    canaries, told = secrets_of(house, tables), {*told_in(tables)}
    assert {(who, what, name) for who, what, text in told for name in canaries.found_in(text)} == set()
    people = {str(seat) for table in tables for seat in table.people}
    assert {who for who, _, _ in told} > {"outsider", "host", "operator", "bus", *people}
    return any("deal" in name for name in canaries.names)


def test_a_secret_in_a_span_and_one_in_a_line_of_the_log_are_found() -> None:
    house, make = ObservedHouse(7, Dice()), Publisher._make_frame  # noqa: SLF001 - a leak is planted where it would be

    async def leaky(relay: Any, *given: Any, **named: Any) -> bytes:
        for keeper in house.dice.keepers.values():
            log.info("frame.made", deal=list(keeper.secret))
            with span("relay.frame", deal=keeper.secret.hex()):
                pass
        return await make(relay, *given, **named)

    with patch.object(Publisher, "_make_frame", leaky):
        tables = play(house, plans(7, [("liars_poker", 0)], "match"))
    canaries = secrets_of(house, tables)
    found = {(who, what) for who, what, text in told_in(tables) for _ in canaries.found_in(text)}
    assert found == {("operator", "log"), ("operator", "spans")}


RELAYED_S: Final = 1.0
"""By then everybody has been told of what was done."""
BREAKS: Final = ((Vault, "keeper"), (CommandHandler, "submit"), (Publisher, "_make_frame"))
"""What breaks, with the secrets of the deal at hand."""


@pytest.mark.parametrize(("owner", "name"), BREAKS, ids=lambda part: str(getattr(part, "__name__", part)))
def test_a_fault_that_quotes_secrets_tells_nobody_what_it_quotes(owner: type[Any], name: str) -> None:
    house, quoted = ObservedHouse(2, Dice()), list[str]()
    table = Table(house, Plan("common_hand", {}, "a fault", moves=3))
    answers, seen = list[Told](), dict[str, object]()

    def broken(*_given: object, **_named: object) -> Any:
        secrets = [keeper.secret for keeper in house.dice.keepers.values()]
        quoted.append(f"{secrets!r} {[secret.hex() for secret in secrets]} {[*table.tokens.values()]} {KEY}")
        raise RuntimeError(quoted[-1])

    async def run() -> None:
        await house.begin()
        await table.play()
        with patch.object(owner, name, broken):
            for token in (None, *table.tokens.values()):
                answers.extend([await house.ask(*asked, token) for asked in asked_of(table)])
            await asyncio.sleep(RELAYED_S)
        seen.update(house.seen())

    house.run(run)
    canaries = secrets_of(house, [table])
    assert quoted, "it was come to"
    assert canaries.found_in(quoted[0].encode())
    assert canaries.found_in(text_of([(told.headers, told.chunks) for told in answers])) == set()
    assert canaries.found_in(text_of(seen)) == set()
    assert "RuntimeError" in str(seen["log"])


def asked_of(table: Table) -> list[tuple[str, str, Any]]:
    """Return what is asked while it breaks."""
    gets = [("GET", f"{table.path}{what}", None) for what in ("", "/replay", "/audit", "/access", "/record")]
    bodies: list[dict[str, Any]] = [{"type": "pause", "reason": "break"}]
    bodies += [{"type": "bid", "quantity": 1, "face": 3}, {"type": "challenge"}, {"type": "say", "text": "9x6"}]
    return [*gets, *(("POST", f"{table.path}/commands", body) for body in bodies)]
