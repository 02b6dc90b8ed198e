"""Readings of a tournament, as a host, a player or a spectator has them before their eyes."""

from __future__ import annotations

from typing import get_args

import pytest

from domain import commands as of_lots
from domain.errors import Refused
from domain.tournaments import commands
from domain.tournaments.formats.format import Step
from projections.tournaments import dues
from projections.tournaments.brackets import bracket_view
from projections.tournaments.cards import EntrantCard, card_of
from projections.tournaments.dues import due_view
from projections.tournaments.entrants import entrant_rows, entrant_view
from projections.tournaments.overview import tournament_row, tournament_view
from projections.tournaments.rounds import round_view, table_view
from projections.tournaments.standings import rows_of_groups, standings_view
from tests.tournaments.events_by_hand import HOST, EventByHand, player, seed_of
from tests.tournaments.events_for_audit import BEACON, NOON, WrittenEvent
from tests.tournaments.seen_events import NAMES, busy
from tests.tournaments.test_arenas import Arena


def card(event: EventByHand, number: int) -> EntrantCard:
    return card_of(event.tournament, NAMES, number)


def now(event: EventByHand, *numbers: int) -> list[str]:
    return [card(event, number).now for number in numbers]


# ---- what is due, and why --------------------------------------------------------------------------


def test_it_is_said_what_is_waited_for_from_the_announcement_to_the_end() -> None:
    event = WrittenEvent("pods")
    said = [due_view(event.tournament).why]
    event.enter(4)
    said.append(due_view(event.tournament).why)
    event.check_in(draws=(1,))
    said.append(due_view(event.tournament).why)
    event.step()
    said.append(due_view(event.tournament).why)
    event.do_commits()
    said.append(due_view(event.tournament).why)
    event.log_deal()
    said.append(due_view(event.tournament).why)
    event.do(of_lots.OpenSeed(2, 0, seed_of(2).hex()))
    said.append(due_view(event.tournament).why)
    event.start()
    assert due_view(event.tournament).tables == (1,)
    said.append(due_view(event.tournament).why)
    event.finish()
    said.append(due_view(event.tournament).why)
    event.do(commands.Appeal(by=player(1), number=1, line=0))
    said.append(due_view(event.tournament).why)
    event.do(commands.DecideAppeal(by=HOST, appeal=1, outcome="denied"))
    event.step()
    said.append(due_view(event.tournament).why)
    assert said == [
        *("open_entry", "open_check_in", "check_in", "seeds", "log", "seeds", "open_stage", "results", "claims"),
        *("appeals", "over"),
    ]
    assert set(get_args(Step)) == dues.REASONS.keys()


def test_a_pause_a_host_and_a_beacon_are_waited_for_by_name() -> None:
    event = EventByHand("pods", time={"start": "host"}).begin(4)
    assert due_view(event.tournament).why == "host"
    event.do(commands.PauseTournament(by=HOST))
    assert due_view(event.tournament).why == "paused"
    heard = WrittenEvent("pods", lots={"beacon": BEACON})
    heard.at = NOON
    heard.enter(3).check_in().step()
    heard.log_deal()
    heard.do(of_lots.FixDeal(0, 0, (), ""))
    assert due_view(heard.tournament).why == "beacon"


# ---- a card ----------------------------------------------------------------------------------------


