"""The benchmark runs, and says what others script against. How fast anything was is not tested."""

from __future__ import annotations

import json

from domain.games import GAMES
from tests.cli.conftest import BUSY_S


def test_it_measures_commands_delays_and_rules_beside_their_floors(truecup):
    said = truecup("bench", "--seconds", "1", "--json", within_s=BUSY_S)
    assert said.returncode == 0, said.stderr
    found = json.loads(said.stdout)
    assert [row["clients"] for row in found["commands"]] == [1, 16, 64]
    for row in found["commands"]:
        assert row["commands"].keys() == {"per_s", "p50_ms", "p99_ms"}
        assert row["of_bare_route"] > 0
        assert row["of_bare_insert"] > 0
    assert found["bid_to_spectator"]["ratio"] > 0
    assert [row["game"] for row in found["rules"]] == list(GAMES)
    assert all(row["of_bare_replace"] > 0 for row in found["rules"])
    assert found["bare_hmac"]["per_s"] > 0
    assert len(found["fairness"]) == 3
    assert all(row["of_bare_hmac"] > 0 for row in found["fairness"])
    assert found["machine"]["cores"] >= 1
