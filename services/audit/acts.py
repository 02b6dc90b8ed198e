"""Acts of officials, and gaps of pairings, in the record of a tournament: what a host or an entrant asks first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from domain.fairness.records import RecordLine
from domain.tournaments.events import RULE
from services.words.catalogue import CATALOGUE, join_names, say

ACTS: Final = (
    "result.ruled", "table.replayed", "tables.unpaired", "tables.fixed", "penalty.imposed", "penalty.lifted",
    "player.turned_away", "player.withdrawn", "player.returned", "player.keyed", "pair.forbidden", "pair.allowed",
    "time.given", "round.extended", "tournament.cancelled", "tournament.closed",
)  # fmt: skip
"""Lines by which an official changes what the law alone would have come to."""
OTHER: Final = "other"


class OfficialAct(Struct, frozen=True):
    """What an official did.

    Attributes:
        line: Its line, from 1.
        kind: The type of the line.
        by: Who it was.
        reason: The code of why; null for what needs none.
    """

    line: int
    kind: str
    by: str
    reason: str | None


class AppealFact(Struct, frozen=True):
    """An appeal, and what became of it.

    Attributes:
        appeal: Its number.
        line: The line that filed it, from 1.
        against: The line that it is against, from 1.
        outcome: What was decided; null while nobody has.
        decided: The line that says so, from 1.
        lines: The lines by which something was done about it, from 1.
    """

    appeal: int
    line: int
    against: int
    outcome: str | None = None
    decided: int | None = None
    lines: tuple[int, ...] = ()


class EventFacts(Struct, frozen=True):
    """What the record of a tournament says of itself.

    Attributes:
        acts: What officials did, in order.
        cost: What all pairings by `pods/1` cost; None where there are none.
        bound: What none could have cost less than.
        appeals: Every appeal, by number.
        recovered: The entrants whose key a host has replaced, each with the line, from 1, from which the new one held.
    """

    acts: tuple[OfficialAct, ...]
    cost: int | None
    bound: int | None
    appeals: tuple[AppealFact, ...] = ()
    recovered: tuple[tuple[int, int], ...] = ()


def facts_of_event(lines: Sequence[RecordLine]) -> EventFacts:
    """Return what the lines of a tournament say, which hold by its laws."""
    officials = {line.data["official"] for line in lines if line.kind == "official.appointed"}
    acts = tuple(
        OfficialAct(line.number, line.kind, line.data["by"], line.data.get("reason"))
        for line in lines
        if line.kind in ACTS and line.data.get("by", RULE) in officials
    )
    paired = [line.data["certificate"] for line in lines if line.kind == "tables.paired" and line.data["certificate"]]
    cost = sum(each["cost"] for each in paired) if paired else None
    bound = sum(each["bound"] for each in paired) if paired else None
    return EventFacts(acts, cost, bound, _appeals(lines), _recovered(lines))


def _recovered(lines: Sequence[RecordLine]) -> tuple[tuple[int, int], ...]:
    """Return where an entrant has signed with another key than the one that held: such a key a host had named."""
    held: dict[int, str] = {}
    found: list[tuple[int, int]] = []
    for line in lines:
        if line.kind == "player.keyed" and "signed" in line.data:
            number, signer = line.data["number"], line.data["signed"]["key"]
            if held.get(number, signer) != signer:
                found.append((number, line.number))
            held[number] = line.data["key"]
    return tuple(found)


def _appeals(lines: Sequence[RecordLine]) -> tuple[AppealFact, ...]:
    """Return every appeal with what became of it; places in a stream are lines of its record, counted from 1."""
    found: dict[int, AppealFact] = {}
    for line in lines:
        said = line.data
        if line.kind == "appeal.filed":
            found[said["appeal"]] = AppealFact(said["appeal"], line.number, said["line"] + 1)
        elif line.kind == "appeal.decided":
            done = tuple(each + 1 for each in said["lines"])
            decided = {"outcome": said["outcome"], "decided": line.number, "lines": done}
            found[said["appeal"]] = replace(found[said["appeal"]], **decided)
    return tuple(found.values())


def act_sentences(event: EventFacts) -> tuple[str, ...]:
    """Return what officials did, a sentence each."""
    words, reasons = CATALOGUE["terminal"]["tournament"]["audit"], CATALOGUE["tournaments"]["reasons"]
    return tuple(
        say(
            words["act" if act.reason is not None else "act plain"],
            {
                "line": str(act.line),
                "what": words["acts"][act.kind.replace(".", " ")],
                "by": act.by,
                "reason": reasons.get(act.reason, reasons[OTHER]),
            },
        )
        for act in event.acts
    )


def recovery_sentences(event: EventFacts) -> tuple[str, ...]:
    """Return whose key a host has replaced, a sentence each."""
    words = CATALOGUE["terminal"]["tournament"]["audit"]
    return tuple(
        say(words["recovered"], {"number": str(number), "line": str(line)}) for number, line in event.recovered
    )


def appeal_sentences(event: EventFacts) -> tuple[str, ...]:
    """Return what became of every appeal, a sentence each."""
    words = CATALOGUE["terminal"]["tournament"]["audit"]["appeal"]
    return tuple(
        say(
            words,
            {
                "appeal": str(each.appeal),
                "line": str(each.line),
                "against": str(each.against),
                "outcome": each.outcome or "open",
                "decided": str(each.decided),
                "lines": join_names([str(line) for line in each.lines]),
                "lines.number": str(len(each.lines)),
            },
        )
        for each in event.appeals
    )


def gap_sentence(event: EventFacts) -> str | None:
    """Return what pairing cost beside what it costs at least; None where nothing was paired by cost."""
    if event.cost is None:
        return None
    facts = {"cost": str(event.cost), "bound": str(event.bound)}
    return say(CATALOGUE["terminal"]["tournament"]["audit"]["gap"], facts)
