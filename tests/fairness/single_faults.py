"""Records that are wrong in one small thing nobody else tells: each is here because an auditor needs a check for it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from domain.fairness import deal
from domain.fairness.deal import Cup, Deal
from domain.fairness.openings import OpenDeal
from domain.fairness.records import assemble
from domain.log import canonical
from domain.log.checkpoints import checkpoint_of
from domain.log.notes import ED25519, Key, Note, Signature
from infra.keys import Ed25519Signer
from tests.fairness.scripted_server import (
    ANSWER,
    BEACON,
    CUPS,
    MATCH,
    ORIGIN,
    POLICY_TEXT,
    RULES,
    STREAM,
    Story,
)

HASH = "0" * 64
UNWITNESSED = POLICY_TEXT.splitlines()[0] + "\nquorum none\n"
OTHER = Key(ORIGIN, ED25519, Ed25519Signer(b"\x07" * 32).public_key)
Told = tuple[str, bytes, str | None, tuple[int, ...]]
"""A name, a record, the policy it is judged by, and the layers."""

STAGES: dict[str, Callable[[], Story]] = {
    "committed": lambda: Story().to_commits(),
    "committed and without a seed": lambda: Story().created().joined(1, 2).committed(),
    "sealed": lambda: Story().to_commits().sealed(),
    "sealed with a beacon": lambda: Story().to_commits().sealed(beacon=BEACON),
    "logged": lambda: Story().to_logged(),
    "all open": lambda: Story().to_logged().opened(1, 2),
    "all open and waiting for a beacon": lambda: Story().to_logged(beacon=BEACON).opened(1, 2),
    "fixed": lambda: Story().to_logged(beacon=BEACON).opened(1, 2).fixed(),
    "ready": lambda: Story().to_ready(),
    "ready with a beacon": lambda: Story().to_logged(beacon=BEACON).opened(1, 2).fixed().ready(beacon=ANSWER),
    "voided": lambda: Story().to_logged().voided(1, 2),
    "voided before anybody opened": lambda: Story().to_commits().sealed(beacon=BEACON).voided(),
    "closed": lambda: Story().to_ready().closed(),
    "closed with a beacon": lambda: Story().to_logged(beacon=BEACON).opened(1, 2).fixed().ready(beacon=ANSWER).closed(),
    "closed after a void": lambda: Story().to_logged().voided(1, 2).closed(),
}
STEPS: dict[str, Callable[[Story], Story]] = {
    "a seed is fixed": lambda story: story.joined(3).seeded(3),
    "it is sealed": lambda story: story.sealed(),
    "it is logged": lambda story: story.logged(),
    "a seed is opened": lambda story: story.say("seed.opened", deal=0, seat=1, seed="01" * 32),
    "it is fixed": lambda story: story.fixed(),
    "it is ready": lambda story: story.ready(),
    "it is ready with an answer": lambda story: story.ready(beacon=ANSWER),
    "dice are rolled": lambda story: story.rolled(),
    "dice are shown": lambda story: story.say(
        "cup.revealed", deal=story.number, cup=1, roll=0, com=[], path=[], keys=[], values=[]
    ),
    "it is voided": lambda story: story.voided(1, 2),
    "it is closed": lambda story: story.closed(),
    "the match ends": lambda story: story.ended(),
}


def records() -> Iterator[Told]:
    """Yield every such record."""
    for stage, begun in STAGES.items():
        for name, step in STEPS.items():
            yield f"{stage}, {name}", step(begun()).bare(), POLICY_TEXT, (1, 2)
    for told in (_lines(), _members(), _dice(), _logs(), _growth()):
        yield from told


def _lines() -> Iterator[Told]:
    """Yield first and second lines that are not quite what they should be."""
    first = {"at": 1_000, "data": {"match": MATCH, "rules": RULES, "policy": "all"}, "prev": HASH, "seq": 0,
             "stream": STREAM, "type": "match.created", "v": 1}  # fmt: skip
    second = {**first, "data": {}, "prev": canonical.head(canonical.encode(first)), "seq": 1, "type": "game.note"}
    changes: list[dict[str, Any]] = [
        {"why": 1}, {"prev": "x"}, {"prev": "1" * 64}, {"seq": -1}, {"seq": 1}, {"seq": 5}, {"v": 2},
        {"stream": "match/x"}, {"stream": "x"}, {"type": "cup.peeked"},
    ]  # fmt: skip
    for change in changes:
        yield f"a first line with {change}", assemble([canonical.encode({**first, **change})], None), None, (1, 2)
        lines = [canonical.encode(first), canonical.encode({**second, **change})]
        yield f"a second line with {change}", assemble(lines, None), None, (1, 2)
    for match in ("x", MATCH.upper(), MATCH.replace("-", ""), MATCH + "\n"):
        data = {**first["data"], "match": match}  # type: ignore[dict-item]
        line = canonical.encode({**first, "data": data, "stream": f"match/{match}"})
        yield f"a match called {match!r}", assemble([line], None), None, (1, 2)


def _members() -> Iterator[Told]:
    """Yield events of which one member is not of its type."""
    cups = ([256, 0, 1, 1], [-1, 0, 1, 1], [0, 256, 1, 1], [0, -1, 1, 1], [0, 0, 65_536, 1], [0, 0, 0, 1],
            [0, 0, 1, 256], [0, 0, 1, 0])  # fmt: skip
    stories: Iterable[Story] = [
        *(Story().created().committed(cups=[cup]) for cup in cups),
        Story().created().say("seat.left", seat=0, reason=""),
        Story().created().joined(1).committed().say("seed.committed", deal=0, seat=0, commit=HASH),
        Story().created().joined(1).committed().say("seed.committed", deal=0, seat=1, commit="x"),
        Story().created().joined(1).committed().seeded(1).sealed(seats=[0]),
        Story().to_commits().sealed(beacon={"chain": "x", "round": 1}),
        Story().to_commits().sealed().logged(path=["x"]),
        Story().to_logged().say("seed.opened", deal=0, seat=0, seed=HASH),
        Story().to_logged().opened(1, seed="x"),
        Story().to_logged().voided(0),
        Story().to_logged().opened(1, 2).ready(mix="x"),
        Story().to_logged().opened(1, 2).say("deal.ready", deal=0, mix=HASH, beacon={**ANSWER, "round": 0}),
        *(
            Story().to_logged().opened(1, 2).say("deal.ready", deal=0, mix=HASH, beacon={**ANSWER, name: "x"})
            for name in ("chain", "randomness", "signature")
        ),
        Story().to_ready().rolled().revealed(com=["x"]),
        Story().to_ready().rolled().revealed(path=["x"]),
        Story().to_ready().closed(secret="x"),
    ]
    for story in stories:
        yield f"a member out of its type: {story.lines[-1]!r}", story.bare(), None, (1, 2)


def _dice() -> Iterator[Told]:
    """Yield dice that are shown of another deal than was said, and answers of another beacon."""
    ready = Story().to_ready().rolled()
    shown = ready.opening()
    doubled = {name: [shown[name][0], shown[name][0]] for name in ("keys", "values")}
    yield "a die shown twice", Story().to_ready().rolled().revealed(**doubled).bare(), None, (1, 2)
    yield "no die shown", Story().to_ready().rolled().revealed(keys=[], values=[]).bare(), None, (1, 2)
    for width in (2, 4):
        yield f"{width} dice fixed instead of 3", _fixed_otherwise(width).bare(), None, (1, 2)
    other = {**ANSWER, "chain": HASH}
    fixed = Story().to_logged(beacon=BEACON).opened(1, 2).fixed()
    yield "another beacon's answer", fixed.ready(beacon=other).bare(), POLICY_TEXT, (1, 2)


def _fixed_otherwise(width: int) -> Story:
    """Return a match whose first cup was fixed with more or fewer dice than it is said to have."""
    story = Story().created().joined(1, 2).committed()
    told = Deal(story.secret, story.deal.ctx, (CUPS[0], Cup(1, 1, 2, width), CUPS[2]))
    story = Story().created().joined(1, 2).committed(root=told.root.hex())
    story.deal = told
    story.seeded(1, 2).sealed().logged().opened(1, 2).ready()
    story.dealer = OpenDeal(0, told, deal.mix(told.ctx, told.root, story.openings))
    return story.rolled(slots=[0, 1], m=[6, 6]).revealed(**story.opening(slots=(0, 1)))


def _logs() -> Iterator[Told]:
    """Yield checkpoints and places in the log that are not quite right."""
    story = Story().to_commits().sealed()
    yield "a place behind the last", story.logged(index=2).bare(), None, (1, 2)
    story = Story()
    story.log.hashes.clear()
    yield "a place before the first", story.to_commits().sealed().logged(index=-1).bare(), None, (1, 2)
    late = Story().to_commits().sealed().logged(at=2**63)
    yield "a witness after the end of time", late.bare(), POLICY_TEXT, (1, 2)
    beacon = Story().to_logged(beacon=BEACON).opened(1, 2).fixed()
    yield "a beacon without witnesses", beacon.bare(), UNWITNESSED, (1, 2)
    note = checkpoint_of(_checkpoint()).note
    bad = Note(note.text, (*note.signatures, Signature(ORIGIN, OTHER.id, bytes(64))))
    both = f"log {OTHER}\n{POLICY_TEXT}"
    for name, text in (("signature", str(bad)), ("none", str(note))):
        yield f"a second key's {name}", _with_checkpoint(text).bare(), both, (1, 2)


def _checkpoint() -> str:
    story = Story().to_commits().sealed()
    story.anchor("sealed")
    return story.log.checkpoint()


def _with_checkpoint(text: str) -> Story:
    return Story().to_commits().sealed().logged(checkpoint=text)


def _growth() -> Iterator[Told]:
    """Yield finished matches with one proof too many, or one for something else, behind the last line."""
    story = Story().to_end()
    index = story.anchor("final")
    checkpoint = story.log.checkpoint()
    final = story.log.inclusion(index, checkpoint)
    grown = story.log.consistency(story.sizes[0], checkpoint)
    strange = story.log.consistency(1, checkpoint)
    foreign = story.log.consistency(story.sizes[0], "another")
    for name, proofs in {
        "as it should be": [grown],
        "one twice": [grown, grown],
        "one of nothing in the record": [grown, strange],
        "one for another checkpoint": [foreign],
        "none": [],
    }.items():
        yield f"proofs: {name}", assemble(story.lines, final, proofs), POLICY_TEXT, (1, 2)
    other = story.log.checkpoint(origin="another.example")
    two = assemble(story.lines, story.log.inclusion(index, other), [story.log.consistency(story.sizes[0], other)])
    yield "two logs", two, None, (1, 2)
    yield "two final proofs", assemble(story.lines, final, [grown]) + _ended(final.checkpoint), None, (1, 2)
    yield "a match that goes on", Story().to_revealed().record("live"), POLICY_TEXT, (1, 2)
    forgotten = Story().to_end()
    forgotten.log.hashes[0] = bytes(32)
    yield "a log that forgot", forgotten.record(), POLICY_TEXT, (1, 2)


def _ended(text: str) -> bytes:
    return b"#tlog-proof " + b64encode(text.encode()) + b"\n"