def test_a_card_says_what_to_do_from_entry_to_the_end() -> None:
    event = EventByHand("pods", entry={"approve": True, "half_byes": 1}).enter(6)
    assert now(event, 1) == ["wait_for_approval"]
    for number in range(1, 6):
        event.do(commands.Approve(by=HOST, number=number))
    event.do(commands.TurnAway(by=HOST, number=6))
    assert now(event, 1, 6) == ["wait_for_check_in", "left"]
    assert card(event, 6).status == "not_admitted"
    event.check_in([1, 2, 3, 4])
    assert now(event, 1, 5) == ["wait_for_draw", "check_in"]
    assert "check_in" in card(event, 5).may
    assert card(event, 5).until == event.tournament.check_in_until
    event.do(commands.CheckIn(by=player(5), number=5, draws=False))
    event.step()
    assert now(event, 5) == ["wait_for_draw"]
    event.give_seeds().step()
    assert now(event, 5) == ["wait_for_round"]
    assert card(event, 5).next_round == (1, 1)
    assert "request_half_bye" in card(event, 5).may
    event.do(commands.RequestBye(by=player(5), number=5, round=1))
    assert "drop_bye" in card(event, 5).may
    event.pair()
    assert now(event, 1, 5) == ["go_to_table", "rest"]
    event.start()
    event.do(commands.Extend(by=HOST, until=event.at + 1000, reason="technical"))
    assert now(event, 1, 5) == ["play", "rest"]
    assert card(event, 1).until == event.at + 1000
    event.record()
    assert now(event, 1, 5) == ["wait_for_others", "rest"]
    event.do(commands.Withdraw(by=player(4), number=4, reason="request"))
    assert now(event, 4) == ["left"]
    assert card(event, 4).may == ("return", "appeal")
    event.finish()
    assert set(now(event, 1, 2, 3, 4)) == {"over"}
    assert card(event, 1).place is not None


def test_a_card_names_the_table_the_opponents_and_those_who_stand_near() -> None:
    event = EventByHand("duel_swiss", stages=[{"format": "round_robin", "cycles": 2}], tiebreaks=["SB"]).begin(4)
    for _ in range(3):
        event.play_round()
    event.start()
    own = card(event, 1)
    assert own.table is not None
    assert [(each.met, each.name) for each in own.table.opponents] == [(1, f"Name {own.table.opponents[0].number}")]
    assert [len(each.meetings) for each in own.table.opponents] == [1]
    (before,) = own.table.opponents[0].meetings
    assert {before.place, before.theirs} == {1, 2}
    assert (before.stage, before.round < 4) == (1, True)
    assert own.table.opens is (own.table.seat == 1)
    assert (own.table.stage, own.table.round, own.table.state) == (1, 4, "started")
    assert own.standing is not None
    assert (own.standing.place, own.standing.score.written) == (1, "3")
    assert [row.number for row in own.near] == [1, 2, 3]
    assert [row.number for row in card(event, 4).near] == [2, 3, 4]


def test_nobody_has_the_card_of_a_number_that_was_never_given() -> None:
    with pytest.raises(Refused, match="entrant") as refusal:
        card(EventByHand("pods").enter(2), 3)
    assert refusal.value.code == "unknown_number"


def test_who_went_out_or_did_not_go_on_is_told_so() -> None:
    event = EventByHand("knockout").begin(10)
    event.play_round()
    out = [number for number in range(1, 11) if now(event, number) == ["out"]]
    assert len(out) == 4
    assert set(out) == {n for table in event.round.tables.values() for n in sorted(table.seats)[2:]}
    two = EventByHand("pods_final").begin(8)
    while len(two.tournament.stages) == 1 and two.tournament.stages[0].closed is None:
        two.play_round() if due_view(two.tournament).why != "close_stage" else two.step()
    assert sum(each == "out" for each in now(two, *range(1, 9))) == 4
    two.step()
    assert sum(each == "out" for each in now(two, *range(1, 9))) == 4
    assert sum(each == "wait_for_round" for each in now(two, *range(1, 9))) == 4


# ---- rounds, standings, entrants -------------------------------------------------------------------


