"""A witness that is killed while it signs: what it has let out is one history, and it goes on from there."""

from __future__ import annotations

import threading
from pathlib import Path
from random import Random
from time import sleep

import httpx
import pytest

from tests.sizes import cases
from tests.witness.logs import KEY, History, is_one_history
from tests.witness.running import Process

LENGTH = 400
KILLS = cases(4, 5)
STREAMS = 4
COMMON = [bytes([0, number]) + bytes(30) for number in range(3)]


def history(number: int) -> History:
    return History([*COMMON, *(bytes([1 + number]) + index.to_bytes(31, "big") for index in range(LENGTH))])


class Asking(threading.Thread):
    """One that wants its own history signed, and takes the size it is told."""

    def __init__(self, url: str, number: int, signed: list[tuple[History, int]], chance: Random) -> None:
        super().__init__()
        self.url, self.signed, self.chance = url, signed, chance
        self.history = history(number)

    def run(self) -> None:
        old = 0
        try:
            with httpx.Client(base_url=self.url, timeout=60) as client:
                while old < LENGTH:
                    size = max(1, min(LENGTH, old + self.chance.randrange(3)))
                    answer = client.post("/add-checkpoint", content=self.history.request(old, size))
                    if answer.status_code == 200:
                        self.signed.append((self.history, size))
                    old = int(answer.text) if answer.status_code == 409 else size
        except httpx.TransportError:
            return


@pytest.mark.parametrize("seed", range(1, 1 + cases(1, 2)))
def test_killed_again_and_again_it_has_signed_one_history(tmp_path: Path, seed: int) -> None:
    chance, signed = Random(seed), list[tuple[History, int]]()
    witness = Process(tmp_path / "w", "w1.example/witness", KEY)
    for _ in range(KILLS):
        witness.start()
        asking = [Asking(witness.url, number, signed, Random(chance.random())) for number in range(STREAMS)]
        before = len(signed)
        for one in asking:
            one.start()
        while len(signed) == before and any(one.is_alive() for one in asking):
            sleep(0.01)
        sleep(chance.uniform(0.05, 0.4))
        witness.kill()
        for one in asking:
            one.join()
    assert is_one_history(signed)
    assert len(signed) > 0

    # Nothing that was let out is forgotten: it goes on from the greatest head, in that history and in no other.
    witness.start()
    greatest = max(signed, key=lambda one: one[1])
    told = int(witness.ask(history(STREAMS).request(0, LENGTH)).text)
    assert told >= greatest[1]
    assert witness.ask(greatest[0].request(told, LENGTH)).status_code == 200
    assert witness.ask(history(STREAMS).request(LENGTH, LENGTH)).status_code == 422
    assert "Traceback" not in witness.output
    assert witness.stop() == 0
