"""Games that the house does not have are analysed the day they are written: nothing here knows one by its name."""

from __future__ import annotations

import pytest

from domain.analysis.following import follow
from domain.games import GAMES
from domain.games.game import Game, anything_goes
from tests.analysis.test_documents import document
from tests.domain.test_fifteenth import RULES, Options, played_out


@pytest.fixture(params=RULES)
def game(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    make = RULES[request.param]
    monkeypatch.setitem(
        GAMES, request.param, Game(request.param, request.param, "", "this test", Options, anything_goes, make)
    )
    return str(request.param)


def test_a_game_made_up_here_has_a_valid_analysis(game: str) -> None:
    found = document(follow(played_out(game, 1).lines))
    claims = [event for event in found["events"] if "chance" in event]
    assert claims
    assert all(event["label"] for event in claims)
    assert all(event["chance"]["all"][0] in {0, 1_000_000} for event in claims)
