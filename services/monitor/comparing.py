"""One stream held against what the log says of it, line after line, as its lines come.

The law of the file: the log's heads mean something only if the lines between them are one history. So each line, up to
the last one the log speaks of, has to follow the one before it; only that one is held.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from domain.fairness.chain import Link, next_link
from domain.fairness.faults import Fault
from domain.log.monitoring import Anchor
from services.audit.tables import board_named_in

_TYPES: Final = {"sealed": "deal.sealed", "opened": "seed.opened"}
_LAST: Final = {
    "match": "match.ended",
    "access": "access.closed",
    "tournament": "tournament.closed",
    "season": "season.closed",
    "board": "board.closed",
}
"""The type of the line that ends a stream, by the first part of the stream's name."""


class Comparison:
    """What the log says of a stream, and how far its lines were held against it.

    Attributes:
        is_kept_back: Whether lines that the log knows are kept back: those of a round that is not over at all tables
            with the same dice (CUP/1 section 4.23), in a match that says in its first line that it is at one of them.
    """

    def __init__(self, stream: str, said: Iterable[Anchor]) -> None:
        """Compare this stream with these anchors of it; at least one."""
        self._stream = stream
        self._said: dict[int, list[Anchor]] = {}
        for anchor in said:
            self._said.setdefault(anchor.seq, []).append(anchor)
        self._last = max(self._said)
        self._end: int | None = None
        self._seq = 0
        self._before: Link | None = None
        self._whole = True
        self._wrong: dict[str, None] = {}
        self._shares_dice = False
        self.is_kept_back = False

    def take(self, line: bytes) -> bool:
        """Hold the next line, without its newline, against the log; report whether another one is wanted."""
        if self._end is not None:
            self._say(f"{self._stream} goes on after line {self._end}, which the log calls its last")
            self._end = None
        if self._seq > self._last:
            return False
        link = self._follow(line)
        if link is None:
            self._whole = False
            return False
        if self._before is None:
            self._shares_dice = link.kind == "match.created" and board_named_in(line) is not None
        for anchor in self._said.get(self._seq, ()):
            self._check(link, anchor)
        self._seq, self._before = self._seq + 1, link
        return self._seq <= self._last or self._end is not None

    def finish(self) -> list[str]:
        """Return what is wrong, in sentences, once no line comes any more or none is wanted."""
        missing = self._whole and self._seq <= self._last
        self.is_kept_back = missing and self._shares_dice
        if missing and not self.is_kept_back:
            for seq in sorted(seq for seq in self._said if seq >= self._seq):
                self._say(f"{self._stream} has no line {seq}, and the log has its head")
        return list(self._wrong)

    def _follow(self, line: bytes) -> Link | None:
        # What a line holds is not repeated in the sentence: whoever wrote it may be hostile.
        try:
            link = next_link(line, self._before)
        except Fault as fault:
            why = "is no event line" if fault.code == "E_FORMAT" else "does not follow the one before it"
            self._say(f"line {self._seq} of {self._stream} {why}")
            return None
        if link.stream != self._stream:
            self._say(f"line {self._seq} of {self._stream} belongs to another stream")
            return None
        return link

    def _check(self, link: Link, anchor: Anchor) -> None:
        wanted = _LAST[self._stream.partition("/")[0]] if anchor.kind == "final" else _TYPES.get(anchor.kind)
        if link.head != anchor.head:
            self._say(f"line {link.seq} of {self._stream} is another than the log says")
        elif wanted not in {None, link.kind}:
            self._say(f"line {link.seq} of {self._stream} is no {wanted}, and the log has it as {anchor.kind}")
        if anchor.kind == "final":
            self._end = link.seq

    def _say(self, text: str) -> None:
        self._wrong[text] = None
