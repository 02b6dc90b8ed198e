"""Cups of glass: who looks back sees what was published, and of a round in play nothing that was not."""

from __future__ import annotations

from functools import cache, partial

import pytest

from domain import commands, events
from domain.fairness.deal import Policy
from domain.games import GAMES
from domain.match.record import MatchAtHead, fold
from projections.frames import encode_frame
from projections.glass import ALL, Eyes, Glass, GlassDeal, frames_through, released, take, unfrozen
from projections.view import DieView, View, view_of
from tests.domain.swapped_dice import OtherDealer, Watched
from tests.domain.test_secrecy import FOLDED, PLAYED, moments_of, watched

Step = tuple[MatchAtHead, events.Event]
LAST = [(game, len(PLAYED[game]) - 1) for game in GAMES]
"""A set of options of each game."""


@cache
def over(game: str, which: int, policy: Policy = "all") -> Watched:
    """Return a match that was given up where it stood, so that dice lie hidden to its end."""
    played = watched(game, which, 0, policy)
    played = played.again(len(played.script), lambda real: real)
    while not played.match.ended:
        played.do(commands.Forfeit(played.table.remaining[-1]))
        played.go_on()
    return played


def steps_of(played: Watched) -> list[Step]:
    return list(fold(played.lines))


def glass_of(steps: list[Step]) -> Glass:
    glass: Glass = {}
    for written, event in steps:
        take(glass, written.match, event)
    return glass


def views(played: Watched, eyes: Eyes) -> list[View]:
    steps = steps_of(played)
    return [frame.view for frame in frames_through(steps, glass_of(steps), eyes, {})]


def dice_in(view: View) -> list[DieView]:
    return [*view.cup, *(die for seat in view.seats for die in seat.dice)]


@pytest.mark.parametrize(("game", "which"), LAST)
def test_who_looks_back_through_a_seats_eyes_sees_what_that_seat_saw(game: str, which: int) -> None:
    played, hidden = over(game, which), 0
    steps = steps_of(played)
    for seat in played.table.seats[:2]:
        for (written, _), seen in zip(steps, views(played, seat), strict=True):
            deal = written.match.ceremony
            then = view_of(written, seat, None if deal is None else played.keepers.get(deal.deal), {})
            assert [each.dice for each in seen.seats] == [each.dice for each in then.seats]
            assert seen.cup == then.cup
            assert seen.viewer == seat
            hidden += sum(not die.shown and die.face is not None for die in dice_in(seen))
    # Dice that may lie cocked are looked at by asking, and nobody did.
    assert hidden or "cocked" in PLAYED[game][which], "some dice were hidden, and are seen"


@pytest.mark.parametrize(("game", "which"), LAST)
def test_where_deals_publish_all_their_dice_no_cup_stays_shut(game: str, which: int) -> None:
    assert all(die.face is not None for view in views(over(game, which), ALL) for die in dice_in(view))


def test_glass_of_more_lines_is_the_same_in_one_go_or_continued_and_the_earlier_one_stays() -> None:
    steps = steps_of(over("common_hand", 0))
    whole, halves, half = glass_of(steps), glass_of(steps[: len(steps) // 2]), glass_of(steps[: len(steps) // 2])
    more = unfrozen(halves)
    for written, event in steps[len(steps) // 2 :]:
        take(more, written.match, event)
    told = [
        {deal: (each.values, each.choices, each.dealer is None) for deal, each in glass.items()}
        for glass in (whole, more)
    ]
    assert told[0] == told[1]
    assert [each.values for each in halves.values()] == [each.values for each in half.values()]
    assert all(each.dealer is None for each in halves.values())


def test_who_looks_back_as_a_spectator_sees_what_spectators_saw() -> None:
    played = over("common_hand", 0)
    for (written, _), seen in zip(steps_of(played), views(played, None), strict=True):
        assert seen == view_of(written, None, None, {})
        assert not seen.moves


@pytest.mark.parametrize(("game", "which"), FOLDED)
def test_what_is_hidden_for_ever_stays_hidden_and_nothing_else_does(game: str, which: int) -> None:
    played = over(game, which, "shown")
    other = played.again(len(played.script), partial(OtherDealer, mask=played.mask(None)))
    assert views(other, ALL) == views(played, ALL), "of dice that no line shows nothing is told"
    told = {where for where in played.opened if where in played.rolled}
    seen = sum(die.face is not None and not die.shown for view in views(played, ALL) for die in dice_in(view))
    assert bool(seen) == bool(told), "what was opened in the end is seen from the beginning"


def test_what_is_looked_back_on_is_sealed_by_nobody() -> None:
    with pytest.raises(AssertionError):
        GlassDeal().seal_of(events.Choice(0, (), (), ()), 1, 5)


# ---- one round late -----------------------------------------------------------------------------


def feed(played: Watched, lines: int | None = None) -> list[bytes]:
    """Return all that a caster has been told of a match by now, or after so many lines."""
    glass: Glass = {}
    told: list[bytes] = []
    steps = steps_of(played)
    for written, event in steps[:lines]:
        state = written.match.table
        upto = released(events.type_of(event), written.match.version, 0 if state is None else state.round_number)
        fresh = steps[len(told) : upto or 0]
        for before, happened in fresh:
            take(glass, before.match, happened)
        told += map(encode_frame, frames_through(fresh, glass, ALL, {}))
    return told


@pytest.mark.parametrize(("game", "which"), LAST)
def test_a_caster_is_told_nothing_of_hidden_dice_of_the_round_in_play(game: str, which: int) -> None:
    played, compared = watched(game, which, 0), 0
    for moment in moments_of(played, 0)[:2]:
        now = played.again(moment, lambda real: real)
        other = played.again(moment, partial(OtherDealer, mask=now.mask(None)))
        assert feed(other) == feed(now)
        compared += len(feed(now))
    assert compared


@pytest.mark.parametrize(("game", "which"), LAST)
def test_a_caster_is_told_of_every_line_once_and_of_a_round_when_the_next_one_opens(game: str, which: int) -> None:
    played = over(game, which)
    told = feed(played)
    assert len(told) == len(played.lines)
    opened = [at for at, event in enumerate(played.events) if isinstance(event, events.RoundOpened)]
    for before in opened:
        assert feed(played, before + 1) == told[:before]
