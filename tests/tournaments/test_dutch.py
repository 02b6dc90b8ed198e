"""Swiss by FIDE's book: tables come with the command, break nothing absolute, and are worked out again."""

from __future__ import annotations

from typing import Any

import pytest

from domain.errors import Refused
from domain.tournaments import commands
from domain.tournaments.commands import GivenPairing
from domain.tournaments.field import StageField
from domain.tournaments.formats.dutch import dutch_report
from domain.tournaments.options import rules_from
from domain.tournaments.presets import preset
from services.audit import dutch
from tests.tournaments.events_by_hand import CHANCE, HOST, player
from tests.tournaments.events_for_audit import WrittenEvent, judged

LAW = "dutch/by-hand-1"
packaged = pytest.mark.skipif(dutch.edition() is None, reason="there is no wheel of the package for this machine")


def given(event: WrittenEvent, tables: tuple[tuple[int, int], ...], *byes: int, law: str = LAW) -> commands.Proceed:
    event.at += 1_000_000
    return commands.Proceed(by="rule", chance=CHANCE, given=GivenPairing(law, tables, byes))


def play(event: WrittenEvent, tables: tuple[tuple[int, int], ...], *byes: int) -> None:
    """Pair a round so, and play it: whoever opens wins."""
    event.do(given(event, tables, *byes))
    event.step()
    for number in event.round.missing:
        event.record(number)
    event.step()


def test_tables_that_come_with_the_command_are_the_round_and_audit() -> None:
    event = WrittenEvent("dutch").begin(5)
    for tables, rests in ((((1, 2), (3, 4)), 5), (((3, 1), (2, 5)), 4), (((5, 3), (4, 2)), 1)):
        play(event, tables, rests)
    event.step()
    event.step()
    assert event.tournament.ranking
    event.close()
    ruling = judged(event.lines)
    assert (ruling.code, ruling.upto, len(ruling.packaged)) == (None, len(event.lines), 3), ruling.why
    found = dutch.check_dutch(ruling.packaged)
    assert (found.line, found.unchecked) == (None, tuple(ruling.packaged))


@pytest.mark.parametrize(
    ("tables", "byes", "code"),
    [
        (((1, 2), (3, 4)), (), "bad_tables"),
        (((1, 2), (3, 3)), (5,), "bad_tables"),
        (((1, 2),), (3, 4, 5), "bad_tables"),
        (((1, 2), (3, 9)), (5,), "bad_tables"),
        (((1, 3), (2, 4)), (5,), "forbidden_pair"),
    ],
)
def test_who_is_missing_twice_there_or_forbidden_is_refused(
    tables: tuple[tuple[int, int], ...], byes: tuple[int, ...], code: str
) -> None:
    event = WrittenEvent("dutch").begin(5)
    event.do(commands.Forbid(by=HOST, numbers=(3, 1)))
    assert event.code(given(event, tables, *byes)) == code
    assert event.code(given(event, ((1, 2), (3, 4)), 5, law="pods/1")) == "bad_tables"
    assert event.code(commands.Proceed(by="rule", chance=CHANCE)) == "cannot_pair"


def test_nobody_meets_the_same_twice_or_rests_a_third_time() -> None:
    event = WrittenEvent("dutch", stages=[{"format": "dutch", "rounds": 5}]).begin(5)
    play(event, ((1, 2), (3, 4)), 5)
    assert event.refusal(given(event, ((2, 1), (3, 5)), 4)).facts["numbers"] == [2, 1]
    play(event, ((1, 3), (2, 4)), 5)
    assert "third" in str(event.refusal(given(event, ((1, 4), (2, 3)), 5)).facts["why"])


def test_a_report_says_who_rests_who_is_away_and_who_may_not_meet() -> None:
    event = WrittenEvent("dutch", seeding="manual", entry={"late_rounds": 2}).enter(0)
    for number in range(1, 6):
        event.do(commands.Register(by=HOST, player=player(number), seed=6 - number))
    event.check_in().draw().step()
    play(event, ((1, 2), (3, 4)), 5)
    event.do(commands.Register(by=player(6), player=player(6)))
    event.do(commands.Forbid(by=HOST, numbers=(4, 5)))
    event.do(commands.RequestBye(by=player(3), number=3, round=2))
    report = dutch_report(StageField(event.tournament, 1), 2)
    assert report.order == (5, 4, 3, 2, 1, 6)
    lines = report.text.splitlines()
    assert lines[:4] == ["XXR 3", "XXC white1", "XXZ 3", "XXP 2 1"]
    assert [line[84:].split() for line in lines[4:]] == [
        ["1", "0000", "-", "U"],
        ["5", "3", "b", "0"],
        ["1", "2", "w", "1"],
        ["5", "5", "b", "0"],
        ["1", "4", "w", "1"],
        ["4", "0000", "-", "H"],
    ]


@packaged
def test_the_package_comes_to_the_same_tables_again_and_to_no_others() -> None:
    event = WrittenEvent("dutch").begin(6)
    made = dutch.given_pairing(event.tournament)
    assert made is not None
    play(event, made.tables)
    assert dutch.given_pairing(event.tournament) is not None
    report = dutch_report(StageField(event.tournament, 1, 0), 1)
    assert dutch.check_dutch({7: (report, made)}) == dutch.DutchCheck(None, ())
    bent = GivenPairing(made.law, made.tables[::-1])
    assert dutch.check_dutch({7: (report, bent)}) == dutch.DutchCheck(7, ())


@packaged
def test_points_that_are_no_halves_are_paired_by_nobody() -> None:
    event = WrittenEvent("dutch").begin(2)
    assert dutch.given_pairing(WrittenEvent("dutch").tournament) is None
    event.do(given(event, ((1, 2),)))
    assert dutch.given_pairing(event.tournament) is None
    event.step()
    points = ((1, "1/3"), (2, "0"))
    event.do(commands.Rule(by=HOST, stage=1, round=1, table=1, ranking=((1,), (2,)), points=points))
    event.step()
    assert dutch.given_pairing(event.tournament) is None


def test_a_house_without_the_package_has_no_such_tournaments(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = rules_from(preset("dutch"))
    assert dutch.lacks_package(rules) is (dutch.edition() is None)
    monkeypatch.setattr(dutch, "PACKAGE", "no_such_package")
    assert dutch.lacks_package(rules)
    assert not dutch.lacks_package(rules_from(preset("pods")))
    assert dutch.given_pairing(WrittenEvent("dutch").begin(2).tournament) is None


@pytest.mark.parametrize(
    ("members", "option"),
    [
        ({"scoring": {"scheme": "ladder"}}, "stages.0.format"),
        ({"scoring": {"bye": "1/2"}}, "stages.0.format"),
        ({"entry": {"max": 513}}, "entry.max"),
        ({"stages": [{"format": "dutch", "sizes": {}}]}, "stages.0.sizes"),
    ],
)
def test_points_and_numbers_are_those_of_the_book(members: dict[str, Any], option: str) -> None:
    with pytest.raises(Refused) as refused:
        rules_from(preset("dutch", **members))
    assert refused.value.facts["option"] == option
