"""Arenas: who is idle is seated while the time lasts, at tables that do not wait for each other."""

from __future__ import annotations

from itertools import combinations, product
from random import Random
from typing import Any

import pytest

from domain.errors import Refused
from domain.events import DealCommitted
from domain.tournaments import commands, events
from domain.tournaments.deciding import drawing
from domain.tournaments.deciding.due import due, is_pairing_next
from domain.tournaments.deciding.rounds import draw_round
from domain.tournaments.events import RULE
from domain.tournaments.field import StageField
from domain.tournaments.formats.arenas import next_wave, wave_input
from domain.tournaments.formats.format import DueStep
from domain.tournaments.options import rules_from
from domain.tournaments.pairing.lots import Lots, match_id
from domain.tournaments.presets import preset
from domain.tournaments.schedules import waves
from tests.tournaments.events_by_hand import CHANCE, HOST, player
from tests.tournaments.events_for_audit import WrittenEvent, judged

PAIRS = {"preferred": 2, "min": 2, "max": 2}
ARENA = {"format": "arena", "sizes": PAIRS, "duration_ms": 120_000, "wave_ms": 5_000, "patience_ms": 30_000}
DUEL = {"game": "common_hand", "options": {"dice_per_player": 3}}


class Arena(WrittenEvent):
    """An arena of two at a table, moved on by hand; times are since it began."""

    def __init__(self, count: int, stage: dict[str, Any] | None = None, **members: Any) -> None:
        super().__init__("arena", match=DUEL, stages=[ARENA | (stage or {})], **members)
        self.begin(count)
        self.began = self.tournament.stages[0].opened_at

    def wait(self, *numbers: int, after: int = 0) -> None:
        """Let these say that they wait, so many milliseconds after the beginning."""
        self.at = self.began + after
        for number in numbers:
            self.do(commands.WaitForTable(by=player(number), number=number))

    @property
    def wave_at(self) -> int | None:
        """When the next wave is."""
        found = next_wave(self.tournament, self.tournament.stages[0])
        return None if found is None else found.at - self.began

    def seat(self) -> set[tuple[int, ...]]:
        """Let the next wave come and its tables begin, and return who sits together."""
        self.step()
        self.step()
        return {tuple(sorted(table.seats)) for table in self.round.tables.values()}

    def end(self, number: int, after: int, *, winner: int | None = None, table: int | None = None) -> None:
        """End a table of a wave, so long after the beginning."""
        self.at = self.began + after
        held = self.tournament.stages[0].rounds[number]
        which = held.missing[0] if table is None else table
        seats = held.tables[which].seats
        first = seats[0] if winner is None else winner
        ranking = ((first,), tuple(each for each in seats if each != first))
        name = match_id(str(self.tournament.id), 1, number, which, 1)
        self.do(
            commands.Record(
                by=RULE, round=number, table=which, attempt=1, match=name, version=9, head="0" * 64, how="played",
                ranking=ranking,
            )
        )  # fmt: skip


def test_a_wave_comes_when_twice_a_table_waits_and_else_when_patience_ends() -> None:
    event = Arena(4)
    assert due(event.tournament) == DueStep("close_stage", event.began + 120_000)
    event.wait(1, 2, after=1)
    assert event.wave_at == 35_000
    event.wait(3, after=2_000)
    assert event.wave_at == 35_000
    event.wait(4, after=6_000)
    assert event.wave_at == 10_000
    assert sum(len(pair) for pair in event.seat()) == 4
    assert event.wave_at is None


def test_waves_overlap_and_who_has_played_has_a_moment_first() -> None:
    event = Arena(4)
    event.wait(1, 2, 3, 4)
    event.seat()
    roll = event.round.roll
    event.end(1, 20_000)
    two = event.tournament.stages[0].rounds[1].tables[1].seats
    assert event.wave_at == 50_000
    assert event.seat() == {tuple(sorted(two))}
    assert [held.number for held in event.tournament.stages[0].open_rounds] == [1, 2]
    assert event.round.roll == roll
    event.end(1, 64_000)
    event.step()
    assert [held.number for held in event.tournament.stages[0].open_rounds] == [2]
    event.end(2, 64_500)
    event.step()
    # Twice a table is idle, and the last of them are seated no sooner than three seconds after their last table.
    assert event.wave_at == 70_000
    event.seat()
    assert event.round.roll != roll
    event.end(3, 121_000)
    event.end(3, 121_000)
    assert event.wave_at is None
    event.close()
    ruling = judged(event.lines)
    assert (ruling.code, ruling.upto) == (None, len(event.lines)), ruling.why
    assert sorted(n for level in event.tournament.ranking for n in level) == [1, 2, 3, 4]


