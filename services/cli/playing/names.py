"""What people call the seats, claims and dice of a view."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from domain.rules.ladders import Hand
from domain.rules.orders import Count
from domain.rules.rules import DIGITS, Faces
from projections.words import face_mark

Json = dict[str, Any]
PASSED_CUP: Final = 255
"""The id of the cup that is passed on."""


class Names:
    """What people call the seats of a view, and what its dice show."""

    def __init__(self, view: Json) -> None:
        """Take the names from this view."""
        self._names = {seat["seat"]: seat["name"] for seat in view["seats"]}
        self.title = str(view["title"])
        self.sizes = {seat["seat"]: len(seat["dice"]) for seat in view["seats"]} | {PASSED_CUP: len(view["cup"])}
        self.tokens = Faces(*view["faces"])
        self.token = "digit" if self.tokens == DIGITS else "die"

    def of(self, account: int | str | None) -> str:
        """Return the name of a seat, or of a place at the table such as the pot."""
        if isinstance(account, str):
            return f"the {account}"
        return str(self._names.get(account, f"seat {account}"))

    def all(self, seats: list[int]) -> str:
        """Return the names of some seats in a row; `nobody` for none."""
        names = [self.of(seat) for seat in seats]
        return ", ".join(names[:-1]) + f" and {names[-1]}" if len(names) > 1 else "".join(names) or "nobody"

    def cup(self, cup: int) -> str:
        """Return what a cup is called."""
        return "the cup" if cup == PASSED_CUP else f"the cup of {self.of(cup)}"

    def claim(self, event: Json) -> Count | Hand:
        """Return the claim in an event."""
        if event.get("quantity") is not None:
            return Count(event["quantity"], event["face"])
        return Hand(event["shape"], tuple(event["faces"]))

    def drawn(self, faces: Iterable[int]) -> str:
        """Return dice that everybody sees, such as `[3][K]`."""
        return "".join(f"[{face_mark(face, self.tokens)}]" for face in faces) or "no dice"


def dice_drawn(dice: list[Json], tokens: Faces) -> str:
    """Return the dice of a view, `[ ]` for a hidden one: those inside, and behind a bar those that everybody sees.

    `~` marks a die that lies cocked.
    """

    def drawn(die: Json) -> str:
        mark = " " if die["face"] is None else face_mark(die["face"], tokens)
        return f"[{mark}{'~' if die['cocked'] else ''}]"

    inside, outside = ("".join(drawn(die) for die in dice if die["shown"] is shown) for shown in (False, True))
    return " | ".join(part for part in (inside, outside) if part)
