"""Screening of whole events of bots: who spares whom is found, who plays honestly is let be."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import product
from math import sqrt
from typing import Any

import pytest
from msgspec.structs import replace

from domain import events
from domain.match.record import fold
from domain.rules import claims
from domain.rules.orders import Count
from domain.statistics.screening.company import RoundBeside
from domain.statistics.screening.decisions import CLASSES, ClaimDecision, decisions_of_match
from domain.statistics.screening.sittings import SeatedRound, places_to_screen
from domain.table.state import State
from tests.cli.test_rehearsals import rehearsal_of
from tests.sizes import cases
from tests.tournaments.colluders import played, screening_of

SPARING = (1, 2)
DICE = {"game": "common_hand", "options": {"dice_per_player": 2}}


def test_two_who_spare_each_other_are_found_and_nobody_else() -> None:
    events_found = [screening_of(played(4, 20, b"spared%d" % number, SPARING)) for number in range(cases(1, 40))]
    told = [{file.numbers for file in found.cases} for found in events_found]
    assert told[0] == {(1, 2), (2, 1)}
    assert sum(bool(pairs & {(1, 2), (2, 1)}) for pairs in told) >= len(told) * 0.9
    assert sum(bool(pairs - {(1, 2), (2, 1)}) for pairs in told) <= len(told) / 10
    for file in events_found[0].cases:
        assert file.softness is not None
        assert file.softness.stands_out
        assert Fraction(file.softness.value) < Fraction(file.softness.mean)
        assert not file.company.stands_out
        assert not file.few
        assert not file.same_club
        # Where nothing but a challenge is left, they challenge all the same.
        assert sum(each.challenged for each in file.decisions) < len(file.decisions) / 4


def test_honest_bots_are_let_be() -> None:
    # The step lets one in a hundred of what it tells be chance: so many honest fields may have anything told, and in a
    # sample of them three standard deviations more.
    told = [screening_of(played(4, 12, b"honest%d" % number)).cases for number in range(cases(1, 300))]
    assert sum(map(bool, told)) <= len(told) / 100 + 3 * sqrt(len(told) / 100)


def test_an_event_without_pairs_that_meet_often_has_nothing_to_look_at() -> None:
    found = screening_of(played(4, 2, b"short"))
    assert (found.pairs, found.tests, found.cases) == (0, 0, ())


def test_a_game_whose_claims_have_no_exact_chance_is_looked_at_by_points_alone() -> None:
    event = played(4, 3, b"passed on", match={"game": "six_six_six", "options": {}})
    found = screening_of(event)
    assert not found.judged
    assert found.pairs == found.tests == 12
    assert all(decisions_of_match(each.lines).decisions is None for each in event.matches.values())


def test_an_arena_is_looked_at_once_when_it_is_over() -> None:
    event, _ = rehearsal_of("arena", 4)
    assert {places_to_screen(event.tournament) for _ in event.rounds()} == {()}
    assert places_to_screen(event.tournament) == ((1, len(event.tournament.stages[0].rounds)),)


# ---- decisions --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options", [{"dice_per_player": 2}, {"dice_per_player": 2, "wild": "never"}], ids=["wild", "plain"]
)
def test_the_chance_of_a_claim_is_that_of_all_throws_of_the_dice_a_seat_does_not_see(options: dict[str, Any]) -> None:
    event = played(3, 1, b"counted", match={"game": "common_hand", "options": options})
    (match,) = event.matches.values()
    decisions = {each.line: each for each in decisions_of_match(match.lines).decisions or ()}
    for each, state in _told(match.lines, decisions):
        assert each.fifth == min(CLASSES - 1, int(CLASSES * _chance(state, each)))
    assert any(each.challenged for each in decisions.values())
    assert len({each.fifth for each in decisions.values()}) > 2


def test_a_deal_that_keeps_its_secret_tells_nothing_of_how_claims_were_treated() -> None:
    (match,) = played(3, 1, b"kept", match=DICE).matches.values()
    assert decisions_of_match(match.lines).decisions
    kept = [re.sub(rb'"secret":"[0-9a-f]{64}"', b'"secret":null', line) for line in match.lines]
    assert decisions_of_match(kept).decisions == ()


def test_whoever_had_no_table_sat_with_nobody() -> None:
    sat = SeatedRound(
        (1, 2), {1: 1, 2: 1, 3: 2, 4: 2}, {1: 3, 2: 0, 3: 3, 4: 0, 5: 3}, dict.fromkeys(range(1, 6), 6), 3
    )
    assert sat.meeting(5, 1, 2) == RoundBeside(6, together=False)
    assert sat.meeting(2, 1, 1) == RoundBeside(3, together=True, among=3, there=1)
    assert sat.meeting(3, 1, 1) == RoundBeside(3, together=False, among=3, there=1)
    assert not sat.are_together(5, 1)


def _told(lines: list[bytes], decisions: dict[int, ClaimDecision]) -> list[tuple[ClaimDecision, State]]:
    """Return each decision with the game before it, in which every die has the value that the verdict showed."""
    before: list[tuple[int, State]] = []
    found: list[tuple[ClaimDecision, State]] = []
    state: State | None = None
    for line, (written, event) in enumerate(fold(lines)):
        if state is not None and line in decisions:
            before.append((line, state))
        state = written.match.table
        if isinstance(event, events.Judged) and state is not None:
            found += [(decisions[at], replace(was, places=state.places)) for at, was in before]
            before.clear()
    assert len(found) == len(decisions)
    return found


def _chance(state: State, decision: ClaimDecision) -> Fraction:
    standing, auction, first = state.round.standing, state.auction, state.rules.tokens.faces.first
    assert isinstance(standing, Count)
    own = [first + die.value for die in state.places[decision.seat].dice if die.value is not None]
    assert len(own) == len(state.places[decision.seat].dice)
    faces = range(first, first + state.rules.tokens.faces.count)
    throws = list(product(faces, repeat=state.dice_in_play - len(own)))
    return Fraction(sum(claims.holds(auction, standing, (*own, *throw)) for throw in throws), len(throws))
