"""A server that plays matches of two seats line by line, and can be made to lie.

Every line is chained, logged and signed as it should be, whatever it says.
"""

from __future__ import annotations

import hashlib
from typing import Any, Self

from domain.fairness import deal, records
from domain.fairness.audit import AuditReport, audit
from domain.fairness.deal import Cup, Deal
from domain.fairness.openings import OpenDeal
from domain.fairness.records import assemble
from domain.log import canonical, merkle
from domain.log.checkpoints import cosign, sign_checkpoint
from domain.log.notes import COSIGNATURE, ED25519, Key
from domain.log.policies import Policy, policy_of
from domain.log.proofs import Consistency, Inclusion, anchor_entry
from infra.keys import Ed25519Signer, ed25519_verify

MATCH = "01890a5d-ac96-774b-bcce-b302099a8057"
STREAM = f"match/{MATCH}"
RULES = {"game": "pips"}
CUPS = (Cup(0, 0, 1, 2), Cup(1, 1, 2, 3), Cup(2, 2, 2, 3))
QUICKNET = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
BEACON = {"chain": QUICKNET, "round": 1000}
DUE = 1_692_803_367 + 999 * 3
"""When round 1000 is due."""
ANSWER = {**BEACON, "signature": "abcd", "randomness": hashlib.sha256(b"\xab\xcd").hexdigest()}

ORIGIN, WITNESS = "log.example", "w.example"
SIGNERS = {name: Ed25519Signer(name.encode().ljust(32, b".")) for name in (ORIGIN, WITNESS)}
POLICY_TEXT = (
    f"log {Key(ORIGIN, ED25519, SIGNERS[ORIGIN].public_key)}\n"
    f"witness w {Key(WITNESS, COSIGNATURE, SIGNERS[WITNESS].public_key)}\n"
    "quorum w\n"
)
POLICY = policy_of(POLICY_TEXT)
UNWITNESSED = policy_of(f"log {Key(ORIGIN, ED25519, SIGNERS[ORIGIN].public_key)}\nquorum none\n")


class Log:
    """A transparency log in memory."""

    def __init__(self) -> None:
        self.hashes: list[bytes] = []

    def add(self, entry: bytes) -> int:
        self.hashes.append(merkle.leaf_hash(entry))
        return len(self.hashes) - 1

    def checkpoint(self, at: int = 0, origin: str = ORIGIN) -> str:
        note = sign_checkpoint(origin, len(self.hashes), merkle.root(self.hashes), SIGNERS[ORIGIN])
        return cosign(note, WITNESS, at, SIGNERS[WITNESS])

    def proof(self, spans: list[merkle.Span]) -> tuple[bytes, ...]:
        known = merkle.subtrees(self.hashes)
        return tuple(merkle.hash_of(span, known) for span in spans)

    def inclusion(self, index: int, checkpoint: str) -> Inclusion:
        return Inclusion(index, self.proof(merkle.inclusion_spans(len(self.hashes), index)), checkpoint)

    def consistency(self, old: int, checkpoint: str) -> Consistency:
        return Consistency(old, self.proof(merkle.consistency_spans(old, len(self.hashes))), checkpoint)


