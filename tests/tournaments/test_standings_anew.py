"""Standings after one more result, by somebody who knows those before it: the same as from nothing."""

from __future__ import annotations

import random
from contextlib import suppress

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.errors import Refused
from domain.tournaments import commands
from domain.tournaments.events import Ranking
from domain.tournaments.field import StageField
from projections.tournaments.standings import standings_again, standings_view
from services.cli.bench.event.madeup import MadeUp
from services.cli.tournaments.rehearsal import HOST
from tests.sizes import cases


class Disputed(MadeUp):
    """A tournament whose host meddles: rules, has tables replayed, takes points, lets people go and come back."""

    def __init__(self, entrants: int, rounds: int, seed: int) -> None:
        self.chance = random.Random(seed)
        super().__init__(entrants, rounds, random.Random(seed).randbytes)

    def advance(self) -> None:
        """Go on; where those who are left fill no table, one of them leaves as well, until nobody is left to play."""
        try:
            super().advance()
        except Refused as refused:
            if refused.code != "cannot_pair":
                raise
            left = msgspec.convert(refused.facts["entrants"], list[int])
            self.do(commands.Withdraw(by=HOST, reason="request", number=left[0]))

    def meddle(self) -> None:
        """Do something that an official may, if it is allowed just now."""
        chance, stage = self.chance, self.tournament.stage
        assert stage is not None
        paired = [held for held in stage.rounds.values() if held.tables]
        if not paired:
            return
        held = chance.choice(paired)
        table = chance.choice(list(held.tables.values()))
        number = chance.choice(list(self.tournament.entrants))
        ranking = tuple((each,) for each in chance.sample(table.seats, len(table.seats)))
        at, level = (stage.number, held.number, table.number), (table.seats,)
        asked: list[commands.AnyCommand] = [
            *(_rule(at, each) for each in (ranking, level)),
            _rule(at, ranking, ((table.seats[0], "13/7"),)),
            commands.Replay(by=HOST, reason="request", round=held.number, table=table.number),
            commands.Penalise(by=HOST, reason="conduct", number=number, kind="points", points="1/2"),
            commands.Penalise(by=HOST, reason="conduct", number=number, kind="disqualified"),
            commands.Withdraw(by=HOST, reason="request", number=number),
            commands.Return(by=HOST, reason="request", number=number),
        ]
        with suppress(Refused):
            self.do(chance.choice(asked))


def _rule(
    at: tuple[int, int, int], ranking: Ranking, points: tuple[tuple[int, str], ...] | None = None
) -> commands.Rule:
    stage, number, table = at
    return commands.Rule(
        by=HOST, reason="request", stage=stage, round=number, table=table, ranking=ranking, points=points
    )


def fields(event: Disputed, known: dict[int, StageField]) -> dict[int, StageField]:
    """Return the stage after every round, as looked at by somebody who knows how it was before."""
    stage = event.tournament.stage
    numbers = [] if stage is None else [0, *(each.number for each in stage.rounds.values() if each.is_paired)]
    return {number: StageField(event.tournament, 1, number, known.get(number)) for number in numbers}


@settings(max_examples=cases(12, 400))
@given(st.integers(0, 2**32), st.sampled_from([4, 7, 13, 18]))
def test_what_was_known_before_changes_no_standing(seed: int, entrants: int) -> None:
    event = Disputed(entrants, 3, seed)
    known: dict[int, StageField] = {}
    while not event.tournament.ended:
        event.advance()
        if known and event.tournament.phase == "running" and event.chance.random() < 0.3:
            event.meddle()
        known = fields(event, known)
        for number, field in known.items():
            whole = StageField(event.tournament, 1, number)
            assert field.rows == whole.rows
            assert field.outcomes == whole.outcomes
            assert field.standings_hash == whole.standings_hash


@settings(max_examples=cases(4, 100))
@given(st.integers(0, 2**32), st.booleans())
def test_standings_are_shown_again_as_they_are_shown_at_first(seed: int, explained: bool) -> None:  # noqa: FBT001
    event, known = Disputed(13, 3, seed), None
    while not event.tournament.ended:
        event.advance()
        stage = event.tournament.stage
        if stage is not None and stage.last is not None and stage.last.is_paired:
            if event.tournament.phase == "running" and event.chance.random() < 0.3:
                event.meddle()
            asked = (event.tournament, {1: "Ana"}, 1, stage.last.number)
            view, known = standings_again(*asked, explained=explained, known=known)
            assert view == standings_view(*asked, explained=explained)


def test_after_one_result_only_those_are_looked_at_anew_whom_it_concerns() -> None:
    event = MadeUp(64, 3)
    event.before_round(3)
    before, after = event.before_last_result()
    stage = before.stage
    assert stage is not None
    known = StageField(before, 1, 3)
    assert known.rows
    field = StageField(after, 1, known.upto, known)
    same = [number for number in field.numbers if field.outcomes.of[number] is known.outcomes.of[number]]
    assert len(same) == 60
    assert field.rows == StageField(after, 1, known.upto).rows


def test_what_is_known_of_another_stage_or_round_is_of_no_use() -> None:
    event = MadeUp(8, 2)
    event.before_round(2)
    one, other = StageField(event.tournament, 1, 0), StageField(event.tournament, 1, 1)
    assert other.known_to(one) is None
    assert StageField(event.tournament, 1, 0, other).rows == one.rows


def test_of_whom_a_result_says_nothing_the_course_is_told_as_before() -> None:
    event = MadeUp(64, 3)
    event.before_round(3)
    before, after = event.before_last_result()
    _, known = standings_again(before, {}, 1, 3)
    view, now = standings_again(after, {}, 1, 3, known=known)
    assert view == standings_view(after, {}, 1, 3)
    assert sum(told is known.courses.get(number) for number, told in now.courses.items()) == 60
