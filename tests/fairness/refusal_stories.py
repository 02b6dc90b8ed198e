"""Refusals and kept commands of every kind beside their records: by them a missing check of a refusal is noticed."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from domain import commands, events
from domain.audit import replay
from domain.audit.signing.kept import KeptCommand
from domain.audit.signing.refused import Moment
from domain.fairness.audit import audit_lines
from domain.fairness.shapes import Signed
from domain.fairness.signing.keyed_seats import RECOVERY_MS
from domain.fairness.signing.messages import message_of
from domain.log.policies import policy_of
from infra.keys import Ed25519Signer, ed25519_verify
from tests.domain.playing import MATCH
from tests.fairness.scripted_server import POLICY_TEXT
from tests.fairness.signed_play import STREAM
from tests.fairness.test_refusals import BID, Keeping, at_turn, key, over

ELSEWHERE = "match/00000000-0000-4000-8000-000000000000"
MORE: tuple[dict[str, Any], ...] = (
    BID,
    {"type": "resign"},
    {"type": "accept"},
    {"type": "leave"},
    {"type": "bid", "quantity": 99, "face": 4},
    {"type": "bid", "quantity": 2},
    {"type": "declare", "special": "social"},
    {"type": "bid", "quantity": "2", "face": 4},
    {"type": "fly"},
    {"type": ["bid"]},
    {"type": "commit_seed", "deal": 0, "commit": "00" * 32},
    {"type": "arrange", "cup": 1, "outside": [], "taken": [], "roll_inside": 1, "roll_outside": 0, "sealed": "0" * 64},
)
"""What a seat asks for in its turn: allowed, lawfully refused, and of no form that could be decided."""


class Story(Struct, frozen=True):
    """A record with the notes beside it.

    Attributes:
        record: The record file.
        raw: Its lines.
        moments: What the referee went through.
        notes: What the players kept.
        judged: Whether a policy says whom to believe.
    """

    record: bytes
    raw: tuple[bytes, ...]
    moments: dict[int, Moment]
    notes: tuple[str, ...]
    judged: bool = True


@cache
def stories() -> tuple[Story, ...]:
    """Return all of them."""
    asked = _asked()
    strange = _strange(asked)
    whole = _ended(asked)
    return (
        _story(whole, whole.notes),
        _story(whole, [note for note in whole.notes if note.startswith("CUP1 refusal")]),
        _story(whole, strange),
        _story(whole, strange, judged=False),
        *[_story(played, played.notes) for played in (_going_on(), _hidden(), _recovered(), _joined())],
    )


def _story(played: Keeping, notes: list[str], *, judged: bool = True) -> Story:
    record, moments = played.file(), dict[int, Moment]()
    audited = audit_lines(record, policy_of(POLICY_TEXT), ed25519_verify)
    replay.replay(list(audited.lines), None, audited.raw, moments)
    return Story(record, audited.raw, moments, tuple(notes), judged)


def _ended(played: Keeping) -> Keeping:
    over(played)
    return played


def _asked() -> Keeping:
    """Return a match in which a seat asked for everything in its turn, and for keys, and then was overtaken."""
    played = at_turn()
    for public in (*MORE, *({"type": "rekey", "key": wanted} for wanted in _keys(played))):
        played.refuse(played.ask(public))
    signed, hashed = played.ask({**BID, "face": 6}), played.hashed
    played.ask({**BID, "quantity": 3})
    far = replace(signed, version=len(played.lines) + 999)
    played.notes.append(str(KeptCommand(STREAM, far)))
    played.refuse(far)
    played.do(commands.Bid(1, 2, 5))
    place = max(seq for seq, event in enumerate(played.events) if isinstance(event, events.Bid))
    played.hashed = hashlib.sha256(played.messages[place]).hexdigest()
    played.notes.append(str(KeptCommand(STREAM, played.kept[place])))
    played.refuse(played.kept[place])
    played.hashed = hashed
    played.refuse(signed)
    return played


def _keys(played: Keeping) -> list[str]:
    own, other = (played.keys[seat].public_key.hex() for seat in (1, 2))
    return [key(99), own, other, "02" + "00" * 31, "00" * 32]


def _strange(played: Keeping) -> list[str]:
    """Return notes that prove nothing here: of another match, of another signer, spelled otherwise."""
    kept, refusal = played.notes[0], played.notes[1]
    signed = played.ask(BID)
    del played.notes[-1]
    start = len(played.notes)
    played.refuse(signed, signer=Ed25519Signer(b"z" * 32))
    played.refuse(signed, stream=ELSEWHERE)
    mine, played.notes[start:] = played.notes[start:], []
    none = {"type": "join", "key": "none"}
    return [
        *mine,
        kept,
        _ahead(played),
        kept.replace(STREAM, ELSEWHERE),
        str(KeptCommand(STREAM, replace(signed, n=signed.n + 1))),
        str(KeptCommand(STREAM, replace(signed, seat=3))),
        str(KeptCommand(STREAM, replace(signed, sig="00" * 64))),
        str(KeptCommand(STREAM, Signed(none, 0, 9, "00" * 64, 1))),
        str(KeptCommand(STREAM, Signed(none, 1, 9, "00" * 64, 1))),
        kept.replace('"n":', '"n": '),
        kept.replace('"seat":1', '"seat":0'),
        kept.replace("\n{", "\n["),
        refusal.replace("wrong_phase", "Wrong"),
        "CUP1 refusal\nnothing\n",
        "CUP1 command\n",
    ]


def _ahead(played: Keeping) -> str:
    """Return a command that is signed as the one after the next."""
    state, version = played.signing, len(played.lines)
    n, before = state.seats[1].n + 2, state.seats[1].before
    message = message_of(MATCH.bytes, 1, n, version, state.head_at(version), before, BID)
    return str(KeptCommand(STREAM, Signed(BID, n, 1, played.keys[1].sign(message).hex(), version)))


def _going_on() -> Keeping:
    played = at_turn()
    played.refuse(played.ask(BID))
    return played


def _hidden() -> Keeping:
    played = at_turn(policy="shown")
    played.refuse(played.ask(BID))
    return _ended(played)


def _recovered() -> Keeping:
    """Return a match in which keys were named by its host, too late, in time, and for nothing."""
    played = at_turn()
    new, other = Ed25519Signer(b"n" * 32), Ed25519Signer(b"o" * 32)
    played.do(commands.NameKey(2, other.public_key.hex()))
    played.do(commands.NameKey(1, new.public_key.hex()))
    old, played.keys[1] = played.keys[1], new
    signed, before = played.ask(BID), played.at
    for at in (before + RECOVERY_MS - 1, before + RECOVERY_MS):
        played.refuse(signed, at=at)
    for wanted in (other, new, old, Ed25519Signer(b"p" * 32)):
        again = played.ask({"type": "rekey", "key": wanted.public_key.hex()})
        played.refuse(again, at=before + RECOVERY_MS)
    played.keys[1] = old
    for wanted in (new, other):
        again = played.ask({"type": "rekey", "key": wanted.public_key.hex()})
        played.refuse(again, at=before + RECOVERY_MS)
    played.at += RECOVERY_MS + 10
    played.do(commands.Bid(1, 3, 2))
    played.refuse(played.ask({"type": "rekey", "key": new.public_key.hex()}))
    later, hashed = played.ask({"type": "resign"}), played.hashed
    # Two keys further it is the first again, and what was signed before is of a turn that has passed.
    for changed in (Ed25519Signer(b"q" * 32), old):
        played.do(commands.Rekey(1, changed.public_key.hex()))
        played.keys[1] = changed
        played.refuse(played.ask({"type": "resign"}))
    played.hashed = hashed
    played.refuse(later)
    return _ended(played)


def _joined() -> Keeping:
    """Return a match to which somebody comes with a key, too late."""
    played = at_turn()
    played.keys[4] = Ed25519Signer(b"j" * 32)
    played.refuse(played.ask({"type": "join", "key": played.keys[4].public_key.hex(), "custody": "client"}, 4))
    return _ended(played)
