"""A whole match to audit: six seats of common hand, played to the end, logged and signed as a house does.

Any two runs play the same match.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final
from uuid import UUID

from domain import commands
from domain.errors import Refused
from domain.fairness.openings import DealSecrets
from domain.fairness.records import assemble
from domain.log import merkle
from domain.log.checkpoints import sign_checkpoint
from domain.log.notes import ED25519, Key
from domain.log.policies import Policy, policy_of
from domain.log.proofs import Consistency, Inclusion, anchor_entry
from domain.match.decide import Decision, decide
from domain.match.evolve import Match, new_match, open_match, table_deals
from domain.match.record import GENESIS, lines_of, stream_of
from domain.table.moves import moves
from infra.keys import Ed25519Signer
from services.cli.bench.clients.choices import Randomness, possible

SEATS: Final = 6
MATCH: Final = UUID("6f1de1ce-0000-4000-8000-000000000006")
RULES: Final = {"game": "common_hand", "options": {}, "seats": SEATS, "pause_ms": 0}
SESSION: Final = {
    "game": "common_hand",
    "options": {"dice_per_player": 5, "elimination": "none"},
    "seats": SEATS,
    "pause_ms": 0,
}
"""Rules under which nobody is ever out."""
STEP_MS: Final = 1_000
ORIGIN: Final = "bench.example/log"
SIGNER: Final = Ed25519Signer(hashlib.sha256(b"truecup bench").digest())
POLICY_TEXT: Final = f"log {Key(ORIGIN, ED25519, SIGNER.public_key)}\nquorum none\n"
POLICY: Final[Policy] = policy_of(POLICY_TEXT)
RAISES: Final = 3
"""Three of four claims are raised once more before anybody doubts, so that rounds have a length."""


class PlayedMatch:
    """A match on its way.

    Attributes:
        match: How it stands.
        lines: Its lines.
        keeper: The secrets of its deal.
        logged: The leaves of the log that it is anchored in.
    """

    def __init__(self, rules: dict[str, Any] = RULES, match_id: UUID = MATCH) -> None:
        """Open a match under these rules."""
        opened, self._seats = open_match(match_id, rules), rules["seats"]
        self.match: Match = new_match(opened, 0)
        first, self.head = lines_of(match_id, 0, GENESIS, 0, [opened])
        self.lines = list(first)
        self.keeper: DealSecrets | None = None
        self.logged: list[bytes] = []
        self.chance = Randomness()

    def begin(self) -> None:
        """Take all seats, and start."""
        for seat in range(1, self._seats + 1):
            self.do(commands.Join(f"p{seat}", "server"))
        self.do(commands.Start(self.drawn()))

    def do(self, command: commands.MatchCommand) -> None:
        """Decide, and write down what that led to.

        Raises:
            Refused: It is not legal.
        """
        made: Decision = decide(self.match, command, self.match.at + STEP_MS, self.keeper)
        lines, self.head = lines_of(self.match.id, self.match.version, self.head, made.match.at, made.events)
        self.lines += lines
        self.match, self.keeper = made.match, made.keeper

    def drawn(self) -> commands.Chance:
        """Return secrets that are drawn from nothing but the version, so that any two runs play the same."""
        secrets = [hashlib.sha256(f"bench {self.match.version} {number}".encode()).digest() for number in range(7)]
        return commands.Chance(secrets[0], dict(enumerate(secrets[1:], start=1)))

    def step(self) -> None:
        """Do what comes next: the log, the table, or a seat."""
        ceremony = self.match.ceremony
        if ceremony is not None and ceremony.stage == "sealed":
            assert self.match.sealed_seq is not None
            proof = self.anchored(self.match.sealed_seq, "sealed")
            path = tuple(item.hex() for item in proof.path)
            self.do(commands.LogDeal(ceremony.deal, proof.index, path, proof.checkpoint))
        elif table_deals(self.match):
            self.do(commands.Advance(self.drawn()))
        else:
            self.act()

    def offered(self) -> list[commands.Play]:
        """Return what seats may do, those first that they rather do; the dice may be against some of it."""
        assert self.match.table is not None
        every = possible(moves(self.match.table), self.chance)
        raises = [command for command in every if isinstance(command, commands.Bid)]
        return [*raises, *every] if raises and self.chance.below(RAISES + 1) else every

    def act(self) -> None:
        """Do the first thing that a seat may do."""
        for command in self.offered():
            try:
                return self.do(command)
            except Refused:
                continue
        raise AssertionError("somebody can always act")

    def anchored(self, seq: int, kind: str) -> Inclusion:
        """Take a line to the log, and return the proof under a checkpoint of its own."""
        head = hashlib.sha256(self.lines[seq]).hexdigest()
        self.logged.append(merkle.leaf_hash(anchor_entry(stream_of(self.match.id), seq, head, kind)))
        size, known = len(self.logged), merkle.subtrees(self.logged)
        checkpoint = sign_checkpoint(ORIGIN, size, merkle.root(self.logged), SIGNER)
        spans = merkle.inclusion_spans(size, size - 1)
        return Inclusion(size - 1, tuple(merkle.hash_of(span, known) for span in spans), checkpoint)


def session_of(events: int, match_id: UUID) -> PlayedMatch:
    """Return an open session of this id, which nothing ends, with at least so many events, in which a seat may act."""
    played = PlayedMatch(SESSION, match_id)
    played.begin()
    while len(played.lines) < events or not _may_act(played.match):
        played.step()
    return played


def _may_act(match: Match) -> bool:
    sealed = match.ceremony is not None and match.ceremony.stage == "sealed"
    return not sealed and not table_deals(match)


def record(rules: dict[str, Any] = RULES) -> tuple[bytes, int, int]:
    """Return the record file of a match, how many rounds it has, and how many slots its deal."""
    played = PlayedMatch(rules)
    played.begin()
    while not played.match.ended:
        played.step()
    final = played.anchored(len(played.lines) - 1, "final")
    known, size = merkle.subtrees(played.logged), len(played.logged)
    grown = [
        Consistency(
            old, tuple(merkle.hash_of(span, known) for span in merkle.consistency_spans(old, size)), final.checkpoint
        )
        for old in range(1, size)
    ]
    rounds = sum(b'"type":"game.round_closed"' in line for line in played.lines)
    assert played.match.ceremony is not None, "it was dealt"
    slots = sum(cup.rolls * cup.width for cup in played.match.ceremony.cups)
    return assemble(played.lines, final, grown), rounds, slots
