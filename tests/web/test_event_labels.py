"""Bots of the house carry their label wherever a page, a file or a terminal names them."""

from __future__ import annotations

import html
import re
from itertools import islice
from typing import Final

import pytest

from projections.tournaments.brackets import BracketSide, KnockoutSeat, bracket_view
from tests.tournaments.events_by_hand import TOURNAMENT
from tests.tournaments.events_for_audit import WrittenEvent
from tests.tournaments.seen_events import NAMES, busy, steps
from tests.web.event_pages import PATHS, OneTournament
from tests.web.test_event_pages import reader

CERTIFICATE: Final = "/entrants/{}/certificate"
PERSON: Final = "Wilhelmina"
"""What a bot is called here: like a person."""
LABELLED: Final = re.compile(r"(</bdi>)?(</a>)?\s*(<span class=\"tag\">bot</span>|\(bot\)| bot\b)")


EVENTS: Final = ("pods", "single", "knockout", "last_longer", "ladder", "round_robin", "duel_swiss")


def event_of(name: str) -> WrittenEvent:
    """Return an event with a bot in it that does well, after its first round."""
    if name == "pods":
        return busy()
    event = WrittenEvent(name, entry={"bots": "labelled"}).enter(1, bot=True).enter(4).check_in().draw()
    event.step()
    return event if name == "ladder" else event.play_round()


def unlabelled(page: str) -> list[str]:
    """Return what stands behind a bot's name where no label does."""
    text = html.unescape(page)
    behind = (text[found.end() :][:80] for found in re.finditer(PERSON, text))
    return [part for part in behind if not LABELLED.match(part)]


async def read_all(event: WrittenEvent, *, ended: bool) -> dict[str, str]:
    """Return every page of an event that there is, by path."""
    (bot,) = (number for number, one in event.tournament.entrants.items() if one.bot)
    more = [
        f"/entrants/{bot}",
        f"/why?number={bot}",
        "/standings?so=true",
        *([CERTIFICATE.format(bot)] if ended else []),
    ]
    pages = {}
    async with reader(OneTournament(event, names={**NAMES, bot: PERSON})) as client:
        for path in (*PATHS, *more):
            answer = await client.get(f"/t/{TOURNAMENT}{path}")
            if answer.status_code == 200:
                pages[path] = answer.text
    return pages


@pytest.mark.parametrize("name", EVENTS)
async def test_a_bot_that_is_called_like_a_person_is_labelled_on_every_page(name: str) -> None:
    event = event_of(name)
    pages = await read_all(event, ended=False)
    found = {path: unlabelled(page) for path, page in pages.items()}
    assert {path: behind for path, behind in found.items() if behind} == {}
    naming = {path for path, page in pages.items() if PERSON in page}
    assert {"", "/standings", "/screen", "/host"} <= naming
    if name != "ladder":
        assert {"/pairings", "/print", "/print/slips", "/why"} <= naming


async def test_a_bot_that_wins_is_labelled_on_the_wall_and_on_its_certificate() -> None:
    event = WrittenEvent("single", entry={"bots": "labelled"}).enter(1, bot=True).enter(3).check_in().draw()
    while event.tournament.phase != "finished":
        list(islice(steps(event), 1))
    pages = await read_all(event, ended=True)
    assert not any(map(unlabelled, pages.values()))
    assert all(PERSON in pages[path] for path in ("", "/screen", CERTIFICATE.format(1)))


@pytest.mark.parametrize("name", ["single", "knockout"])
def test_a_bracket_says_who_is_a_bot(name: str) -> None:
    event = event_of(name)
    view = bracket_view(event.tournament, NAMES, 1)
    sides: list[BracketSide | KnockoutSeat] = [side for match in view.matches for side in match.sides]
    sides += [seat for held in view.rounds for table in held.tables for seat in table.seats]
    entrants = event.tournament.entrants
    assert {side.number for side in sides if side.bot} == {1}
    assert all(side.bot is (side.number is not None and entrants[side.number].bot) for side in sides)
