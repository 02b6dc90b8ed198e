"""Duplicate boards: the same dice at every table, rounds that wait for each other, and nothing shown before."""

from __future__ import annotations

from typing import Any

import pytest

from domain import commands, events
from domain.errors import Refused
from domain.match.ceremony import AHEAD_MS, OPENED_MS
from domain.match.cups import board_cups
from domain.match.decide import decide as decide_match
from domain.match.record import event_of
from domain.match.settings import settings_of
from domain.statistics.tallies import DiceTally, TallyBuilder
from domain.tournaments.boards import decide as boards
from domain.tournaments.boards.board import new_board
from domain.tournaments.boards.events import BoardCreated, BoardRoundClosed
from domain.tournaments.boards.record import BoardAtHead, board_of, board_stream_of, step
from domain.tournaments.boards.rules import object_of_board
from tests.tournaments.boards_by_hand import AT, CLOCK, PlayedBoard, board_rules, chance, fix_seed, match_rules

BEACON = {"chain": "52" * 32, "genesis": 1_692_803_367, "period": 3}


def dealt(**changes: Any) -> PlayedBoard:
    """Return a board whose dice are there, and known to its tables."""
    board = PlayedBoard(board_rules(**changes))
    board.log()
    assert board.proceed() == "share"
    return board


def played(board: PlayedBoard) -> PlayedBoard:
    """Return a board at whose tables the round is over."""
    for each in board.tables.values():
        each.play(board.keeper)
    return board


def test_a_board_and_its_stream_are_named_after_each_other() -> None:
    board = PlayedBoard(board_rules()).board.id
    assert board_of(board_stream_of(board)) == board


def test_every_table_rolls_the_same_dice_and_ends() -> None:
    board = dealt(tables=3, seats=3)
    assert list(board.steps())[-1] == "close"
    shown: dict[tuple[int, int, int], set[int]] = {}
    for each in board.tables.values():
        assert each.match.ended
        for line in each.lines:
            if b'"cup.revealed"' in line:
                event = _event(line)
                for slot, value in event.values:
                    shown.setdefault((event.cup, event.roll, slot), set()).add(value)
    assert len(shown) > 6
    assert {len(values) for values in shown.values()} == {1}


def _event(line: bytes) -> Any:
    return event_of(line)[0]


def test_no_die_is_shown_and_nothing_counted_before_all_tables_have_doubted() -> None:
    board = dealt()
    first, second = board.tables.values()
    first.play(board.keeper)
    assert first.seen().waits == 1
    assert first.match.table is not None
    assert first.match.table.phase == "awaiting_board"
    assert first.match.table.turn is None
    assert board.due() is None, "the other table plays"
    with pytest.raises(Refused, match="at this point"):
        first.do(commands.Forfeit(1), board.keeper)
    second.play(board.keeper)
    assert board.proceed() == "close_round"
    told = first.do(board.release(), board.keeper)
    assert [type(event) for event in told[:4]] == [
        events.Released, events.Revealed, events.Revealed, events.Judged,
    ]  # fmt: skip
    assert isinstance(told[3], events.Judged)
    assert not told[3].out_of_turn, "the doubter was in turn, as if it had been judged at once"


def test_who_gives_up_ends_the_round_and_the_next_waits_for_the_board() -> None:
    board = dealt(seats=3)
    first, second = board.tables.values()
    told = first.do(commands.Forfeit(2), board.keeper)
    assert any(isinstance(event, events.RoundClosed) for event in told)
    assert first.seen().waits == 1
    second.play(board.keeper)
    assert board.proceed() == "close_round"
    assert first.do(board.release(), board.keeper)[1:] == ()
    assert first.match.table is not None
    assert first.match.table.phase == "between_rounds"


def test_a_spot_on_waits_as_a_challenge_does() -> None:
    board = dealt(options={"dice_per_player": 2, "spot_on": True})
    first, second = board.tables.values()
    state = first.match.table
    assert state is not None
    first.do(commands.Bid(1, 1, 2), board.keeper)
    first.do(commands.SpotOn(2), board.keeper)
    assert first.seen().waits == 1
    second.play(board.keeper)
    board.proceed()
    told = first.do(board.release(), board.keeper)
    assert any(isinstance(event, events.Judged) and event.kind == "spot_on" for event in told)


