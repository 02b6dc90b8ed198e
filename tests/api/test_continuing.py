"""Pauses between rounds over HTTP: who may end them, what the view says, and what nobody can ask for."""

from __future__ import annotations

from typing import Any

from infra.sealing import Sealing
from infra.store.memory import MemoryStore
from services.http.bounds import Bounds
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from tests.api.conftest import Service, served
from tests.api.test_powers import Hosted, service
from tests.api.test_problems import check
from tests.api.test_real_match import Prompt

__all__ = ["service"]


def looked_at(service: Service, **rules: Any) -> Hosted:
    """Return a table at which two people look at the dice of a round."""
    table = Hosted(service, "Ada", "Bob", pause_ms=60_000, **rules)
    table.start()
    turn = table.view()["turn"] - 1
    assert table.ask(table.seats[turn], "bid", quantity=1, face=2).status_code == 200
    assert table.ask(table.seats[1 - turn], "challenge").status_code == 200
    return table


def test_everybody_is_told_who_has_asked_for_the_next_round() -> None:
    matches = Prompt(store := MemoryStore(), Vault(store, Sealing(bytes(32))), TokenIssuer(bytes(32)))
    with served(Bounds(), matches) as service:
        table = looked_at(service)
        ada, bob = table.seats
        assert table.view()["continues"] == {"by": [], "awaits": [1, 2]}
        check(table.ask(table.host, "continue"), 403, "not_a_seat")
        check(table.ask(ada, "continue", seat=2), 400, "malformed")
        assert table.ask(ada, "continue").status_code == 200
        before = table.view(bob)
        assert before["continues"] == {"by": [1], "awaits": [2]}
        check(table.ask(ada, "continue"), 409, "already_continued")
        assert table.view(bob) == before
        assert table.ask(bob, "say", text="continue").status_code == 200
        view = table.view()
        assert (view["continues"]["awaits"], view["due_at"]) == ([], view["at"])


def test_a_house_lets_players_end_pauses_unless_the_rules_refuse_it(service: Service) -> None:
    assert Hosted(service).view()["rules"]["pause_ends"] == "all"
    plain = Hosted(service, "Ada", "Bob", pause_ends=None)
    assert "pause_ends" not in plain.view()["rules"]
    check(plain.ask(plain.seats[0], "continue"), 409, "not_allowed")
    bad = service.client.post("/api/v1/matches", json={"rules": {"game": "common_hand", "pause_ends": "any"}})
    check(bad, 400, "malformed")
