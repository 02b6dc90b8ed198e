"""Policies over HTTP: which there are, and each as the file it is."""

from __future__ import annotations

import hashlib

from services.policies.shelf import SHIPPED
from tests.api.conftest import Service


def test_policies_are_handed_out_by_their_hash_and_never_change(service: Service) -> None:
    cards = service.client.get("/api/v1/policies").json()
    assert [card["id"].partition("@")[0] for card in cards] == list(SHIPPED)
    solved = next(card for card in cards if card["id"].startswith("1v1-d6-quantity_first-always-no@"))
    assert solved["certificate"] == {"lower": "-7/327", "upper": "-7/327"}
    assert solved["applies"]["dice"] == [1, 1]
    for card in (solved, next(card for card in cards if card["kind"] == "level")):
        file = service.client.get(f"/api/v1/policies/{card['hash']}")
        assert hashlib.sha256(file.content).hexdigest() == card["hash"]
        assert len(file.content) == card["bytes"]
        assert "immutable" in file.headers["cache-control"]
        assert file.headers["content-type"] == "application/octet-stream"
    none = service.client.get("/api/v1/policies/none")
    assert (none.status_code, none.json()["code"]) == (404, "unknown_policy")
