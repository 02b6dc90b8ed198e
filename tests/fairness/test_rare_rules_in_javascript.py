"""Rules that matches seldom come to, as both referees see them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from domain import commands
from domain.table.interludes import buying
from tests.domain.playing import Played
from tests.domain.truth_oracle import Record
from tests.fairness.test_rules_in_javascript import agree

BOUGHT = {"stakes": "money", "buy_back": True, "hands_to_lose": 1}


def told(played: Played) -> Record:
    return [json.loads(line) for line in played.lines]


def lost_by_bidding_on(played: Played) -> None:
    """Let whoever opens each hand bid, and be doubted by the next."""
    while not played.match.ended:
        state = played.match.table
        assert state is not None
        assert state.turn is not None
        played.do(_SAYS[state.phase](state.turn))
        played.go_on()


_SAYS: dict[str, Any] = {
    "choosing": lambda seat: commands.ChooseFirst(seat, seat),
    "claiming": lambda seat: commands.Bid(seat, 1, 4),
    "responding": commands.Challenge,
    "buying": buying.DropOut,
}


def bar(**options: Any) -> Record:
    """Return a match of liars for money, in which nobody buys back."""
    played = Played({**BOUGHT, **options}, 3, game="boss_liars", pause_ms=0)
    played.start()
    lost_by_bidding_on(played)
    return told(played)


def test_a_match_in_which_nobody_may_buy_back_is_fair_to_both() -> None:
    fair = bar(max_buy_backs=0)
    assert "game.buying_opened" not in {one["type"] for one in fair}
    assert agree([fair]) == [(True, None, len(fair))]


def test_an_offer_where_nobody_may_buy_back_is_found_on_its_line_by_both() -> None:
    fair = bar(max_buy_backs=0)
    out = next(at for at, one in enumerate(fair) if one["type"] == "game.eliminated")
    lie = [*fair[:out], {**fair[out], "type": "game.buying_opened"}, *fair[out + 1 :]]
    assert agree([lie]) == [(True, out + 1, out + 1)]


def test_an_offer_withheld_because_another_dropped_out_before_is_found_on_its_line_by_both() -> None:
    fair = bar()
    offers = [at for at, one in enumerate(fair) if one["type"] == "game.buying_opened"]
    assert (fair[0]["data"]["rules"]["edition"], len(offers)) == (2, 2)
    withheld = {**fair[offers[1]], "type": "game.eliminated"}
    lie = [*fair[: offers[1]], withheld, *fair[offers[1] + 1 :]]
    assert agree([fair, lie]) == [(True, None, len(fair)), (True, offers[1] + 1, offers[1] + 1)]


@pytest.mark.parametrize("edition", [1, 3, "2", True, None])
def test_an_edition_nobody_knows_is_none_to_both(edition: object) -> None:
    fair = bar()
    data = fair[0]["data"]
    lie = [{**fair[0], "data": {**data, "rules": {**data["rules"], "edition": edition}}}, *fair[1:]]
    assert agree([lie]) == [(True, 1, 1)]


@pytest.mark.parametrize(("who", "may"), [("next", [1]), ("anyone", [1, 2, 3])])
def test_who_may_doubt_a_pass_is_the_same_to_both(who: str, may: list[int]) -> None:
    fair = passed(who)
    doubt = next(at for at, one in enumerate(fair) if one["type"] == "game.challenged")
    passer = fair[doubt - 1]["data"]["seat"]
    doubters = [(passer - 1 + on) % 4 + 1 for on in range(1, 5)]
    found = agree([[*fair[:doubt], {**fair[doubt], "data": {"seat": seat}}] for seat in doubters])
    assert [on for on, (_, line, _) in enumerate(found, start=1) if line is None] == may
    assert {line for _, line, _ in found} == {None, doubt + 1}


def passed(who: str) -> Record:
    """Return a match of four that begins with a bid, a pass, and a doubt of the next."""
    played = Played({"pass_once": True, "challenge_by": who}, 4, pause_ms=0, policy="shown", deal_per="round")
    played.start()
    for command in (lambda seat: commands.Bid(seat, 1, 4), commands.Pass, commands.Challenge):
        state = played.match.table
        assert state is not None
        assert state.turn is not None
        played.do(command(state.turn))
    return told(played)


@pytest.mark.parametrize("game", ["stanford", "finska", "beat_this", "six_six_six", "two_dice_pass"])
def test_dice_that_are_left_as_they_lie_are_handled_once_to_both(game: str) -> None:
    fair = left_untouched(game)
    left = next(at for at, one in enumerate(fair) if one["type"] == "game.arranged")
    twice = [*fair[: left + 1], *fair[left:]]
    assert agree([fair, twice]) == [(True, None, len(fair)), (True, left + 2, left + 2)]


def left_untouched(game: str) -> Record:
    """Return a match in which a seat looks, leaves all dice as they lie, and everybody goes but one."""
    played = Played({}, 2, game=game, pause_ms=0)
    played.start()
    state = played.match.table
    assert state is not None
    assert state.turn is not None
    opener, least = state.turn, state.ladder.hands[0]
    for command in (
        *(commands.Roll(opener), commands.ClaimHand(opener, least.shape, least.faces)),
        *(commands.Accept(3 - opener), commands.Arrange(3 - opener), commands.Forfeit(opener)),
    ):
        played.do(command)
    played.go_on()
    return told(played)
