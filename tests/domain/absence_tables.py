"""A table at which people stop, and whoever waits for it to end."""

from __future__ import annotations

import random
from typing import Any, Final

import msgspec
import pytest

from domain import commands, events
from domain.errors import Refused
from domain.games import GAMES
from domain.match.dues import due_at, unattended_end_at
from domain.match.record import fold
from domain.table.offers import BidMove
from tests.domain.playing import Played
from tests.domain.test_every_game import OPTIONS, judged, step

IDLE: Final = {"turn_ms": 5_000, "turns": 2, "seeds_ms": 6_000, "lobby_ms": 60_000, "bots_ms": 30_000}
STEPS_MAX: Final = 2_000


def table(seats: int = 3, game: str = "common_hand", options: dict[str, Any] | None = None, **rules: Any) -> Played:
    return Played(options, seats, game=game, **{"pause_ms": 0, "idle": IDLE, **rules})


def start(played: Played, *players: str) -> None:
    """Seat these players, in the server's custody, and deal."""
    for player in players:
        played.do(commands.Join(player, "server"))
    played.do(commands.Start(played.chance()))
    played.go_on()


def next_due(played: Played) -> int:
    """Return when the table acts next, in milliseconds."""
    due = due_at(played.match)
    assert due is not None, "nothing is due"
    return due


def wait(played: Played) -> list[events.Event]:
    """Let the table do what is due next, and what it does without being asked; return what happened."""
    seen = len(played.events)
    played.do(commands.Advance(played.chance()), max(0, next_due(played) - played.at))
    played.go_on()
    return played.events[seen:]


def wait_for_the_end(played: Played) -> None:
    """Let everybody stop, until the match has ended."""
    for _ in range(STEPS_MAX):
        if played.match.ended:
            return
        unattended = unattended_end_at(played.match)
        if unattended is not None:
            played.do(commands.CloseUnattended(), max(0, unattended - played.at))
        elif played.match.ceremony is not None and played.match.ceremony.stage == "sealed":
            played.go_on()
        else:
            wait(played)
    pytest.fail(f"it does not end: {played.match}")


def code_of(played: Played, command: commands.MatchCommand, after_ms: int = 10) -> str:
    before = played.match
    with pytest.raises(Refused) as refused:
        played.do(command, after_ms)
    assert played.match is before
    return refused.value.code


def audit(played: Played) -> None:
    """Hold the record against the rules, and what is remembered against the fold of what is written."""
    assert (ruled := judged(played)).line is None, ruled
    *_, (written, _) = fold(played.lines)
    assert written.match == played.match


def claim(played: Played) -> tuple[events.Event, ...]:
    """Let the seat in turn claim what is least."""
    (offered,) = [m for s, m in played.offers() if s == played.turn and isinstance(m, BidMove)]
    quantity, face = offered.minimum[0]
    made = played.do(commands.Bid(played.turn, quantity, face))
    return made.events


def stopped(game: str, number: int) -> Played:
    """Return a match of this game, persons and bots at it, at a moment at which everybody stops."""
    drawn, options = random.Random(f"{game} {number}"), OPTIONS[game][number % len(OPTIONS[game])]
    rules = GAMES[game].rules(msgspec.convert(options, GAMES[game].options))
    seats = drawn.randint(rules.seats[0], min(4, rules.seats[1]))
    played = table(seats, game, options, deal_per=drawn.choice(rules.deals_under("all")))
    bots = drawn.randint(0, seats - 1)
    start(played, *(f"bot/steady/{seat}" if seat <= bots else f"p{seat}" for seat in range(1, seats + 1)))
    for _ in range(drawn.randrange(12)):
        if not played.match.ended:
            step(played, drawn, closing=False)
    return played
