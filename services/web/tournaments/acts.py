"""Acts of officials: all that the console asks for, with what each needs to know, who may, and what it is called.

The page lists them once, and every button names one. A script asks for what is missing and for the reason, says what
the act will do, and sends it; who may do it is decided by the tournament.
"""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

Asked = Literal[
    "number", "other", "name", "club", "seed", "own_seeds", "count", "role", "kind", "points", "minutes", "ranking",
    "table", "tables", "outcome", "lines", "list", "key", "reason", "text",
]  # fmt: skip
"""What an act may have to be told."""


class Act(Struct, frozen=True):
    """Something that an official may do.

    Attributes:
        key: What its words and its buttons know it by.
        asks: What has to be said besides, in the order of the form.
        type: The command that it is, where that is not called so.
        path: Where it is asked for, below the tournament.
        host: Whether the host alone may.
        who: The entrants it may be about, by how they stand.
        reason: The reason that is meant most often; empty where somebody has to say.
        sure: Whether it is told beforehand what it will do, though nothing is asked.
    """

    key: str
    asks: tuple[Asked, ...] = ()
    type: str = ""
    path: str = "/commands"
    method: Literal["POST", "DELETE"] = "POST"
    host: bool = False
    who: tuple[str, ...] = ()
    reason: str = ""
    sure: bool = False


IN: Final = ("entered", "here", "waits")
WHY: Final[tuple[Asked, ...]] = ("reason", "text")

ACTS: Final = (
    Act("open_entry", host=True),
    Act("close_entry", host=True, sure=True),
    Act("open_check_in", host=True),
    Act("proceed"),
    Act("resume"),
    Act("pause", WHY, reason="technical"),
    Act("cancel", WHY, host=True),
    Act("bots", ("count",), path="/bots", host=True),
    Act("enter", ("name", "club", "seed", "own_seeds"), path="/entrants", host=True),
    Act("enter_list", ("list", "own_seeds"), path="/entrants/bulk", host=True),
    Act("appoint", ("role",), path="/officials", host=True),
    Act("dismiss", path="/officials", method="DELETE", host=True, sure=True),
    Act("approve", ("number", *WHY), who=("waits",), reason="rules"),
    Act("seed", ("number", "seed"), host=True, who=IN),
    Act("turn_away", ("number", *WHY), who=IN),
    Act("check_in", ("number",), who=("entered",)),
    Act("withdraw", ("number", *WHY), host=True, who=IN, reason="request"),
    Act("return", ("number", *WHY), host=True, who=("withdrawn", "not_admitted"), reason="request"),
    Act("name_key", ("number", "key"), host=True, who=IN),
    Act("forbid", ("number", "other", *WHY), who=IN),
    Act("allow", sure=True),
    Act("fix_tables", ("tables", *WHY), who=IN),
    Act("unpair", WHY),
    Act("unpair_table", WHY, type="unpair"),
    Act("extend", ("minutes", *WHY)),
    Act("rule", ("ranking", *WHY)),
    Act("replay", WHY),
    Act("give_time", ("number", "minutes", *WHY)),
    Act("penalise", ("number", "kind", "points", "table", *WHY), who=("entered", "here", "withdrawn")),
    Act("lift", WHY),
    Act("decide", ("outcome", "lines", "text")),
    Act("finish", sure=True),
    Act("erase", path="/notes", method="DELETE", sure=True),
)
"""Every act, in the order of an event."""
