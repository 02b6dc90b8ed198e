"""Rules of a match at a table of a tournament: which table, who opens, how long it lasts, what a seat begins with."""

from __future__ import annotations

import random
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain import events
from domain.games import GAMES, rules_of
from domain.match.settings import is_known, most_units, rules_object, settings_of
from domain.rules.rules import SharedCup
from tests.domain.absence_tables import audit
from tests.domain.playing import Played
from tests.domain.test_bad_options import named
from tests.domain.test_every_game import OPTIONS, QUIET, STEPS_MAX, play_on
from tests.sizes import cases

EVENT: Final = {
    "tournament": "2999d197-5933-49e2-a2e8-e9e91af65b3b",
    "stage": 1,
    "round": 2,
    "table": 3,
    "attempt": 1,
}
TOGETHER: Final[dict[str, Any]] = {"event": EVENT, "starter": 2, "rounds_max": 3, "stacks": {"1": 2, "2": 5, "3": 1}}
PAIRED: Final = [("german_liar_dice", {"format": form}) for form in ("knockout", "chouette")]


def test_what_is_not_said_does_not_stand_in_the_rules() -> None:
    assert not TOGETHER.keys() & rules_object(settings_of({"game": "common_hand", "options": {}})).keys()


def test_what_is_said_stands_in_the_rules_as_it_was_said() -> None:
    rules = rules_object(settings_of({"game": "common_hand", "options": {}, "seats": 3, **TOGETHER}))
    assert {name: rules[name] for name in TOGETHER} == TOGETHER
    assert is_known(rules)
    assert not is_known({**rules, "event": {**EVENT, "board": 1}})


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("event", {"event": 1}),
        *[(f"event.{name}", {"event": {**EVENT, name: 0}}) for name in ("stage", "round", "table", "attempt")],
        ("event.stage", {"event": {**EVENT, "stage": 2**16}}),
        ("event.round", {"event": {**EVENT, "round": 2**32}}),
        ("event.tournament", {"event": {**EVENT, "tournament": EVENT["tournament"].upper()}}),  # type: ignore[attr-defined]
        ("event.tournament", {"event": {name: EVENT[name] for name in EVENT if name != "tournament"}}),
        ("event.board", {"event": {**EVENT, "board": 1}}),
        ("starter", {"starter": 0}),
        ("starter", {"starter": 4}),
        ("starter", {"starter": True}),
        ("rounds_max", {"rounds_max": 0}),
        ("rounds_max", {"rounds_max": 10_001}),
        ("stacks", {"stacks": {}}),
        ("stacks", {"stacks": {"1": 1, "2": 1}}),
        ("stacks", {"stacks": {"1": 1, "2": 1, "3": 1, "4": 1}}),
        ("stacks", {"stacks": {"1": 1, "2": 1, "03": 1}}),
        ("stacks", {"stacks": {"1": 1, "2": 1, "3": 6}}),
        ("host", {"event": EVENT, "host": {}}),
        ("start", {"event": EVENT, "start": "full"}),
    ],
)
def test_what_cannot_be_meant_so_is_refused_by_its_name(option: str, said: dict[str, Any]) -> None:
    assert named("common_hand", {}, seats=3, **said) == option


@pytest.mark.parametrize("least", [0, -1, 1_000_001, True, "1"])
def test_a_stack_is_some_whole_units(least: Any) -> None:
    assert str(named("finska", {}, seats=2, stacks={"1": 1, "2": least})).startswith("stacks")


@pytest.mark.parametrize(("game", "options"), PAIRED)
@pytest.mark.parametrize("option", TOGETHER)
def test_where_seats_play_two_at_a_time_none_of_it_is_to_be_had(
    game: str, options: dict[str, Any], option: str
) -> None:
    assert named(game, options, seats=3, **{option: TOGETHER[option]}) == option


