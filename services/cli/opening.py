"""`truecup open`: all tables of a list, or none, and what to hand to whom."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

import httpx
import msgspec

from services.cli.asking import asked_house
from services.cli.exits import FINE
from services.cli.screen import say, say_aside, say_json
from services.client.house import CannotDo, answer_or_fail, read_reply

LIST_MAX: Final = 2**20
"""The longest list that a house takes, in bytes."""
MEDIA_TYPES: Final = {".csv": "text/csv", ".ndjson": "application/x-ndjson", ".jsonl": "application/x-ndjson"}
COLUMNS: Final = "row,match,role,seat,token,link"
"""What is said of each token: a spreadsheet again, to be handed on row by row."""


def open_tables(file: Path, /, *, url: str | None = None, json: bool = False) -> int:
    """Open all tables of a list.

    Args:
        file: A spreadsheet (.csv) or lines of JSON (.ndjson, .jsonl).
        url: Where the service is; the `truecup up` of this machine if nothing is said.
        json: Print what the service answers, as one JSON document.
    """
    media_type = MEDIA_TYPES.get(file.suffix.lower())
    if media_type is None:
        raise CannotDo(f"a list ends in {', '.join(MEDIA_TYPES)}, and {file} does not")
    with asked_house(url) as at:
        answer = at.send_list("/matches/bulk", _read(file), media_type)
    _say_bad_rows(answer)
    answer_or_fail(answer)
    with read_reply():
        opened = msgspec.json.decode(answer.content, type=dict[str, Any])
        rows = [COLUMNS, *_rows_of(opened, at.base)]
    if json:
        say_json(opened)
    else:
        say(*rows)
    return FINE


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            found = opened.read(LIST_MAX + 1)
    except OSError as trouble:
        raise CannotDo(f"{file} cannot be read: {trouble.strerror}") from trouble
    if len(found) > LIST_MAX:
        raise CannotDo(f"{file} is longer than {LIST_MAX} bytes, which a list has at most")
    return found


def _say_bad_rows(answer: httpx.Response) -> None:
    """Say which rows are wrong and why, beside the refusal of the list."""
    if answer.status_code != HTTPStatus.UNPROCESSABLE_ENTITY:
        return
    with read_reply():
        problem = msgspec.json.decode(answer.content, type=dict[str, Any])
        for row in problem.get("rows", ()):
            say_aside(f"{row['row']}: {row['code']}: {row['why']}")


def _rows_of(opened: dict[str, Any], base: str) -> Iterator[str]:
    """Yield a row for each token: of the host, who may start the table, and of each seat, with the link to it."""
    for number, table in enumerate(opened["tables"], start=1):
        match = table["match"]
        yield f"{number},{match},host,,{table['token']},"
        for one in table.get("seats", ()):
            seat, token = int(one["seat"]), one["token"]
            yield f"{number},{match},seat,{seat},{token},{base}/m/{match}#seat={seat}&token={token}"