def test_who_takes_a_break_is_seated_when_it_waits_again() -> None:
    event = Arena(4)
    event.wait(1, 2, 3, 4)
    event.do(commands.TakeBreak(by=RULE, number=4))
    assert event.code(commands.TakeBreak(by=player(4), number=4)) == "already_registered"
    assert event.code(commands.WaitForTable(by=player(3), number=3)) == "already_registered"
    assert event.code(commands.WaitForTable(by=player(3), number=4)) == "not_yours"
    assert event.wave_at == 30_000
    event.do(commands.Withdraw(by=HOST, number=3, reason="request"))
    assert event.code(commands.WaitForTable(by=HOST, number=3)) == "already_withdrawn"
    assert event.seat() == {(1, 2)}
    event.end(1, 40_000)
    event.do(commands.TakeBreak(by=player(1), number=1))
    event.step()
    assert event.wave_at is None
    event.wait(1, after=41_000)
    event.wait(4, after=42_000)
    assert event.wave_at == 70_000


def test_nobody_ends_an_arena_before_its_time() -> None:
    event = Arena(4)
    assert due(event.tournament) == DueStep("close_stage", event.began + 120_000)
    assert event.code(event.proceed_of(HOST)) == "wrong_phase"


def test_nobody_waits_where_there_is_no_arena_or_after_it() -> None:
    other = WrittenEvent("pods").begin(4)
    assert other.code(commands.WaitForTable(by=player(1), number=1)) == "wrong_phase"
    event = Arena(2)
    event.step()
    assert event.tournament.stages[0].closed is not None
    assert event.code(commands.TakeBreak(by=player(1), number=1)) == "wrong_phase"
    assert WrittenEvent("arena").enter(2).code(commands.WaitForTable(by=player(1), number=1)) == "wrong_phase"


def test_who_did_not_come_waits_for_nothing_and_who_was_ruled_on_waits_again() -> None:
    event = Arena(4)
    event.wait(1, 2, 3, 4)
    event.seat()
    first, second = event.table(1).seats, event.table(2).seats
    event.absent(1, first[0])
    event.at += 1_000
    event.do(commands.Rule(by=HOST, stage=1, round=1, table=2, ranking=((second[0],), (second[1],))))
    event.step()
    wave = next_wave(event.tournament, event.tournament.stages[0])
    assert wave is not None
    assert set(wave.taken) <= {first[1], *second}
    event.do(commands.Rule(by=HOST, stage=1, round=1, table=2, ranking=((second[1],), (second[0],))))
    assert next_wave(event.tournament, event.tournament.stages[0]) == wave


def test_a_pause_stops_waves_and_a_host_may_not_be_quicker_than_the_time() -> None:
    event = Arena(4)
    event.wait(1, 2, 3, 4)
    assert event.code(commands.FixTables(by=HOST, tables=((1, 2), (3, 4)))) == "bad_tables"
    event.do(commands.PauseTournament(by=HOST))
    assert due(event.tournament) is None
    event.do(commands.Resume(by=HOST))
    event.seat()
    event.do(commands.PauseTournament(by=HOST))
    event.end(1, 20_000)
    event.end(1, 21_000)
    event.step()
    assert due(event.tournament) is None


