"""Asks witnesses for their cosignatures, and believes none of them (C2SP tlog-witness, `add-checkpoint`).

A witness may be new, down, slow, or answer nonsense. Whatever it sends, only a line by its own key that fits the very
checkpoint it was asked about comes of it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Final, Literal, Protocol

import structlog

from domain.log import notes
from domain.log.checkpoints import checkpoint_of, cosigning_time, decimal
from domain.log.notes import Malformed, Note, Signature
from domain.log.proofs import Consistency, encode_consistency
from infra.keys import ed25519_verify
from infra.posting import NoReply, PostReply
from services.matches.witnesses import WitnessAddress

TRIES_MAX: Final = 3
"""How often a witness is asked about one checkpoint: it may name another size than the one we thought it at."""
GRACE_S: Final = 0.05
"""How long to wait for further witnesses once there are enough."""
OK: Final = 200
CONFLICT: Final = 409

Said = Literal["signed", "doubtful", "none"]
"""What a witness said: it signed, it answered something else, or it did not answer."""

log = structlog.get_logger(__name__)
Prove = Callable[[int, int], Awaitable[tuple[bytes, ...]]]
"""Gives the proof that the log of the first size is the beginning of the log of the second."""
Enough = Callable[[Collection[str]], bool]
"""Says whether these witnesses, by name, are as many as the policy asks for."""


class Post(Protocol):
    """Whatever can post."""

    async def post(self, url: str, body: bytes, /) -> PostReply:
        """Return the answer.

        Raises:
            NoReply: There is none.
        """


class _Doubtful(Exception):  # noqa: N818 - never leaves this file
    """An answer that nothing comes of."""


class Witnesses:
    """The witnesses of a log, asked all at once.

    Attributes:
        said: How often which of them, by name, said what.
    """

    def __init__(self, witnesses: Sequence[WitnessAddress], post: Post | None) -> None:
        """Ask these, whose names differ; where there are none, nothing is posted."""
        assert post is not None or not witnesses, "whoever is asked has to be reached"
        self._witnesses = witnesses
        self._post = post
        self._sizes: dict[str, int] = {}
        self._troubles: dict[str, str] = {}
        self.said: Counter[tuple[str, Said]] = Counter()

    @property
    def troubles(self) -> str:
        """Who did not sign the last time, and why, in one sentence; empty if all did."""
        return "; ".join(f"{name}: {why}" for name, why in sorted(self._troubles.items()))

    async def collect_cosignatures(self, checkpoint: str, prove: Prove, enough: Enough) -> str:
        """Return the checkpoint with a line of each witness that signed it in time, in the order of the policy.

        Once there are enough, the others have a moment more. Who is given up may have signed nevertheless, and says so
        the next time.
        """
        size = checkpoint_of(checkpoint).size
        asked = [asyncio.create_task(self._ask(one, checkpoint, size, prove)) for one in self._witnesses]
        asking = set(asked)
        found: dict[str, Signature] = {}
        try:
            while asking:
                patience = GRACE_S if enough(found) else None
                done, asking = await asyncio.wait(asking, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
                if not done:
                    break
                found.update(answer for answer in (task.result() for task in done) if answer is not None)
        finally:
            for task in asking:
                task.cancel()
            # Those as well that have failed at the same time as the one that is spoken of.
            await asyncio.gather(*asked, return_exceptions=True)
        note = notes.parse(checkpoint)
        lines = [found[one.key.name] for one in self._witnesses if one.key.name in found]
        return str(Note(note.text, (*note.signatures, *lines)))

    async def _ask(
        self, witness: WitnessAddress, checkpoint: str, size: int, prove: Prove
    ) -> tuple[str, Signature] | None:
        name = witness.key.name
        try:
            signature = await self._answer(witness, checkpoint, size, prove)
        except (_Doubtful, NoReply) as trouble:
            if self._troubles.get(name) != str(trouble):
                log.warning("witness.did_not_sign", witness=name, why=str(trouble))
            self._troubles[name] = str(trouble)
            self.said[name, "none" if isinstance(trouble, NoReply) else "doubtful"] += 1
            return None
        if self._troubles.pop(name, None) is not None:
            log.info("witness.signs_again", witness=name)
        self._sizes[name] = size
        self.said[name, "signed"] += 1
        return name, signature

    async def _answer(self, witness: WitnessAddress, checkpoint: str, size: int, prove: Prove) -> Signature:
        """Return the cosignature; where the witness names another size than we thought, it is asked again from there.

        Raises:
            NoReply: There was no answer.
            _Doubtful: There was one that nothing comes of.
        """
        old = min(self._sizes.get(witness.key.name, 0), size)
        for _ in range(TRIES_MAX):
            body = encode_consistency(Consistency(old, await prove(old, size), checkpoint)).encode()
            assert self._post is not None
            reply = await self._post.post(f"{witness.url}/add-checkpoint", body)
            if reply.status == OK:
                return _signature(witness, checkpoint, reply.body)
            if reply.status != CONFLICT:
                raise _Doubtful(f"it answers {reply.status}")
            old = _size(reply.body)
            if old > size:
                # Another dealer was quicker, and its checkpoint is being published; or our database forgot something.
                raise _Doubtful("it has seen more of this log than there is")
        raise _Doubtful("it names another size each time")


NOBODY: Final = Witnesses((), None)
"""Asks nobody, and so lets every checkpoint be as it is."""


def _size(body: bytes) -> int:
    try:
        return decimal(body.decode("ascii").removesuffix("\n"))
    except ValueError as error:
        raise _Doubtful("it answers 409 and names no size") from error


def _signature(witness: WitnessAddress, checkpoint: str, body: bytes) -> Signature:
    """Return the line by this witness's key, if it fits; whatever else the answer holds is passed over."""
    try:
        signed = checkpoint_of(checkpoint + body.decode())
        at = cosigning_time(signed, witness.key, ed25519_verify)
    except (Malformed, UnicodeDecodeError) as error:
        raise _Doubtful(f"its answer is no cosignature of this checkpoint: {error}") from error
    line = signed.note.by(witness.key)
    if not at or line is None:
        raise _Doubtful("its answer has no cosignature by its key, with a time")
    return line
