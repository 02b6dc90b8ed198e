"""Seats whose match is made up, for what draws them: nothing is sent, and what is said is what the test says."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from html import unescape
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from rich.cells import cell_len
from textual.app import App

from domain.log.policies import Policy
from services.audit.receipts import ReceiptBook
from services.client.proving import Proof
from services.client.seating import Sitting
from services.client.signing import Shield

Json = dict[str, Any]
MATCH = "018f4e6a-7c00-4000-8000-000000000001"
NOBODY = Policy((), {}, {}, "none")
CHARACTER = 12.2
"""The width of a column in a picture that Textual makes of a screen."""


class DrawnSeat:
    """A seat at which these items are said, and then an error, or nothing more."""

    def __init__(
        self,
        items: list[Json],
        *,
        host: str | None = None,
        trouble: Exception | None = None,
        folder: Path = Path("nowhere"),
    ) -> None:
        book = ReceiptBook(MATCH, folder / "receipts", NOBODY)
        self.sitting = Sitting("http://127.0.0.1:8000", MATCH, "token", book, host)
        self.proof: Proof = "verified"
        self.shield: Shield = "none"
        self.key: str | None = None
        self.asked: list[Json] = []
        self.refuses: Exception | None = None
        self._items = items
        self._trouble = trouble

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    async def items(self) -> AsyncGenerator[Json, None]:
        for item in self._items:
            yield item
        if self._trouble is not None:
            raise self._trouble
        if "ended" not in self._items[-1]:
            await asyncio.Event().wait()

    async def ask(self, command: Json, *, host: bool = False) -> None:
        if self.refuses is not None:
            raise self.refuses
        self.asked.append(command | ({"host": True} if host else {}))


def text_of(app: App[Any]) -> str:
    """Return what a screen shows, line by line, without its colours, as anybody sees it on any machine."""
    rows: dict[float, list[tuple[int, str]]] = {}
    for attributes, inner in re.findall(r"<text ([^>]*)>([^<]*)</text>", app.export_screenshot(simplify=True)):
        found = re.search(r'x="([\d.]+)" y="([\d.]+)"', attributes)
        if found is not None and "clip-path" in attributes:
            rows.setdefault(float(found[2]), []).append((round(float(found[1]) / CHARACTER), unescape(inner)))
    lines = []
    for _, parts in sorted(rows.items()):
        line = ""
        for column, part in sorted(parts):
            line += " " * (column - cell_len(line)) + part.replace("\u00a0", " ")
        lines.append(line.rstrip())
    return "\n".join(lines)
