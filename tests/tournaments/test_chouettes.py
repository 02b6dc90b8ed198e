"""Chouettes: one table for all, at which the winner stays and the loser waits again."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.errors import Refused
from domain.rules.schedules import chouette, chouette_after
from domain.tournaments import commands
from domain.tournaments.deciding.due import due
from domain.tournaments.deciding.rounds import draw_round
from domain.tournaments.field import StageField
from domain.tournaments.formats.format import DueStep
from domain.tournaments.options import rules_from
from domain.tournaments.pairing.lots import Lots
from domain.tournaments.presets import preset
from domain.tournaments.schedules.chouettes import after_bout, line_of, next_bout
from projections.tournaments.standings import standings_view
from tests.tournaments.events_by_hand import HOST, player
from tests.tournaments.events_for_audit import WrittenEvent, bent, judged, number_of


class ChouetteEvent(WrittenEvent):
    """A chouette moved on by hand."""

    def __init__(self, count: int = 4, stage: dict[str, Any] | None = None, **members: Any) -> None:
        super().__init__(
            "chouette",
            **{"stages": [{"format": "chouette", **({"bouts": 5} if stage is None else stage)}], **members},
        )
        self.begin(count)
        played = self.tournament.stages[0]
        self.lots = Lots(played.lots, 1, 0).order(played.seeds)
        self.began = played.opened_at

    @property
    def places(self) -> tuple[int, ...]:
        found = StageField(self.tournament, 1).order
        assert found is not None
        return found

    def sits(self) -> tuple[int, ...]:
        """Let the next two sit down, and return who does."""
        self.start()
        return self.table().seats

    def bout(self, *winner: int) -> tuple[int, ...]:
        """Let the next bout be played: one wins, or nobody; return who sat."""
        seats = self.sits()
        self.at += 1
        self.record(1, (winner, tuple(n for n in seats if n not in winner)) if winner else (seats,))
        self.step()
        return seats

    def check(self) -> None:
        """Check that the audit has nothing to say to all of it, to its end."""
        self.close()
        ruling = judged(self.lines)
        assert (ruling.code, ruling.upto) == (None, len(self.lines)), ruling.why


def test_who_wins_keeps_the_seat_and_who_loses_waits_behind_all_others() -> None:
    event = ChouetteEvent()
    a, b, c, d = event.lots
    assert event.places == (a, b, c, d)
    assert event.bout(b) == (a, b)
    assert event.bout(c) == (c, b)
    assert event.bout(c) == (c, d)
    assert event.bout(c) == (c, a)
    assert event.bout(b) == (c, b)
    event.check()
    assert event.tournament.ranking == ((c,), (b,), (d,), (a,))
    assert (event.round.law, event.round.number) == ("chouette/1", 5)
    assert [row.score for row in StageField(event.tournament, 1).rows] == [3, 2, 0, 0]


def test_of_a_bout_that_nobody_wins_who_sat_there_before_stays_and_has_won_nothing() -> None:
    event = ChouetteEvent(3)
    a, b, c = event.lots
    assert event.bout() == (a, b)
    assert event.bout(c) == (a, c)
    assert event.bout() == (b, c)
    assert event.sits() == (a, c)
    assert event.places == (c, a, b)


def test_where_neither_comes_both_wait_again() -> None:
    event = ChouetteEvent(4)
    a, b, c, d = event.lots
    event.sits()
    event.absent(1, a, b)
    event.step()
    assert event.bout(d) == (c, d)
    assert event.sits() == (a, d)
    event.absent(1, a)
    event.step()
    # A second absence is a withdrawal.
    assert event.sits() == (b, d)
    event.check()


def test_who_has_left_is_passed_over_and_has_kept_the_place_when_it_comes_back() -> None:
    event = ChouetteEvent(4)
    a, b, c, d = event.lots
    event.bout(a)
    event.do(commands.Withdraw(by=player(c), number=c))
    assert event.bout(d) == (a, d)
    event.do(commands.Return(by=player(c), number=c))
    assert event.bout(d) == (c, d)
    event.do(commands.Withdraw(by=player(d), number=d))
    assert event.bout(a) == (b, a)
    assert event.code(commands.RequestBye(by=player(a), number=a, round=5)) == "too_late"
    event.check()


def test_it_is_over_when_fewer_than_two_are_left() -> None:
    event = ChouetteEvent(3)
    a, b, c = event.lots
    event.bout(a)
    for number in (a, c):
        event.do(commands.Withdraw(by=player(number), number=number))
    found = due(event.tournament)
    assert found is not None
    assert found.step == "close_stage"
    assert event.code(commands.FixTables(by=HOST, tables=((a, b),))) == "bad_tables"
    with pytest.raises(Refused) as refused:
        draw_round(event.tournament, Lots(bytes(32), 1, 2))
    assert refused.value.code == "cannot_pair"
    event.check()
    assert event.tournament.ranking[0] == (a,)


def test_who_comes_late_waits_behind_all_others() -> None:
    event = ChouetteEvent(3, entry={"late_rounds": 9})
    a, b, c = event.lots
    event.sits()
    event.do(commands.Register(by=player(4), player=player(4)))
    assert event.places == (a, b, c, 4)
    event.record(1, ((a,), (b,)))
    event.step()
    assert event.places == (a, c, b, 4)
    assert event.bout(a) == (a, c)
    assert event.bout(a) == (a, b)
    assert event.bout(4) == (a, 4)
    event.check()


def test_while_a_time_lasts_bouts_begin_and_then_no_more() -> None:
    event = ChouetteEvent(2, {"duration_ms": 100_000}, time={"between_ms": 60_000})
    ends = event.began + 100_000
    assert event.tournament.stages[0].rounds_planned is None
    event.sits()
    event.at = event.began + 39_000
    event.record(1)
    event.step()
    assert due(event.tournament) == DueStep("pair", event.began + 99_000)
    event.do(commands.PauseTournament(by=HOST))
    event.do(commands.Resume(by=HOST))
    event.sits()
    event.record(1)
    event.step()
    assert due(event.tournament) == DueStep("close_stage", ends)
    event.do(commands.PauseTournament(by=HOST))
    event.at = ends + 5
    event.do(commands.Resume(by=HOST))
    assert due(event.tournament) == DueStep("close_stage", ends + 5)
    event.check()


def test_what_is_ruled_later_counts_and_changes_nothing_of_who_sat() -> None:
    event = ChouetteEvent(3)
    a, b, c = event.lots
    event.bout(a)
    event.bout(c)
    event.do(commands.Rule(by=HOST, stage=1, round=1, table=1, ranking=((b,), (a,))))
    assert event.places == (c, b, a)
    assert event.bout(c) == (b, c)
    event.check()


def test_others_at_the_table_are_found_by_the_audit() -> None:
    event = ChouetteEvent(3)
    a, b, c = event.lots
    event.bout(a)
    event.close()
    number = number_of(event.lines, "tables.paired", 1)
    found = judged(bent(event.lines, number, lambda line: line["data"].update(tables=[[1, [b, c]]])))
    assert (found.code, found.line) == ("E_PAIRING", number)


@given(st.integers(2, 7), st.lists(st.integers(0, 2), max_size=20))
def test_while_all_are_there_it_is_the_chouette_that_games_know(players: int, winners: list[int]) -> None:
    now = plain = chouette(range(1, players + 1))
    stays: int | None = None
    there = set(range(1, players + 1))
    for winner in winners:
        seats = next_bout(now, stays, there)
        assert seats == plain.seats
        stays = seats[winner % 2]
        now, plain = after_bout(now, seats, stays), chouette_after(plain, stays)
        assert (now, sorted(line_of(now, stays))) == (plain, sorted(there))


@pytest.mark.parametrize("seed", range(3))
def test_whoever_leaves_and_comes_back_the_record_is_what_the_law_says(seed: int) -> None:
    chance, event = Random(seed), ChouetteEvent(5, {"bouts": 15})
    while event.tournament.stages[0].closed is None:
        number = chance.randint(1, 5)
        gone = event.tournament.entrants[number].gone is not None
        kind = commands.Return if gone else commands.Withdraw
        if chance.random() < 0.3:
            try:
                event.do(kind(by=player(number), number=number))
            except Refused:
                continue
        found = due(event.tournament)
        if found is None:
            seats = event.table().seats
            event.record(1, chance.choice((((seats[0],), (seats[1],)), ((seats[1],), (seats[0],)), (seats,))))
            continue
        event.step()
        assert sorted(event.places) == [1, 2, 3, 4, 5]
    event.check()


@pytest.mark.parametrize(
    ("members", "option"),
    [
        ({"stages": [{"format": "chouette"}]}, "stages.0.bouts"),
        ({"stages": [{"format": "chouette", "bouts": 3, "duration_ms": 60_000}]}, "stages.0.bouts"),
        ({"stages": [{"format": "chouette", "duration_ms": 60_000}], "time": {"start": "host"}}, "time.start"),
        ({"tiebreaks": ["SB"]}, "tiebreaks"),
    ],
)
def test_what_is_no_chouette_is_refused(members: dict[str, Any], option: str) -> None:
    with pytest.raises(Refused) as refused:
        rules_from(preset("chouette", **members))
    assert refused.value.facts["option"] == option


def test_standings_of_a_chouette_have_its_places_and_nobody_misses_a_bout_of_others() -> None:
    event = ChouetteEvent(3)
    a, b, c = event.lots
    event.bout(a)
    event.bout(c)
    view = standings_view(event.tournament, {})
    assert (view.by_score, view.ordered_by, view.tiebreaks) == (True, "chouette", ())
    assert [(row.number, row.place, len(row.course)) for row in view.rows] == [(c, 1, 1), (a, 2, 2), (b, 3, 1)]
    event.sits()
    assert standings_view(event.tournament, {}, 1, 3).rows == standings_view(event.tournament, {}, 1, 2).rows
