"""Witnesses of others, as the operators' guide has the recipe: two of them see a match, and its record says so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from domain.log.notes import ED25519, Key
from infra.config import Config
from services.cli.main import run
from services.matches.secrets.keys import keys_of, public_keys_of
from tests.cli.conftest import Running
from tests.witness.running import Process

KEY = "5e" * 32
ORIGIN = "dice.example/log"


@pytest.fixture
def witnesses(tmp_path: Path) -> Iterator[tuple[Process, Process]]:
    """Two witnesses, each with a folder and a key of its own, that were told the key of the log."""
    (public,) = public_keys_of(keys_of(Config(key=KEY), tmp_path))
    log = Key(ORIGIN, ED25519, public)
    made = tuple(Process(tmp_path / name, f"{name}.example/witness", log).start() for name in ("ann", "bob"))
    yield made[0], made[1]
    for one in made:
        assert one.stop() == 0


def test_a_match_that_two_witnesses_of_others_saw_is_judged_by_a_policy_that_asks_for_both(
    witnesses: tuple[Process, Process],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    named = ",".join(f"{one.key} {one.url}" for one in witnesses)
    house = Running(
        tmp_path / "house",
        TRUECUP_BOT_PAUSE_MS="0",
        TRUECUP_KEY=KEY,
        TRUECUP_ORIGIN=ORIGIN,
        TRUECUP_WITNESSES=named,
        TRUECUP_QUORUM="2",
    )
    try:
        match = house.match_of_bots(options={"dice_per_player": 1})
        house.wait_until_over(match)
        api = f"{house.url}/api/v1/matches/{match}"
        for name, path in (("match.cup", f"{api}/record"), ("match.access", f"{api}/access")):
            (tmp_path / name).write_bytes(httpx.get(path, timeout=60).raise_for_status().content)
        (log,) = (each for each in httpx.get(f"{house.url}/api/v1/log/policy").text.splitlines() if each[:4] == "log ")
    finally:
        assert house.stop() == 0

    monkeypatch.setenv("TRUECUP_DATA", str(tmp_path / "auditor"))
    ann, bob = (one.key for one in witnesses)
    policy = tmp_path / "policy.txt"
    policy.write_text(f"{log}\nwitness ann {ann}\nwitness bob {bob}\ngroup both all ann bob\nquorum both\n")
    assert run(["audit", str(tmp_path / "match.cup"), "--policy", str(policy)]) == 0
    assert "the witnesses that the policy asks for saw that log grow" in capsys.readouterr().out
    assert run(["policy", "pin", str(policy)]) == 0
    (tmp_path / "answer.txt").write_text(capsys.readouterr().out)
    assert run(["audit", str(tmp_path / "match.cup"), "--policy", str(tmp_path / "answer.txt")]) == 0
    policy.write_text(policy.read_text().replace(str(bob), str(Key(bob.name, bob.kind, bytes(range(32))))))
    assert run(["audit", str(tmp_path / "match.cup"), "--policy", str(policy)]) == 1
