"""Receipts kept by a client, held against whatever it is shown later, and what an audit says of all that was kept.

Source: CUP/1 sections 4.7 and 4.14.7.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal

from cachetools import FIFOCache
from msgspec import UNSET, UnsetType

from domain.audit.signing.refused import RefusalComparison, What
from domain.fairness.chain import next_link
from domain.fairness.faults import Fault
from domain.fairness.records import split as parts_of
from domain.log import notes, receipts
from domain.log.notes import Malformed
from domain.log.policies import Policy, is_signed
from domain.log.receipts import AnotherHistory, Receipt, ReceiptComparison
from infra.files.whole import append_whole, write_whole
from infra.keys import ed25519_verify
from services.words.catalogue import count_noun

HEADS_MAX: Final = 1_024
"""Heads of versions that are remembered without a receipt; the latest of them vouch for all before."""


class ReceiptBook:
    """The receipts of one match, in a file, and the heads the server has shown since the program began."""

    def __init__(self, match: str, file: Path, policy: Policy) -> None:
        """Keep receipts in this file, after those that are there.

        Raises:
            Malformed: The file holds something else.
            OSError: It cannot be read, or not be rid of the part of a note at its end.
        """
        self.file, self._unwritten = file, ""
        self._stream = f"match/{match}"
        self.policy = policy
        self._notes = list(receipts.split(_without_torn_end(file))) if file.exists() else []
        signed = [receipts.receipt_of(note) for note in self._notes if not receipts.is_of_command(note)]
        self._signed = {found.seq: found.head for found in signed}
        self._shown: FIFOCache[int, str] = FIFOCache(HEADS_MAX)

    def take(self, answer: dict[str, Any]) -> None:
        """Check and keep the receipt of an accepted command.

        Raises:
            AnotherHistory: It is none, or for something else, or contradicts what was shown.
            OSError: It cannot be written: it will be with the next, or in the end. It names the file.
        """
        receipt = self._check_receipt(answer.get("receipt"))
        if (receipt.stream, receipt.seq, receipt.head) != (self._stream, answer["version"] - 1, answer["head"]):
            raise AnotherHistory("the server's receipt is for another line than the one it wrote")
        self.see(answer["version"], answer["head"])
        if receipt.seq not in self._signed:
            self._signed[receipt.seq] = receipt.head
            self._write(str(receipt.note))

    def keep_refusal(self, command: str, refusal: str) -> None:
        """Keep the log's note that a command was heard and refused, and the command: together they say who was right.

        A note that the log has not signed, or that is of another match, says nothing and is not kept.

        Args:
            command: The command as it was signed (`domain.audit.signing.kept`).
            refusal: The note.

        Raises:
            OSError: They cannot be written: they will be with the next, or in the end. It names the file.
        """
        try:
            note = notes.parse(refusal)
            is_ours = receipts.is_of_command(refusal) and receipts.stream_in(refusal) == self._stream
        except Malformed:
            return
        if not is_ours or refusal in self._notes or not is_signed(note, self.policy, ed25519_verify):
            return
        self._write(command, refusal)

    def _write(self, *notes: str) -> None:
        """Keep notes, with those for which there was no room so far."""
        self._notes += notes
        self._unwritten += "".join(notes)
        self.write_rest()

    def write_rest(self) -> None:
        """Write what there was no room for so far.

        Raises:
            OSError: There is still none. It names the file.
        """
        if self._unwritten:
            append_whole(self.file, self._unwritten.encode())
            self._unwritten = ""

    def _check_receipt(self, note: object) -> Receipt:
        try:
            receipt = receipts.receipt_of(note if isinstance(note, str) else "")
        except Malformed as trouble:
            raise AnotherHistory("the server gave no receipt for what it accepted") from trouble
        if not is_signed(receipt.note, self.policy, ed25519_verify):
            raise AnotherHistory("the server's receipt is not signed by the log of the policy that is kept here")
        return receipt

    def see(self, version: int, head: str) -> None:
        """Hold a version that the server shows against what it has signed and shown.

        Raises:
            AnotherHistory: It had another head before.
        """
        before = self._signed.get(version - 1, self._shown.get(version, head))
        if before != head:
            raise AnotherHistory(f"version {version} of the match had another hash before, {self._evidence()}")
        self._shown[version] = head

    def compare(self, record: bytes) -> None:
        """Hold the record of the match, as the server gives it now, against all receipts.

        Raises:
            AnotherHistory: Another line stands where one was signed, or it ends before.
        """
        try:
            lines, before = parts_of(record).lines, None
            for line in lines:
                before = next_link(line, before)
            found = receipts.compare(lines, self._notes, self.policy, ed25519_verify)
        except (Fault, ValueError) as trouble:
            raise AnotherHistory(f"what the server calls the record is none: {trouble}") from trouble
        for wrong in found.contradicted:
            raise AnotherHistory(f"line {wrong.line}: {wrong.why}; {self._evidence()}")
        if found.later:
            raise AnotherHistory(f"the record is shorter than what the server has signed; {self._evidence()}")

    def _evidence(self) -> str:
        return f"and the receipts in {self.file} prove it: keep them, and the record"


def _without_torn_end(file: Path) -> str:
    """Return what a file of receipts says, once a part of a note at its end is gone from it."""
    content = file.read_bytes()
    whole = receipts.without_torn_end(content)
    if whole.encode() != content:
        write_whole(file, whole.encode())
    return whole


# ---- what an audit says of them ------------------------------------------------------------------


def told_of_notes(
    found: ReceiptComparison | UnsetType, refusals: RefusalComparison | UnsetType, *, judged: bool
) -> Iterator[tuple[Literal["yes", "note"], str, dict[str, str]]]:
    """Yield what receipts, refusals and kept commands say to a record: the mark, the sentence by its name, its facts.

    Args:
        found: What receipts say.
        refusals: What refusals and kept commands say.
        judged: Whether a policy says whom to believe.
    """
    if found is UNSET:
        return
    # Without a policy nobody's signature is judged, so a receipt is nobody's word.
    if not judged:
        yield "note", "receipts unjudged", {}
    elif found.borne_out:
        yield "yes", "receipts borne out", {"receipts": count_noun(found.borne_out, "receipt")}
    if found.strange:
        yield "note", "receipts strange", {"receipts": count_noun(len(found.strange), "receipt")}
    if found.later:
        yield "note", "receipts later", {"receipts": count_noun(found.later, "receipt")}
    notes = () if refusals is UNSET else refusals.notes
    counted = Counter(_NAMED.get((note.what, note.at is None)) for note in notes)
    yield from ((mark, name, {"count": str(counted[name])}) for name, mark in _MARKS.items() if counted[name])


_MARKS: Final[dict[str, Literal["yes", "note"]]] = {
    "kept stands": "yes",
    "refused lawful": "yes",
    "refused overtaken": "note",
    "refused heard": "note",
    "kept silent": "note",
    "notes strange": "note",
    "notes later": "note",
}
"""The sentences on refusals and kept commands, in their order, and whether they say that something is well."""
_NAMED: Final[dict[tuple[What, bool], str]] = {
    ("stands", True): "kept stands",
    ("lawful", False): "refused lawful",
    ("overtaken", False): "refused overtaken",
    ("heard", False): "refused heard",
    ("silent", True): "kept silent",
    ("strange", True): "notes strange",
    ("later", True): "notes later",
    ("later", False): "notes later",
}
"""Which of them tells of a note, by what came of it and whether it has no time, as commands have none.

What is contradicted is told as a fault.
"""
