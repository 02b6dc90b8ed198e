"""Thirty lies about an event of each format, each chained anew: wherever one can be told, it is found with its code."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

import msgspec
import pytest

from domain.tournaments import commands
from domain.tournaments.deciding.due import due
from domain.tournaments.formats.table import keeps_pairs_apart
from tests.sizes import spread
from tests.tournaments.events_by_hand import HOST, player
from tests.tournaments.events_for_audit import WrittenEvent, bent, judged, number_of
from tests.tournaments.ladder_events import LadderEvent
from tests.tournaments.test_arenas import Arena
from tests.tournaments.test_dutch import given

STRANGER: Final = "o" + "9" * 24
DUELS: Final = {"format": "swiss", "sizes": {"preferred": 2, "min": 2, "max": 2}}
PRIZES: Final = {"unit": "EUR", "amounts": [10, 5, 3]}
FORMATS: Final = (
    *("pods", "duel_swiss", "knockout", "single", "double", "round_robin", "league_day", "groups", "last_longer"),
    *("pods_final", "arena", "dutch", "duplicate", "ladder", "chouette", "manual"),
)
MORE: Final = {"duplicate": {"stages": [{"format": "duplicate", "supervised": True}]}}
"""What some say besides, so that there are prizes to lie about."""
Change = Callable[[dict[str, Any]], object]


def ruled_on(event: WrittenEvent) -> WrittenEvent:
    """Record the first table of the round that is played, and let officials have much to say about it."""
    seats = event.table().seats
    event.record(1)
    ranking = tuple((number,) for number in reversed(seats))
    stage, held = len(event.tournament.stages), event.round.number
    event.do(commands.Rule(by=HOST, stage=stage, round=held, table=1, ranking=ranking, reason="wrong_result"))
    event.do(commands.Penalise(by=HOST, number=seats[0], kind="points", points="1/2", reason="conduct"))
    event.do(commands.Appeal(by=player(seats[0]), number=seats[0], line=event.tournament.seq))
    event.do(commands.DecideAppeal(by=HOST, appeal=1, outcome="denied"))
    return event


def arena() -> WrittenEvent:
    event = Arena(6, prizes=PRIZES)
    apart(event)
    event.wait(1, 2, 3, 4, 5, 6)
    event.seat()
    ruled_on(event)
    while not event.tournament.ended:
        if due(event.tournament) is not None:
            event.step()
            continue
        for held in event.tournament.stages[0].open_rounds:
            event.end(held.number, event.at - event.began + 1_000)
    return event


def apart(event: WrittenEvent) -> None:
    """Keep two from one table where that can be, and let them."""
    if keeps_pairs_apart(event.tournament):
        event.do(commands.Forbid(by=HOST, numbers=(1, 2)))
        event.do(commands.Allow(by=HOST, line=event.tournament.seq))


def dutch() -> WrittenEvent:
    """Return an event by FIDE's book whose tables were found by hand, as a package would give them."""
    event = WrittenEvent("dutch", prizes=PRIZES).begin(5)
    apart(event)
    for tables, rests in ((((1, 2), (3, 4)), 5), (((3, 1), (2, 5)), 4), (((5, 3), (4, 2)), 1)):
        event.do(given(event, tables, rests))
        event.step()
        if rests == 5:
            ruled_on(event)
        for number in event.round.missing:
            event.record(number)
        event.step()
    return event.close()


def ladder() -> WrittenEvent:
    """Return a ladder with a challenge that was played, one that was declined, and one that nobody answered."""
    event = LadderEvent(6, prizes=PRIZES)
    apart(event)
    event.meet(4, 2)
    ruled_on(event)
    event.step()
    event.answer(event.challenge(6, 5), accepted=False)
    event.challenge(event.order[-1], event.order[-2])
    return event.close()