def test_a_round_shows_places_points_rulings_and_who_rests() -> None:
    event = busy()
    view = round_view(event.tournament, NAMES, 1, 1)
    assert (view.state, view.law, view.planned, view.missing) == ("closed", "pods/1", 3, ())
    top = view.tables[0]
    assert top.ruling is not None
    assert (top.ruling.by, top.ruling.reason, top.ruling.points, top.how) == (HOST, "wrong_result", True, "played")
    assert [(seat.place, seat.shared) for seat in top.seats[:2]] == [(1, True), (1, True)]
    assert {seat.points.written for seat in top.seats if seat.points} == {"⅓"}
    assert [seat.absent for seat in view.tables[-1].seats].count(True) == 1
    assert [(rest.number, rest.kind, rest.points.written) for rest in view.resting] == [
        (1, "half", "½"),
        (10, "late", "½"),
    ]


@pytest.mark.parametrize(("stage", "number"), [(0, 1), (2, 1), (1, 2)])
def test_a_round_that_is_not_there_is_not_paired(stage: int, number: int) -> None:
    event = busy()
    for look in (round_view, standings_view):
        with pytest.raises(Refused) as refusal:
            look(event.tournament, NAMES, stage, number)
        assert refusal.value.code == "not_paired"
    with pytest.raises(Refused) as refusal:
        table_view(event.tournament, NAMES, 1, 1, 9)
    assert refusal.value.code == "unknown_table"


def test_standings_are_those_of_any_round_and_of_now() -> None:
    event = busy().start()
    before, one = (standings_view(event.tournament, NAMES, 1, number, explained=False) for number in (0, 1))
    assert {row.score.value for row in before.rows} == {"0"}
    assert one == standings_view(event.tournament, NAMES, explained=False)
    assert one.closed
    assert one.by_score
    assert all(tie.parts == () for row in one.rows for tie in row.ties)
    punished = next(row for row in one.rows if row.penalty is not None)
    assert punished.penalty is not None
    assert punished.penalty.written == "\N{MINUS SIGN}½"
    live = standings_view(event.tournament, NAMES, 1, 2)
    assert (live.closed, live.missing) == (False, tuple(event.round.tables))
    event.record(1)
    assert standings_view(event.tournament, NAMES, 1, 2).missing == tuple(event.round.tables)[1:]


def test_rows_of_all_groups_are_those_of_each() -> None:
    event = WrittenEvent("groups")
    event.enter(8).check_in(draws=(1,)).draw()
    assert list(rows_of_groups(event.tournament, NAMES)) == [], "nothing has begun"
    event.step()
    event.start()
    for _ in range(2):
        of_each = {each: standings_view(event.tournament, NAMES, group=each, explained=False).rows for each in (1, 2)}
        assert dict(rows_of_groups(event.tournament, NAMES)) == of_each
        event.play_round()
    assert list(rows_of_groups(busy().tournament, NAMES)) == [], "it has none"


def test_an_entrant_is_seen_with_the_whole_way_penalties_and_prize() -> None:
    event = busy()
    two = event.table(1).seats[1]
    seen = entrant_view(event.tournament, NAMES, two)
    assert [(each.kind, each.points and each.points.written) for each in seen.penalties] == [("points", "½")]
    (way,) = seen.stages
    assert [(each.round, each.table, each.how, each.ruled) for each in way.row.course] == [(1, 1, "played", True)]
    event.do(commands.Penalise(by=HOST, number=3, kind="disqualified", reason="conduct"))
    event.finish()
    first = event.tournament.ranking[0][0]
    prize = entrant_view(event.tournament, NAMES, first).prize
    assert prize is not None
    assert (prize.unit, prize.share.value, prize.whole) == ("EUR", "10", 10)
    assert entrant_view(event.tournament, NAMES, 3).place is None
    rows = {row.number: row for row in entrant_rows(event.tournament, {})}
    assert (rows[3].status, rows[1].name, rows[9].bot) == ("disqualified", "#1", True)
    assert [(bye.round, bye.kind) for bye in rows[1].byes] == [(1, "half")]


