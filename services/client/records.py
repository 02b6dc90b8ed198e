"""The record of a match, read by somebody who believes none of it: what it says of one deal."""

from __future__ import annotations

from domain.fairness import records
from domain.fairness.anchors import Anchors
from domain.fairness.chain import ChainedEvent, follow
from domain.fairness.dealing import Dealing, Open
from domain.fairness.faults import Fault
from domain.log.policies import Policy
from infra.keys import ed25519_verify


class Untrue(Exception):  # noqa: N818 - named for what it raises
    """The server says something that cannot be so.

    Attributes:
        key: What it is, as the catalogue names it.
        facts: What goes with it.
    """

    def __init__(self, key: str, **facts: str) -> None:
        """Say what cannot be so."""
        super().__init__(key)
        self.key = key
        self.facts = facts


def deal_of(record: bytes, stream: str, number: int, policy: Policy) -> Open:
    """Return a deal as far as a record has come, once all that the record says up to there has been checked.

    Args:
        record: The record as the server gives it now.
        stream: The one it has to be of, a match's or a board's.
        number: The deal, which has to be its last.
        policy: Whom to believe about the log.

    Raises:
        Untrue: The record does not hold, or has no such deal.

    Cost: layers 1 and 2 of the audit, up to the last line.
    """
    dealing, anchors = Dealing(), Anchors(policy, ed25519_verify)
    before: ChainedEvent | None = None
    at = 1
    try:
        for at, line in enumerate(records.split(record).lines, start=1):  # noqa: B007 - a fault is told with it
            before = follow(line, before)
            dealing.step(before)
            anchors.step(before)
    except Fault as fault:
        raise Untrue("record", code=fault.code, why=fault.why, line=str(at)) from fault
    if before is None or before.stream != stream or not dealing.deals or dealing.deals[-1].number != number:
        raise Untrue("deal", deal=str(number + 1))
    return dealing.deals[-1]
