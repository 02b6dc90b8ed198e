"""Ladders as people see them: standings, and the card of who challenges and is challenged."""

from __future__ import annotations

from domain.tournaments import commands
from projections.tournaments.cards import card_of
from projections.tournaments.standings import if_it_ended_so, standings_view
from tests.tournaments.events_by_hand import HOST, player
from tests.tournaments.events_for_audit import WrittenEvent
from tests.tournaments.ladder_events import LadderEvent


def test_standings_of_a_ladder_have_its_places_and_look_at_no_tie_break() -> None:
    event = LadderEvent(3)
    number = event.meet(3, 1)
    ended = if_it_ended_so(event.tournament, (1, number), {1: ((3,), (1,))})
    assert [row.number for row in standings_view(ended, {}).rows] == [3, 1, 2]
    event.end(number, 3)
    event.answer(event.challenge(2, 1), accepted=False)
    view = standings_view(event.tournament, {})
    assert (view.by_score, view.ordered_by, view.tiebreaks) == (True, "ladder", ())
    assert [(row.number, row.place, row.score.value, row.ties) for row in view.rows] == [
        (3, 1, "1", ()),
        (2, 2, "0", ()),
        (1, 3, "0", ()),
    ]
    assert [len(row.course) for row in view.rows] == [1, 0, 1]
    event.do(commands.Penalise(by=HOST, number=3, kind="disqualified"))
    assert [(row.number, row.place) for row in standings_view(event.tournament, {}).rows] == [(2, 1), (1, 2), (3, None)]
    event.check()


def test_the_card_says_whom_one_may_challenge_and_what_waits_for_an_answer() -> None:
    event = LadderEvent(6)
    event.do(commands.Forbid(by=HOST, numbers=(3, 4)))
    names = {1: "Ada", 3: "Cleo"}

    def card(number: int) -> tuple[int | None, list[int], set[str]]:
        found = card_of(event.tournament, names, number)
        assert found.ladder is not None
        may = set(found.may) & {"challenge", "answer"}
        return found.ladder.place, [each.number for each in found.ladder.rivals], may

    assert (card_of(event.tournament, names, 1).now, card_of(event.tournament, names, 1).next.why) == ("climb", "lasts")
    assert (card(1), card(2), card(4)) == ((1, [], set()), (2, [1], {"challenge"}), (4, [2], {"challenge"}))
    event.challenge(3, 1)
    assert (card(1), card(2), card(3)) == ((1, [], {"answer"}), (2, [], set()), (3, [], set()))
    asked, own = (card_of(event.tournament, names, number).ladder for number in (1, 3))
    assert asked is not None
    assert asked.challenge is not None
    assert (asked.challenge.name, asked.challenge.own, asked.challenge.until) == ("Cleo", False, event.at + 60_000)
    assert own is not None
    assert own.challenge is not None
    assert (own.challenge.name, own.challenge.own, own.challenge.accepted) == ("Ada", True, False)
    event.answer(1)
    assert card(1)[2] == set()
    event.step()
    event.do(commands.PauseTournament(by=HOST))
    assert card(6) == (6, [], set())
    event.do(commands.Resume(by=HOST))
    event.do(commands.Withdraw(by=player(6), number=6))
    assert card(6) == (None, [], set())
    assert card(5) == (5, [4], {"challenge"})
    assert card_of(event.tournament, names, 1).now == "go_to_table"
    event.end(1, 3)
    event.close()
    assert card_of(event.tournament, names, 1).ladder is None
    assert card_of(WrittenEvent("pods").begin(4).tournament, names, 1).ladder is None
