"""A request to a witness, from its bytes to the answer (C2SP tlog-witness, add-checkpoint)."""

from __future__ import annotations

import hashlib
from typing import Final

import structlog
from msgspec import Struct

from domain.log import notes
from domain.log.checkpoints import Checkpoint, checkpoint_of, cosign
from domain.log.notes import COSIGNATURE, Key, Malformed, Note, Signer
from domain.log.proofs import Consistency, consistency_of
from domain.log.witnessing import Head, WitnessAnswer, contradicts, judge, signatures_of
from infra.clock import now_ms
from infra.keys import ed25519_verify
from services.witness.store import Register

log = structlog.get_logger(__name__)

TEXT: Final = "text/plain"
SIZE: Final = "text/x.tlog.size"
_STATUS: Final = {
    WitnessAnswer.SIGNED: 200,
    WitnessAnswer.UNSIGNED: 403,
    WitnessAnswer.BACKWARDS: 400,
    WitnessAnswer.BEHIND: 409,
    WitnessAnswer.UNPROVED: 422,
    WitnessAnswer.FORKED: 422,
}


class Reply(Struct, frozen=True):
    """What is sent back: a status of HTTP, and a text."""

    status: int
    text: str
    media_type: str = TEXT


class Witness:
    """One key, and the register of what it signed."""

    def __init__(self, name: str, signer: Signer, register: Register) -> None:
        """Sign under this name with this key whatever continues what stands in this register."""
        self.key = Key(name, COSIGNATURE, signer.public_key)
        self._signer = signer
        self._register = register

    def add_checkpoint(self, body: bytes) -> Reply:
        """Return the cosignature of the checkpoint in this request, or why there is none.

        A crash before the turn ends has signed nothing; a crash behind it has signed what nobody got, and the same
        request gets it again.

        Raises:
            sqlite3.Error: The register could not be written; nothing was signed.
        """
        try:
            asked = consistency_of(body.decode())
            checkpoint = checkpoint_of(asked.checkpoint)
        except ValueError as trouble:
            return Reply(400, f"this is no request to a witness: {_why(trouble)}\n")
        # The turn ends, and is on disk, before the reply leaves this function.
        with self._register.turn():
            return self._judged(asked, checkpoint)

    def _judged(self, asked: Consistency, checkpoint: Checkpoint) -> Reply:
        origin, head = checkpoint.origin, Head(checkpoint.size, checkpoint.root)
        keys = self._register.keys(origin)
        if not keys:
            return Reply(404, "this log is not known here\n")
        newest, signatures = self._register.newest(origin), signatures_of(checkpoint, keys, ed25519_verify)
        answer = judge(newest, asked, checkpoint, bool(signatures))
        signed = str(Note(checkpoint.note.text, signatures))
        if signatures and contradicts(newest, head):
            log.error("a log has two histories", origin=origin, size=head.size)
            self._register.keep_fork(origin, head.size, signed)
        if answer is WitnessAnswer.SIGNED:
            note = cosign(signed, self.key.name, now_ms() // 1000, self._signer)
            self._register.sign(origin, head, note)
            return Reply(_STATUS[answer], str(notes.parse(note).signatures[-1]))
        if answer is WitnessAnswer.BEHIND:
            return Reply(_STATUS[answer], f"{newest.size}\n", SIZE)
        return Reply(_STATUS[answer], f"{answer.value}\n")

    def checkpoint(self, origin_hash: str) -> str | None:
        """Return the checkpoint signed last for the log whose origin has this SHA-256, in hex; None if none was."""
        with self._register.turn():
            origins = [origin for origin, _, _ in self._register.logs()]
            found = next((one for one in origins if hashlib.sha256(one.encode()).hexdigest() == origin_hash), None)
            return None if found is None else self._register.note(found)

    def about(self) -> dict[str, object]:
        """Return who this witness is and what it has seen."""
        with self._register.turn():
            logs = self._register.logs()
        said = [{"origin": origin, "size": size, "forks": forks} for origin, size, forks in logs]
        return {"name": self.key.name, "vkey": str(self.key), "logs": said}


def _why(trouble: ValueError) -> str:
    return str(trouble) if isinstance(trouble, Malformed) else "it is not UTF-8"
