"""A house of Truecup for programs: tables are opened and joined, played at, watched, replayed, and records verified.

What a view, a move or a command holds stands in `/openapi.json` and, for people, at `/docs` of every house; a first
program at `/docs/first-bot`.
"""

from __future__ import annotations

from domain.log.notes import Malformed
from domain.log.receipts import AnotherHistory
from services.audit.verdict import Verdict
from services.client.house import CannotDo, SeatLost
from services.client.records import Untrue
from services.client.seating import Newcoming, Sitting, Wanted
from services.client.tables import (
    HERE,
    Command,
    PlayingSeat,
    Turn,
    join_table,
    open_table,
    record_of,
    replay_match,
    resume_seat,
    verify_record,
    watch_match,
)
from truecup import sync

__all__ = [
    "HERE",
    "AnotherHistory",
    "CannotDo",
    "Command",
    "Malformed",
    "Newcoming",
    "PlayingSeat",
    "SeatLost",
    "Sitting",
    "Turn",
    "Untrue",
    "Verdict",
    "Wanted",
    "join_table",
    "open_table",
    "record_of",
    "replay_match",
    "resume_seat",
    "sync",
    "verify_record",
    "watch_match",
]
