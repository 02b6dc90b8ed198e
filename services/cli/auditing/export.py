"""`truecup export`: the record of a match, as a file; beside it who saw which hidden dice, and names of people."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from infra.files.whole import write_whole
from services.cli.auditing.sources import ACCESS, NAMES
from services.cli.exits import FINE
from services.cli.house import house
from services.cli.screen import say, say_aside
from services.client.house import CannotDo, answer_or_fail, match_id

STDOUT = "-"


def export(
    match: str,
    /,
    *,
    out: Annotated[str, Parameter(allow_leading_hyphen=True)],
    url: str | None = None,
) -> int:
    """Save the record of a match, and beside it its access record and what people are called.

    Args:
        match: The match's id, or the address of its page.
        out: The file to write, such as match.cup, with match.access and match.names.ndjson beside it; - prints the
            record alone.
        url: Where the service is; the `truecup up` of this machine if nothing is said.
    """
    with house(url) as client:
        record = answer_or_fail(client.get(f"/matches/{match_id(match)}/record")).content
        if out == STDOUT:
            print_bytes(record)
            return FINE
        access = answer_or_fail(client.get(f"/matches/{match_id(match)}/access")).content
        names = client.get(f"/matches/{match_id(match)}/names")
    beside = Path(f"{out}{ACCESS}") if Path(out).suffix == ACCESS else Path(out).with_suffix(ACCESS)
    # A house of before tells no names.
    people = [(beside.with_suffix(NAMES), names.content)] if names.is_success else []
    for path, content in ((Path(out), record), (beside, access), *people):
        try:
            write_whole(path, content)
        except OSError as error:
            raise CannotDo(f"{path} cannot be written: {error.strerror}") from error
    say_aside(f"{out}: {len(record.splitlines())} lines, {len(record)} bytes; `truecup audit {out}` checks them")
    say_aside(f"{beside}: who was served which hidden dice, in {len(access.splitlines())} lines")
    for path, content in people:
        say_aside(f"{path}: what people are called, in {len(content.splitlines())} lines; it may be thrown away")
    return FINE


def print_bytes(record: bytes) -> None:
    """Print a record: byte by byte for a program or a file, made printable for a terminal, which would obey it."""
    if sys.stdout.isatty():
        say(*record.decode(errors="backslashreplace").removesuffix("\n").split("\n"))
        return
    sys.stdout.buffer.write(record)
    sys.stdout.buffer.flush()