def manual() -> WrittenEvent:
    """Return an event whose rounds are set by hand, every table of them."""
    event = WrittenEvent("duel_swiss", prizes=PRIZES, time={"start": "host"}, stages=[{**DUELS, "rounds": 2}])
    event.enter(6).check_in(draws=(1, 2)).draw().do_step()
    apart(event)
    for tables in (((1, 2), (3, 4), (5, 6)), ((1, 3), (2, 5), (4, 6))):
        event.do(commands.FixTables(by=HOST, tables=tables, reason="request"))
        event.do(event.proceed_of(HOST))
        event.step()
        if tables[0] == (1, 2):
            ruled_on(event)
        event.play_round()
    return event.close()


MADE: Final = {"arena": arena, "dutch": dutch, "ladder": ladder, "manual": manual}
"""What makes events that do not go on by themselves."""


@cache
def record(name: str) -> tuple[bytes, ...]:
    """Return the record of an event of a format, closed."""
    if name in MADE:
        return tuple(MADE[name]().lines)
    event = WrittenEvent(name, prizes=PRIZES, **MORE.get(name, {})).enter(9).check_in(draws=(1, 2)).draw().do_step()
    apart(event)
    return tuple(ruled_on(event.start()).close().lines)


def turned(items: list[Any]) -> list[Any]:
    return items[::-1]


def swap_tables(data: dict[str, Any]) -> None:
    one, two = data["tables"][0][1], data["tables"][1][1]
    one[0], two[0] = two[0], one[0]


def another_rests(data: dict[str, Any]) -> None:
    seats = data["tables"][0][1]
    data["byes"][0], seats[0] = seats[0], data["byes"][0]


LIES: Final[dict[str, tuple[str, Change, str]]] = {
    "swapped tables": ("tables.paired", swap_tables, "E_PAIRING"),
    "turned seats": ("tables.paired", lambda d: d["tables"][0].__setitem__(1, turned(d["tables"][0][1])), "E_PAIRING"),
    "a table of another number": ("tables.paired", lambda d: d["tables"][0].__setitem__(0, 77), "E_PAIRING"),
    "a table left out": ("tables.paired", lambda d: d.update(tables=d["tables"][1:]), "E_PAIRING"),
    "a bye for another": ("tables.paired", another_rests, "E_PAIRING"),
    "another roll": ("tables.paired", lambda d: d.update(roll=d["roll"] + 1), "E_PAIRING"),
    "another law": ("tables.paired", lambda d: d.update(law="pods/2"), "E_PAIRING"),
    "another cost": (
        "tables.paired",
        lambda d: d.update(certificate={**(d["certificate"] or {}), "cost": 7}),
        "E_PAIRING",
    ),
    "lines not looked at": ("tables.paired", lambda d: d.update(upto=d["upto"] - 1), "E_PAIRING"),
    "another head": ("tables.paired", lambda d: d.update(head="0" * 64), "E_PAIRING"),
    "other seeds": ("stage.opened", lambda d: d.update(seeds=turned(d["seeds"])), "E_PAIRING"),
    "another number of rounds": ("stage.opened", lambda d: d.update(rounds=(d["rounds"] or 0) + 1), "E_PAIRING"),
    "a stage by another roll": ("stage.opened", lambda d: d.update(roll=d["roll"] + 1), "E_PAIRING"),
    "other groups": ("stage.opened", lambda d: d.update(groups=turned(d["groups"])), "E_PAIRING"),
    "a result with a stranger": ("result.recorded", lambda d: d.update(ranking=[[1], [99]]), "E_RESULT"),
    "a result of another match": ("result.recorded", lambda d: d.update(match="0" * 36), "E_RESULT"),
    "a result of another attempt": ("result.recorded", lambda d: d.update(attempt=2), "E_RESULT"),
    "a moved result": ("result.recorded", lambda d: d.update(table=d["table"] + 50), "E_RESULT"),
    "units of a stranger": ("result.recorded", lambda d: d.update(units=[[99, 1]]), "E_RESULT"),
    "a ruling by a stranger": ("result.ruled", lambda d: d.update(by=STRANGER), "E_RULES"),
    "a ruling of a stranger": ("result.ruled", lambda d: d.update(ranking=[[1], [99]]), "E_RULES"),
    "a ruling without a reason": ("result.ruled", lambda d: d.update(reason="other"), "E_RULES"),
    "a penalty for nobody": ("penalty.imposed", lambda d: d.update(number=99), "E_RULES"),
    "half a point as a decimal": ("penalty.imposed", lambda d: d.update(points="0.5"), "E_RULES"),
    "an appeal of another number": ("appeal.filed", lambda d: d.update(appeal=2), "E_RULES"),
    "an appeal decided by a stranger": ("appeal.decided", lambda d: d.update(by=STRANGER), "E_RULES"),
    "a pair with itself": ("pair.forbidden", lambda d: d.update(numbers=[1, 1]), "E_RULES"),
    "other standings": ("round.closed", lambda d: d.update(standings="0" * 64), "E_STANDING"),
    "other places": ("stage.closed", lambda d: d.update(ranking=turned(d["ranking"])), "E_STANDING"),
    "other prizes": ("tournament.finished", lambda d: d["paid"][0].__setitem__(2, 11), "E_STANDING"),
}
NOWHERE: Final = {
    ("another law", "dutch"): "it is the package's own word",
    ("swapped tables", "dutch"): "whether the package gives these is for the package to say",
    ("turned seats", "dutch"): "the same",
    ("a bye for another", "dutch"): "the same",
}
"""Lies that layer 3 leaves to the package of the law, which is run again where it is installed."""


