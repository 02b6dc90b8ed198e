"""Actions, numbered: everything that a seat can ever ask for in a match, and which of it may be asked for now.

A number means the same in every state of every match under the same rules with the same number of seats.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, Final

from msgspec import structs

from domain import commands
from domain.ids import Seat
from domain.rules.ladders import Hand, ladder_of
from domain.rules.rules import Counting, Rules, Rungs
from domain.table.moves import PLAIN, plain_command
from domain.table.offers import ArrangeMove, BidMove, CallMove, ChooseFirstMove, DeclareMove, Move
from projections.view import View
from services.engines.in_memory import MatchInMemory

Asked = tuple[Any, ...]
"""A kind of command with the values of its members but for the seat; places of dice in the order of `Arrange`."""

_PLAIN: Final = tuple(kind for kind in PLAIN.values() if kind is not commands.DemandBills)
"""To see every number decides nothing, and is no action."""


def hands_of(rules: Rules) -> tuple[Hand, ...]:
    """Return every hand that can be claimed in some round, with dice that are wild there or not; none of counts."""
    if not isinstance(rules.claims, Rungs):
        return ()
    ladders = [ladder_of(rules.claims, rules.tokens.dice, rules.tokens.faces, wild=wild) for wild in (False, True)]
    return tuple(dict.fromkeys(hand for ladder in ladders for hand in ladder.hands))


class Actions:
    """The actions under some rules, by their numbers."""

    def __init__(self, rules: Rules, seats: int) -> None:
        """Number them: the same for the same rules and as many seats."""
        every = [*((kind,) for kind in _PLAIN), *_claims(rules, seats)]
        every += [(commands.ChooseFirst, seat) for seat in range(1, seats + 1)]
        every += [(commands.Arrange, *places) for places in _handlings(rules.tokens.dice)]
        self._every: list[Asked] = every
        self._numbers = {asked: number for number, asked in enumerate(every)}

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._every)

    def command(self, number: int, seat: Seat) -> commands.Play:
        """Return what an action asks for, for a seat."""
        kind, *members = self._every[number]
        made: commands.Play = kind(seat, *members)
        return made

    def words(self, number: int) -> str:
        """Return an action for people, such as `bid quantity=2 face=5`."""
        command = self.command(number, 0)
        told = {
            name: value for name, value in structs.asdict(command).items() if name != "seat" and value not in {(), None}
        }
        tag = str(command.__struct_config__.tag)
        return " ".join([tag, *(f"{name}={_written(value)}" for name, value in told.items())])

    def legal(self, match: MatchInMemory, view: View) -> list[int]:
        """Return the actions that the viewer of this view may take now, ascending.

        Where the dice of the viewer decide, as in what may be done with them, the rules are asked; a seat always knows
        the dice that decide what it may do.
        """
        assert view.viewer is not None, "spectators have no actions"
        found: set[int] = set()
        for move in view.moves:
            numbers = (self._numbers[asked] for asked in _asked(move, view, self._every) if asked in self._numbers)
            found |= {number for number in numbers if match.allows(self.command(number, view.viewer))}
        return sorted(found)


def _claims(rules: Rules, seats: int) -> Iterator[Asked]:
    match rules.claims:
        case Counting():
            faces = range(rules.tokens.faces.first, rules.tokens.faces.first + rules.tokens.faces.count)
            most = rules.tokens.dice * seats
            yield from ((commands.Bid, quantity, face) for quantity in range(1, most + 1) for face in faces)
        case Rungs():
            yield from ((commands.ClaimHand, hand.shape, hand.faces) for hand in hands_of(rules))
            for special in rules.claims.specials:
                targets = range(1, seats + 1) if special == "impose" else (None,)
                yield from ((commands.Declare, special, target) for target in targets)


def _handlings(dice: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield ways to handle dice, as (outside, inside, roll_inside, roll_outside): any of them show, hide, or roll.

    Those that are named are shown, hidden, or rolled; the others stay, or are rolled where those that stay are shown.
    """
    places = range(dice)
    for count in range(1, dice + 1):
        for some in itertools.combinations(places, count):
            others = tuple(place for place in places if place not in some)
            yield from (((), (), some, ()), ((), (), (), some), (some, (), (), ()), ((), some, (), ()))
            if others:
                yield from ((some, (), others, ()), (some, (), (), others))


def _asked(move: Move, view: View, every: list[Asked]) -> list[Asked]:
    """Return what a move on offer can come to, and perhaps more: the rules are asked of each."""
    match move:
        case BidMove():
            lowest = dict(zip(move.faces, (quantity for quantity, _ in move.lowest), strict=True))
            return [
                (commands.Bid, quantity, face)
                for face, least in lowest.items()
                for quantity in range(least, move.quantity_max + 1)
            ]
        case CallMove():
            return [(commands.ClaimHand, shape, faces) for shape, those in view.hands.items() for faces in those]
        case DeclareMove():
            return [asked for asked in every if asked[0] is commands.Declare]
        case ChooseFirstMove():
            return [(commands.ChooseFirst, seat) for seat in move.seats]
        case ArrangeMove():
            positions = {*move.inside, *move.outside}
            return [
                asked
                for asked in every
                if asked[0] is commands.Arrange and all(positions.issuperset(places) for places in asked[1:])
            ]
        case _:
            return [(plain_command(move),)]


def _written(value: Any) -> str:  # noqa: ANN401 - a member of a command
    return "-".join(map(str, value)) if isinstance(value, tuple) else str(value)
