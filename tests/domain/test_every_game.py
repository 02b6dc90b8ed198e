"""Laws over all games and random legal play: no dead end, balanced ledgers, nothing hidden seen, a replay agrees."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain import commands
from domain.audit.replay import replay
from domain.errors import Refused
from domain.fairness.records import RecordLine
from domain.games import GAMES
from domain.match.dues import due_at
from domain.match.evolve import is_dealing
from domain.match.record import fold
from domain.rules.rules import Token
from domain.table.checks import HAVE, kinds_for, refusal
from domain.table.moves import moves
from projections.view import view_of
from tests.domain.playing import Played, commands_for
from tests.sizes import cases

QUIET = settings(suppress_health_check=list(HealthCheck), max_examples=cases(4, 200))
SESSION = 60
STEPS_MAX = 400
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "common_hand": [{"dice_per_player": 2}, {**GAMES["common_hand"].presets["perudo"], "dice_per_player": 2}],
    "individual_hand": [
        {},
        {"reroll_scope": "round", "on_last_reroll": "may_claim", "dice": "poker", "reveal": "both"},
    ],
    "stanford": [{}, {"lives": 2, "rerolls": 2}],
    "mexican": [{}, {"ties_allowed": True, "claim_check": "next_player", "forty_one": "impose"}],
    "finska": [{}, {"stake": 1, "loser_pays": "winner", "may_rehide": False}],
    "liars_poker": [{}, {"numbers": "slips"}, {"single_use": True, "reveal": "full", "rebid": False}],
    "liars_poker_wizard": [{}, {"next_starter": "final_bidder"}],
    "boss_liars": [
        {},
        {"mode": "all_challenge", "loser_may_muck": True},
        {"stakes": "money", "ante": 5, "buy_back": True, "doubles": True},
        {"stakes": "drinks"},
        {"cocked": True},
    ],
    "beat_this": [{}, {"wild": "never"}],
    "stud_liars": [{"wins_needed": 1}],
    "six_six_six": [{}, {"dice": 2}],
    "two_dice_pass": [{}, {"order": "numeric"}],
    "dollar_bill": [{}],
    "german_liar_dice": [
        {},
        {"dice": "spotted", "on_last_reroll": "auto_challenge"},
        {"format": "knockout", "wins_needed": 1},
        {"format": "chouette", "wins_needed": 1},
    ],
}


def test_every_game_is_played_here() -> None:
    assert OPTIONS.keys() == GAMES.keys()


@pytest.mark.parametrize("game", GAMES)
@QUIET
@given(data=st.data())
def test_random_play_keeps_every_law(game: str, data: st.DataObject) -> None:
    drawn = random.Random(data.draw(st.integers(0, 2**32)))
    played = begun(game, drawn)
    steps = 0
    while not played.match.ended and steps < STEPS_MAX:
        check(played)
        step(played, drawn, closing=steps > SESSION)
        steps += 1
    # Programs go on with what they have decided, without reading it back.
    for (written, event), decided, happened in zip(fold(played.lines), played.steps, played.events, strict=True):
        assert (written.match, event) == (decided, happened)
    assert played.match.ended
    assert (ruled := judged(played)).line is None, ruled


@pytest.mark.parametrize("game", GAMES)
@settings(QUIET, max_examples=cases(3, 100))
@given(data=st.data())
def test_a_seat_out_of_time_is_played_for_by_the_table(game: str, data: st.DataObject) -> None:
    drawn = random.Random(data.draw(st.integers(0, 2**32)))
    played = begun(game, drawn, clock={"bank_ms": 1_000, "increment_ms": 0})
    for steps in range(STEPS_MAX):
        clocks = played.match.clocks
        if clocks is not None and clocks.due_at is not None and drawn.random() < 0.6:
            version = played.match.version
            played.do(commands.Advance(played.chance()), max(0, clocks.due_at - played.at))
            assert played.match.version > version
            played.go_on()
        elif not played.match.ended:
            step(played, drawn, closing=steps > SESSION)
    assert (ruled := judged(played)).line is None, ruled


def begun(game: str, drawn: random.Random, options: dict[str, Any] | None = None, **how: Any) -> Played:
    options = drawn.choice(OPTIONS[game]) if options is None else options
    rules = GAMES[game].rules(msgspec.convert(options, GAMES[game].options))
    seats = drawn.randint(rules.seats[0], min(4, rules.seats[1]))
    policy = drawn.choice(rules.policies)
    per = drawn.choice(rules.deals_under(policy))
    played = Played(options, seats, str(drawn.random()), game, policy, **{"pause_ms": 0, "deal_per": per, **how})
    played.start()
    return played


def play_on(played: Played, drawn: random.Random, steps_max: int = STEPS_MAX, session: int = SESSION) -> None:
    """Do so many things at most, until the match ends; an open session is asked to close after `session` of them."""
    for steps in range(steps_max):
        if played.match.ended:
            return
        step(played, drawn, closing=steps > session)


def step(played: Played, drawn: random.Random, *, closing: bool) -> None:
    """Do one of the things on offer, whichever is accepted; doubts come more often than their share."""
    possible = [command for seat, move in played.offers() for command in commands_for(seat, move)]
    possible.sort(key=lambda command: drawn.random() ** (3 if isinstance(command, commands.Challenge) else 1))
    for command in possible:
        before = played.match
        try:
            played.do(command)
        except Refused:
            assert played.match is before
            continue
        if closing:
            close(played)
        played.go_on()
        return
    pytest.fail(f"a dead end: {played.match.table}")


def close(played: Played) -> None:
    with suppress(Refused):
        played.do(commands.CloseSession())


def check(played: Played) -> None:
    state = played.match.table
    assert state is not None
    assert moves(state) or due_at(played.match) is not None
    for seat in state.seats:
        accepted = {kind for kind in HAVE if refusal(state, kind, seat) is None}
        assert accepted <= {*kinds_for(state.rules, state.phase, in_turn=seat == state.turn)}
    for unit, held in state.balances.items():
        at_first = {"die": state.rules.tokens.dice * len(state.seats)}.get(unit, 0)
        tokens = next((each.stake for each in state.rules.settlers if isinstance(each, Token)), 0)
        assert sum(held.values()) == (tokens * len(state.seats) if unit == "token" else at_first), unit
    for viewer in (None, *state.seats):
        view = view_of(played.written, viewer, played.keeper, {})
        for cup, dice in ((255, view.cup), *((seat.seat, seat.dice) for seat in view.seats)):
            place = state.places.get(cup)
            hidden = sum(1 for die in dice if die.face is None)
            shown = sum(1 for die in dice if die.shown)
            assert shown == (0 if place is None else len(place.outside))
            knows = place is not None and viewer in place.knowers
            assert hidden == (0 if place is None or knows else len(place.inside))
        assert not view.moves or not is_dealing(played.match)


def judged(played: Played) -> Any:
    documents = [msgspec.json.decode(line) for line in played.lines]
    return replay([RecordLine(n, d["type"], d["data"], d["at"]) for n, d in enumerate(documents, start=1)])