def test_two_who_may_not_meet_wait_for_others() -> None:
    event = Arena(4)
    event.do(commands.Forbid(by=HOST, numbers=(1, 2)))
    event.wait(1, 2)
    assert event.wave_at is None
    assert due(event.tournament) == DueStep("close_stage", event.began + 120_000)
    event.at = event.began + 30_000
    assert event.code(commands.Proceed(by=RULE, chance=CHANCE)) == "wrong_phase"
    event.wait(3, after=41_000)
    assert event.wave_at == 45_000
    assert event.seat() in [{(1, 3)}, {(2, 3)}]
    left = {1, 2} - set(event.round.tables[1].seats)
    event.wait(4, after=46_000)
    assert event.seat() == {(*left, 4)}
    event.end(1, 121_000)
    event.end(2, 122_000)
    event.close()
    ruling = judged(event.lines)
    assert (ruling.code, ruling.upto) == (None, len(event.lines)), ruling.why


def test_an_arena_ends_with_its_time_whoever_waits_for_others_who_may_meet() -> None:
    event = Arena(2)
    event.do(commands.Forbid(by=HOST, numbers=(1, 2)))
    event.wait(1, 2)
    event.step()
    assert event.tournament.stages[0].closed is not None


def test_where_some_may_not_meet_one_table_after_another_is_seated() -> None:
    event = Arena(6, {"sizes": {"preferred": 3, "min": 2, "max": 3}})
    for numbers in ((1, 2), (1, 3), (1, 4), (1, 5)):
        event.do(commands.Forbid(by=HOST, numbers=numbers))
    event.wait(1, 2, 3, 4, 5, after=1)
    event.wait(6, after=5_000)
    # Six are two tables of three, and 1 would sit at one of them with somebody kept apart.
    assert event.wave_at == 5_000
    first = event.seat()
    assert len(first) == 1
    assert set(*first) < {2, 3, 4, 5}
    assert event.wave_at == 35_000
    (second,) = event.seat()
    assert 6 in second
    assert len(second) == 2


def test_who_may_meet_too_few_keeps_nobody_else_waiting() -> None:
    event = Arena(8)
    # 1 may meet nobody, and 2 nobody but 1.
    for numbers in (*product((1,), range(2, 9)), *product((2,), range(3, 9))):
        event.do(commands.Forbid(by=HOST, numbers=numbers))
    event.wait(*range(1, 9))
    assert {number for table in event.seat() for number in table} == set(range(3, 9))
    assert event.wave_at is None


