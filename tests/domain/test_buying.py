"""Buying back in at the bar: who may, what closes it, and how matches that began before go on."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import commands, events
from domain.match.evolve import open_match
from domain.match.settings import rules_in_force, settings_of
from domain.table.decide import decide, evolve, initial_state
from domain.table.interludes import buying
from domain.table.state import State
from tests.domain.playing import MATCH
from tests.domain.seeded import Game, SeededDealer
from tests.domain.test_refusals import stepped
from tests.rules.adapter import Play

MONEY: Final[dict[str, Any]] = {"stakes": "money", "ante": 5, "buy_back": True}
STEPS: Final = 150
MODES: Final = st.sampled_from(["one_challenges", "all_challenge"])

# ---- who may ------------------------------------------------------------------------------------


@given(st.integers(0, 2**32), st.integers(2, 5), st.integers(1, 2), st.integers(0, 2), MODES)
def test_who_alone_loses_the_last_hand_may_buy_back_until_two_who_are_in_have_lost_one(
    seed: int, seats: int, to_lose: int, most: int, mode: str
) -> None:
    options = {**MONEY, "hands_to_lose": to_lose, "max_buy_backs": most, "mode": mode}
    game, drawn = Game(options, seats, str(seed), game="boss_liars"), random.Random(seed)
    for _ in range(STEPS):
        if game.state.phase == "finished":
            break
        stepped(game, drawn)
    offered = [event.seat for event in game.events if isinstance(event, buying.BuyingOpened)]
    assert list(expected_offers(game.events, to_lose, most)) == offered


def expected_offers(happened: Iterable[events.Event], to_lose: int, most: int) -> Iterable[int]:
    """Yield who is to be asked, told from the losses that were posted and from who went out."""
    lost, bought, out, closed, at_once = Counter[int](), Counter[int](), set[int](), False, []
    for event in (*happened, events.SessionClosed()):
        if isinstance(event, events.Posted) and event.unit == "loss" and isinstance(event.dst, int):
            lost[event.dst] += event.amount
            at_once += [event.dst] if lost[event.dst] == to_lose else []
            closed = closed or sum(1 for seat in lost if lost[seat] and seat not in out) > 1
            continue
        if len(at_once) == 1 and not closed and bought[at_once[0]] < most:
            yield at_once[0]
        at_once = []
        if isinstance(event, buying.BoughtBack):
            lost[event.seat] = 0
            bought[event.seat] += 1
        if isinstance(event, events.Eliminated):
            out.add(event.seat)


def test_where_nobody_may_buy_back_a_seat_that_loses_its_last_hand_is_out() -> None:
    play = playing("ABC", max_buy_backs=0)
    lose(play, "A")
    summary = play.summary()
    assert (summary["phase"], summary["out"], summary["pot"]) == ("between_rounds", ["A"], 15)


def test_where_nobody_may_buy_back_the_offer_is_closed_and_not_unknown() -> None:
    play = playing("ABC", max_buy_backs=0)
    assert code(play, "A", "buy_back") == "buy_back_closed"
    assert code(play, "A", "drop_out") == "wrong_phase"


@pytest.mark.parametrize("most", [0, 1, 3])
def test_a_seat_buys_back_as_often_as_it_may_and_no_more(most: int) -> None:
    play = playing("AB", max_buy_backs=most)
    for _ in range(most):
        lose(play, "A")
        done(play, "A", "buy_back")
    lose(play, "A")
    assert (play.summary()["phase"], play.summary()["winner"]) == ("finished", "B")


# ---- what closes it -----------------------------------------------------------------------------


def test_two_seats_with_a_lost_hand_close_it_for_good() -> None:
    play = playing("ABC", hands_to_lose=2)
    for loser in "ABAB":
        lose(play, loser)
    assert (play.summary()["out"], play.summary()["winner"]) == (["A", "B"], "C")


def test_the_losses_of_who_dropped_out_close_nothing() -> None:
    play = playing("ABCD")
    lose(play, "A")
    done(play, "A", "drop_out")
    lose(play, "B")
    assert (play.summary()["phase"], play.summary()["turn"]) == ("buying", "B")
    done(play, "B", "buy_back")
    assert play.summary()["out"] == ["A"]


def test_two_who_are_in_close_it_though_another_dropped_out_before() -> None:
    play = playing("ABCD", hands_to_lose=2)
    for loser in "AA":
        lose(play, loser)
    done(play, "A", "drop_out")
    for loser in "BCB":
        lose(play, loser)
    assert (play.summary()["phase"], play.summary()["out"]) == ("between_rounds", ["A", "B"])


def test_a_seat_that_left_the_table_closes_nothing_either() -> None:
    play = playing("ABC", hands_to_lose=2)
    lose(play, "A")
    for event in decide(play.state, commands.Forfeit(1), play.dealer):
        play.state = evolve(play.state, event)
    for _ in range(2):
        lose(play, "B")
    assert play.summary()["phase"] == "buying"


# ---- the first edition --------------------------------------------------------------------------


def begun(*, edition: int | None, **options: Any) -> State:
    """Return a match of three that begins by an edition."""
    event = open_match(MATCH, {"game": "boss_liars", "options": {**MONEY, "hands_to_lose": 1, **options}})
    rules = {name: value for name, value in event.rules.items() if name != "edition" or edition}
    return initial_state(rules_in_force(settings_of(rules)), (1, 2, 3), 1)


@pytest.mark.parametrize(("edition", "phase"), [(None, "finished"), (2, "buying")])
def test_by_the_first_edition_who_dropped_out_went_on_to_close_it(edition: int | None, phase: str) -> None:
    state, dealer = begun(edition=edition), SeededDealer("two lose")
    for _ in range(2):
        state = hand_lost(state, dealer)
        if state.phase == "buying" and not state.out:
            state = after(state, buying.DropOut(state.turn or 0), dealer)
    assert state.phase == phase


def hand_lost(state: State, dealer: SeededDealer) -> State:
    """Return the match after a hand that opens on a claim nobody can make, and is doubted at once."""
    state = after(state, commands.DealRound(), dealer)
    opener = state.turn or 0
    state = after(state, commands.Bid(opener, state.dice_in_play, 6), dealer)
    return after(state, commands.Challenge(state.turn or 0), dealer)


def after(state: State, command: commands.TableCommand, dealer: SeededDealer) -> State:
    for event in decide(state, command, dealer):
        state = evolve(state, event)
    return state


@pytest.mark.parametrize(("options", "edition"), [({}, None), ({"stakes": "money"}, None), (MONEY, 2)])
def test_the_edition_stands_in_rules_that_it_makes_a_difference_to(
    options: dict[str, Any], edition: int | None
) -> None:
    assert open_match(MATCH, {"game": "boss_liars", "options": options}).rules.get("edition") == edition


# ---- playing ------------------------------------------------------------------------------------


def playing(players: str, **options: Any) -> Play:
    setup = {"players": list(players), "start": players[0], "options": {**MONEY, "hands_to_lose": 1, **options}}
    return Play(setup, "boss_liars")


def done(play: Play, by: str, do: str, **fields: Any) -> None:
    assert play.act({"by": by, "do": do, **fields}) is None


def code(play: Play, by: str, do: str) -> str | None:
    return play.act({"by": by, "do": do})


def lose(play: Play, loser: str) -> None:
    """Play a hand in which this player doubts a true claim, or makes a false one."""
    summary = play.summary()
    rolled = {name: [2, 2, 2, 2, 2] for name in play.players if name not in summary["out"]}
    done(play, "table", "deal", rolled=rolled)
    opener = play.summary()["turn"]
    other = next(name for name in play.players if name != opener and name in rolled)
    if opener == loser:
        done(play, opener, "claim", count=1, face=6)
        done(play, other, "challenge")
    else:
        done(play, opener, "claim", count=1, face=2)
        done(play, loser, "challenge")
