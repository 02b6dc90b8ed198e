"""The public form of each command that a seat signs, held against the first line it led to.

Members that are the same in both say what everybody reads; the others are the command's alone, and layer 3 judges
them. An auditor has a catalogue of its own, so that a change to the server's commands cannot loosen an audit. Source:
CUP/1 section 4.14.3.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec import Struct

from domain.log import canonical

_HASH: Final = re.compile(r"[0-9a-f]{64}")


class Form(Struct, frozen=True):
    """How a command is written down.

    Attributes:
        lines: The types that its first line may have.
        same: The members that the line has as well, with the same values.
        own: The members that are the command's alone, each with what it has to be.
        says: What the line says besides.
    """

    lines: tuple[str, ...]
    same: tuple[str, ...] = ()
    own: Mapping[str, Callable[[Any], bool]] = {}
    says: Mapping[str, str] = {}


def _is_custody(value: object) -> bool:
    return value in ("client", "server")


def _are_faces(value: object) -> bool:
    return type(value) is list and all(type(face) is int for face in value)


def _is_hash(value: object) -> bool:
    return type(value) is str and _HASH.fullmatch(value) is not None


JOIN: Final = "join"
REKEY: Final = "rekey"
ARRANGED: Final = "game.arranged"
ARRANGE: Final = Form((ARRANGED,), ("cup", "outside", "taken", "roll_inside", "roll_outside"), {"sealed": _is_hash})
FORMS: Final[dict[str, Form]] = {
    JOIN: Form(("seat.joined",), ("key",), {"custody": _is_custody}),
    "leave": Form(("seat.left",), says={"reason": "left"}),
    REKEY: Form(("seat.keyed",), ("key",), says={"by": "seat"}),
    "commit_seed": Form(("seed.committed",), ("deal", "commit")),
    "open_seed": Form(("seed.opened",), ("deal", "seed")),
    "bid": Form(("game.bid", "game.cocked_called"), ("quantity", "face")),
    "call": Form(("game.called",), ("shape",), {"faces": _are_faces}),
    "declare": Form(("game.declared",), ("special", "to")),
    "choose_first": Form(("game.first_chosen",), ("who",)),
    "arrange": ARRANGE,
    "challenge": Form(("game.challenged",)),
    "spot_on": Form(("game.spot_on_called",)),
    "pass": Form(("game.passed",)),
    "accept": Form(("game.accepted",)),
    "catch": Form(("game.caught",)),
    "count": Form(("game.count_asked",)),
    "demand_bills": Form(("game.bills_demanded",)),
    "stop": Form(("game.chase_stopped",)),
    "look": Form(("game.looked",)),
    "show_cocked": Form(("game.cocked_shown",)),
    "buy_back": Form(("game.bought_back",)),
    "drop_out": Form(("game.dropped_out",)),
    "resign": Form(("game.forfeited",)),
    "roll": Form(("game.round_opened", "cup.rolled")),
}
"""By the type of the command."""
OPENED: Final = "game.round_opened"
"""The one line of a game that is written whether its seat asked for it or the table did."""
OF_A_SEAT: Final = frozenset(
    [line for form in FORMS.values() for line in form.lines if line.startswith("game.") and line != OPENED]
)
"""The types of a game that only the seat they name can have asked for."""
NAME: Final = "name"


def fits(kind: str, data: Mapping[str, Any], command: Mapping[str, Any]) -> bool:
    """Report whether a line of this type says what the command asks for, member by member, none left out."""
    asked = command.get("type")
    form = FORMS.get(asked) if type(asked) is str else None
    if form is None or kind not in form.lines:
        return False
    same = (*form.same, NAME) if asked == JOIN and NAME in data else form.same
    if command.keys() != {"type", *same, *form.own} or any(
        data.get(member) != said for member, said in form.says.items()
    ):
        return False
    return all(_are_equal(data, command, member) for member in same) and all(
        is_lawful(command[member]) for member, is_lawful in form.own.items()
    )


def _are_equal(data: Mapping[str, Any], command: Mapping[str, Any], member: str) -> bool:
    """Report whether both have a member with the same value: the same JSON, since 1 is not true to any other reader."""
    return member in data and canonical.encode([data[member]]) == canonical.encode([command[member]])