def test_the_list_and_the_view_count_who_is_in() -> None:
    event = busy()
    row, view = tournament_row(event.tournament, "Club"), tournament_view(event.tournament, NAMES, "Club")
    assert (row.state, row.formats, row.entrants, row.round, row.planned) == ("live", ("swiss",), 10, 1, 3)
    assert (view.counts.bots, view.counts.here, view.counts.drawing, view.counts.places_left) == (1, 10, 2, 54)
    assert (view.lots.own, view.lots.drawers) == (2, 3)
    assert view.round is not None
    assert (view.round.state, view.round.tables, view.round.over) == ("closed", 2, 2)
    assert [(stage.format, stage.state, stage.closed_rounds) for stage in view.stages] == [("swiss", "open", 1)]


GROUPS = [
    {"format": "groups", "groups": 2, "inner": {"format": "swiss", "rounds": 2}, "through": 1},
    {"format": "single"},
]


def test_groups_have_standings_of_their_own_and_cards_speak_of_them() -> None:
    event = EventByHand("groups", stages=GROUPS).begin(8).play_round().start()
    whole = standings_view(event.tournament, NAMES)
    assert (whole.by_score, whole.group) == (False, None)
    first, second = whole.groups or ()
    parts = [standings_view(event.tournament, NAMES, 1, 1, group) for group in (1, 2)]
    assert [sorted(row.number for row in part.rows) for part in parts] == [sorted(first), sorted(second)]
    assert {part.hash for part in parts} == {whole.hash}
    assert all(part.by_score and part.rows[0].place == 1 for part in parts)
    live = standings_view(event.tournament, NAMES, 1, 2, 2)
    assert live.missing == tuple(n for n, table in event.round.tables.items() if table.seats[0] in second)
    view = round_view(event.tournament, NAMES, 1, 2)
    assert [table.group for table in view.tables] == [1 if t.seats[0].number in first else 2 for t in view.tables]
    assert {row.number for row in card(event, second[0]).near} <= set(second)
    (stage,) = entrant_view(event.tournament, NAMES, second[0]).stages
    assert stage.row == next(row for row in parts[1].rows if row.number == second[0])
    for group in (0, 3):
        with pytest.raises(Refused) as refusal:
            standings_view(event.tournament, NAMES, 1, 1, group)
        assert refusal.value.code == "not_paired"


def test_what_goes_along_from_level_to_level_is_seen_at_the_table() -> None:
    event = EventByHand("last_longer", stages=[{"format": "last_longer", "high": 4}]).begin(4).start()
    one, two, three, four = event.table(1).seats
    units = ((two, 3), (three, 1), (four, -2), (one, 2))
    event.record(1, ((two, one, three), (four,)), units=units)
    seats = round_view(event.tournament, NAMES, 1, 1).tables[0].seats
    assert [(seat.number, seat.stack, seat.left, seat.out_in) for seat in seats] == [
        (one, None, 2, None),
        (two, None, 3, None),
        (three, None, 1, None),
        (four, None, 0, 2),
    ]
    event.step()
    assert now(event, one, four) == ["wait_for_round", "out"]
    event.pair()
    seats = round_view(event.tournament, NAMES, 1, 2).tables[0].seats
    assert {seat.number: seat.stack for seat in seats} == {one: 2, two: 3, three: 1}
    assert not standings_view(event.tournament, NAMES).by_score
    rows = {row.number: row for row in standings_view(event.finish().tournament, NAMES).rows}
    assert [each.round for each in rows[four].course] == [1]


def test_in_an_arena_everybody_is_told_of_the_own_wave_and_of_no_other() -> None:
    event = Arena(6, {"streak": True})
    event.wait(1, 2, 3, 4)
    assert "wait" in card(event, 5).may
    event.seat()
    event.end(1, 20_000)
    over = event.tournament.stages[0].rounds[1].tables[1].seats
    playing = event.tournament.stages[0].rounds[1].tables[2].seats
    assert now(event, *over) == ["wait_for_round", "wait_for_round"]
    event.wait(5, 6, after=30_000)
    event.seat()
    assert now(event, *playing, 5) == ["play", "play", "play"]
    assert {card(event, n).table.round for n in playing if card(event, n).table} == {1}  # type: ignore[union-attr]
    assert due_view(event.tournament).why in {"results", "pair"}
    for row in standings_view(event.tournament, NAMES, 1, 1).rows:
        assert [each.round for each in row.course] == ([1] if row.number in over else [])


