"""Folders of what was seen of a log: the notebook of a monitor, records, receipts, proofs, whatever lies there.

Whoever filled a folder may be hostile, and so may be whoever keeps the log. So a checkpoint or a receipt counts only if
a log of the policy signed it, whatever its witnesses say: two that contradict each other prove what that log did. The
entries in a notebook count if they give the checkpoint beside them, root for root, and else not one of them. A record
counts whoever serves it, if its lines follow each other.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from domain.fairness.chain import Link, next_link
from domain.fairness.faults import Fault
from domain.fairness.records import split
from domain.log import merkle, proofs, receipts
from domain.log.checkpoints import Checkpoint, checkpoint_of, is_signed_by
from domain.log.monitoring import anchor_of
from domain.log.notes import Malformed
from domain.log.outside.sights import LogSight, SeenCheckpoint, SeenLine, SeenRecord, SeenTree
from domain.log.policies import Policy, is_signed
from infra.keys import ed25519_verify
from services.monitor.notebooks import Notebook
from services.monitor.store import NOTEBOOK

FILE_BYTES_MAX: Final = 1 << 26
"""No record or file of receipts is larger."""
FILES_MAX: Final = 100_000
"""Files that are looked at in a folder."""
NOTES: Final = (".seen", ".shown")
RECEIPTS: Final = (".receipts", "receipts.txt")
ENDS: Final = ("match.ended", "access.closed", "tournament.closed", "season.closed", "board.closed")
"""The types of lines that nothing follows."""
LOGGED: Final = ("deal.logged", "deal.fixed")
"""The types of lines that hold a checkpoint."""


class SeenFolder:
    """What is found in a folder, or in single records.

    Attributes:
        sight: All that counts.
        passed_over: The files of which something does not count, and why.
        files: How many files said something.
    """

    def __init__(self, policy: Policy) -> None:
        """Begin with nothing; a log of this policy has to have signed what counts."""
        self.sight = LogSight()
        self.passed_over: dict[tuple[str, str], None] = {}
        self.files = 0
        self._policy = policy

    def read(self, folder: Path) -> None:
        """Take in what lies in a folder.

        Raises:
            OSError: It cannot be read.
            sqlite3.Error: The notebook in it is none.
        """
        if (folder / NOTEBOOK).is_file():
            self._read_notebook(folder)
        for number, path in enumerate(sorted(each for each in folder.rglob("*") if each.is_file())):
            if number < FILES_MAX:
                self._read_file(path)

    def take_record(self, record: bytes, where: str) -> None:
        """Take in a record: its lines, the checkpoints of its proofs, and what these join."""
        try:
            parts = split(record)
            stream, seen, notes = _seen_record(parts.lines, where)
        except Fault as fault:
            self._pass_over(where, fault.why)
            return
        self.files += 1
        self.sight.records.setdefault(stream, []).append(seen)
        for note in notes:
            self._take_checkpoint(note, where)
        if parts.proof is not None:
            self._take_proofs(parts.proof, parts.consistencies, where)

    def take_receipts(self, content: bytes, where: str) -> None:
        """Take in the receipts of a file; refusals and kept commands beside them name no line."""
        try:
            notes = receipts.split(content.decode())
            found = [receipts.receipt_of(note) for note in notes if not receipts.is_of_command(note)]
        except (Malformed, UnicodeDecodeError) as trouble:
            self._pass_over(where, str(trouble))
            return
        believed = [one for one in found if is_signed(one.note, self._policy, ed25519_verify)]
        self.files += bool(believed)
        if len(believed) < len(found):
            self._pass_over(where, "no log of the policy signed all of these receipts")
        for receipt in believed:
            self._take_line(receipt.stream, receipt.seq, SeenLine(receipt.head, "receipt", where))

    # ---- files ----------------------------------------------------------------------------------

    def _read_notebook(self, folder: Path) -> None:
        where = str(folder / NOTEBOOK)
        with closing(Notebook(folder / NOTEBOOK)) as notebook:
            note = notebook.note()
            checkpoint = None if note is None else self._take_checkpoint(note, where)
            if checkpoint is None:
                return
            self.files += 1
            entries = list(notebook.entries(checkpoint.size))
        tree = SeenTree(
            checkpoint.origin, len(entries), merkle.subtrees([merkle.leaf_hash(each) for each in entries]), where
        )
        # Whoever has the folder can write into it what the log never said; the log has signed the root alone.
        if tree.size < checkpoint.size:
            self._pass_over(where, "its entries end before the checkpoint it shows")
        elif tree.root_at(tree.size) != checkpoint.root:
            self._pass_over(where, "its entries do not give the checkpoint it shows")
        else:
            self.sight.trees.append(tree)
            self._take_entries(entries, where)

    def _take_entries(self, entries: Iterable[bytes], where: str) -> None:
        for entry in entries:
            try:
                anchor = anchor_of(entry)
            except Malformed as trouble:
                self._pass_over(where, str(trouble))
            else:
                self._take_line(anchor.stream, anchor.seq, SeenLine(anchor.head, "log", where))

    def _read_file(self, path: Path) -> None:
        wanted = path.suffix == ".cup" or path.name.endswith(RECEIPTS) or path.suffix in NOTES
        if not wanted:
            return
        with path.open("rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
        if len(content) > FILE_BYTES_MAX:
            self._pass_over(str(path), "it is larger than any such file")
        elif path.suffix == ".cup":
            self.take_record(content, str(path))
        elif path.suffix in NOTES:
            self.files += self._take_checkpoint(content.decode(errors="replace"), str(path)) is not None
        else:
            self.take_receipts(content, str(path))

    # ---- what they say --------------------------------------------------------------------------

    def _pass_over(self, where: str, why: str) -> None:
        self.passed_over[where, why] = None

    def _take_line(self, stream: str, seq: int, line: SeenLine) -> None:
        known = self.sight.lines.setdefault(stream, {}).setdefault(seq, [])
        if line not in known:
            known.append(line)

    def _take_checkpoint(self, note: str, where: str) -> SeenCheckpoint | None:
        try:
            found = checkpoint_of(note)
        except Malformed as trouble:
            self._pass_over(where, str(trouble))
            return None
        if not _is_signed(self._policy, found):
            self._pass_over(where, "no log of the policy signed its checkpoint")
            return None
        seen = SeenCheckpoint(found.origin, found.size, found.root, where)
        self.sight.checkpoints.append(seen)
        return seen

    def _take_proofs(self, final: bytes, consistencies: Iterable[bytes], where: str) -> None:
        """Take in the checkpoint of the last proof, and those that it is proved to continue."""
        try:
            newest = proofs.inclusion_of(b64decode(final).decode()).checkpoint
            growths = [proofs.consistency_of(b64decode(each).decode()) for each in consistencies]
        except ValueError as trouble:
            self._pass_over(where, str(trouble))
            return
        checkpoint = self._take_checkpoint(newest, where)
        if checkpoint is not None and all(growth.checkpoint == newest for growth in growths):
            self.sight.joins += _joined(checkpoint, growths, self.sight.checkpoints)


def _joined(
    newest: SeenCheckpoint, growths: Iterable[proofs.Consistency], known: Iterable[SeenCheckpoint]
) -> Iterator[tuple[SeenCheckpoint, SeenCheckpoint]]:
    """Yield the checkpoints that are proved to be the beginning of the newest, with it."""
    by_size: dict[int, SeenCheckpoint] = {each.size: each for each in known if each.origin == newest.origin}
    for growth in growths:
        old = by_size.get(growth.old)
        if old is not None and merkle.extends(old.size, old.root, newest.size, newest.root, growth.path):
            yield old, newest


def _seen_record(lines: Iterable[bytes], where: str) -> tuple[str, SeenRecord, list[str]]:
    """Return the stream of a record, its lines, and the checkpoints that stand in them.

    Raises:
        Fault: They do not follow each other.
    """
    before: Link | None = None
    heads, notes = [], []
    for line in lines:
        before = next_link(line, before)
        heads.append(bytes.fromhex(before.head))
        if before.kind in LOGGED and isinstance(note := before.data.get("checkpoint"), str):
            notes.append(note)
    assert before is not None, "a record has a line"
    return before.stream, SeenRecord(b"".join(heads), before.kind in ENDS, where), notes


def _is_signed(policy: Policy, checkpoint: Checkpoint) -> bool:
    return any(key.name == checkpoint.origin and is_signed_by(checkpoint, key, ed25519_verify) for key in policy.logs)
