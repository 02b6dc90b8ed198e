"""Acts of officials, and gaps of pairings, in the record of a tournament: what a host or an entrant asks first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from domain.fairness.records import RecordLine
from domain.tournaments.events import RULE
from services.words.catalogue import CATALOGUE, say

ACTS: Final = (
    "result.ruled", "table.replayed", "tables.unpaired", "tables.fixed", "penalty.imposed", "penalty.lifted",
    "player.turned_away", "pair.forbidden", "tournament.cancelled",
)  # fmt: skip
"""Lines by which an official changes what the law alone would have come to."""
OTHER: Final = "other"


class OfficialAct(Struct, frozen=True):
    """What an official did: the line, from 1, its type, who it was, and why."""

    line: int
    kind: str
    by: str
    reason: str


class EventFacts(Struct, frozen=True):
    """What the record of a tournament says of itself.

    Attributes:
        acts: What officials did, in order.
        cost: What all pairings by `pods/1` cost; None where there are none.
        bound: What none could have cost less than.
    """

    acts: tuple[OfficialAct, ...]
    cost: int | None
    bound: int | None


def facts_of_event(lines: Sequence[RecordLine]) -> EventFacts:
    """Return what the lines of a tournament say, which hold by its laws."""
    acts = tuple(
        OfficialAct(line.number, line.kind, line.data["by"], line.data["reason"])
        for line in lines
        if line.kind in ACTS and line.data["by"] != RULE
    )
    paired = [line.data["certificate"] for line in lines if line.kind == "tables.paired" and line.data["certificate"]]
    cost = sum(each["cost"] for each in paired) if paired else None
    return EventFacts(acts, cost, sum(each["bound"] for each in paired) if paired else None)


def act_sentences(event: EventFacts) -> tuple[str, ...]:
    """Return what officials did, a sentence each."""
    words, reasons = CATALOGUE["terminal"]["tournament"]["audit"], CATALOGUE["tournaments"]["reasons"]
    return tuple(
        say(
            words["act"],
            {
                "line": str(act.line),
                "what": words["acts"][act.kind.replace(".", " ")],
                "by": act.by,
                "reason": reasons.get(act.reason, reasons[OTHER]),
            },
        )
        for act in event.acts
    )


def gap_sentence(event: EventFacts) -> str | None:
    """Return what pairing cost beside what it costs at least; None where nothing was paired by cost."""
    if event.cost is None:
        return None
    facts = {"cost": str(event.cost), "bound": str(event.bound)}
    return say(CATALOGUE["terminal"]["tournament"]["audit"]["gap"], facts)
