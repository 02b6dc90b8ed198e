"""A claim that does not beat the one before is caught by a bot that has listened."""

from __future__ import annotations

from domain import commands
from projections.view import view_of
from services.bots.choosing import choose
from services.bots.manner import MANNERS
from tests.domain.playing import Played


def test_a_claim_too_low_is_caught() -> None:
    played = Played({"claim_check": "next_player"}, 2, game="mexican", pause_ms=0)
    played.start()
    assert played.match.table is not None
    first = played.match.table.turn or 0
    second = 3 - first
    played.do(commands.Roll(first))
    played.do(commands.Call(first, "score", (6, 5)))
    played.do(commands.Accept(second))
    played.do(commands.Roll(second))
    played.do(commands.Call(second, "score", (4, 3)))
    view = view_of(played.written, first, played.keeper, {})
    for manner in MANNERS.values():
        assert choose(view, manner, bytes(4)) == commands.Catch(first)
