"""Whom to believe about a log (C2SP tlog-policy): its key, and how many of which witnesses.

    log dice.example/log+b4eb99aa+AQ6j...
    witness w0 w0.example/witness+3b12a752+BBdf...
    group g 2 w0 w1
    quorum g

A policy must come from elsewhere than the record it judges: a package, a repository, another machine.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from domain.log.checkpoints import Checkpoint, checkpoint_of, cosigned_at
from domain.log.notes import COSIGNATURE, ED25519, Key, Malformed, Verify, key_of, signed_by

NONE: Final = "none"


class Group(Struct, frozen=True):
    """So many of these members, which are witnesses or groups."""

    threshold: int
    members: tuple[str, ...]


class Policy(Struct, frozen=True):
    """Logs to believe, the witnesses by name, the groups by name, and which of them has to agree."""

    logs: tuple[Key, ...]
    witnesses: dict[str, Key]
    groups: dict[str, Group]
    quorum: str


class Untrusted(ValueError):  # noqa: N818 - says what the checkpoint is
    """The policy does not believe this checkpoint."""


def policy_of(text: str) -> Policy:
    """Return the policy that this text is.

    Raises:
        Malformed: A line is none of a policy, with its number from 1.
    """
    policy = Policy((), {}, {}, "")
    for number, line in enumerate(text.splitlines(), start=1):
        words = [word for word in line.replace("\t", " ").split(" ") if word]
        if words and not words[0].startswith("#"):
            try:
                policy = _with_line(policy, words)
            except Malformed as error:
                raise Malformed(f"line {number} of the policy: {error}") from error
    if not policy.logs or not policy.quorum:
        raise Malformed("a policy names at least a log and a quorum, which may be none")
    return policy


def _with_line(policy: Policy, words: list[str]) -> Policy:
    match words:
        case ["log", key] | ["log", key, _]:
            return _with_log(policy, key_of(key))
        case ["witness", name, key] | ["witness", name, key, _]:
            return _with_witness(policy, name, key_of(key))
        case ["group", name, threshold, *members] if members:
            return _with_group(policy, name, threshold, members)
        case ["quorum", name] if not policy.quorum and (name == NONE or _known(policy, name)):
            return Policy(policy.logs, policy.witnesses, policy.groups, name)
        case _:
            raise Malformed("this is no line of a policy")


def _with_log(policy: Policy, key: Key) -> Policy:
    if key.kind != ED25519:
        raise Malformed("a log signs with Ed25519")
    return Policy((*policy.logs, key), policy.witnesses, policy.groups, policy.quorum)


def _with_witness(policy: Policy, name: str, key: Key) -> Policy:
    if key.kind != COSIGNATURE or name == NONE or _known(policy, name):
        raise Malformed("a witness has a name of its own and a cosignature key")
    return Policy(policy.logs, {**policy.witnesses, name: key}, policy.groups, policy.quorum)


def _with_group(policy: Policy, name: str, threshold: str, members: list[str]) -> Policy:
    many = {"any": 1, "all": len(members)}.get(threshold) or (int(threshold) if threshold.isdecimal() else 0)
    unknown = [member for member in members if not _known(policy, member)]
    if not 1 <= many <= len(members) or unknown or name == NONE or _known(policy, name):
        raise Malformed("a group has a name of its own, a threshold, and members named before it")
    return Policy(policy.logs, policy.witnesses, {**policy.groups, name: Group(many, tuple(members))}, policy.quorum)


def _known(policy: Policy, name: str) -> bool:
    return name in policy.witnesses or name in policy.groups


def believed(policy: Policy, text: str, verify: Verify, before: int | None = None) -> Checkpoint:
    """Return the checkpoint that this note is, if the policy believes it.

    Args:
        policy: Whom to believe.
        text: The note.
        verify: Ed25519.
        before: Only cosignatures made at this time or earlier count, in Unix seconds.

    Raises:
        Untrusted: It is malformed, not signed by a log of the policy under its own name, or has too few witnesses.
    """
    try:
        checkpoint = checkpoint_of(text)
        signers = signed_by(checkpoint.note, policy.logs, verify)
    except Malformed as error:
        raise Untrusted(str(error)) from error
    if not any(key.name == checkpoint.origin for key in signers):
        raise Untrusted("no log of the policy has signed it")
    times = cosigned_at(checkpoint, policy.witnesses.values(), verify)
    agreed = {name for name, key in policy.witnesses.items() if key in times and (before is None or times[key] <= before)}
    if policy.quorum != NONE and not _agrees(policy, policy.quorum, agreed):
        raise Untrusted("too few witnesses have cosigned it")
    return checkpoint


def _agrees(policy: Policy, name: str, agreed: set[str]) -> bool:
    group = policy.groups.get(name)
    if group is None:
        return name in agreed
    return sum(_agrees(policy, member, agreed) for member in group.members) >= group.threshold
