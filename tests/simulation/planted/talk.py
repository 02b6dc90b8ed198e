"""Bugs of comments: what is said twice, and what is not forgotten."""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import replace

from infra.entropy import draw
from services.commentary.handler import StoredComments
from tests.simulation.faults import CALM, LIAR
from tests.simulation.planted.bug import Planted
from tests.simulation.schedule import RULES, Shape

TALKING: Final = Shape(rules=(RULES[0],), talks=True)
"""A table whose host comments on it."""
_submit = StoredComments._submit


async def _as_if_new(handled: Any, match_id: Any, what: str, command_for: Any, ask: Any, words: Any = None) -> Any:
    """Take a comment that is sent again for another."""
    return await _submit(handled, match_id, what, command_for, replace(ask, key=draw(8).hex()), words)


async def _words_kept(_handled: Any, _match_id: Any, _comment: str, _words: Any) -> None:
    """Write that a comment was taken back, and keep what it said."""


BUGS: Final = (
    Planted(
        "comment that is sent again is made again",
        "of a comment was answered otherwise",
        LIAR,
        ((StoredComments, "_submit", _as_if_new),),
        TALKING,
    ),
    Planted(
        "words that were taken back stay",
        "words that were taken back are kept",
        CALM,
        ((StoredComments, "_erase_left", _words_kept),),
        TALKING,
    ),
)
