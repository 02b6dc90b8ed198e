"""The input of a pairing: entrants, scores and history, as canonical JSON whose hash a certificate names.

It follows from the lines of a tournament and is stored nowhere. Entrants and pairs stand in ascending order, and pairs
of `met` and `forbidden` have the lower number first.

Source: the laws of tournaments, `pods/1` and the pairing certificate.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from domain.tournaments.pairing.sizes import SEATS_MAX, SEATS_MIN, TableSizes
from domain.tournaments.points import NotPoints, points_of

ENTRANTS_MAX: Final = 4096
NUMBER_MAX: Final = 2**31 - 1
Number = Annotated[int, Meta(ge=1, le=NUMBER_MAX)]
"""An entrant."""
Count = Annotated[int, Meta(ge=0, le=65_535)]
Often = Annotated[int, Meta(ge=1, le=65_535)]
Balance = Annotated[int, Meta(ge=-(2**31), le=2**31)]
Weight = Annotated[int, Meta(ge=0, le=1000)]
Pair = tuple[Number, Number]
Meetings = tuple[Number, Number, Often]
"""Two entrants, and how often."""


class NotAnInput(ValueError):  # noqa: N818 - says what the input is
    """This is no input of a pairing."""


class Weights(Struct, frozen=True, forbid_unknown_fields=True):
    """What meeting again, a club in common, a difference of scores and another small table count for."""

    repeat: Weight
    club: Weight
    score: Weight
    small: Weight


class InputPlayer(Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody who is to be paired.

    Attributes:
        n: The number.
        score: Points so far, as text.
        club: The club; empty for none.
        small: How often they sat at a table smaller than the largest of its round.
        byes: How often they rested because the tables were full.
        balance: The sum of what their places weighed, see `seating`.
    """

    n: Number
    score: str
    club: Annotated[str, Meta(max_length=64)]
    small: Count
    byes: Count
    balance: Balance


class PairingInput(Struct, frozen=True, forbid_unknown_fields=True):
    """What a round is paired from.

    Attributes:
        sizes: How large tables should be.
        weights: What counts for how much.
        top: What a first place at a table of the preferred size is worth, as text.
        players: Who is there, by number.
        met: (i, j, times): how often two have played at one table.
        after: (a, b, times): how often b has sat next after a.
        forbidden: (i, j): who may not meet.
        fixed: Tables that an official set.
    """

    sizes: TableSizes
    weights: Weights
    top: str
    players: Annotated[tuple[InputPlayer, ...], Meta(max_length=ENTRANTS_MAX)]
    met: tuple[Meetings, ...]
    after: tuple[Meetings, ...]
    forbidden: tuple[Pair, ...]
    fixed: tuple[Annotated[tuple[Number, ...], Meta(min_length=SEATS_MIN, max_length=SEATS_MAX)], ...]


def input_of(value: object) -> PairingInput:
    """Return the input that a value of JSON states.

    Raises:
        NotAnInput: It has other members or types, or is not in order.
    """
    try:
        found = msgspec.convert(value, PairingInput)
        valid = _is_in_range(found) and _is_in_order(found)
        canonical(found)
    except (msgspec.ValidationError, NotPoints, UnicodeEncodeError, RecursionError) as error:
        raise NotAnInput(str(error)) from error
    if not valid:
        raise NotAnInput("sizes, numbers or pairs are out of order")
    return found


def canonical(value: PairingInput) -> bytes:
    """Return the one text of an input (RFC 8785, of any length)."""
    return _ENCODER.encode(value)


def input_hash(value: PairingInput) -> str:
    """Return the hash of an input that a certificate names, as hex."""
    return hashlib.sha256(canonical(value)).hexdigest()


def free_numbers(value: PairingInput) -> list[int]:
    """Return who sits at no fixed table, by number."""
    fixed = {number for table in value.fixed for number in table}
    return [entrant.n for entrant in value.players if entrant.n not in fixed]


def _is_in_range(value: PairingInput) -> bool:
    for entrant in value.players:
        points_of(entrant.score)
    sizes = value.sizes
    return points_of(value.top) > 0 and sizes.min <= sizes.preferred <= sizes.max


def _is_in_order(value: PairingInput) -> bool:
    numbers = [entrant.n for entrant in value.players]
    known = set(numbers)
    seated = [number for table in value.fixed for number in table]
    met = [pair[:2] for pair in value.met]
    after = [pair[:2] for pair in value.after]
    return (
        _ascends(numbers)
        and all(_ascends(pairs) and _are_known(pairs, known) for pairs in (met, after, value.forbidden))
        and all(i < j for i, j in (*met, *value.forbidden))
        and all(a != b for a, b in after)
        and len(set(seated)) == len(seated)
        and known.issuperset(seated)
    )


def _ascends(items: Sequence[Any]) -> bool:
    return all(low < high for low, high in pairwise(items))


def _are_known(pairs: Iterable[Pair], known: Collection[int]) -> bool:
    return all(i in known and j in known for i, j in pairs)


# Names sorted, no space, no escape that is not needed: in this profile what RFC 8785 says.
_ENCODER: Final = msgspec.json.Encoder(order="sorted")
