"""Odds over HTTP."""

from __future__ import annotations

from services.questions import question_cards
from tests.api.conftest import Service


def test_odds_are_answered_over_http(service: Service) -> None:
    cards = service.client.get("/api/v1/odds")
    found = service.client.get("/api/v1/odds/at_least?tokens=5&chance=1/3&quantity=1")
    assert len(cards.json()) == len(question_cards())
    assert found.json()["figures"] == [{"of": "", "fraction": "211/243", "decimal": "0.868313"}]
    assert "max-age" in found.headers["cache-control"]
    unknown = service.client.get("/api/v1/odds/luck")
    assert (unknown.status_code, unknown.json()["code"]) == (404, "unknown_question")
    wrong = service.client.get("/api/v1/odds/at_least?tokens=-1&chance=1/3&quantity=1")
    assert (wrong.status_code, wrong.json()["code"]) == (422, "bad_question")