class Story:
    """A match as its server tells it. Each step may be told differently by naming members."""

    def __init__(self, policy: str = "all", rules: dict[str, Any] = RULES) -> None:
        self.policy = policy
        self.rules = rules
        self.lines: list[bytes] = []
        self.log = Log()
        self.log.add(b"somebody else's")
        self.number = -1
        self.sizes: list[int] = []
        self.openings: dict[int, bytes] = {}

    # ---- lines ----------------------------------------------------------------------------------

    def say(self, kind: str, **data: Any) -> Self:
        self.lines.append(canonical.line(STREAM, len(self.lines), self.head, 1_000, kind, data))
        return self

    @property
    def head(self) -> str:
        return canonical.head(self.lines[-1]) if self.lines else "0" * 64

    def anchor(self, kind: str, seq: int | None = None) -> int:
        seq = len(self.lines) - 1 if seq is None else seq
        return self.log.add(anchor_entry(STREAM, seq, canonical.head(self.lines[seq]), kind))

    # ---- steps ----------------------------------------------------------------------------------

    def created(self, **other: Any) -> Self:
        return self.say("match.created", **{"match": MATCH, "rules": self.rules, "policy": self.policy, **other})

    def joined(self, *seats: int) -> Self:
        for seat in seats:
            self.say("seat.joined", seat=seat, player=f"p{seat}")
        return self

    def committed(self, cups: tuple[Cup, ...] = CUPS, /, **other: Any) -> Self:
        self.number += 1
        match = bytes.fromhex(MATCH.replace("-", ""))
        ctx = deal.context(match, self.number, deal.rules_hash(self.rules), self.policy, cups)  # type: ignore[arg-type]
        self.secret = bytes([self.number + 1]) * 32
        self.deal = Deal(self.secret, ctx, cups)
        self.openings = {}
        rows = [[cup.id, cup.owner, cup.rolls, cup.width] for cup in cups]
        return self.say("deal.committed", **{"deal": self.number, "cups": rows, "root": self.deal.root.hex(), **other})

    def seeded(self, *seats: int, **other: Any) -> Self:
        for seat in seats:
            self.openings[seat] = bytes([seat]) * 32
            commit = deal.seed_commitment(self.openings[seat], self.deal.ctx, self.deal.root, seat).hex()
            self.say("seed.committed", **{"deal": self.number, "seat": seat, "commit": commit, **other})
        return self

    def sealed(self, **other: Any) -> Self:
        return self.say("deal.sealed", **{"deal": self.number, "seats": [1, 2], "beacon": None, **other})

    def logged(self, kind: str = "deal.logged", what: str = "sealed", at: int = 0, **other: Any) -> Self:
        index = self.anchor(what)
        checkpoint = self.log.checkpoint(at)
        path = [item.hex() for item in self.log.inclusion(index, checkpoint).path]
        self.sizes.append(len(self.log.hashes))
        return self.say(kind, **{"deal": self.number, "index": index, "path": path, "checkpoint": checkpoint, **other})

    def fixed(self, at: int = DUE - 6, **other: Any) -> Self:
        return self.logged("deal.fixed", "opened", at, **other)

    def opened(self, *seats: int, **other: Any) -> Self:
        for seat in seats:
            self.say("seed.opened", **{"deal": self.number, "seat": seat, "seed": self.openings[seat].hex(), **other})
        return self

    def ready(self, **other: Any) -> Self:
        beacon = other.get("beacon")
        heard = None
        if beacon is not None:
            heard = deal.BeaconAnswer(
                bytes.fromhex(beacon["chain"]), beacon["round"], bytes.fromhex(beacon["randomness"])
            )
        mixed = deal.mix(self.deal.ctx, self.deal.root, self.openings, heard)
        self.dealer = OpenDeal(self.number, self.deal, mixed)
        return self.say("deal.ready", **{"deal": self.number, "mix": mixed.hex(), "beacon": None, **other})

    def rolled(self, cup: int = 1, **other: Any) -> Self:
        return self.say(
            "cup.rolled", **{"deal": self.number, "cup": cup, "roll": 0, "slots": [0, 2], "m": [6, 6], **other}
        )

    def opening(self, cup: int = 1, roll: int = 0, slots: tuple[int, ...] = (0, 2)) -> dict[str, Any]:
        shown = self.dealer.open(cup, roll, slots, [6] * len(slots))
        return {name: getattr(shown, name) for name in shown.__struct_fields__}

    def revealed(self, **other: Any) -> Self:
        return self.say("cup.revealed", **{**self.opening(), **other})

    def voided(self, *seats: int) -> Self:
        return self.say("deal.voided", deal=self.number, reason="withheld", seats=list(seats))

    def closed(self, **other: Any) -> Self:
        return self.say("deal.closed", **{"deal": self.number, "secret": self.secret.hex(), **other})

    def ended(self) -> Self:
        return self.say("match.ended")

    # ---- stretches ------------------------------------------------------------------------------

    def to_commits(self) -> Self:
        return self.created().joined(1, 2).committed().seeded(1, 2)

    def to_logged(self, **sealed: Any) -> Self:
        return self.to_commits().sealed(**sealed).logged()

    def to_ready(self) -> Self:
        return self.to_logged().opened(1, 2).ready()

    def to_revealed(self) -> Self:
        return self.to_ready().rolled().revealed()

    def to_end(self) -> Self:
        return self.to_revealed().closed().ended()

    # ---- what becomes of it ---------------------------------------------------------------------

    def record(self, kind: str = "final") -> bytes:
        index = self.anchor(kind)
        checkpoint = self.log.checkpoint()
        grown = [self.log.consistency(old, checkpoint) for old in self.sizes]
        return assemble(self.lines, self.log.inclusion(index, checkpoint), grown)

    def bare(self) -> bytes:
        return assemble(self.lines, None)


def judged(record: bytes, policy: Policy | None = POLICY, layers: tuple[int, ...] = (1, 2)) -> AuditReport:
    return audit(record, policy, ed25519_verify, layers)


def faults(story: Story, policy: Policy | None = POLICY, layers: tuple[int, ...] = (1, 2)) -> tuple[str, int] | None:
    """Return the code of the fault in a story, and its line counted from the end of the event lines, 0 for the last."""
    report = judged(story.record(), policy, layers)
    if report.code is None or report.line is None:
        return None
    return report.code, len(records.split(story.bare()).lines) - report.line
