"""Layer 1, second half: the transparency log vouches for the record (CUP/1 sections 4.9 and 4.10).

The law of the file: a line counts as logged when a checkpoint that meets the policy holds its anchor, and all
checkpoints of a record are heads of one log that only grew. Without a policy the hashes are checked and nobody's
signature is: the record is then consistent in itself, and not anchored.
"""

from __future__ import annotations

from collections.abc import Sequence

from domain.fairness import shapes
from domain.fairness.chain import ChainedEvent
from domain.fairness.faults import Fault
from domain.fairness.misdated import Witnessed
from domain.fairness.records import RecordParts
from domain.log import checkpoints, merkle, policies, proofs
from domain.log.checkpoints import Checkpoint
from domain.log.notes import Malformed, Verify, unbase64
from domain.log.policies import Policy


class Anchors:
    """What the log has vouched for, line by line."""

    def __init__(self, policy: Policy | None, verify: Verify) -> None:
        """Judge checkpoints by this policy; by none at all, judge no signature."""
        self._policy = policy
        self._verify = verify
        self._latest: dict[type[shapes.Members], ChainedEvent] = {}
        self._earlier: list[Checkpoint] = []
        self.anchored = False
        self.witnessed: list[Witnessed] = []

    def step(self, event: ChainedEvent) -> dict[str, int]:
        """Return which witnesses saw what this event says is logged, and when; empty for any other event.

        Raises:
            Fault: `E_LOG`.
        """
        match event.members:
            case shapes.DealFixed():
                return self._check_anchor(event.members, shapes.SeedOpened, "opened")
            case shapes.DealLogged():
                return self._check_anchor(event.members, shapes.DealSealed, "sealed")
            case _:
                self._latest[type(event.members)] = event
                return {}

    def finish(self, last: ChainedEvent, parts: RecordParts) -> bool:
        """Report whether the proof of the last line is there; check it, and that the log only grew up to it.

        Raises:
            Fault: `E_LOG`.
        """
        if parts.proof is None:
            return False
        try:
            proof = proofs.inclusion_of(_text(parts.proof))
            grown = [proofs.consistency_of(_text(item)) for item in parts.consistencies]
        except ValueError as error:
            raise Fault("E_LOG", f"a proof after the event lines is malformed: {error}") from error
        # Only the end of a match has an anchor that says that nothing follows; a record of before is a beginning.
        kind = "final" if isinstance(last.members, shapes.MatchEnded) else "live"
        checkpoint, _ = self._check_inclusion(last, kind, proof.index, proof.path, proof.checkpoint)
        self._check_growth(checkpoint, proof.checkpoint, grown)
        return True

    def _check_anchor(self, members: shapes.DealLogged, what: type[shapes.Members], kind: str) -> dict[str, int]:
        event = self._latest.get(what)
        if event is None:
            raise Fault("E_LOG", "nothing is there that could have been logged")
        path = [bytes.fromhex(item) for item in members.path]
        checkpoint, seen = self._check_inclusion(event, kind, members.index, path, members.checkpoint)
        self._earlier.append(checkpoint)
        return seen

    def _check_inclusion(
        self, event: ChainedEvent, kind: str, index: int, path: Sequence[bytes], note: str
    ) -> tuple[Checkpoint, dict[str, int]]:
        try:
            checkpoint = checkpoints.checkpoint_of(note)
        except Malformed as error:
            raise Fault("E_LOG", f"the checkpoint is malformed: {error}") from error
        seen = self._witness_times(checkpoint)
        leaf = merkle.leaf_hash(proofs.anchor_entry(event.stream, event.seq, event.head, kind))
        if not merkle.includes(checkpoint.root, checkpoint.size, index, leaf, path):
            raise Fault("E_LOG", f"line {event.seq + 1} is not in the log as {kind}")
        self.witnessed += [Witnessed(event.seq, seen)]
        # Without a policy the tree is checked and nobody's signature is, so anybody could have made it.
        self.anchored = self._policy is not None
        return checkpoint, seen

    def _witness_times(self, checkpoint: Checkpoint) -> dict[str, int]:
        if self._policy is None:
            return {}
        try:
            return policies.accept(self._policy, checkpoint, self._verify)
        except policies.Untrusted as error:
            raise Fault("E_LOG", str(error)) from error

    def _check_growth(self, newest: Checkpoint, note: str, grown: Sequence[proofs.Consistency]) -> None:
        ways = {proof.old: proof.path for proof in grown}
        # A proof that joins nothing here would be room for bytes that no auditor reads, and two auditors could differ.
        strange = ways.keys() - {old.size for old in self._earlier}
        if strange or len(ways) < len(grown) or any(proof.checkpoint != note for proof in grown):
            raise Fault("E_LOG", "a consistency proof joins checkpoints that are not in the record, or that are joined")
        for old in self._earlier:
            path = ways.get(old.size)
            if path is None or not merkle.extends(old.size, old.root, newest.size, newest.root, path):
                raise Fault("E_LOG", f"nothing shows that the log only grew after its entry {old.size}")
            # Two logs of one policy could each tell a history of their own: a match stands in one.
            if old.origin != newest.origin:
                raise Fault("E_LOG", "the checkpoints of the record are of two logs")


def _text(encoded: bytes) -> str:
    return unbase64(encoded.decode()).decode()