def test_a_match_of_a_board_deals_nothing_of_its_own() -> None:
    board = PlayedBoard(board_rules())
    first = board.tables[1]
    assert board.due() is None, "the log is waited for"
    with pytest.raises(Refused, match="at this point"):
        first.do(commands.Advance(chance(3)))
    with pytest.raises(Refused, match="at this point"):
        first.do(commands.ReleaseRound(board.rules.id, 0, "0" * 64))
    with pytest.raises(Refused, match="do not have this command"):
        first.do(commands.ReleaseRound("3b1f7c52-9d0e-4a68-8c11-5f2e7a90d3b4", 0, "0" * 64))
    board.log()
    board.proceed()
    with pytest.raises(Refused, match="at this point"):
        first.do(board.share())
    assert "deal.committed" not in b"".join(first.lines).decode()


def test_a_board_that_is_used_up_ends_its_matches() -> None:
    board = dealt(options={"dice_per_player": 5}, rounds_max=2)
    assert [cup.rolls for cup in board_cups(settings_of(board.rules.match))] == [2, 2]
    steps = list(board.steps())
    assert steps.count("close_round") == 2
    assert all(each.match.table is not None and each.match.table.closed for each in board.tables.values())


def test_a_match_that_an_official_stops_keeps_nobody_waiting() -> None:
    board = played(dealt())
    board.tables[1].do(commands.StopMatch(7), board.keeper)
    assert board.tables[1].match.ended
    assert board.proceed() == "close_round"


# ---- the stream of the board -----------------------------------------------------------------------


def test_the_lines_of_a_board_fold_to_it() -> None:
    board = dealt()
    list(board.steps())
    written: BoardAtHead | None = None
    for line in board.lines:
        written, _ = step(written, line)
    assert written == BoardAtHead(board.board, board.head)
    with pytest.raises(ValueError, match="version"):
        step(None, board.lines[0].replace(b'"v":1', b'"v":2'))
    with pytest.raises(ValueError, match="no event of the type"):
        step(written, board.lines[-1].replace(b"board.closed", b"board.burned"))


def test_drawers_who_give_no_seed_have_it_drawn_and_who_withholds_one_is_barred() -> None:
    board = PlayedBoard(board_rules(), custody="client")
    with pytest.raises(Refused, match="at this point"):
        boards.decide(board.board, boards.ProceedWithDeal(chance(2)), AT, board.keeper)
    fix_seed(board, 1)
    assert board.proceed() == "proceed"
    assert [who.custody for who in board.board.drawers.values()] == [False, True, True, True]
    with pytest.raises(Refused, match="server"):
        fix_seed(board, 2)
    with pytest.raises(Refused, match="no seat"):
        fix_seed(board, 9)
    board.log()
    assert board.proceed() == "proceed", "the seed of the first drawer was not opened"
    assert 1 not in board.board.drawers
    assert board.board.deals == 2
    board.log()
    assert board.proceed() == "share"
    assert board.share().deal == 1


def test_a_board_of_which_everybody_withholds_a_seed_has_no_dice() -> None:
    board = PlayedBoard(board_rules(), custody="client")
    for seat in range(1, 5):
        fix_seed(board, seat)
    board.log()
    board.do(commands.OpenSeed(2, 0, (bytes([2]) * 32).hex()))
    board.proceed()
    assert sorted(board.board.drawers) == [2]
    fix_seed(board, 2)
    board.log()
    board.proceed()
    assert board.board.ended
    assert board.due() is None
    with pytest.raises(Refused, match="over"):
        board.do(boards.CloseBoard())


def test_a_board_closes_when_its_last_table_has_ended_dice_or_not() -> None:
    early = PlayedBoard(board_rules())
    for each in early.tables.values():
        each.do(commands.StopMatch(3))
    assert early.proceed() == "close"
    assert b'"deal.voided"' in b"".join(early.lines)
    logged = PlayedBoard(board_rules(), custody="client")
    for seat in range(1, 5):
        fix_seed(logged, seat)
    logged.log()
    with pytest.raises(Refused, match="at this point"):
        logged.do(boards.CloseBoard())
    with pytest.raises(Refused, match="at this point"):
        logged.do(boards.CloseBoardRound(1, ()))


