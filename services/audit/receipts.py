"""Receipts kept by a client, and held against whatever it is shown later (CUP/1 section 4.7)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from cachetools import FIFOCache

from domain.fairness.chain import next_link
from domain.fairness.faults import Fault
from domain.fairness.records import split as parts_of
from domain.log import receipts
from domain.log.notes import Malformed
from domain.log.policies import Policy, is_signed
from domain.log.receipts import AnotherHistory, Receipt
from infra.keys import ed25519_verify

HEADS_MAX: Final = 1_024
"""Heads of versions that are remembered without a receipt; the latest of them vouch for all before."""


class ReceiptBook:
    """The receipts of one match, in a file, and the heads the server has shown since the program began."""

    def __init__(self, match: str, file: Path, policy: Policy) -> None:
        """Keep receipts in this file, after those that are there.

        Raises:
            Malformed: The file holds something else.
        """
        self.file = file
        self._stream = f"match/{match}"
        self.policy = policy
        self._notes = list(receipts.split(file.read_text(encoding="utf-8"))) if file.exists() else []
        self._signed = {found.seq: found.head for found in map(receipts.receipt_of, self._notes)}
        self._shown: FIFOCache[int, str] = FIFOCache(HEADS_MAX)

    def take(self, answer: dict[str, Any]) -> None:
        """Check and keep the receipt of an accepted command.

        Raises:
            AnotherHistory: It is none, or for something else, or contradicts what was shown.
        """
        receipt = self._check_receipt(answer.get("receipt"))
        if (receipt.stream, receipt.seq, receipt.head) != (self._stream, answer["version"] - 1, answer["head"]):
            raise AnotherHistory("the server's receipt is for another line than the one it wrote")
        self.see(answer["version"], answer["head"])
        if receipt.seq not in self._signed:
            self._signed[receipt.seq] = receipt.head
            self._notes.append(str(receipt.note))
            with self.file.open("a", encoding="utf-8") as file:
                file.write(str(receipt.note))

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
