"""Parts of the service, told by the modules on a stack.

A stack belongs to the innermost module that serves one purpose: the publisher makes frames, whoever it calls for that.
Where there is none, the innermost that many use says it: a view that somebody asked for, the rules, the libraries.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Final

from msgspec import Struct

ROOT: Final = Path(__file__).parents[4].as_posix() + "/"
LIBRARIES: Final = "/site-packages/"
REST: Final = "loop and rest"


class _Rule(Struct, frozen=True):
    """The part that these files belong to; with `functions`, only those of these names."""

    part: str
    files: tuple[str, ...]
    functions: frozenset[str] = frozenset()

    def fits(self, file: str, function: str) -> bool:
        return file.startswith(self.files) and (not self.functions or function in self.functions)


ONE_PURPOSE: Final = (
    _Rule("frames for seats", ("services/relay/publisher.py",), frozenset({"_tell_seats"})),
    _Rule("frames for seats", ("infra/feed/",), frozenset({"tell"})),
    _Rule("frames for seats", ("services/matches/audience.py",)),
    _Rule("NATS", ("infra/feed/", "infra/handoff/", "nats/")),
    _Rule("spectator frames", ("services/relay/publisher.py",)),
    _Rule("lobby and statistics", ("services/relay/lobby_projector.py", "services/relay/statistics_projector.py")),
    _Rule("relay", ("services/relay/",)),
    _Rule("matches folded", ("services/matches/reads/milestones.py", "services/matches/reads/recent.py")),
    _Rule("token", ("services/matches/secrets/tokens.py",)),
    _Rule("token", ("infra/store/", "services/matches/", "services/api/"), frozenset({"token", "bearer"})),
    _Rule("receipts", ("domain/log/receipts.py",)),
    _Rule("append", ("infra/store/writer.py",)),
    _Rule("append", ("infra/store/postgres.py",), frozenset({"append", "_append", "_send", "_columns"})),
    _Rule("croupier and notary", ("services/dealer/",)),
    _Rule("bots", ("services/bots/",)),
    _Rule("socket", ("services/api/socket/", "services/http/front/upgrades.py", "websockets/")),
    _Rule("streams", ("services/matches/reads/streams.py", "services/matches/reads/frame_buffer.py")),
    _Rule("streams", ("services/api/routes/streaming.py",)),
    _Rule(
        "views asked for",
        ("services/matches/reads/queries.py",),
        frozenset({"view", "frames", "lobby", "record", "evidence", "statistics"}),
    ),
    _Rule("decide", ("services/matches/handler.py", "services/matches/turns.py", "services/matches/secrets/")),
)
USED_BY_MANY: Final = (
    _Rule("views asked for", ("projections/", "services/matches/reads/")),
    _Rule("decide", ("domain/",)),
    _Rule("HTTP", ("services/http/", "services/api/", "services/web/", "litestar/", "uvicorn/", "h11/", "httptools/")),
    _Rule("append", ("infra/store/", "asyncpg/")),
)


def part_of(frame: FrameType | None) -> str:
    """Return the part of the service that this frame, with those that called it, works for."""
    used = None
    while frame is not None:
        # What a comprehension or a lambda does is done by the function around it.
        nameless = frame.f_code.co_name.startswith("<")
        one, many = (None, None) if nameless else _parts_of(frame.f_code)
        if one is not None:
            return one
        used = used or many
        frame = frame.f_back
    return used or REST


@cache
def _parts_of(code: CodeType) -> tuple[str | None, str | None]:
    file, function = _file_of(code.co_filename), code.co_name
    one, many = (
        next((rule.part for rule in rules if rule.fits(file, function)), None) for rules in (ONE_PURPOSE, USED_BY_MANY)
    )
    return one, many


def _file_of(path: str) -> str:
    """Return a file as the rules name it: from our root on, or from the folder of the libraries on."""
    return path.rpartition(LIBRARIES)[2] if LIBRARIES in path else path.removeprefix(ROOT)
