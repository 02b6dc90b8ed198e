"""Witnesses asked how much of a log they have seen, without letting any of them sign more than it has.

First for the checkpoint that it has signed last (C2SP tlog-witness, retrieval), which has its root and its signature.
Who does not hand that out is shown the newest checkpoint there is as a continuation of itself (add-checkpoint): one
that has seen as much signs it once more, and any other answers with the size it is at and signs nothing.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from typing import Final, Protocol

from domain.log.checkpoints import checkpoint_of, cosigning_time, decimal
from domain.log.notes import Malformed
from domain.log.proofs import Consistency, encode_consistency
from infra.keys import ed25519_verify
from infra.posting import NoReply, PostReply
from services.cli.operating.backups.sights import WitnessWord
from services.matches.witnesses import WitnessAddress

OK: Final = 200
CONFLICT: Final = 409
UNPROCESSABLE: Final = 422


class Asks(Protocol):
    """Whatever can ask."""

    async def get(self, url: str, /) -> PostReply:
        """Return what stands at an address.

        Raises:
            NoReply: There is no answer.
        """

    async def post(self, url: str, body: bytes, /) -> PostReply:
        """Return the answer to a post.

        Raises:
            NoReply: There is none.
        """


async def ask_all(
    witnesses: Sequence[WitnessAddress], origin: str, checkpoint: str | None, ask: Asks
) -> list[WitnessWord]:
    """Return what each witness says, all asked at once.

    Args:
        witnesses: Whom to ask.
        origin: The name of the log.
        checkpoint: Its newest checkpoint that is at hand, if there is one.
        ask: The way to them.
    """
    return list(await asyncio.gather(*(_ask(one, origin, checkpoint, ask) for one in witnesses)))


async def _ask(witness: WitnessAddress, origin: str, checkpoint: str | None, ask: Asks) -> WitnessWord:
    name = witness.key.name
    try:
        origin_hash = hashlib.sha256(origin.encode()).hexdigest()
        reply = await ask.get(f"{witness.url}/{origin_hash}/checkpoint")
        if reply.status == OK:
            return _signed(witness, origin, reply.body)
        if checkpoint is None:
            return WitnessWord(name, None, why=f"it answers {reply.status}")
        return await _show(witness, checkpoint, ask)
    except NoReply as trouble:
        return WitnessWord(name, None, why=str(trouble), answers=False)
    except (Malformed, UnicodeDecodeError) as trouble:
        return WitnessWord(name, None, why=f"its answer is nothing that it has signed: {trouble}")


def _signed(witness: WitnessAddress, origin: str, body: bytes) -> WitnessWord:
    """Return the head that a witness hands out as signed, if it is.

    Raises:
        Malformed: It is none, or not by this witness of this log.
    """
    checkpoint = checkpoint_of(body.decode())
    if checkpoint.origin != origin or not cosigning_time(checkpoint, witness.key, ed25519_verify):
        raise Malformed("it is of another log, or has no line by its key")
    return WitnessWord(witness.key.name, checkpoint.size, checkpoint.root)


async def _show(witness: WitnessAddress, note: str, ask: Asks) -> WitnessWord:
    """Show a witness the newest checkpoint, as if it had seen just that: it says which size it is at instead.

    Raises:
        Malformed: It says that it signs, and has not.
    """
    name, newest = witness.key.name, checkpoint_of(note)
    body = encode_consistency(Consistency(newest.size, (), note)).encode()
    reply = await ask.post(f"{witness.url}/add-checkpoint", body)
    if reply.status == OK:
        shown = checkpoint_of(f"{newest.note.text}\n{reply.body.decode()}")
        if not cosigning_time(shown, witness.key, ed25519_verify):
            raise Malformed("it has no line by its key")
        return WitnessWord(name, newest.size)
    if reply.status == CONFLICT:
        return WitnessWord(name, decimal(reply.body.decode().removesuffix("\n")))
    if reply.status == UNPROCESSABLE:
        return WitnessWord(name, newest.size, refuses=True)
    return WitnessWord(name, None, why=f"it answers {reply.status}")
