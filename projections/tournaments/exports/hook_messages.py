"""Messages of webhooks: which lines of a tournament others are told of, and the few public facts they are told.

Thin, by the standard's advice: a message says what has happened and where, and whoever wants more reads it there.

Source: Standard Webhooks 1.0, "Event types" and "Payload structure".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from msgspec import Struct

from domain.ids import UnixMs, Version
from projections.tournaments.exports.moments import iso_text

TRIAL: Final = "webhook.test"
"""The type of what a host sends to try a hook."""
FIRST: Final = 1
"""The stage with which a tournament begins."""


class HookMessage(Struct, frozen=True):
    """What a hook is told.

    Attributes:
        type: What happened.
        timestamp: When, as ISO 8601 has it.
        data: The tournament, its version behind this line, and the line's own facts.
    """

    type: str
    timestamp: str
    data: dict[str, Any]


TOLD: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "entry.opened": ("tournament.opened", ()),
    "stage.opened": ("tournament.started", ("stage", "rounds")),
    "tournament.paused": ("tournament.paused", ("reason",)),
    "tournament.finished": ("tournament.finished", ()),
    "tournament.cancelled": ("tournament.cancelled", ("reason",)),
    "tables.paired": ("round.paired", ("stage", "group", "round", "tables", "byes")),
    "round.started": ("round.started", ("stage", "round")),
    "round.closed": ("round.closed", ("stage", "round")),
    "result.recorded": ("result.recorded", ("stage", "round", "table", "match", "how")),
    "result.ruled": ("result.ruled", ("stage", "round", "table", "reason")),
    "player.registered": ("player.registered", ("number", "bot")),
    "player.withdrawn": ("player.withdrawn", ("number", "reason")),
    "appeal.filed": ("appeal.filed", ("appeal", "number")),
    "appeal.decided": ("appeal.decided", ("appeal", "outcome")),
}
"""By the type of a line: the type of the message, and the members it takes along; of a list, how many it has."""
HookType = Literal[
    "tournament.opened", "tournament.started", "tournament.paused", "tournament.finished", "tournament.cancelled",
    "round.paired", "round.started", "round.closed", "result.recorded", "result.ruled",
    "player.registered", "player.withdrawn", "appeal.filed", "appeal.decided",
]  # fmt: skip
"""What a hook may be told of."""


def hook_message(line: Mapping[str, Any]) -> HookMessage | None:
    """Return what a line of a tournament comes to for others; None for what is not told.

    Args:
        line: The line, as the log has it.
    """
    kind, told, data = line["type"], TOLD.get(line["type"]), line["data"]
    if told is None or (kind == "stage.opened" and data["stage"] != FIRST):
        return None
    facts = {name: len(data[name]) if isinstance(data[name], list) else data[name] for name in told[1]}
    tournament = line["stream"].partition("/")[2]
    return HookMessage(told[0], iso_text(line["at"]), {"tournament": tournament, "version": line["seq"] + 1, **facts})


def hook_trial(tournament: str, version: Version, at: UnixMs) -> HookMessage:
    """Return what a hook is told that its host tries: nothing has happened."""
    return HookMessage(TRIAL, iso_text(at), {"tournament": tournament, "version": version})
