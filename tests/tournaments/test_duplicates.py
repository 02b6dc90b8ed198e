"""Events of duplicate boards: who sits where, what counts, and what they are refused for."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from domain.errors import Refused
from domain.games import GAMES, rules_of
from domain.rules.boards import why_no_boards
from domain.tournaments import commands
from domain.tournaments.boards.rules import board_rules, drawers_of
from domain.tournaments.field import StageField
from domain.tournaments.matches import match_object
from domain.tournaments.options import rules_from
from domain.tournaments.presets import BOARDS, preset
from tests.tournaments.events_by_hand import HOST, EventByHand, player
from tests.tournaments.events_for_audit import WrittenEvent, bent, judged, number_of

STAGE = {"format": "duplicate"}


def event(entrants: int = 8, **members: Any) -> EventByHand:
    """Return an event whose first board is paired and started."""
    return EventByHand("duplicate", **members).begin(entrants).start()


@pytest.mark.parametrize(("entrants", "tables", "byes"), [(8, 2, 0), (9, 2, 1), (12, 3, 0), (15, 3, 3)])
def test_all_tables_have_one_size_and_who_is_left_over_rests(entrants: int, tables: int, byes: int) -> None:
    held = event(entrants).round
    assert held.law == "boards/1"
    assert {len(table.seats) for table in held.tables.values()} == {4}
    assert (len(held.tables), len(held.byes)) == (tables, byes)


def test_scores_are_differences_and_sum_to_nothing() -> None:
    board = event(9)
    board.do(board.result(1))
    board.do(board.result(2, ranking=(board.table(2).seats[1:2], board.table(2).seats[:1], board.table(2).seats[2:])))
    board.step()
    field = StageField(board.tournament, 1)
    first, second = board.table(1).seats, board.table(2).seats
    assert field.scores[first[0]] == Fraction(1, 3) == -field.scores[second[0]]
    assert field.scores[second[1]] == Fraction(1, 3)
    assert field.scores[second[3]] == Fraction(1, 6) == -field.scores[first[3]]
    assert sum(field.scores.values()) == 0
    assert field.scores[board.round.byes[0]] == 0, "who rests neither gains nor loses"


def test_a_ruling_counts_at_the_other_tables_too() -> None:
    board = event()
    for table in (1, 2):
        board.do(board.result(table))
    first, second = board.table(1).seats, board.table(2).seats
    points = tuple(zip(first, ("0", "1/2", "0", "0"), strict=True))
    board.do(commands.Rule(
        by=HOST, stage=1, round=1, table=1, ranking=((first[1],), first[2:], first[:1]), absent=(), points=points,
        reason="technical", note=None,
    ))  # fmt: skip
    board.step()
    scores = StageField(board.tournament, 1).scores
    assert scores[first[1]] == Fraction(1, 2) - Fraction(2, 3) == -scores[second[1]]
    assert scores[first[0]] == -1


def test_who_has_left_makes_too_few_and_the_stage_is_over() -> None:
    board = event()
    for table in (1, 2):
        board.do(board.result(table))
    board.do(commands.Withdraw(by=player(1), number=1, reason="request", note=None))
    board.step()
    assert [board.step()[-1].__struct_config__.tag for _ in range(2)] == ["stage.closed", "tournament.finished"]


def test_a_board_is_played_once_and_by_everybody() -> None:
    board = event()
    board.do(board.result(1))
    again = commands.Replay(by=HOST, round=1, table=1, reason="technical", note=None)
    assert board.code(again) == "wrong_phase"
    assert board.code(commands.RequestBye(by=player(1), number=1, round=2, kind="half")) == "too_late"


def test_a_round_that_is_paired_anew_has_another_board() -> None:
    board = event()
    first = board_rules(board.tournament, 1, board.round)
    assert sorted(drawers_of(board.tournament, 1, board.round)) == list(range(1, 9))
    board.do(commands.Unpair(by=HOST, reason="technical", note=None))
    board.start()
    second = board_rules(board.tournament, 1, board.round)
    assert (first.event.board, second.event.board) == (1, 2)
    assert first.id != second.id
    rules = match_object(board.tournament, 1, board.round, board.table(2))
    assert rules["board"] == {"id": second.id, "positions": {"1": 1, "2": 2, "3": 3, "4": 4}}
    shared = {name: said for name, said in rules.items() if name not in {"event", "starter", "board"}}
    assert shared == second.match, "a board says what its matches have in common"


def test_a_board_ends_where_the_stage_says_so() -> None:
    board = event(stages=[{**STAGE, "rounds_max": 5}])
    assert board_rules(board.tournament, 1, board.round).match["rounds_max"] == 5
    assert match_object(board.tournament, 1, board.round, board.table(1))["rounds_max"] == 5


@pytest.mark.parametrize(
    ("option", "members"),
    [
        ("match.clock", {"match": {"game": "common_hand", "options": {}}}),
        ("match.deal_per", {"match": {**BOARDS, "deal_per": "round"}}),
        ("stages.0.format", {"match": {**BOARDS, "options": {"push": True}}}),
        ("stages.0.format", {"match": {**BOARDS, "options": {"pass_once": True}}}),
        ("stages.0.size", {"match": {**BOARDS, "game": "german_liar_dice"}}),
        ("stages.0.supervised", {"prizes": {"unit": "EUR", "amounts": [5]}}),
        ("stages.0.supervised", {"rated": True}),
        ("stages.0.size", {"stages": [{**STAGE, "size": 9}]}),
        ("stages.0.best_of", {"stages": [{**STAGE, "size": 2, "best_of": 3}]}),
        ("stages.0.rounds_max", {"match": {**BOARDS, "options": {"elimination": "none"}}}),
        ("entry.max", {"entry": {"max": 7}}),
        ("tiebreaks", {"tiebreaks": ["BH"]}),
        ("match.board", {"match": {**BOARDS, "board": {"id": "x", "positions": {}}}}),
    ],
)
def test_what_is_no_duplicate_event_is_refused_by_its_name(option: str, members: dict[str, Any]) -> None:
    with pytest.raises(Refused) as refused:
        rules_from(preset("duplicate", **members))
    assert refused.value.facts["option"] == option


def test_everybody_in_one_room_may_play_for_prizes_and_ratings() -> None:
    rules = rules_from(
        preset(
            "duplicate", stages=[{**STAGE, "supervised": True, "rounds": 4}],
            prizes={"unit": "EUR", "amounts": [5]}, rated=True,
        )
    )  # fmt: skip
    assert rules.tiebreaks == ("WON", "CB")
    assert rules.stages[0].rounds == 4


def test_why_a_game_has_no_boards_is_said_by_its_rules() -> None:
    fit = {name for name in GAMES if not why_no_boards(rules_of(name, {}))}
    assert "common_hand" in fit
    assert {"individual_hand", "mexican", "stud_liars", "liars_poker_1986"}.isdisjoint(fit)


def test_the_record_of_an_evening_asks_for_its_boards_and_is_found_out_where_it_lies() -> None:
    event = WrittenEvent("duplicate", stages=[{**STAGE, "rounds": 2}]).begin(9).start()
    event.do(commands.Unpair(by=HOST, reason="technical", note=None))
    event.start().play_round().start()
    last = board_rules(event.tournament, 1, event.round)
    drawers = tuple(event.tournament.entrants[n].player for n in drawers_of(event.tournament, 1, event.round))
    record = event.play_round().close().lines
    ruling = judged(record)
    assert (ruling.code, ruling.upto) == (None, len(record)), ruling.why
    assert len(ruling.boards) == 2, "the board of a round that was taken back is nobody's"
    newest = ruling.boards[max(ruling.boards)]
    assert (newest.id, newest.players) == (last.id, drawers)

    def exchanged(line: dict[str, Any]) -> None:
        (_, first), (_, second) = line["data"]["tables"]
        line["data"]["tables"] = [[1, second], [2, first]]

    def moved(line: dict[str, Any]) -> None:
        line["data"]["ranking"].reverse()

    for kind, change, code in (("tables.paired", exchanged, "E_PAIRING"), ("result.recorded", moved, "E_STANDING")):
        found = judged(bent(record, number_of(record, kind), change))
        assert found.code == code, found.why
