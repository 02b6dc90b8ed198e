"""Lies, made one by one: what can be said otherwise of a record, event by event and member by member."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from domain import events
from tests.domain.truth_oracle import Course, Record

HEX_DIGITS = 64
ACCOUNTS = ("pot", "box", "bar", "bank")


class Lie(Struct, frozen=True):
    """A changed record.

    Attributes:
        how: What was done.
        kind: The type of the event it was done to.
        member: Which member was changed, if one was.
        record: What it says then.
    """

    how: str
    kind: str
    member: str
    record: Record


# ---- members ----------------------------------------------------------------------------------------


def members_changed(record: Record, rng: random.Random, prefixes: tuple[str, ...]) -> Iterator[Lie]:
    """Yield every member of every event of these types with each other value that looks like one of its kind."""
    seats = sum(1 for one in record if one["type"] == "seat.joined")
    for at, one in enumerate(record):
        if at and one["type"].startswith(prefixes):
            for name, value in one["data"].items():
                for other in _others(record, one["type"], name, value, seats, rng):
                    told = {**one, "data": {**one["data"], name: other}}
                    yield Lie("changed", one["type"], name, [*record[:at], told, *record[at + 1 :]])


def _others(record: Record, kind: str, name: str, value: Any, seats: int, rng: random.Random) -> Iterator[Any]:
    """Yield what stands in other events of the type, what is a little different, and what is of another kind."""
    seen = {json.dumps(one["data"][name]) for one in record if one["type"] == kind}
    elsewhere = sorted(seen - {json.dumps(value)})
    told = {json.dumps(value), *elsewhere}
    yield from (json.loads(text) for text in rng.sample(elsewhere, min(2, len(elsewhere))))
    for other in (*altered(value), *_strangers(value, seats)):
        if json.dumps(other) not in told:
            told.add(json.dumps(other))
            yield other


def _strangers(value: Any, seats: int) -> Iterator[Any]:
    if value is None:
        yield from (0, 1, seats, True, [])
    elif isinstance(value, int) and not isinstance(value, bool):
        yield from (*range(seats + 2), None)
    elif isinstance(value, str) and value in ACCOUNTS:
        yield from (*ACCOUNTS, 1, seats)
    elif isinstance(value, list):
        yield from ([], [seats], [*range(1, seats + 1)])


def altered(value: Any) -> Iterator[Any]:
    """Yield a value a little different, in every way there is."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, value - 1)
    elif isinstance(value, str):
        yield from (
            (value[:-1] + ("0" if value[-1:] != "0" else "1"), None) if len(value) == HEX_DIGITS else (value + "s",)
        )
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from ({**value, name: other} for other in altered(part))
    elif isinstance(value, list):
        yield from _altered_list(value)


def _altered_list(value: list[Any]) -> Iterator[Any]:
    yield value[::-1]
    for at, part in enumerate(value):
        yield [*value[:at], *value[at + 1 :]]
        yield [*value[:at], part, *value[at:]]
        yield from ([*value[:at], other, *value[at + 1 :]] for other in altered(part))


# ---- events -----------------------------------------------------------------------------------------


def events_moved(record: Record, rng: random.Random) -> Iterator[Lie]:
    """Yield the record without each event, with each twice, with each in another place, and with each put in."""
    for at in range(1, len(record)):
        one, kind = record[at], record[at]["type"]
        rest = [*record[:at], *record[at + 1 :]]
        where, other = rng.randrange(1, len(rest)), rng.randrange(1, len(record))
        yield Lie("left out", kind, "", rest)
        yield Lie("told twice", kind, "", [*record[:at], one, *record[at:]])
        yield Lie("moved", kind, "", [*rest[:where], one, *rest[where:]])
        yield Lie("put in", kind, "", [*record[:other], one, *record[other:]])
        if at + 1 < len(record):
            yield Lie("swapped", kind, "", [*record[:at], record[at + 1], one, *record[at + 2 :]])


# ---- dice -------------------------------------------------------------------------------------------


def dice_rolled_too_often(course: Course) -> Iterator[Lie]:
    """Yield a roll more of each cup, with its right number, at each moment after the last one of the deal."""
    record = course.record
    for moment in course.moments:
        table, keeper = moment.match.table, moment.keeper
        later = [one["data"]["cup"] for one in record[moment.lines :] if one["type"] == "cup.rolled"]
        for cup, rolls in table.rolls.items() if table is not None and keeper is not None else ():
            if cup not in later:
                roll = {"deal": moment.match.deals - 1, "cup": cup, "roll": rolls, "slots": [0], "m": [6]}
                yield _put(record, moment.lines, "cup.rolled", roll)


def dice_opened_early(course: Course) -> Iterator[Lie]:
    """Yield the opening of every hidden die of a cup, proved as it should be, at each moment before its time."""
    record = course.record
    for moment in course.moments:
        ceremony, table, keeper = moment.match.ceremony, moment.match.table, moment.keeper
        if ceremony is None or ceremony.mix is None or ceremony.stage != "ready" or table is None or keeper is None:
            continue
        dealer = keeper.open_deal(ceremony.mix)
        for cup, place in table.places.items():
            rolls = [one["data"] for one in record[: moment.lines] if _is_roll(one, ceremony.deal, cup)]
            if place.inside and rolls:
                last = rolls[-1]
                shown = events.data_of(dealer.open(cup, last["roll"], last["slots"], last["m"]))
                yield _put(record, moment.lines, "cup.revealed", shown)


def dice_opened_in_part(course: Course) -> Iterator[Lie]:
    """Yield every opening with each of its dice left out."""
    record = course.record
    for at, one in enumerate(record):
        if one["type"] == "cup.revealed":
            for left in range(len(one["data"]["keys"])):
                kept = {name: _but(one["data"][name], left) for name in ("keys", "values")}
                told = {**one, "data": {**one["data"], **kept}}
                yield Lie("opened in part", one["type"], "keys", [*record[:at], told, *record[at + 1 :]])


def dice_rolled_otherwise(course: Course) -> Iterator[Lie]:
    """Yield every roll with each of its dice left out, and each with a face more and a face less."""
    record = course.record
    for at, one in enumerate(record):
        if one["type"] == "cup.rolled":
            slots, m = one["data"]["slots"], one["data"]["m"]
            changes = [(_but(slots, left), _but(m, left)) for left in range(len(slots))]
            changes += [(slots, other) for each in range(len(m)) for other in _faces(m, each)]
            changes += [([*slots, slots[-1] + 1], [*m, m[-1]])]
            for some, others in changes:
                told = {**one, "data": {**one["data"], "slots": some, "m": others}}
                yield Lie("rolled otherwise", one["type"], "slots", [*record[:at], told, *record[at + 1 :]])


def _is_roll(one: dict[str, Any], deal: int, cup: int) -> bool:
    return one["type"] == "cup.rolled" and (one["data"]["deal"], one["data"]["cup"]) == (deal, cup)


def _but(values: list[Any], left: int) -> list[Any]:
    return [*values[:left], *values[left + 1 :]]


def _faces(m: list[int], at: int) -> list[list[int]]:
    return [[*m[:at], m[at] + more, *m[at + 1 :]] for more in (1, -1)]


def _put(record: Record, at: int, kind: str, data: dict[str, Any]) -> Lie:
    told = {**record[at - 1], "type": kind, "data": json.loads(json.dumps(data))}
    return Lie("put in", kind, "", [*record[:at], told, *record[at:]])
