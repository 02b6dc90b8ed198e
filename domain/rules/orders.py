"""Orders of counts, by name: the five bidding systems of common hand and the order of digits.

Source: the common-hand rules of the liar's dice article (bidding rules 1 to 5); `half_double` from Dudo and Perudo.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from domain.ids import Face, Quantity


class Count(Struct, frozen=True, order=True):
    """At least `quantity` dice count for `face`."""

    quantity: Quantity
    face: Face


Rank = Callable[[int], int]
"""How high a face stands among the faces."""

RANKS: Final[dict[str, Rank]] = {
    "natural": lambda face: face,
    "zero_high": lambda face: face or 10,
    "ace_high": lambda face: face if face > 1 else face + 10,
}
"""By name. Source: liar's poker, where nought is ten (Salomon), or one is an ace above it (dollar bills)."""


Order = Callable[[Count, Count], bool]
"""Whether the second claim outranks the first."""


def _outranks_face_first(old: Count, new: Count) -> bool:
    return (new.face, new.quantity) > (old.face, old.quantity)


def _outranks_quantity_first(old: Count, new: Count) -> bool:
    return (new.quantity, new.face) > (old.quantity, old.face)


def _outranks_as_number(old: Count, new: Count) -> bool:
    return max(new.quantity, new.face) > max(old.quantity, old.face)


def _outranks_by_product(old: Count, new: Count) -> bool:
    return new.quantity * new.face > old.quantity * old.face


def _outranks_without_decrease(old: Count, new: Count) -> bool:
    return new.quantity >= old.quantity and new.face >= old.face and new != old


ORDERS: Final[dict[str, Order]] = {
    "face_first": _outranks_face_first,
    "quantity_first": _outranks_quantity_first,
    "highest_number": _outranks_as_number,
    "product": _outranks_by_product,
    "no_decrease": _outranks_without_decrease,
}


Steps = Callable[[Count, tuple[Count, ...]], tuple[Count, ...]]
"""Which of the legal claims are the smallest steps up from the standing one."""


def _next_face(old: Count, legal: tuple[Count, ...]) -> int:
    return min((claim.face for claim in legal if claim.face > old.face), default=0)


def _face_first_steps(old: Count, legal: tuple[Count, ...]) -> tuple[Count, ...]:
    face = _next_face(old, legal)
    return tuple(c for c in legal if c == Count(old.quantity + 1, old.face) or c.face == face)


def _quantity_first_steps(old: Count, legal: tuple[Count, ...]) -> tuple[Count, ...]:
    step = Count(old.quantity, _next_face(old, legal))
    return tuple(c for c in legal if c == step or c.quantity == old.quantity + 1)


def _highest_number_steps(_old: Count, legal: tuple[Count, ...]) -> tuple[Count, ...]:
    least = min((max(c.quantity, c.face) for c in legal), default=0)
    return tuple(c for c in legal if max(c.quantity, c.face) == least)


def _product_steps(_old: Count, legal: tuple[Count, ...]) -> tuple[Count, ...]:
    least = min((c.quantity * c.face for c in legal), default=0)
    return tuple(c for c in legal if c.quantity * c.face == least)


def _no_decrease_steps(old: Count, legal: tuple[Count, ...]) -> tuple[Count, ...]:
    steps = {Count(old.quantity + 1, old.face), Count(old.quantity, _next_face(old, legal))}
    return tuple(c for c in legal if c in steps)


STEPS: Final[dict[str, Steps]] = {
    "face_first": _face_first_steps,
    "quantity_first": _quantity_first_steps,
    "highest_number": _highest_number_steps,
    "product": _product_steps,
    "no_decrease": _no_decrease_steps,
}
