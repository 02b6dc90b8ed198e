"""Witnesses in this process: real ones, and liars; asked like those over HTTP, without the wire."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from domain.log import merkle
from domain.log.checkpoints import Checkpoint, checkpoint_of
from domain.log.notes import ED25519, Key
from domain.log.policies import accept, policy_of
from infra.keys import Ed25519Signer, ed25519_verify
from infra.posting import NoReply, PostReply
from infra.store import EventStore
from services.dealer.notary import Notary
from services.dealer.witness_client import Witnesses
from services.matches.witnesses import WitnessAddress, policy_text
from services.witness.store import WitnessStore
from services.witness.witness import Witness as Real
from tests.store.lines import append, chain, stream

ORIGIN = "notary.example/log"
SIGNER = Ed25519Signer(b"a log".ljust(32))
LOG = Key(ORIGIN, ED25519, SIGNER.public_key)
Answers = Callable[[bytes], PostReply]


class Jury:
    """Some witnesses by name, and the way to them.

    Attributes:
        asked: What was sent to whom, in order.
        silent: Those who do not answer now.
        slow: Those who take for ever.
    """

    def __init__(self, folder: Path, *names: str) -> None:
        self.asked: list[tuple[str, bytes]] = []
        self.silent: set[str] = set()
        self.slow: set[str] = set()
        self._folder = folder
        self._registers: list[WitnessStore] = []
        self._answers: dict[str, Answers] = {}
        self._keys: dict[str, Key] = {}
        self._real: dict[str, Real] = {}
        for name in names:
            self.add(name)

    def add(self, name: str) -> None:
        """Let a real witness that knows the log take part."""
        register = WitnessStore(self._folder / f"{name}.db")
        self._registers.append(register)
        with register.turn():
            register.know([LOG])
        witness = Real(name, Ed25519Signer(name.encode().ljust(32)), register)
        self._answers[name], self._keys[name], self._real[name] = _honest(witness), witness.key, witness

    def close(self) -> None:
        for register in self._registers:
            register.close()

    def real(self, name: str) -> Real:
        """Return a witness as it is, whatever it answers."""
        return self._real[name]

    def lies(self, name: str, answers: Answers) -> None:
        """Let a witness answer otherwise from now on."""
        self._answers[name] = answers

    @property
    def witnesses(self) -> tuple[WitnessAddress, ...]:
        return tuple(WitnessAddress(key, f"http://{name}") for name, key in self._keys.items())

    def policy(self, quorum: str = "all", *signers: Ed25519Signer) -> str:
        keys = tuple(signer.public_key for signer in signers or (SIGNER,))
        return policy_text(ORIGIN, keys, list(self._keys.values()), quorum)

    def notary(self, store: EventStore, quorum: str = "all", *signers: Ed25519Signer) -> Notary:
        """Return a notary that has just been started."""
        mine = signers or (SIGNER,)
        return Notary(store, ORIGIN, mine, self.policy(quorum, *mine), Witnesses(self.witnesses, self))

    async def post(self, url: str, body: bytes) -> PostReply:
        name = url.removeprefix("http://").removesuffix("/add-checkpoint")
        self.asked.append((name, body))
        if name in self.silent:
            raise NoReply("it does not answer")
        if name in self.slow:
            await asyncio.Event().wait()
        return self._answers[name](body)


def _honest(witness: Real) -> Answers:
    def answer(body: bytes) -> PostReply:
        said = witness.add_checkpoint(body)
        return PostReply(said.status, said.text.encode())

    return answer


async def sealed(store: EventStore, *numbers: int) -> None:
    """Let a sealed line of each of these new streams wait for the log."""
    for number in numbers:
        (line,) = chain(stream(number), 1)
        await store.append(append(stream(number), [line], anchors=((0, "ab" * 32, "sealed"),)))


async def newest(store: EventStore) -> Checkpoint:
    """Return the newest checkpoint, whose root is that of the tree in the store."""
    found = await store.log_checkpoint()
    assert found is not None
    checkpoint = checkpoint_of(found[1])
    entries = await store.log_entries(0, checkpoint.size)
    assert (checkpoint.size, checkpoint.root) == (found[0], merkle.root([merkle.leaf_hash(one) for one in entries]))
    return checkpoint


def seen_by(jury: Jury, checkpoint: Checkpoint, quorum: str = "all") -> set[str]:
    return set(accept(policy_of(jury.policy(quorum)), checkpoint, ed25519_verify))
