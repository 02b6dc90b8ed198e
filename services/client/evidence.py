"""Receipts of a client: the file that keeps them, and the policy they are judged by."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from domain.log import policies
from domain.log.notes import Malformed
from domain.log.policies import Policy
from infra.files.whole import write_first
from services.audit.receipts import ReceiptBook
from services.client.house import CannotDo, answer_or_fail, house

FOLDER: Final = "receipts"
"""In a data folder: a file for each match, and the policy each house published when it was first met."""


def receipts_of(base: str, data: Path, file: Path | None, policy: Path | None, match: str) -> ReceiptBook:
    """Return what is kept of a match, in this file or in a data folder.

    Args:
        base: Where the house is.
        data: The data folder.
        file: The file named for the receipts.
        policy: The file named for the policy. Without one the house is believed as it was first met here: it is asked
            once, and what it says later changes nothing.
        match: The match's id.
    """
    folder = data / FOLDER
    try:
        if file is None or policy is None:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        known = _policy_of(base, folder) if policy is None else policies.parse(policy.read_bytes())
        keeps = folder / f"{match}.receipts" if file is None else file
        keeps.touch()
        return ReceiptBook(match, keeps, known)
    except OSError as trouble:
        raise CannotDo(f"{trouble.filename} cannot be read or written: {trouble.strerror}") from trouble
    except Malformed as trouble:
        raise CannotDo(f"the policy or the receipts cannot be read: {trouble}") from trouble


def _policy_of(base: str, folder: Path) -> Policy:
    """Return what a house published when it was first met; of several programs that meet it at once one is the first.

    Raises:
        Malformed: It is no policy.
    """
    file = folder / f"{urlsplit(base).netloc.replace(':', '_')}.policy"
    if file.exists():
        if known := file.read_bytes():
            return policies.parse(known)
        file.unlink()  # an earlier version of this program was killed as it began to write
    with house(base) as client:
        published = answer_or_fail(client.get("/log/policy")).content
    policies.parse(published)
    return policies.parse(write_first(file, published))


def compare(base: str, match: str, kept: ReceiptBook) -> None:
    """Hold the record of a match, as the house gives it now, against what is kept of it.

    Raises:
        AnotherHistory: They do not agree.
        CannotDo: The record cannot be had now.
    """
    with house(base) as client:
        record = answer_or_fail(client.get(f"/matches/{match}/record")).content
    kept.compare(record)
