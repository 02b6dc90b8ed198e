"""All three layers of an audit together, and what they come to (CUP/1 section 4.10).

Nothing here asks a server, reads a clock or needs a data folder: the record, a policy from elsewhere, and the domain.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from msgspec import UNSET, Struct, UnsetType, to_builtins

from domain import referee
from domain.fairness.audit import audit
from domain.fairness.records import Line, events_of
from domain.log.policies import Policy
from infra.keys import ed25519_verify

LAYERS: Final = (1, 2, 3)
Status = Literal["OK", "FAULT", "INCOMPLETE"]


class Seeds(Struct, frozen=True):
    """Which seats brought seeds of their own, and for which the server drew them."""

    own: tuple[int, ...]
    server: tuple[int, ...]


class Verdict(Struct, frozen=True):
    """What an audit found.

    Attributes:
        status: Whether the record is fair, at fault, or not complete.
        layers: The layers that were checked.
        message: What was found, in a sentence.
        code: What is wrong; absent when nothing is.
        line: Where, from 1; 0 for the file as a whole.
        anchored: Whether a log the policy believes vouches for the record.
        head: The hash of the last line.
        deals: What is proved of each deal, by its number.
        rules: What layer 3 found, in a sentence; absent where it was not asked for.
        seeds: Who drew the seeds.
    """

    status: Status
    layers: tuple[int, ...]
    message: str
    code: str | UnsetType = UNSET
    line: int | UnsetType = UNSET
    anchored: bool | UnsetType = UNSET
    head: str | UnsetType = UNSET
    deals: dict[str, Any] | UnsetType = UNSET
    rules: str | UnsetType = UNSET
    seeds: Seeds | UnsetType = UNSET


def verdict_of(record: bytes, policy: Policy | None, layers: tuple[int, ...] = LAYERS) -> Verdict:
    """Return what an audit of this record finds.

    Args:
        record: The record file.
        policy: Whom to believe about the log; without one it is not judged.
        layers: Which layers to check; the third stands on the first two.

    Cost: linear in the record; layer 3 costs about what playing the match cost the server.
    """
    lower = tuple(layer for layer in layers if layer in {1, 2})
    found = {name: value for name, value in to_builtins(audit(record, policy, ed25519_verify, layers=lower)).items()
             if value is not None}
    verdict = Verdict(layers=lower, **{name: found[name] for name in found if name in Verdict.__struct_fields__})
    return verdict
