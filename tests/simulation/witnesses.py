"""Witnesses of a simulated house: real ones, asked over a network that loses questions and answers."""

from __future__ import annotations

import asyncio
from contextvars import Context
from pathlib import Path
from typing import Final

from domain.log.notes import ED25519, Key
from infra.keys import Ed25519Signer
from infra.posting import NoReply, PostReply
from services.matches.secrets.keys import Keys, public_keys_of
from services.matches.witnesses import WitnessAddress
from services.witness.store import WitnessStore
from services.witness.witness import Witness
from tests.simulation.link import Weather

IN_MEMORY: Final = Path(":memory:")
"""What SQLite takes for no file at all."""


class Witnesses:
    """So many witnesses, and the way to them."""

    def __init__(self, weather: Weather, count: int, origin: str, keys: Keys) -> None:
        self._weather = weather
        self._registers: list[WitnessStore] = []
        self._each: dict[str, Witness] = {}
        for number in range(count):
            register = WitnessStore(IN_MEMORY)
            with register.turn():
                register.know([Key(origin, ED25519, public) for public in public_keys_of(keys)])
            name = f"witness-{number}.example"
            self._registers.append(register)
            self._each[f"https://{name}"] = Witness(name, Ed25519Signer(name.encode().ljust(32)), register)

    @property
    def addresses(self) -> tuple[WitnessAddress, ...]:
        """How the house asks them."""
        return tuple(WitnessAddress(witness.key, url) for url, witness in self._each.items())

    async def post(self, url: str, body: bytes, /) -> PostReply:
        """Ask one; where the answer is lost it has signed nevertheless."""
        weather = self._weather
        await asyncio.sleep(weather.near_s())
        if weather.world.over or weather.happens("silent"):
            raise NoReply("it does not answer")
        witness = self._each[url.removesuffix("/add-checkpoint")]
        said = Context().run(witness.add_checkpoint, body)
        weather.world.tell(f"{witness.key.name} answers {said.status}")
        await asyncio.sleep(weather.near_s())
        if weather.happens("silent"):
            raise NoReply("its answer is lost")
        return PostReply(said.status, said.text.encode())

    def forks(self) -> int:
        """Return how many checkpoints they were shown that contradict what they had signed."""
        return sum(forks for register in self._registers for _, _, forks in register.logs())

    def close(self) -> None:
        """Forget everything."""
        for register in self._registers:
            register.close()
