"""Seeds and signatures as records tell of them: who drew the seeds, what was thrown away, and who signed what he did.

What an audit says of signatures it says seat by seat: what is proved, and what is the word of the house.
`services/web/static/words/signed.js` chooses the same sentences. Source: CUP/1 sections 4.8, 4.13 and 4.14.8.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from msgspec import Struct

from domain.fairness.custody import SeedDrawers
from domain.fairness.records import RecordLine
from services.words.catalogue import CATALOGUE, count_noun, join_names, say

MATCH: Final = "match.created"
"""The first line of a match: only in these is there somebody who could sign."""


class Seeds(Struct, frozen=True):
    """Which seats brought seeds of their own, and for which the server drew them.

    A deal that was voided has no dice: nothing that was brought to it says anything of those that were played with.

    Attributes:
        own: Seats with a seed of their own in a deal that was played; it may be that they had none in another.
        server: Seats with a seed of the server's in a deal that was played.
        reused: Seats that gave in two deals what is one seed.
        withheld: Seats that fixed a seed and never showed it.
        unseeded: The deals, by number, that were played without any seat's own seed: the server alone chose.
        drawn: The deals, by number, that were played with a seed of the server's for a seat that no house bot has.
        signed: Of those with a seed of their own, the seats that signed each one they opened.
    """

    own: tuple[int, ...]
    server: tuple[int, ...]
    reused: tuple[int, ...] = ()
    withheld: tuple[int, ...] = ()
    unseeded: tuple[int, ...] = ()
    signed: tuple[int, ...] = ()
    drawn: tuple[int, ...] = ()


class Void(Struct, frozen=True):
    """A deal that was thrown away: its number, whether the log had it by then, and the seats that are named for it."""

    deal: int
    logged: bool
    seats: tuple[int, ...]


def seeds_of(lines: Sequence[RecordLine]) -> Seeds:
    """Return who drew the seeds of the deals that were played, and what became of seeds."""
    given: dict[int, list[str]] = {}
    opened = [line for line in lines if line.kind == "seed.opened"]
    for line in opened:
        given.setdefault(line.data["seat"], []).append(line.data["seed"])
    played = _seed_drawers(lines)
    own = tuple(sorted({seat for deal in played.values() for seat in deal.own}))
    signed = {line.data["seat"] for line in opened if line.signed is not None}
    signed -= {line.data["seat"] for line in opened if line.signed is None}
    return Seeds(
        own,
        tuple(sorted({seat for deal in played.values() for seat in deal.server})),
        tuple(sorted(seat for seat, seeds in given.items() if len(set(seeds)) < len(seeds))),
        tuple(sorted({seat for line in lines if line.kind == "deal.voided" for seat in line.data["seats"]})),
        tuple(sorted(number for number, deal in played.items() if not deal.own)),
        tuple(seat for seat in own if seat in signed),
        tuple(sorted(number for number, deal in played.items() if deal.house_drew)),
    )


def voids_of(lines: Sequence[RecordLine]) -> tuple[Void, ...]:
    """Return the deals that were voided, in their order."""
    logged = {line.data["deal"] for line in lines if line.kind == "deal.logged"}
    voided = (line.data for line in lines if line.kind == "deal.voided")
    return tuple(Void(data["deal"], data["deal"] in logged, tuple(data["seats"])) for data in voided)


class _Played(Struct, frozen=True):
    """A deal that was played: whose seeds were their own, whose the server drew, and whether one of these is no bot."""

    own: set[int]
    server: set[int]
    house_drew: bool


def _seed_drawers(lines: Sequence[RecordLine]) -> dict[int, _Played]:
    """Return for each deal that became ready who drew its seeds."""
    drawers = SeedDrawers()
    sealed: dict[int, set[int]] = {}
    played = {}
    for line in lines:
        drawers.take(line.kind, line.data)
        match line.kind, line.data:
            case "deal.sealed", {"deal": int(deal), "seats": list(seats)}:
                sealed[deal] = set(seats)
            case "deal.ready", {"deal": int(deal)}:
                whose, server = sealed.get(deal, set()), drawers.server
                played[deal] = _Played(whose - server, whose & server, drawers.house_drew(whose))
            case _:
                pass
    return played


# ---- who signed ------------------------------------------------------------------------------------


def keyless_of(lines: Sequence[RecordLine], keyed: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the seats of a match, ascending, that somebody took and none of these keys speaks for."""
    taken = {line.data["seat"] for line in lines if line.kind == "seat.joined"}
    return tuple(sorted(seat for seat in taken if str(seat) not in keyed))


def signing_sentences(
    seats: Mapping[str, Any], keyless: Sequence[int]
) -> Iterator[tuple[Literal["yes", "open", "note"], str]]:
    """Yield what is proved of seats with keys, what happened to them, and of whom nothing is proved.

    Args:
        seats: What layer 2 has found of each seat with a key, as `domain.fairness.signing` reports it.
        keyless: The seats without one.
    """
    words = CATALOGUE["audit"]["signed"]
    if seats:
        commands = count_noun(sum(each["signed"] for each in seats.values()), "command")
        yield "yes", say(words["all"], seat_facts([int(seat) for seat in seats]) | {"commands": commands})
    for seat, each in seats.items():
        if each["clock"]:
            yield "note", say(words["clock"], {"seat": seat, "times": str(each["clock"])})
        for seq in each["recovered"]:
            yield "note", say(words["recovered"], {"seat": seat, "line": str(seq + 1)})
    if keyless:
        yield "open", say(words["keyless"], seat_facts(keyless) | {"any": "yes" if seats else "no"})


def own_seeds_words(seeds: Seeds) -> str:
    """Return who drew seeds of their own: of whom a signature says so, and of whom the record."""
    words = CATALOGUE["audit"]["seeds"]
    said = [seat for seat in seeds.own if seat not in seeds.signed]
    others = say(words["others"], {"server": numbered("seats", seeds.server)}) if seeds.server else ""
    facts = {"own": numbered("seats", said), "own.number": str(len(said)), "others": others}
    facts |= {"deals": numbered("deals", seeds.unseeded)}
    signed = [say(words["signed"], seat_facts(seeds.signed))] if seeds.signed else []
    return " ".join([*signed, say(words["some" if seeds.unseeded else "own"], facts)])


def numbered(noun: str, numbers: Sequence[int]) -> str:
    """Return seats or deals by their numbers, such as `seats 1 and 2`."""
    return say(
        CATALOGUE["audit"][noun],
        {noun: join_names([str(each) for each in numbers]), f"{noun}.number": str(len(numbers))},
    )


def seat_facts(seats: Sequence[int]) -> dict[str, str]:
    """Return what a sentence is told of seats: which they are, and how many."""
    return {"seats": numbered("seats", seats), "seats.number": str(len(seats))}