def test_only_who_may_run_out_of_something_begins_with_some_of_it() -> None:
    counted = {game: most_units(rules_of(game, {})) for game in GAMES}
    assert {game for game, most in counted.items() if most is not None} == {"common_hand", "finska"}
    assert named("stanford", {}, seats=2, stacks={"1": 1, "2": 1}) == "stacks"
    assert named("common_hand", {"elimination": "none"}, seats=2, stacks={"1": 1, "2": 1}) == "stacks"


# ---- who opens -----------------------------------------------------------------------------------


def said_for(game: str, drawn: random.Random, options: dict[str, Any], seats: int) -> dict[str, Any]:
    """Return what a tournament might say of a match of this game."""
    most = most_units(rules_of(game, options))
    stacks = {str(seat): drawn.randint(1, min(9, most or 1)) for seat in range(1, seats + 1)}
    said = {"starter": drawn.randint(1, seats), "rounds_max": drawn.randint(1, 3)}
    return said if most is None else {**said, "stacks": stacks}


def drawn_match(game: str, drawn: random.Random) -> Played:
    """Return a match of this game of which a tournament has said all there is to say."""
    options = drawn.choice([each for each in OPTIONS[game] if each.get("format", "duel") == "duel"])
    lowest, highest = rules_of(game, options).seats
    seats = drawn.randint(lowest, min(4, highest))
    played = Played(options, seats, str(drawn.random()), game, pause_ms=0, **said_for(game, drawn, options, seats))
    played.start()
    return played


@pytest.mark.parametrize("game", GAMES)
@settings(QUIET, max_examples=cases(3, 100))
@given(data=st.data())
def test_who_is_named_opens_and_the_match_ends_with_the_last_round(game: str, data: st.DataObject) -> None:
    drawn = random.Random(data.draw(st.integers(0, 2**32)))
    played = drawn_match(game, drawn)
    asked, unit = played.match.settings, played.match.rules.match.unit
    if asked.stacks is not None and unit is not None:
        assert played.table.balances[unit] == {int(seat): units for seat, units in asked.stacks.items()}
    if isinstance(played.match.rules.tokens, SharedCup):
        assert played.turn == asked.starter
    play_on(played, drawn, session=STEPS_MAX)
    opened = [event for event in played.events if isinstance(event, events.RoundOpened)]
    before = played.events[: played.events.index(opened[0])]
    assert opened[0].starter == asked.starter
    assert not any(isinstance(event, events.FirstDrawn | events.FirstChosen) for event in before)
    assert asked.rounds_max is not None
    assert len(opened) <= asked.rounds_max
    assert played.events[-1] == events.MatchEnded(played.table.winner)
    audit(played)


def test_a_match_that_nobody_has_won_ends_with_its_last_round_and_without_a_winner() -> None:
    played = Played(seats=3, rounds_max=2, pause_ms=4_000)
    played.start()
    play_on(played, random.Random(1))
    tail = [type(event) for event in played.events[-4:]]
    assert tail == [events.RoundClosed, events.SessionClosed, events.DealClosed, events.MatchEnded]
    assert (played.table.round_number, played.table.winner, played.table.closed) == (2, None, True)
    # Who would open the next round is said all the same: there may be another level.
    assert isinstance(closed := played.events[-4], events.RoundClosed)
    assert closed.next_starter is not None
    audit(played)


def test_who_wins_in_the_last_round_has_won() -> None:
    played = Played({"dice_per_player": 1}, seats=2, rounds_max=1, pause_ms=0)
    played.start()
    play_on(played, random.Random(1))
    assert played.table.winner is not None
    assert events.MatchEnded(played.table.winner) == played.events[-1]
    audit(played)


def test_who_begins_with_one_die_of_several_does_not_fall_to_it_again() -> None:
    played = Played(GAMES["common_hand"].presets["perudo"], seats=2, stacks={"1": 1, "2": 3}, starter=2)
    played.start()
    assert played.table.fallen == (1,)
    assert [len(place.dice) for place in played.table.places.values()] == [1, 3]
    assert played.table.flags == ()
