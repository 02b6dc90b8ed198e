"""Names of seats, claims and dice of a view, as people call them."""

from __future__ import annotations

from typing import Any

from domain.rules.rules import DIGITS, Faces
from projections.words import face_mark
from services.words.catalogue import message, say, term

Json = dict[str, Any]


class TerminalNames:
    """What people call the seats of a view, and what its dice show."""

    def __init__(self, view: Json) -> None:
        """Take the names from this view."""
        self._names = {seat["seat"]: seat["name"] for seat in view["seats"]}
        self.title = term(str(view["title"]))
        self.tokens = Faces(*view["faces"])
        self.token = "digit" if self.tokens == DIGITS else "die"

    def of(self, account: int | str | None) -> str:
        """Return the name of a seat, or of a place at the table such as the pot."""
        if isinstance(account, str):
            return say(message("people.place"), {"place": account})
        return str(self._names.get(account, say(message("people.seat"), {"seat": str(account)})))


def dice_drawn(dice: list[Json], tokens: Faces) -> str:
    """Return the dice of a view, `[ ]` for a hidden one: those inside, and behind a bar those that everybody sees.

    `~` marks a die that lies cocked.
    """

    def drawn(die: Json) -> str:
        mark = " " if die["face"] is None else face_mark(die["face"], tokens)
        return f"[{mark}{'~' if die['cocked'] else ''}]"

    inside, outside = ("".join(drawn(die) for die in dice if die["shown"] is shown) for shown in (False, True))
    return " | ".join(part for part in (inside, outside) if part)
