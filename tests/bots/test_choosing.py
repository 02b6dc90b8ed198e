"""The play of house bots: always by the rules, and never with more than their seat can see."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain import commands
from domain.errors import Refused
from domain.games import options_of
from services.bots.choosing import choose
from services.bots.manner import MANNERS, manner_of
from tests.bots.tables import BotTable
from tests.sizes import cases

OPTIONS = st.fixed_dictionaries(
    {
        "dice_per_player": st.integers(1, 6),
        "system": st.sampled_from(["face_first", "quantity_first", "highest_number", "product", "no_decrease"]),
        "wild": st.sampled_from(["always", "never", "unless_opened"]),
        "bid_aces": st.sampled_from(["auto", "no", "as_ones", "half_double"]),
        "challenge_by": st.sampled_from(["next", "anyone"]),
        "spot_on": st.booleans(),
        "spot_on_win": st.sampled_from(["others_lose", "bidder_loses", "regain", "nothing"]),
        "elimination": st.sampled_from(["lose_die", "lose_die", "none"]),
        "palifico": st.booleans(),
        "push": st.booleans(),
        "pass_once": st.booleans(),
    }
)


def _allowed(options: dict[str, object]) -> bool:
    try:
        options_of("common_hand", options)
    except Refused:
        return False
    return True


@settings(
    max_examples=cases(25, 600),
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
@given(OPTIONS.filter(_allowed), st.integers(2, 5), st.integers(0, 2**32), st.sampled_from(["match", "round"]))
def test_a_bot_never_makes_an_illegal_move_and_never_sees_the_hidden_dice_of_others(options, seats, seed, deal_per):
    table = BotTable(options, seats, seed, deal_per)
    for view, _ in table.turns(80):
        for seat in view.seats:
            if seat.seat != view.viewer:
                assert all(die.face is None or die.shown for die in seat.dice)


@pytest.mark.parametrize("seed", range(3))
def test_bots_bring_a_match_to_its_end(seed):
    options = {"bid_aces": "half_double", "spot_on": True, "spot_on_win": "regain", "palifico": True}
    table = BotTable(options, 3, seed)
    moves = sum(1 for _ in table.turns(4_000))
    assert table.match.ended
    assert table.match.table is not None
    assert table.match.table.winner is not None
    assert moves > 20


def test_bots_talk_before_they_doubt():
    table = BotTable({}, 4, 7)
    played = [command for _, command in table.turns(600)]
    bids = sum(1 for command in played if isinstance(command, commands.Bid))
    doubts = sum(1 for command in played if isinstance(command, commands.Challenge))
    assert doubts > 0
    assert 1 < bids / doubts < 12


def test_the_same_view_and_chance_lead_to_the_same_command():
    table = BotTable({}, 3, 1)
    view, _ = next(table.turns(10))
    for manner in MANNERS.values():
        assert choose(view, manner, b"\1\2\3\4") == choose(view, manner, b"\1\2\3\4")


def test_a_bot_does_nothing_when_nothing_is_offered():
    table = BotTable({}, 3, 1)
    view, _ = next(table.turns(10))
    assert choose(msgspec.structs.replace(view, moves=()), MANNERS["bold"], bytes(4)) is None


def test_a_bot_of_an_unknown_manner_plays_steadily():
    assert manner_of("bot/of-tomorrow/3") == MANNERS["steady"]
    assert manner_of("bot/bold/3") == MANNERS["bold"]
