"""Records that only one check stands against, each."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from typing import Any

from domain.fairness.deal import Deal
from domain.fairness.records import PROOF, assemble
from domain.log import merkle
from domain.log.notes import COSIGNATURE, ED25519, Key
from domain.log.proofs import Inclusion, anchor_entry, encode_consistency
from tests.fairness.javascript_auditor import Ask
from tests.fairness.rewritten_records import Event, chained, events_of, retold, written
from tests.fairness.scripted_server import ANSWER, BEACON, CUPS, MATCH, ORIGIN, POLICY_TEXT, SIGNERS, STREAM, Story
from tests.fairness.signed_lies import signed_records

HASH = "0" * 64
BRIEF = Story().created().ended()
LEAF = merkle.leaf_hash(anchor_entry(STREAM, 1, BRIEF.head, "final"))
STRANGER = "\u2014 s.example "
LOG = f"log {Key(ORIGIN, ED25519, SIGNERS[ORIGIN].public_key)}\n"
UNWITNESSED = f"{LOG}quorum none\n"


class Wider(Deal, frozen=True, dict=True, eq=False):
    """A deal of a server that fixes one die more a roll than it says."""

    def commitments(self, cup: int, roll: int) -> list[bytes]:
        return [*super().commitments(cup, roll), bytes(32)]


def records_of_sole_checks() -> list[Ask]:
    """Return all of them."""
    ends = [*_notes(), *_ends(), *_policies()]
    return [*_records(), *records_of_tournaments(), *records_of_seasons(), *ends, *signed_records()]


# ---- events ----------------------------------------------------------------------------------------


def _records() -> list[Ask]:
    beacon = Story().to_logged(beacon=BEACON).opened(1, 2).fixed()
    other = Story().to_logged(beacon=BEACON).opened(1, 2).fixed().ready(beacon={**ANSWER, "chain": HASH})
    wider = Story().created().joined(1, 2)
    ctx = Story().created().joined(1, 2).committed().deal.ctx
    wider.committed(root=Wider(b"\1" * 32, ctx, CUPS).root.hex())
    wider.deal = Wider(b"\1" * 32, ctx, CUPS)
    wider.seeded(1, 2).sealed().logged().opened(1, 2).ready().rolled().revealed()
    stories = [
        other,
        wider,
        Story().to_ready().rolled().revealed(keys=[], values=[]),
        Story().to_ready().rolled().revealed(values=[]),
        Story().created().say("game.note", deep=_deep(61)),
        Story().created(),
    ]
    lines = [_line(seq=5), _line(prev="x"), _line(data={"deep": _deep(62)})]
    files = [b"", b"#tlog-proof YWI=\n", *(Story().created().bare() + line + b"\n" for line in lines)]
    strange = written({**json.loads(Story().created().lines[0]), "stream": "match/x", "data": _created(match="x")})
    asks = [Ask(story.bare(), None) for story in stories] + [Ask(file, None) for file in [*files, strange + b"\n"]]
    return [*asks, Ask(beacon.bare(), UNWITNESSED)]


def records_of_tournaments() -> list[Ask]:
    """Return first lines of tournaments as they are, and with one thing wrong."""
    first: Event = {"type": "tournament.created", "data": {"tournament": MATCH, "rules": {}, "policy": "all"}}
    event = {"at": 1, "stream": f"tournament/{MATCH}", "v": 1}
    told: list[list[Event]] = [
        [first],
        [{**first, "stream": "tournament/x", "data": {**first["data"], "tournament": "x"}}],
        [{**first, "data": {**first["data"], "policy": "shown"}}],
        [first, {"type": "entry.opened", "data": {}}],
        [first, {"type": "cases.x", "data": {}}],
    ]
    files = [_file(chained([{**event, **each} for each in story])) for story in told]
    unsealed = [each for each in events_of(Story().to_logged().bare()) if each["type"] != "deal.sealed"]
    return [*(Ask(file, None) for file in files), Ask(_file(chained(unsealed)), layers=(1,))]


def records_of_seasons() -> list[Ask]:
    """Return first lines of seasons as they are, and with one thing wrong."""
    first: Event = {"type": "season.created", "data": {"season": MATCH, "game": "common_hand", "rules": {}}}
    event = {"at": 1, "stream": f"season/{MATCH}", "v": 1}
    told: list[list[Event]] = [
        [first],
        [{**first, "stream": "season/x", "data": {**first["data"], "season": "x"}}],
        [{**first, "data": {**first["data"], "game": 1}}],
        [first, {"type": "season.counted", "data": {}}],
        [first, {"type": "seasons.x", "data": {}}],
    ]
    return [Ask(_file(chained([{**event, **each} for each in story])), None) for story in told]


def _file(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _created(**other: Any) -> dict[str, Any]:
    return {**json.loads(Story().created().lines[0])["data"], **other}


def _line(**other: Any) -> bytes:
    story = Story().created()
    line = {"at": 1, "data": {}, "prev": story.head, "seq": 1, "stream": STREAM, "type": "game.note", "v": 1}
    return written({**line, **other})


def _deep(levels: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(levels):
        found = [found]
    return found


# ---- checkpoints, nobody's word being judged -------------------------------------------------------


def _notes() -> list[Ask]:
    root = b64encode(LEAF).decode()
    line = f"{STRANGER}{b64encode(b'1234.').decode()}\n"
    high = LEAF
    for _ in range(63):
        high = merkle.node_hash(high, bytes(32))
    narrow = merkle.node_hash(LEAF, bytes(31))
    notes = {
        f"\n1\n{root}\n\n{line}": (),
        f"{ORIGIN}\n1\n{root}\n\n": (),
        f"{ORIGIN}\n1\n{root}\n\n{line[:-1]}": (),
        f"{ORIGIN}\n1\n{root}\n\n{STRANGER}{b64encode(b'1234').decode()}\n": (),
        f"{ORIGIN}\n1\n{root}\n\n\u2014 s\x01 {b64encode(b'1234.').decode()}\n": (),
        f"{ORIGIN}\n{2**63}\n{b64encode(high).decode()}\n\n{line}": (bytes(32),) * 63,
        f"{ORIGIN}\n2\n{b64encode(narrow).decode()}\n\n{line}": (bytes(31),),
    }
    good = f"{ORIGIN}\n1\n{root}\n\n{line}"
    return [Ask(assemble(BRIEF.lines, Inclusion(0, path, note)), None) for note, path in [(good, ()), *notes.items()]]


# ---- the proofs at the end -------------------------------------------------------------------------


def _ends() -> list[Ask]:
    told = retold(events_of(Story().to_end().bare()))
    note = told.proof.partition("\n\n")[2]
    once = told.record()
    told.grown *= 2
    twice = told.record()
    told.grown = [*told.grown[:1], encode_consistency(told.log.consistency(len(told.log.hashes), note))]
    return [Ask(record) for record in (once, twice, told.record(), once + _proof(once))] + [_elsewhere()]


def _proof(record: bytes) -> bytes:
    return next(line for line in record.splitlines(keepends=True) if line.startswith(PROOF))


def _elsewhere() -> Ask:
    """Return a record whose last checkpoint is of another log, with the same entries."""
    story = Story().to_end()
    index = story.anchor("final")
    checkpoint = story.log.checkpoint(origin="another.example")
    grown = [story.log.consistency(old, checkpoint) for old in story.sizes]
    return Ask(assemble(story.lines, story.log.inclusion(index, checkpoint), grown), None)


# ---- policies --------------------------------------------------------------------------------------


def _policies() -> list[Ask]:
    name, key_id, typed = str(Key(ORIGIN, ED25519, SIGNERS[ORIGIN].public_key)).split("+", 2)
    witness = Key("w2", COSIGNATURE, b"w" * 32)
    texts = [
        f"{LOG}log {Key(f'a{chr(0xA0)}b', ED25519, b'k' * 32)}\nquorum none\n",
        f"{LOG}log {_vkey(b'k' * 33)}\nquorum none\n",
        f"log {name}+{_upper(key_id)}+{typed}\nquorum none\n",
        f"{UNWITNESSED}# \x07\n",
        f"{LOG}witness none {witness}\nquorum none\n",
        f"{POLICY_TEXT}witness w {witness}\n",
        "".join(f"log {Key(f'l{n}', ED25519, n.to_bytes(32, 'big'))}\n" for n in range(255)) + UNWITNESSED,
        "".join(f"log {Key(f'l{n}', ED25519, n.to_bytes(32, 'big'))}\n" for n in range(254)) + UNWITNESSED,
    ]
    record = assemble(BRIEF.lines, None)
    return [Ask(record, text) for text in texts]


def _vkey(key: bytes) -> str:
    typed = bytes([ED25519]) + key
    return f"x+{hashlib.sha256(b'x' + bytes([10]) + typed).hexdigest()[:8]}+{b64encode(typed).decode()}"


def _upper(key_id: str) -> str:
    assert key_id != key_id.upper()
    return key_id.upper()
