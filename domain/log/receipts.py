"""Receipts: what the server signed of the stream when it accepted a command, for whoever gave the command to keep.

    CUP1 receipt
    match/09feebed-f45a-44f6-94c7-cee9cb798097      the stream
    8                                               the number of the last line the command wrote, from 0
    86a288ccb78b3ec4b334ba0498ad850515264002ab13... the hash of that line

    — example.com/log Az3grl...

A receipt is a signed note by the key of the log, so whoever holds a policy can check it, and nothing else has to be
handed out. Since every line carries the hash of the one before it, a receipt vouches for all lines up to its own: a
record that shows another line there, or ends before it, is another history, and the receipt proves it to anybody.

One key signs two kinds of notes, so no text may be both. A checkpoint has three lines and forbids more (CUP/1 section
4.9), a receipt has four. Readers of C2SP that allow extension lines refuse it too: the second line of a checkpoint is a
number in decimal digits, that of a receipt is the name of a stream, which has a slash; the first is the name of the
key, and the first of a receipt has a space, which no name of a key has. Witnesses sign texts that begin with
`cosignature/v1`, and an anchor is hashed into the log and signed by nobody.

Source: C2SP signed-note; the text is ours, and belongs to CUP/1 section 4.7.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Final

from msgspec import Struct

from domain.log import canonical, notes
from domain.log.checkpoints import decimal
from domain.log.notes import DASH, Malformed, Note, Signer, Verify, unbase64
from domain.log.policies import Policy, is_signed

HEADER: Final = "CUP1 receipt"
RECEIPTS_MAX: Final = 65_536
"""How many receipts a file may have; a match has fewer lines than that."""
ENDS: Final = ("match.ended", "tournament.closed")
"""The types of lines that nothing follows in their stream."""
_LINES: Final = 4
_KEPT_LINES: Final = 3
_SIGNATURE_BYTES: Final = 68
"""The id of a key, and what it has signed."""
_STREAM: Final = re.compile(r"[a-z]+/[0-9a-f-]{36}")
_HEAD: Final = re.compile(r"[0-9a-f]{64}")
_BEGINS: Final = re.compile(r"^(?=CUP1 (?:receipt|refusal|command)\n)", re.MULTILINE)


class AnotherHistory(Exception):  # noqa: N818 - named for what happened
    """The server shows another history than the one it has shown, or signed, before."""


class Receipt(Struct, frozen=True):
    """That a stream had this head at this line. Not yet believed by anybody.

    Attributes:
        stream: The stream's name.
        seq: The number of the line, from 0.
        head: The hash of the line, as hex.
        note: The note that says so.
    """

    stream: str
    seq: int
    head: str
    note: Note


def sign_receipt(origin: str, stream: str, seq: int, head: str, *, signers: Sequence[Signer]) -> str:
    """Return the receipt for a line, signed by the key of the log; the same text each time.

    While the log changes its key, the old one signs as well, so that whoever believes either believes the receipt.

    Args:
        origin: The log's name, which is its key's name.
        stream: The stream's name, such as `match/<uuid>`.
        seq: The number of the line, from 0.
        head: The hash of the line, as hex.
        signers: The log's keys, at least one.

    Cost: one Ed25519 signature for each key.
    """
    return notes.sign(origin, f"{HEADER}\n{stream}\n{seq}\n{head}\n", signers)


def receipt_of(text: str) -> Receipt:
    """Return the receipt that a note spells.

    Raises:
        Malformed: It spells none.
    """
    note = notes.parse(text)
    lines = note.text.split("\n")
    if len(lines) != _LINES + 1 or lines[0] != HEADER:
        raise Malformed("a receipt has four lines: what it is, stream, number, head")
    if not _STREAM.fullmatch(lines[1]) or not _HEAD.fullmatch(lines[3]):
        raise Malformed("a receipt names a stream, and a head in 64 hex digits")
    return Receipt(lines[1], decimal(lines[2]), lines[3], note)


def split(file: str) -> tuple[str, ...]:
    """Return the notes of a file, one after the other: receipts, refusals, commands that were kept.

    Between them are empty lines or none.

    Raises:
        Malformed: Something else stands before the first, or there are too many.
    """
    before, *found = _BEGINS.split(file)
    if before.strip() or len(found) > RECEIPTS_MAX:
        raise Malformed("a file of receipts holds receipts, refusals and kept commands, and nothing else")
    return tuple(text.rstrip("\n") + "\n" for text in found)


def without_torn_end(file: bytes) -> str:
    """Return a file of notes without the part of one at its end, which a machine that failed has left there.

    Nobody was told that such a note is kept. Whatever else is wrong with a note stays, for whoever reads it.

    Raises:
        Malformed: It is no file of notes.
    """
    try:
        text = file.decode()
    except UnicodeDecodeError as trouble:
        if trouble.end < len(file):
            raise Malformed("a file of receipts is text") from trouble
        text = file[: trouble.start].decode()
    lines, line = text[: text.rfind("\n") + 1], text[text.rfind("\n") + 1 :]
    if line:
        lines += f"{line}\n" if _is_end(line) else ""
    *_, last = ("", *split(lines))
    is_torn = last.count("\n") < _KEPT_LINES if last.startswith("CUP1 command\n") else f"\n\n{DASH}" not in last
    return lines[: lines.rindex(last.rstrip("\n"))] if is_torn else lines


def _is_end(line: str) -> bool:
    """Report whether a line without its newline is the last of a note: a whole signature, or of a kept command."""
    with suppress(canonical.NotCanonical, Malformed):
        if line.startswith(DASH):
            return len(unbase64(line.rpartition(" ")[2])) >= _SIGNATURE_BYTES
        return isinstance(canonical.decode(line.encode()), dict)
    return False


def is_of_command(note: str) -> bool:
    """Report whether a note is a refusal or a command that was kept, by its first line."""
    return note.startswith(("CUP1 refusal\n", "CUP1 command\n"))


def stream_in(note: str) -> str:
    """Return of which stream a note of a file says it is, believed by nobody yet.

    Raises:
        Malformed: It is no receipt; of other notes, their second line names none.
    """
    if not is_of_command(note):
        return receipt_of(note).stream
    found = note.split("\n", 2)[1]
    if not _STREAM.fullmatch(found):
        raise Malformed("a note names its stream in its second line")
    return found


# ---- held against a record ----------------------------------------------------------------------


class Contradiction(Struct, frozen=True):
    """A receipt that the record cannot have led to.

    Attributes:
        number: Which of the receipts, from 1.
        line: The line of the record that is another one, from 1; the line that is missing, where it ends too early.
        why: What is wrong, in a sentence.
    """

    number: int
    line: int
    why: str


class ReceiptComparison(Struct, frozen=True):
    """Receipts held against a record.

    Attributes:
        borne_out: How many the record bears out: all lines up to theirs are those the server signed.
        later: How many are for lines that an unfinished record does not reach yet.
        strange: Which of them prove nothing here, by number from 1: malformed, of another stream, or signed by nobody
            the policy believes.
        contradicted: Those that prove that history was rewritten, in the order of their lines.
    """

    borne_out: int
    later: int
    strange: tuple[int, ...]
    contradicted: tuple[Contradiction, ...]


def compare(
    lines: Sequence[bytes], receipts: Iterable[str], policy: Policy | None, verify: Verify
) -> ReceiptComparison:
    """Return what receipts say to a record.

    Args:
        lines: The event lines of the record, without newlines, of one stream; at least one, and canonical.
        receipts: The notes, as `split` gives them; refusals and kept commands are passed over.
        policy: Whom to believe. Without one no signature is judged, and what the receipts say is nobody's word.
        verify: Checks Ed25519.

    Cost: linear in the record; a verification for each receipt and log of the policy.
    """
    heads = [canonical.head(line) for line in lines]
    stream = canonical.decode(lines[0])["stream"]
    ended = canonical.decode(lines[-1])["type"] in ENDS
    found: list[Contradiction] = []
    strange: list[int] = []
    borne_out = later = 0
    for number, text in enumerate(receipts, start=1):
        if is_of_command(text):
            continue
        receipt = _receipt_if_trusted(text, str(stream), policy, verify)
        if receipt is None:
            strange.append(number)
        elif receipt.seq < len(heads) and heads[receipt.seq] == receipt.head:
            borne_out += 1
        elif receipt.seq < len(heads):
            why = "the server signed another line here, so history was rewritten"
            found.append(Contradiction(number, receipt.seq + 1, why))
        elif ended:
            why = "the server signed a line here, and the record ends before it, so history was rewritten"
            found.append(Contradiction(number, receipt.seq + 1, why))
        else:
            later += 1
    return ReceiptComparison(borne_out, later, tuple(strange), tuple(sorted(found, key=lambda each: each.line)))


def _receipt_if_trusted(text: str, stream: str, policy: Policy | None, verify: Verify) -> Receipt | None:
    try:
        receipt = receipt_of(text)
    except Malformed:
        return None
    signed = policy is None or is_signed(receipt.note, policy, verify)
    return receipt if signed and receipt.stream == stream else None
