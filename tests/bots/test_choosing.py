"""The play of house bots: always by the rules, and never with more than their seat can see."""

from __future__ import annotations

import hashlib
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain import commands
from domain.errors import Refused
from domain.fairness.openings import DealSecrets
from domain.games import GAMES, options_of
from domain.seats import Player
from projections.frames import encode_frame, frame_of
from services.bots.playing import chooser_of, level_of, style_of_bot
from services.engines.level_names import LEVELS, USUAL
from services.engines.levels import is_even, player_of
from services.engines.seen import SeenMatch, sight_of
from tests.bots.tables import STYLES, BotTable
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
    max_examples=cases(12, 600),
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
@given(OPTIONS.filter(_allowed), st.integers(2, 5), st.integers(0, 2**32), st.sampled_from(["match", "round"]))
def test_a_bot_never_makes_an_illegal_move_and_never_sees_the_hidden_dice_of_others(options, seats, seed, deal_per):
    table = BotTable(options, seats, seed, deal_per)
    for _ in table.turns(80):
        sight = table.seen(table.turn).sight
        assert sight is not None
        assert {*sight.dice} <= {table.turn}


@pytest.mark.parametrize("seed", range(3))
def test_bots_bring_a_match_to_its_end(seed):
    options = {"bid_aces": "half_double", "spot_on": True, "spot_on_win": "regain", "palifico": True}
    table = BotTable(options, 3, seed)
    moves = sum(1 for _ in table.turns(4_000))
    assert table.match.ended
    assert table.table.winner is not None
    assert moves > 20


def test_bots_talk_before_they_doubt():
    table = BotTable({}, 4, 7)
    played = [command for _, command in table.turns(600)]
    bids = sum(1 for command in played if isinstance(command, commands.Bid))
    doubts = sum(1 for command in played if isinstance(command, commands.Challenge))
    assert doubts > 0
    assert 1 < bids / doubts < 12


# ---- what a seat has seen, and nothing else -------------------------------------------------------


class OtherDice:
    """Who says of the dice of one cup what they are, and something else of all others."""

    def __init__(self, keeper: DealSecrets, cup: int, salt: int) -> None:
        self.number = keeper.number
        self._keeper, self._cup, self._salt = keeper, cup, salt

    def open_deal(self, mix: bytes) -> Any:
        dealer = self._keeper.open_deal(mix)

        class Dealer:
            unseal = staticmethod(dealer.unseal)

            @staticmethod
            def value(cup: int, *address: int) -> int:
                drawn = hashlib.sha256(f"{self._salt} {cup} {address}".encode()).digest()
                return dealer.value(cup, *address) if cup == self._cup else drawn[0] % address[-1]

        return Dealer()


@settings(max_examples=cases(8, 400), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(sorted(GAMES)), st.integers(0, 2**16), st.integers(0, 2**16), st.integers(1, 10))
def test_with_other_dice_in_the_cups_of_others_a_bot_does_the_same(game, seed, salt, turns):
    table = BotTable({}, GAMES[game].rules(GAMES[game].options()).seats[0], seed, game=game)
    for _ in table.turns(turns):
        pass
    if table.match.ended or table.keeper is None:
        return
    state, seat = table.table, table.turn
    place = state.place_of(seat)
    own = 0 if place is None or seat not in place.knowers else place.cup
    other: Any = OtherDice(table.keeper, own, salt)
    assert sight_of(table.match, seat, other) == sight_of(table.match, seat, table.keeper)


@pytest.mark.parametrize("game", GAMES)
def test_frames_tell_a_bot_all_that_it_goes_by_and_the_same_lead_to_the_same_move(game):
    table = BotTable({}, GAMES[game].rules(GAMES[game].options()).seats[0], 1, game=game)
    read = {seat: SeenMatch(seat) for seat in table.match.seated}
    shown = 0
    for _ in table.turns(cases(4, 15)):
        for event, match in zip(table.events[shown:], table.steps[shown:], strict=True):
            for seat, seen in read.items():
                written = type(table.written)(match, table.head)
                seen.take(encode_frame(frame_of(written, event, seat, table.keeper, {}, more=False)))
        shown = len(table.events)
        assert read[table.turn].sight == table.seen(table.turn).sight
        for level in LEVELS:
            player, chance = player_of(level), table.drawn()
            assert player.choose(read[table.turn], chance) == player.choose(table.seen(table.turn), chance) is not None


@pytest.mark.parametrize("game", GAMES)
def test_no_hand_changes_how_far_a_bot_of_the_house_looks_ahead(game):
    table = BotTable({}, GAMES[game].rules(GAMES[game].options()).seats[0], 5, game=game)
    for _ in table.turns(3):
        pass
    assert table.keeper is not None
    looked = "L3" if is_even(table.table.rules) else "L1"
    for salt in range(8):
        seen, keeper = SeenMatch(table.turn), cast("DealSecrets", OtherDice(table.keeper, 0, salt))
        for event, match in zip(table.events, table.steps, strict=True):
            seen.see(event, match, keeper)
        thought = chooser_of("L3.steady").choose(seen, table.drawn())
        assert thought is None or thought.level == looked


def test_a_bot_does_nothing_when_nothing_is_offered():
    table = BotTable({}, 3, 1)
    other = next(seat for seat in (1, 2, 3) if seat != table.turn)
    assert all(player_of(level).choose(table.seen(other), table.drawn()) is None for level in STYLES)
    assert player_of("L1").choose(SeenMatch(1), bytes(32)) is None


# ---- who plays how --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("player", "level"),
    [
        ("bot/L1.bold/3", "L1.bold"),
        ("bot/bold/3", "L1.bold"),
        ("bot/of-tomorrow/3", "L1.steady"),
        ("bot/L9.bold/3", "L1.steady"),
        ("bot/L0.odd/3", "L1.steady"),
        ("bot/", "L1.steady"),
        ("p1", f"{USUAL}.steady"),
    ],
)
def test_a_bot_is_played_as_its_id_says_and_by_level_1_where_that_is_old_or_unknown(player, level):
    assert level_of(Player(player)) == level
    assert style_of_bot(player) == level.partition(".")[2]