def lie_about(name: str, lie: str) -> tuple[list[bytes], int] | None:
    """Return a record with a lie in it and its line; None where there is nothing of the kind to lie about."""
    kind, change, _ = LIES[lie]
    lines = record(name)
    kinds = [msgspec.json.decode(line)["type"] for line in lines]
    if kind not in kinds or (lie, name) in NOWHERE:
        return None
    number = number_of(lines, kind)
    try:
        told = bent(lines, number, lambda document: change(document["data"]))
    except (TypeError, IndexError):
        return None
    return None if told == list(lines) else (told, number)


ASKED: Final = [(name, lie) for name in FORMATS for lie in LIES]


@pytest.mark.parametrize(("name", "lie"), spread(ASKED, 4, lambda one: one[0]))
def test_a_lie_is_found_at_its_line_with_its_code(name: str, lie: str) -> None:
    told = lie_about(name, lie)
    if told is None:
        return
    lines, number = told
    ruling = judged(lines)
    assert (ruling.code, ruling.line) == (LIES[lie][2], number), ruling.why


@pytest.mark.parametrize("name", FORMATS)
def test_the_record_itself_is_at_no_fault_and_most_lies_can_be_told_of_it(name: str) -> None:
    ruling = judged(record(name))
    assert (ruling.code, ruling.upto) == (None, len(record(name))), ruling.why
    assert sum(lie_about(name, lie) is not None for lie in LIES) >= 20


def test_there_are_thirty_lies_and_each_can_be_told_somewhere() -> None:
    assert len(LIES) == 30
    assert {lie for name, lie in ASKED if lie_about(name, lie) is not None} == LIES.keys()


@pytest.mark.parametrize(
    ("kind", "members"),
    [
        ("challenge.made", {"challenge": 9}),
        ("challenge.made", {"number": 1, "against": 4}),
        ("challenge.made", {"until": 1}),
        ("challenge.answered", {"challenge": 9}),
        ("challenge.lapsed", {"challenge": 1}),
        ("tables.fixed", {"by": STRANGER}),
        ("tables.fixed", {"tables": [[1, 1]]}),
    ],
)
def test_a_lie_about_what_people_asked_is_one_about_the_rules(kind: str, members: dict[str, Any]) -> None:
    lines = record("manual" if kind == "tables.fixed" else "ladder")
    number = number_of(lines, kind)
    ruling = judged(bent(lines, number, lambda document: document["data"].update(members)))
    assert (ruling.code, ruling.line) == ("E_RULES", number), ruling.why
