"""Tournaments in which most happens that people want to see: byes, absences, rulings, penalties, clubs, latecomers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from domain.tournaments import commands
from domain.tournaments.deciding.due import due
from domain.tournaments.events import TournamentCreated
from domain.tournaments.evolve import new_tournament
from domain.tournaments.rules import object_of
from domain.tournaments.tournament import Place, Tournament
from projections.tournaments.pairings import PastPairing, pairings_of
from tests.tournaments.events_by_hand import HOST, TOURNAMENT, EventByHand, player
from tests.tournaments.events_for_audit import WrittenEvent

NAMES = {number: f"Name {number}" for number in range(1, 100)}
PRIZES = {"unit": "EUR", "amounts": [10, 5, 2]}


def busy(name: str = "pods", **members: Any) -> WrittenEvent:
    """Return a tournament of nine after its first round, about which officials had much to say."""
    event = WrittenEvent(name, **{"prizes": PRIZES, "entry": {"late_rounds": 2, "bots": "labelled"}} | members)
    event.enter(8, club="c" + "a" * 24).enter(1, bot=True).check_in(draws=(1, 2)).draw().step()
    event.do(commands.RequestBye(by=player(1), number=1, round=1, kind="half"))
    event.do(commands.Forbid(by=HOST, numbers=(2, 3)))
    event.start()
    last = max(event.round.tables)
    one, two, *_ = event.table(1).seats
    event.absent(last, event.table(last).seats[-1])
    event.play_round()
    seats = event.table(1).seats
    points = tuple((number, "1/3") for number in seats)
    ranking = ((one, two), *((each,) for each in seats if each not in {one, two}))
    event.do(commands.Rule(by=HOST, stage=1, round=1, table=1, ranking=ranking, points=points, reason="wrong_result"))
    event.do(commands.Penalise(by=HOST, number=two, kind="points", points="1/2", reason="conduct"))
    event.do(commands.Appeal(by=player(one), number=one, line=event.tournament.seq))
    event.do(commands.DecideAppeal(by=HOST, appeal=1, outcome="denied"))
    return event.enter(1)


def steps(event: WrittenEvent) -> Iterator[Tournament]:
    """Play an event to its end, and yield how it stands after every step."""
    while not event.tournament.ended:
        found = due(event.tournament)
        if found is None:
            last = event.tournament.stage and event.tournament.stage.last
            assert last, "tables are waited for"
            table = last.missing[0]
            event.record(table, tuple((each,) for each in sorted(event.table(table).seats)))
        else:
            event.step()
        if found is not None and found.step == "lots":
            event.give_seeds()
        yield event.tournament


def created(event: EventByHand) -> Tournament:
    """Return a tournament as its first line describes it."""
    first = TournamentCreated(str(TOURNAMENT), object_of(event.tournament.rules), "all")
    return new_tournament(first, 0)


def past(event: EventByHand) -> dict[Place, PastPairing]:
    """Return the pairings of an event that stand, of which there is one a round."""
    return {place: only for place, (only,) in whole_past(event).items()}


def whole_past(event: EventByHand) -> dict[Place, tuple[PastPairing, ...]]:
    """Return the pairings of an event that stand, those of all groups."""
    return pairings_of(created(event), [(each, 0) for each in event.events])
