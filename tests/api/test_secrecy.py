"""A match is played with a hidden die, a token and seeds that must not turn up: not in a log line, not in a meter."""

from __future__ import annotations

import re

import pytest

from tests.api.conftest import Service, Table
from tests.socket.speaking import speaking, token_of

SEED = "5eed" * 16


@pytest.fixture
def told(service: Service, table: Table, capfd: pytest.CaptureFixture[str]) -> tuple[str, list[str]]:
    """Play, provoke refusals and a fault, and return everything that was logged, with what must not be in it."""
    first, second = table.join("Ada Lovelace"), table.join("Bob")
    table.start()
    key = "key-0123456789abcdef"
    table.play(first, {"type": "bid", "quantity": 1, "face": 2}, **{"Idempotency-Key": key})
    table.play(first, {"type": "commit_seed", "deal": 0, "commit": SEED})
    table.play(second, {"type": "open_seed", "deal": 0, "seed": SEED})
    table.play(second, {"type": "bid", "quantity": SEED, "face": 2})
    table.client.get(f"{table.path}/openings", headers=second)
    table.client.get(f"{table.path}/replay", params={"version": 2, "token": first["Authorization"].split()[1]})
    spoken = {"match": table.id, "token": token_of(first), "key": f"{key}-2"}
    with speaking(service) as speaker:
        speaker.watch(table, token=token_of(second))
        speaker.ask(do="command", **spoken, command={"type": "bid", "quantity": 2, "face": 2})
        speaker.ask(do="command", **spoken, command={"type": "commit_seed", "deal": 0, "commit": SEED})
        speaker.ask(do="command", **spoken, command={"type": "bid", "quantity": SEED, "face": 2})
        speaker.ask(do=SEED, **spoken)
    service.house.broken = True
    table.client.get(f"{table.path}/audit")
    service.house.broken = False
    out, err = capfd.readouterr()
    tokens = [header["Authorization"].split()[1] for header in (table.host, first, second)]
    return out + err + service.client.get("/metrics").text, [*tokens, key, SEED, "Lovelace", '"keys"', "version=2"]


def test_nothing_secret_is_logged_or_metered(told: tuple[str, list[str]]) -> None:
    lines, secrets = told

    assert "api.request" in lines
    assert re.search("SOCKET.*/commands", lines)
    assert 'truecup_socket_commands_total{status="400"} 1.0' in lines
    for secret in secrets:
        assert secret not in lines
    assert re.search("truecup_(host|seat)_", lines) is None
