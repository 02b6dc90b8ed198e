"""Games that the house does not have are played by level 2 and analysed the day they are written, as any other is."""

from __future__ import annotations

import pytest

from domain import events
from domain.analysis.record.following import follow
from domain.games import GAMES, rules_of
from domain.games.game import Game, anything_goes
from tests.analysis.test_documents import FIRST, document
from tests.bots.tables import BotTable
from tests.domain.test_fifteenth import RULES, Options, played_out
from tests.sizes import is_long

TURNS_MAX = 60


@pytest.fixture(params=RULES)
def game(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    make = RULES[request.param]
    monkeypatch.setitem(
        GAMES, request.param, Game(request.param, request.param, "", "this test", Options, anything_goes, make)
    )
    return str(request.param)


def test_a_game_made_up_here_has_a_valid_analysis(game: str) -> None:
    found = document(follow(played_out(game, 1).lines), None if is_long() else FIRST)
    claims = [event for event in found["events"] if "chance" in event]
    assert claims
    assert all(event["label"] for event in claims)
    assert all(event["chance"]["all"][0] in {0, 1_000_000} for event in claims)
    judged = [event for event in found["events"] if "equity" in event]
    assert judged
    assert all(event["equity"]["public"] and event["equity"]["seat"] for event in judged)
    decisions = [event["decision"] for event in found["events"] if "decision" in event]
    assert any(each["tag"] for each in decisions)
    assert any(seat["luck"] for seat in found["seats"])


def test_a_game_made_up_here_is_played_by_level_two(game: str) -> None:
    table = BotTable({"long": 1}, 2, 1, game=game, level="L2.steady", deal_per=rules_of(game, {}).deals[0])
    # Whatever it does is done: what the table refuses is a failure.
    for _ in table.turns(TURNS_MAX):
        continue
    assert table.match.ended or len(table.events) > TURNS_MAX
    assert any(isinstance(event, events.Judged) for event in table.events)
