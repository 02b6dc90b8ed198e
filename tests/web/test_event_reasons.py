"""Reasons of places on a page: under every tie-break and every score stands what it is the sum of."""

from __future__ import annotations

import re
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from domain.tournaments.deciding.due import due
from domain.tournaments.options import TIEBREAKS
from services.words.catalogue import message
from tests.tournaments.events_by_hand import TOURNAMENT
from tests.tournaments.events_for_audit import WrittenEvent
from tests.tournaments.test_arenas import Arena
from tests.tournaments.test_views import level
from tests.web.event_pages import OneTournament
from tests.web.test_event_pages import numbers_in, parts_of, reader, rows_of

FOURS = {"stages": [{"format": "swiss", "rounds": 3}]}
DUELS = {"stages": [{"format": "swiss", "rounds": 3, "sizes": {"preferred": 2, "min": 2, "max": 2}}]}
ROBIN = {"stages": [{"format": "round_robin", "cycles": 1}]}
OF_ALL = {"swiss": [code for code in TIEBREAKS if code != "KS"], "round_robin": ["DE", "KS", "SB", "PS", "WIN", "WON"]}


def play(event: WrittenEvent) -> None:
    """Play an event to its end by chance, so that some of it is level."""
    chance = Random(5)
    while not event.tournament.ended:
        if due(event.tournament) is not None:
            event.step()
            continue
        number = event.round.missing[0]
        seats = event.table(number).seats
        event.record(number, tuple((each,) for each in chance.sample(seats, len(seats))))


async def standings_of(event: WrittenEvent, query: str = "") -> str:
    async with reader(OneTournament(event)) as client:
        return (await client.get(f"/t/{TOURNAMENT}/standings{query}")).text


def lines_of(told: str) -> list[tuple[bool, str]]:
    """Return the lines below a heading, each with whether it is left out."""
    return [(bool(cut), line) for cut, line in re.findall(r'<li( class="cut")?>(.*?)</li>', told, re.DOTALL)]


def check(code: str, row: str, told: str) -> None:
    """Check that what stands below a tie-break comes to it."""
    name = str(message(f"tournaments.ties.{code}.name"))
    lines = lines_of(told)
    if code == "CB":
        shares = [numbers_in(line)[0] for _, line in lines if "counts" in line]
        (cell,) = (tie for tie in re.findall(r'<td class="tie">(.*?)</td>', row) if "·" in tie)
        assert sum(shares) == sum(numbers_in(cell))
        return
    value = numbers_in(re.findall(rf"<h2>{name}: (.*?)</h2>", row)[0])[0]
    numbers = [(cut, numbers_in(line)[0]) for cut, line in lines if "Not met" not in line]
    assert sum((each for cut, each in numbers if not cut), Fraction(0)) == value, code
    cuts = {"BH-C1": 1, "BH-C2": 2, "BH-M1": 2}.get(code, 0)
    assert sum(cut for cut, _ in numbers) == cuts


@pytest.mark.parametrize("members", [FOURS, DUELS, ROBIN], ids=["fours", "duels", "robin"])
async def test_what_stands_below_every_tie_break_comes_to_it(members: dict[str, Any]) -> None:
    codes = OF_ALL[members["stages"][0]["format"]]
    seen = set[str]()
    for first in codes:
        # Whoever is parted by one is not looked at by the next: so each comes first once.
        event = WrittenEvent("pods", **members, tiebreaks=[first, *(code for code in codes if code != first)])
        event.enter(9).check_in().draw()
        play(event)
        names = {str(message(f"tournaments.ties.{code}.name")): code for code in codes}
        for _, row in rows_of(await standings_of(event)):
            for heading, told in parts_of(row).items():
                if heading in names:
                    check(names[heading], row, told)
                    seen.add(names[heading])
    assert seen == set(codes)


async def test_first_places_in_a_row_are_part_of_what_points_come_to() -> None:
    event = Arena(2, {"streak": True})
    event.wait(1, 2)
    for wave in (1, 2, 3):
        event.seat()
        event.end(wave, event.at - event.began + 1_000, winner=1)
        event.step()
    rows = dict(rows_of(await standings_of(event, "?stage=1&round=3")))
    assert "For first places in a row:" in rows[1]
    for row in rows.values():
        score, *_ = numbers_in(row)
        assert sum(numbers_in(parts_of(row)["Points"])) == score


async def test_of_many_who_are_tied_the_page_of_an_entrant_names_some() -> None:
    event = level(70)
    async with reader(OneTournament(event)) as client:
        told = (await client.get(f"/t/{TOURNAMENT}/entrants/1")).text
    level_with = re.findall(r"Looked at since level so far with (.*?) and 5 more:", told, re.DOTALL)
    assert [each.count("<a ") for each in level_with] == [64] * len(event.tournament.rules.tiebreaks)
    assert re.search(r"Not met: .* and 5 more</li>", told)
