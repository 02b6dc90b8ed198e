"""Moves that no odds decide: what is always done where it is on offer, and what hardly ever is.

Source: section 5.2 of the specification.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final, cast

from domain import commands
from domain.commands import Special
from domain.rules.ladders import SPECIALS
from domain.strategy.level_one.counts import Worth
from domain.strategy.level_one.hands import own_faces
from domain.strategy.level_params import LevelParams
from domain.strategy.sight import Sight
from domain.table.moves import plain_command
from domain.table.offers import ChooseFirstMove, DeclareMove, Move

SURE: Final = Fraction(1)
EVEN: Final = Fraction(1, 2)
NEVER: Final = Fraction(0)


def declare(sight: Sight, move: DeclareMove, _params: LevelParams) -> Iterator[Worth]:
    """Yield showing a throw that does something, if it is one: to each seat that may be named."""
    special = SPECIALS.get(tuple(sorted(own_faces(sight), reverse=True)))
    if special in move.specials:
        for target in move.targets if special == "impose" else (None,):
            yield commands.Declare(sight.seat, cast("Special", special), target), SURE


def choose_first(sight: Sight, move: ChooseFirstMove, _params: LevelParams) -> Iterator[Worth]:
    """Yield every seat that may open, none of them before another."""
    for seat in move.seats:
        yield commands.ChooseFirst(sight.seat, seat), SURE


def show_cocked(sight: Sight, move: Move, params: LevelParams) -> Iterator[Worth]:
    """Yield showing cocked dice, where the seat has seen that some lie so."""
    if sight.cocked:
        yield from surely(sight, move, params)


def look(sight: Sight, move: Move, params: LevelParams) -> Iterator[Worth]:
    """Yield looking at one's dice, as long as they are unseen."""
    place = sight.state.place_of(sight.seat)
    if place is not None and sight.seat not in place.knowers:
        yield from surely(sight, move, params)


def surely(sight: Sight, move: Move, _params: LevelParams) -> Iterator[Worth]:
    """Yield what is done wherever it is on offer."""
    yield _plain(sight, move), SURE


def evenly(sight: Sight, move: Move, _params: LevelParams) -> Iterator[Worth]:
    """Yield what is as good as not."""
    yield _plain(sight, move), EVEN


def hardly(sight: Sight, move: Move, _params: LevelParams) -> Iterator[Worth]:
    """Yield what is done only where nothing else is any better."""
    yield _plain(sight, move), NEVER


def _plain(sight: Sight, move: Move) -> commands.Play:
    asks = plain_command(move)
    assert asks is not None
    return asks(sight.seat)
