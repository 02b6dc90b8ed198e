"""The sight of a seat at a table whose dealer is known, as its frame would tell it, and games played by level 1."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from domain.ids import Face, Seat
from domain.strategy.level_one.thinking import weigh
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.sight import Sight
from domain.table.dealer import Dealer
from domain.table.interludes.cocked import is_cocked, lookers
from domain.table.judging import values_of
from domain.table.moves import moves
from domain.table.places import Place
from domain.table.state import State
from tests.domain.seeded import Game


def all_faces(state: State, place: Place, dealer: Dealer) -> tuple[Face, ...]:
    """Return what the dice of a place show, in the holder's numbering."""
    first = state.rules.tokens.faces.first
    return tuple([value + first for value in values_of(place, state, dealer)])


def hidden_faces(state: State, place: Place, dealer: Dealer) -> tuple[Face, ...]:
    """Return what the hidden ones of them show."""
    return all_faces(state, place, dealer)[: len(place.inside)]


def sight_of(state: State, seat: Seat, dealer: Dealer) -> Sight:
    """Return what a seat sees of a game."""
    known = {cup: place for cup, place in state.places.items() if place.inside and seat in place.knowers}
    dice = {cup: hidden_faces(state, place, dealer) for cup, place in known.items()}
    looked = seat in lookers(state) and seat in state.places
    return Sight(state, seat, dice, looked and is_cocked(state, seat, dealer))


def word_of(*what: object) -> int:
    """Return 64 bits that are the same for the same names."""
    return int.from_bytes(hashlib.sha256(repr(what).encode()).digest()[:8], "big")


def played_by_level_one(game: Game, steps: int) -> Iterator[State]:
    """Play on by moves that level 1 draws, of whoever is in turn first; yield the table before each."""
    for number in range(steps):
        if not moves(game.state):
            game.deal_if_due()
        if game.state.phase == "finished":
            return
        yield game.state
        seats = sorted(moves(game.state), key=lambda seat: (seat != game.state.turn, seat))
        thoughts = [weigh(sight_of(game.state, seat, game.dealer), LEVEL_ONE) for seat in seats]
        drawn = next((weighing for weighing in thoughts if weighing.options), None)
        if drawn is None:
            game.deal_if_due()
        else:
            game.do(drawn.draw(word_of(game.dealer.seed, number)).command)