def test_a_round_is_closed_once_in_order_and_with_all_tables() -> None:
    board = played(dealt())
    rows = tuple(each.seen().row for each in board.tables.values())
    for wrong in (0, 2):
        with pytest.raises(Refused, match="at this point"):
            board.do(boards.CloseBoardRound(wrong, rows))
    for bad in (rows[:1], rows[::-1], (rows[0], (2, rows[0][1], 3, rows[0][3]))):
        with pytest.raises(Refused, match="tables"):
            board.do(boards.CloseBoardRound(1, bad))
    made = board.do(boards.CloseBoardRound(1, rows))
    assert made.events == (BoardRoundClosed(1, rows),)


def test_a_board_waits_for_its_beacon() -> None:
    board = PlayedBoard(board_rules(beacon=BEACON))
    with pytest.raises(Refused, match="no deal is waiting"):
        board.do(commands.FixDeal(0, 0, (), ""))
    board.log()
    with pytest.raises(Refused, match="no deal is waiting"):
        board.log()
    assert board.due() is None
    board.do(commands.FixDeal(0, 0, (), ""))
    assert board.board.ceremony is not None
    named = board.board.ceremony.beacon
    assert named is not None
    with pytest.raises(Refused, match="no deal is waiting"):
        board.do(commands.HearBeacon(0, named.round + 1, "00"))
    board.do(commands.HearBeacon(0, named.round, "00"))
    assert board.proceed() == "share"
    late = PlayedBoard(board_rules(beacon=BEACON))
    late.log()
    for each in late.tables.values():
        each.at += 120_000
    late.do(commands.FixDeal(0, 0, (), ""))
    assert b'"reason":"late"' in late.lines[-2]
    assert late.proceed() == "proceed"
    assert late.board.deals == 2


def test_a_board_whose_seal_the_log_has_too_late_for_the_beacon_opens_no_seed() -> None:
    late = PlayedBoard(board_rules(beacon=BEACON))
    late.at += AHEAD_MS - OPENED_MS
    late.log()
    assert not any(b"seed.opened" in line for line in late.lines)
    assert b'"reason":"late","seats":[]' in late.lines[-2]
    assert late.proceed() == "proceed"
    assert late.board.deals == 2


# ---- what is no board ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "option"),
    [
        ({"clock": None}, "clock"),
        ({"starter": None}, "starter"),
        ({"event": None}, "event"),
        ({"deal_per": "round"}, "deal_per"),
        ({"stacks": {"1": 1, "2": 2}}, "stacks"),
        ({"board": {"id": "00000000-0000-0000-0000-000000000000", "positions": {"1": 2, "2": 1}}}, "board.positions"),
        ({"options": {"pass_once": True}}, "board"),
        ({"options": {"push": True}}, "board"),
        ({"game": "individual_hand", "options": {}}, "board"),
        ({"game": "mexican", "options": {}}, "board"),
    ],
)
def test_a_match_that_cannot_share_dice_is_refused(changes: dict[str, Any], option: str) -> None:
    asked = {**match_rules(board_rules(), 1), **changes}
    with pytest.raises(Refused) as refused:
        settings_of({name: said for name, said in asked.items() if said is not None})
    assert refused.value.facts["option"] == option


def test_dice_that_are_never_all_published_are_no_boards() -> None:
    with pytest.raises(Refused) as refused:
        settings_of(match_rules(board_rules(), 1), "shown")
    assert refused.value.facts["option"] == "policy"


def test_a_board_has_the_id_of_its_place_and_spells_everything_out() -> None:
    rules = object_of_board(board_rules())
    with pytest.raises(Refused, match="option"):
        new_board(BoardCreated("3b1f7c52-9d0e-4a68-8c11-5f2e7a90d3b4", rules, "all"), AT)
    for bad in (
        {**rules, "tables": 1},
        {**rules, "match": {"game": "common_hand", "options": {}, "clock": CLOCK}},
        {name: said for name, said in rules.items() if name != "board"},
    ):
        with pytest.raises(Refused, match="option"):
            new_board(BoardCreated(board_rules().id, bad, "all"), AT)


def test_a_match_elsewhere_shares_no_dice() -> None:
    board = dealt()
    match = board.tables[1].match
    alone = type(match)(match.id, settings_of({"game": "common_hand", "options": {}}), match.rules, match.rules_hash)
    with pytest.raises(Refused, match="do not have this command"):
        decide_match(alone, board.share(), AT, None)


def test_dice_that_several_tables_share_are_counted_at_none() -> None:
    board = PlayedBoard(board_rules())
    board.log()
    list(board.steps())
    for table in board.tables.values():
        counting = TallyBuilder()
        for line in table.lines:
            counting.step(line)
        assert counting.tally == DiceTally()
