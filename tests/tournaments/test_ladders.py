"""Ladders: an entrant challenges one who stands a little above, and takes the place by winning or unanswered."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import Any

import pytest

from domain.errors import Refused
from domain.tournaments import commands, events
from domain.tournaments.deciding.due import due, is_pairing_next
from domain.tournaments.deciding.rounds import draw_round
from domain.tournaments.field import StageField
from domain.tournaments.formats.format import DueStep
from domain.tournaments.options import rules_from
from domain.tournaments.pairing.lots import Lots
from domain.tournaments.presets import preset
from tests.tournaments.events_by_hand import HOST, player
from tests.tournaments.events_for_audit import WrittenEvent, bent, judged, number_of
from tests.tournaments.ladder_events import LADDER, LadderEvent


def test_who_wins_from_below_takes_the_place_and_those_between_move_down() -> None:
    event = LadderEvent()
    assert event.order == (1, 2, 3, 4, 5)
    event.end(event.meet(3, 1), 3)
    assert event.order == (3, 1, 2, 4, 5)
    event.end(event.meet(5, 2), 2)
    assert event.order == (3, 1, 2, 4, 5)
    event.end(event.meet(5, 4))
    assert event.order == (3, 1, 2, 4, 5)
    assert [row.place for row in StageField(event.tournament, 1).rows] == [1, 2, 3, 4, 5]
    event.check()
    assert event.tournament.ranking == ((3,), (1,), (2,), (4,), (5,))
    assert event.round.law == "ladder/1"


def test_a_challenge_is_lost_by_who_declines_it_or_does_not_answer() -> None:
    event = LadderEvent()
    event.answer(event.challenge(2, 1), accepted=False)
    assert event.order == (2, 1, 3, 4, 5)
    event.challenge(5, 4)
    until = event.at + 60_000
    assert due(event.tournament) == DueStep("lapse", until)
    (lapsed,) = event.step()
    assert (lapsed, event.at, event.order) == (events.ChallengeLapsed(2), until, (2, 1, 3, 5, 4))
    event.check()


def test_all_that_nobody_has_answered_lapses_at_once_and_nothing_sooner() -> None:
    event = LadderEvent(6)
    event.challenge(2, 1)
    event.challenge(4, 3)
    event.at = event.tournament.stages[0].challenges[2].until
    event.challenge(6, 5)
    assert event.proceed() == (events.ChallengeLapsed(1), events.ChallengeLapsed(2))
    assert event.order == (2, 1, 4, 3, 5, 6)
    event.answer(3)
    event.check()


@pytest.mark.parametrize(("number", "against"), [(4, 1), (1, 2), (3, 3)])
def test_nobody_is_challenged_who_is_out_of_reach_below_or_oneself(number: int, against: int) -> None:
    refused = LadderEvent().refusal(commands.ChallengeAbove(by=player(number), number=number, against=against))
    assert (refused.code, refused.facts) == ("out_of_reach", {"reach": 2})


def test_of_several_reasons_why_nobody_may_be_challenged_the_first_is_told() -> None:
    event = LadderEvent(6, entry={"late_rounds": 9, "approve": True})
    assert event.code(commands.ChallengeAbove(by=HOST, number=3, against=9)) == "unknown_number"
    assert event.code(commands.ChallengeAbove(by=HOST, number=3, against=1)) == "not_yours"
    event.do(commands.PauseTournament(by=HOST))
    assert event.code(event.ask(3, 1)) == "paused"
    event.do(commands.Resume(by=HOST))
    event.do(commands.Forbid(by=HOST, numbers=(1, 2)))
    assert event.code(event.ask(2, 1)) == "forbidden_pair"
    event.challenge(3, 1)
    assert event.refusal(event.ask(4, 3)).facts == {"number": 3}
    assert event.code(event.ask(3, 2)) == "already_challenged"
    event.answer(1)
    assert event.code(event.ask(2, 1)) == "forbidden_pair"
    assert event.code(event.ask(4, 3)) == "already_challenged"
    event.step()
    refused = event.refusal(event.ask(4, 3))
    assert (refused.code, refused.facts) == ("table_running", {"number": 3, "round": 1})
    event.do(commands.Withdraw(by=player(5), number=5))
    assert event.code(event.ask(6, 5)) == "already_withdrawn"
    event.do(commands.Register(by=player(7), player=player(7)))
    assert event.code(event.ask(7, 6)) == "not_checked_in"
    event.do(commands.Penalise(by=HOST, number=6, kind="disqualified"))
    assert event.code(event.ask(6, 4)) == "disqualified"
    event.at = event.began + 600_000
    assert event.code(event.ask(4, 2)) == "too_late"


def test_only_who_is_challenged_answers_once_and_in_time() -> None:
    event = LadderEvent()
    event.challenge(2, 1)

    def answer(by: str, challenge: int = 1) -> commands.AnswerChallenge:
        return commands.AnswerChallenge(by=by, challenge=challenge, accepted=True)

    assert event.code(answer(player(1), 2)) == "no_challenge"
    assert event.code(answer(player(2))) == "not_yours"
    assert event.code(answer(HOST)) == "not_yours"
    event.at += 60_000
    assert event.code(answer(player(1))) == "too_late"
    event.at -= 1
    event.do(answer(player(1)))
    assert event.code(answer(player(1))) == "no_challenge"


def test_challenges_are_for_ladders_that_are_played() -> None:
    other = WrittenEvent("pods").begin(4)
    assert other.code(commands.ChallengeAbove(by=player(1), number=1, against=2)) == "wrong_phase"
    assert other.code(commands.AnswerChallenge(by=player(1), challenge=1, accepted=True)) == "wrong_phase"
    before = WrittenEvent("ladder").enter(2)
    assert before.code(commands.ChallengeAbove(by=player(1), number=1, against=2)) == "wrong_phase"
    event = LadderEvent()
    assert due(event.tournament) == DueStep("close_stage", event.began + 600_000)
    event.step()
    assert event.code(event.ask(2, 1)) == "wrong_phase"
    assert event.code(commands.WaitForTable(by=player(1), number=1)) == "wrong_phase"


def test_who_comes_late_begins_at_the_foot_of_the_ladder() -> None:
    event = LadderEvent(entry={"late_rounds": 9})
    event.end(event.meet(2, 1), 2)
    event.do(commands.Register(by=player(6), player=player(6)))
    assert event.order == (2, 1, 3, 4, 5, 6)
    event.end(event.meet(6, 5), 6)
    assert event.order == (2, 1, 3, 4, 6, 5)
    event.check()


def test_tables_of_a_ladder_do_not_wait_for_each_other_and_count_in_the_order_in_which_they_end() -> None:
    event = LadderEvent()
    first = event.meet(3, 1)
    second = event.meet(4, 2)
    assert [held.number for held in event.tournament.stages[0].open_rounds] == [1, 2]
    event.end(second, 4)
    assert event.order == (1, 4, 2, 3, 5)
    event.step()
    event.end(first, 3)
    assert event.order == (3, 1, 4, 2, 5)
    event.check()


def test_who_stands_above_already_when_it_wins_stays() -> None:
    event = LadderEvent(4, {"reach": 3})
    held = event.meet(3, 2)
    event.end(event.meet(4, 1), 4)
    event.answer(event.challenge(1, 4), accepted=False)
    event.end(held, 3)
    order = event.order
    event.do(commands.Rule(by=HOST, stage=1, round=held, table=1, ranking=((2,), (3,))))
    assert (order, event.order) == ((1, 4, 3, 2), (1, 4, 2, 3))
    event.check()


def test_a_ladder_as_of_a_round_is_as_it_stood_before_the_next_began() -> None:
    event = LadderEvent()
    event.answer(event.challenge(2, 1), accepted=False)
    event.end(event.meet(4, 3), 4)
    event.answer(event.challenge(5, 3), accepted=False)
    event.meet(5, 4)
    orders = [StageField(event.tournament, 1, upto).order for upto in (0, 1, 2)]
    assert orders == [(2, 1, 3, 4, 5), (2, 1, 4, 5, 3), (2, 1, 4, 5, 3)]


def test_who_leaves_loses_what_was_asked_and_what_it_asked_is_void() -> None:
    event = LadderEvent()
    event.challenge(2, 1)
    event.challenge(4, 3)
    event.do(commands.Withdraw(by=player(1), number=1))
    event.do(commands.Withdraw(by=player(4), number=4))
    assert event.code(event.ask(2, 3)) == "out_of_reach"
    assert event.order == (2, 3, 5, 1, 4)
    assert due(event.tournament) == DueStep("close_stage", event.began + 600_000)
    event.challenge(5, 2)
    event.at += 1
    event.do(commands.Return(by=player(1), number=1))
    assert event.order == (2, 1, 3, 5, 4)
    event.check()
    assert event.tournament.ranking[-1] == (4,)


def test_who_said_yes_and_leaves_before_sitting_down_has_lost() -> None:
    event = LadderEvent()
    event.answer(event.challenge(2, 1))
    event.do(commands.Withdraw(by=player(1), number=1))
    assert not is_pairing_next(event.tournament)
    assert event.order == (2, 3, 4, 5, 1)
    event.check()


def test_tables_that_were_taken_back_are_set_again_and_those_of_who_has_left_are_not() -> None:
    event = LadderEvent()
    event.end(event.meet(4, 3))
    event.step()
    event.answer(event.challenge(2, 1))
    event.step()
    event.do(commands.Unpair(by=HOST))
    assert is_pairing_next(event.tournament)
    event.step()
    event.step()
    assert event.table().attempt == 2
    event.do(commands.Unpair(by=HOST))
    event.do(commands.Withdraw(by=player(2), number=2))
    assert due(event.tournament) == DueStep("close_stage", event.began + 600_000)
    with pytest.raises(Refused) as refused:
        draw_round(event.tournament, Lots(bytes(32), 1, 1))
    assert refused.value.code == "cannot_pair"
    event.check()


def test_a_pause_stops_the_time_to_answer() -> None:
    event = LadderEvent()
    event.challenge(2, 1)
    until = event.at + 60_000
    event.answer(event.challenge(4, 3))
    event.do(commands.PauseTournament(by=HOST))
    assert due(event.tournament) is None
    event.at += 100_000
    event.do(commands.Resume(by=HOST))
    event.step()
    event.step()
    assert due(event.tournament) == DueStep("lapse", until + 100_000)
    event.end(1, 4)
    event.step()
    event.do(commands.PauseTournament(by=HOST))
    event.at += 100_000
    event.answer(1)
    event.do(commands.Resume(by=HOST))
    event.step()
    assert {1, 2} == set(event.table().seats)


def test_who_has_opened_less_often_opens() -> None:
    event = LadderEvent(3)
    opened = []
    for challenger in (2, 1, 2, 1):
        above = event.order[event.order.index(challenger) - 1]
        number = event.meet(challenger, above)
        opened.append(event.table().seats[0])
        event.end(number, challenger)
        event.step()
    assert sorted(opened[:2]) == sorted(opened[2:]) == [1, 2]


def test_several_matches_at_a_table_of_a_ladder_move_it_once() -> None:
    event = LadderEvent(3, {"best_of": 3})
    number = event.meet(2, 1)
    event.end(number, 2)
    assert event.order == (1, 2, 3)
    event.step()
    event.end(number, 2)
    assert event.order == (2, 1, 3)
    event.check()


def go_on(event: LadderEvent, chance: Random) -> None:
    """Let something happen: a table ends, somebody challenges somebody, or somebody answers."""
    stage = event.tournament.stages[0]
    missing = [held.number for held in stage.open_rounds if held.missing == (1,) and len(held.tables) == 1]
    asked = [key for key, each in stage.challenges.items() if each.state == "open"]
    kind = chance.random()
    if missing and kind < 0.4:
        seats = stage.rounds[missing[0]].tables[1].seats
        event.end(missing[0], *chance.choice(((seats[0],), (seats[1],), ())))
    elif asked and kind < 0.7:
        event.answer(chance.choice(asked), accepted=chance.random() < 0.7)
    else:
        event.challenge(chance.randint(1, 7), chance.randint(1, 7))


def rule_all(event: LadderEvent) -> None:
    """Rule every table without a result: the order of the seats."""
    for held in event.tournament.stages[0].open_rounds:
        for table in held.missing:
            ranking = tuple((number,) for number in held.tables[table].seats)
            event.do(commands.Rule(by=HOST, stage=1, round=held.number, table=table, ranking=ranking))


@pytest.mark.parametrize("seed", range(4))
def test_a_ladder_is_always_everybody_once_and_follows_from_the_record(seed: int) -> None:
    chance, event = Random(seed), LadderEvent(7, {"reach": 3, "duration_ms": 200_000})
    while event.tournament.stages[0].closed is None:
        event.at += chance.randint(1, 3_000)
        found = due(event.tournament)
        if found is not None and found.at <= event.at:
            event.proceed()
            continue
        with suppress(Refused):
            go_on(event, chance)
        if event.at > event.began + 200_000:
            rule_all(event)
        assert sorted(event.order) == list(range(1, 8))
    event.check()
    assert [level[0] for level in event.tournament.ranking] == list(event.order)


LIES = {
    "another is asked": ("challenge.made", {"against": 2}),
    "a longer time": ("challenge.made", {"until": 7}),
    "somebody out of reach asks": ("challenge.made", {"number": 5}),
    "nobody asks": ("challenge.made", {"number": 99}),
    "an answer to nothing": ("challenge.answered", {"challenge": 9}),
    "another says yes": ("challenge.answered", {"accepted": False}),
    "another challenge lapses": ("challenge.lapsed", {"challenge": 1}),
}


@pytest.fixture(scope="module")
def record() -> list[bytes]:
    event = LadderEvent()
    event.end(event.meet(3, 1), 3)
    event.challenge(5, 4)
    return event.close().lines


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_about_a_challenge_is_found(lie: str, record: list[bytes]) -> None:
    kind, members = LIES[lie]
    number = number_of(record, kind)
    found = judged(bent(record, number, lambda line: line["data"].update(members)))
    assert found.code is not None
    assert found.line is not None
    assert found.line >= number


@pytest.mark.parametrize(
    ("members", "option"),
    [
        ({"tiebreaks": ["BH"]}, "tiebreaks"),
        ({"stages": [LADDER | {"rounds": 3}]}, "stages.0.rounds"),
        ({"stages": [LADDER | {"reach": 0}]}, "stages.0.reach"),
        ({"stages": [LADDER | {"duration_ms": 1}]}, "stages.0.duration_ms"),
    ],
)
def test_what_is_no_ladder_is_refused(members: dict[str, Any], option: str) -> None:
    with pytest.raises(Refused) as refused:
        rules_from(preset("ladder", **members))
    assert refused.value.facts["option"] == option
