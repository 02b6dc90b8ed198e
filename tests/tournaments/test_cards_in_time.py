"""Cards of entrants in time: nothing that somebody has to know at once is held back, and few are made for nothing."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain.tournaments.record import TournamentAtHead, step
from domain.tournaments.tournament import Entrant, Tournament
from projections.tournaments.cards import card_of
from projections.tournaments.people import touches_card
from tests.tournaments.events_by_hand import HOST
from tests.tournaments.events_for_audit import WrittenEvent
from tests.tournaments.seen_events import NAMES, busy, steps


def event_of(line: bytes) -> dict[str, Any]:
    document = msgspec.json.decode(line)
    return {"type": document["type"], **document["data"]}


def urgent(tournament: Tournament, number: int) -> dict[str, Any]:
    """Return what of a card cannot wait: all but how others stand, and what the tournament waits for."""
    card = card_of(replace(tournament, ceremony=None), NAMES, number)
    members = ("now", "until", "table", "status", "phase", "paused", "place", "prize")
    return {name: getattr(card, name) for name in members}


@pytest.mark.parametrize("name", ["pods", "knockout"])
def test_a_line_that_changes_what_somebody_has_to_know_touches_the_card(name: str) -> None:
    event = busy(name) if name == "pods" else WrittenEvent(name).enter(6).check_in(draws=(1,)).draw()
    for _ in steps(event):
        pass
    written: TournamentAtHead | None = None
    spared = 0
    for line in event.lines:
        before, (written, _) = written, step(written, line)
        after = written.tournament
        for number, entrant in [] if before is None else list(before.tournament.entrants.items()):
            assert before is not None
            if not touches_card(event_of(line), entrant, draws=False):
                spared += 1
                assert urgent(before.tournament, number) == urgent(after, number), (line, number)
    assert spared > len(event.lines), "most lines are of somebody else"


def entrant(number: int = 3) -> Entrant:
    return WrittenEvent("pods").enter(4).tournament.entrants[number]


@pytest.mark.parametrize(
    ("event", "touched"),
    [
        ({"type": "deal.committed", "deal": 0}, False),
        ({"type": "official.appointed", "official": "o1"}, False),
        ({"type": "player.checked_in", "number": 3}, True),
        ({"type": "player.checked_in", "number": 4}, False),
        ({"type": "player.registered", "number": 4, "player": "e1"}, False),
        ({"type": "result.recorded", "table": 1, "ranking": [[1], [3]], "absent": []}, True),
        ({"type": "result.recorded", "table": 1, "ranking": [[1]], "absent": [3]}, True),
        ({"type": "result.recorded", "table": 1, "ranking": [[1], [2]], "absent": [4]}, False),
        ({"type": "tables.paired", "stage": 1}, True),
        ({"type": "tournament.paused", "by": HOST}, True),
    ],
)
def test_a_line_touches_the_cards_of_whom_it_is_about(event: dict[str, Any], *, touched: bool) -> None:
    assert touches_card(event, entrant(), draws=False) is touched


def test_steps_of_the_lots_are_for_those_who_draw() -> None:
    assert touches_card({"type": "seed.committed", "seat": 2}, entrant(), draws=True)
    drawer = {"type": "seat.joined", "seat": 2, "player": entrant().player}
    assert touches_card(drawer, entrant(), draws=False)
    assert not touches_card(drawer, entrant(4), draws=False)
