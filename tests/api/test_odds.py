"""Odds over HTTP."""

from __future__ import annotations

from services.audit.odds_questions import question_cards
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
    twice = service.client.get("/api/v1/odds/at_least?tokens=5&tokens=6&chance=1/3&quantity=1")
    assert (twice.status_code, twice.json()["detail"]) == (422, "tokens is given twice")
    empty = service.client.get("/api/v1/odds/bid_holds?quantity=5&face=3&seen=3,,4&unseen=10&wild=true")
    assert (empty.status_code, empty.json()["code"]) == (422, "bad_question")
    nothing_seen = service.client.get("/api/v1/odds/bid_holds?quantity=5&face=3&seen=&unseen=10&wild=true")
    assert nothing_seen.status_code == 200