def test_first_places_in_a_row_show_what_they_give_besides() -> None:
    event = Arena(2, {"streak": True})
    event.wait(1, 2)
    for wave in (1, 2, 3):
        event.seat()
        event.end(wave, event.at - event.began + 1_000, winner=1)
        event.step()
    first = standings_view(event.tournament, NAMES).rows[0]
    assert first.bonus is not None
    assert (first.number, first.score.value, first.bonus.value) == (1, "4", "1")


# ---- brackets --------------------------------------------------------------------------------------


def test_a_bracket_shows_where_winners_and_losers_go() -> None:
    event = EventByHand("double").begin(3).start()
    spots = {spot.id: spot for spot in bracket_view(event.tournament, NAMES, 1).matches}
    assert [spot.state for spot in spots.values()] == [
        "walkover",
        "started",
        "waiting",
        "waiting",
        "waiting",
        "waiting",
        "waiting",
    ]
    assert (spots["W1.2"].winner_to, spots["W1.2"].loser_to) == ("W2.1", "L1.1")
    assert (spots["G1"].winner_to, spots["G1"].loser_to) == ("G2", "G2")
    assert [(side.bye, side.won) for side in spots["W1.1"].sides] == [(False, True), (True, None)]
    assert (spots["W1.2"].round, spots["W1.2"].table) == (1, 1)
    event.finish()
    spots = {spot.id: spot for spot in bracket_view(event.tournament, NAMES, 1).matches}
    assert {spot.state for spot in spots.values()} <= {"over", "walkover", "void"}
    assert not standings_view(event.tournament, NAMES).by_score
    champion = event.tournament.ranking[0][0]
    assert any(side.won and side.number == champion for side in spots["G1"].sides)
    assert spots["G2"].state == "void"
    assert all(side.number is None and not side.bye for side in spots["G2"].sides)


def test_a_knockout_shows_who_goes_through() -> None:
    event = EventByHand("knockout").begin(10).start()
    (only,) = bracket_view(event.tournament, NAMES, 1).rounds
    assert {seat.through for table in only.tables for seat in table.seats} == {None}
    event.record(1, ((event.table(1).seats[0],),), absent=event.table(1).seats[1:])
    event.play_round()
    event.finish()
    *others, last = bracket_view(event.tournament, NAMES, 1).rounds
    first = others[0].tables[0].seats
    assert [(seat.place, seat.through) for seat in first] == [(1, True), *[(None, False)] * (len(first) - 1)]
    assert last.last
    assert not any(each.last for each in others)
    through = {seat.number for table in others[-1].tables for seat in table.seats if seat.through}
    assert through | set(others[-1].byes) == {seat.number for table in last.tables for seat in table.seats}


def test_tables_that_were_taken_back_are_in_no_view() -> None:
    event = EventByHand("knockout").begin(5).pair()
    event.do(commands.Unpair(by=HOST))
    assert bracket_view(event.tournament, NAMES, 1).rounds == ()
    assert tournament_view(event.tournament, NAMES, "x").round is None
    assert card(event, 1).table is None
    assert now(event, 1) == ["wait_for_round"]


@pytest.mark.parametrize(("name", "stage"), [("pods", 1), ("single", 2)])
def test_a_stage_without_a_bracket_has_none(name: str, stage: int) -> None:
    with pytest.raises(Refused) as refusal:
        bracket_view(EventByHand(name).begin(4).tournament, NAMES, stage)
    assert refusal.value.code == "not_paired"