def test_whether_there_is_a_wave_hangs_on_no_lot_and_it_seats_whom_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few beginnings are looked at: by numbers a table is found among them, and by lots none."""
    monkeypatch.setattr(waves, "LOOKS_MAX", 4)
    event = Arena(9, {"sizes": {"preferred": 3, "min": 3, "max": 3}})
    # By lots some of the last six come first, of whom no three may meet, nor anybody else with them.
    for numbers in (*combinations((4, 5, 6), 2), *combinations((7, 8, 9), 2), *product((1, 2, 3), range(4, 10))):
        event.do(commands.Forbid(by=HOST, numbers=numbers))
    event.wait(*range(1, 10))
    assert event.seat() == {(1, 2, 3)}


def test_scores_count_by_the_table_and_meetings_at_the_last_three_of_either() -> None:
    event = Arena(4, {"duration_ms": 3_600_000})
    event.wait(1, 2)
    for number in range(1, 5):
        event.seat()
        event.end(number, 60_000 * number, winner=1)
        event.step()
    event.do(commands.TakeBreak(by=player(2), number=2))
    event.wait(3, after=241_000)
    event.seat()
    event.end(5, 300_000, winner=3)
    event.step()
    given = wave_input(StageField(event.tournament, 1), (1, 2, 3, 4))
    assert [each.score for each in given.players] == ["4/5", "0", "1", "0"]
    assert given.met == ((1, 2, 3), (1, 3, 1))


@pytest.mark.parametrize(("stage", "score"), [({}, 4), ({"streak": True}, 6)])
def test_a_first_place_counts_double_after_two_in_a_row_where_that_is_so(stage: dict[str, Any], score: int) -> None:
    event = Arena(2, {"duration_ms": 3_600_000, **stage})
    event.wait(1, 2)
    for number, winner in enumerate((1, 1, 1, 1, 2), start=1):
        event.seat()
        event.end(number, 60_000 * number, winner=winner)
        event.step()
    assert StageField(event.tournament, 1).scores == {1: score, 2: 1}


def test_where_nobody_waits_there_is_no_wave_to_look_at() -> None:
    event = Arena(2)
    assert not is_pairing_next(event.tournament)
    with pytest.raises(Refused) as refused:
        draw_round(event.tournament, Lots(bytes(32), 1, 1))
    assert refused.value.code == "cannot_pair"
    event.wait(1, 2)
    assert is_pairing_next(event.tournament)
    assert len(draw_round(event.tournament, Lots(bytes(32), 1, 1)).tables) == 1


def cups(event: WrittenEvent) -> tuple[int, ...]:
    """Return how many rolls each deal has."""
    return tuple(each.cups[0][2] for each in event.events if isinstance(each, DealCommitted))


@pytest.mark.parametrize(("hours", "rolls"), [(1, 64), (2, 124), (24, 1_444)])
def test_a_deal_has_a_roll_for_each_minute_of_an_arena(hours: int, rolls: int) -> None:
    event = WrittenEvent("arena", stages=[ARENA | {"duration_ms": 3_600_000 * hours}]).enter(2).check_in()
    event.step()
    assert cups(event) == (rolls,)


def test_when_the_rolls_of_a_deal_are_used_up_waves_wait_for_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "ROLLS", 4)
    monkeypatch.setattr(drawing, "SPARE", -116)
    event = Arena(2, {"duration_ms": 7_200_000})
    event.wait(1, 2)
    for number in range(1, 4):
        event.seat()
        event.end(number, 60_000 * number + 1)
        event.step()
    found = due(event.tournament)
    assert found is not None
    assert found.step == "lots"
    event.step()
    assert due(event.tournament) is None
    event.give_seeds()
    assert event.seat() == {(1, 2)}
    event.end(4, 4_000_000)
    event.close()
    assert judged(event.lines).code is None


@pytest.mark.parametrize("seed", range(4))
def test_nobody_sits_at_two_tables_and_the_most_are_seated(seed: int) -> None:
    chance = Random(seed)
    sizes = chance.choice([PAIRS, {"preferred": 4, "min": 3, "max": 4}])
    event = Arena(chance.randint(5, 14), {"sizes": sizes, "duration_ms": 600_000})
    event.wait(*range(1, len(event.tournament.entrants) + 1))
    ends: list[tuple[int, int, int]] = []
    while event.tournament.stages[0].closed is None:
        found = due(event.tournament)
        first = min(ends, default=None)
        if first is not None and (found is None or event.began + first[0] < found.at):
            ends.remove(first)
            event.end(first[1], first[0], table=first[2])
            continue
        event.step()
        last = event.tournament.stages[0].last
        if last is not None and isinstance(event.events[-1], events.RoundStarted):
            began = event.at - event.began
            ends += [(began + chance.randint(1_000, 90_000), last.number, table) for table in last.tables]
        playing = [
            n
            for held in event.tournament.stages[0].open_rounds
            for table in held.missing
            for n in held.tables[table].seats
        ]
        assert len(playing) == len(set(playing))
    event.close()
    ruling = judged(event.lines)
    assert (ruling.code, ruling.upto) == (None, len(event.lines)), ruling.why


@pytest.mark.parametrize(
    ("members", "option"),
    [
        ({"scoring": {"scheme": "ladder"}}, "stages.0.format"),
        ({"lots": {"deal": "each"}}, "lots.deal"),
        ({"tiebreaks": ["BH"]}, "tiebreaks"),
        ({"stages": [ARENA | {"rounds": 3}]}, "stages.0.rounds"),
        ({"stages": [ARENA | {"sizes": {"preferred": 4, "min": 3, "max": 3}}]}, "stages.0.sizes"),
        ({"stages": [ARENA | {"duration_ms": 1}]}, "stages.0.duration_ms"),
    ],
)
def test_what_does_not_fit_overlapping_waves_is_refused(members: dict[str, Any], option: str) -> None:
    with pytest.raises(Refused) as refused:
        rules_from(preset("arena", **members))
    assert refused.value.facts["option"] == option
