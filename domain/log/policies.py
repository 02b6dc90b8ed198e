"""Trust policies: which logs are believed, and how many witnesses have to agree.

    log example.com/log+8ee2bf1f+AQ...
    witness w1 witness.example/w1+3b12a752+BB...
    witness w2 witness.example/w2+a98ba073+BL...
    group both all w1 w2
    quorum both

The policy comes from elsewhere, never from what it judges.

Source: C2SP tlog-policy. Narrower than it: the file is UTF-8, and keys are Ed25519.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from msgspec import Struct, field

from domain.log.checkpoints import Checkpoint, cosigning_time, decimal, is_signed_by
from domain.log.notes import COSIGNATURE, ED25519, Key, Malformed, Note, Verify, key_of

NONE: Final = "none"
DEFINITIONS_MAX: Final = 256
"""How many logs, witnesses and groups a policy may name together."""


class Untrusted(Exception):  # noqa: N818 - named for what happened
    """A checkpoint does not meet the policy."""


class WitnessGroup(Struct, frozen=True):
    """Witnesses and groups of which at least `least` have to have seen a checkpoint."""

    least: int
    members: tuple[str, ...]


class Policy(Struct, frozen=True):
    """Whom to believe.

    Attributes:
        logs: The keys of the logs, any of which will do.
        witnesses: The keys of the witnesses, by their name in the policy.
        groups: The groups, by name, each after those it is made of.
        quorum: The witness or group that has to have seen a checkpoint, or `none`.
    """

    logs: tuple[Key, ...]
    witnesses: dict[str, Key]
    groups: dict[str, WitnessGroup]
    quorum: str


def parse(file: bytes) -> Policy:
    """Return the policy that a file spells.

    Raises:
        Malformed: It spells none.
    """
    try:
        return policy_of(file.decode())
    except UnicodeDecodeError as error:
        raise Malformed("the policy is not UTF-8") from error


def policy_of(text: str) -> Policy:
    """Return the policy that a text spells.

    Raises:
        Malformed: It spells none; the message names the line.
    """
    draft = _Draft()
    for number, line in enumerate(_lines(text), start=1):
        words = [word for word in line.replace("\t", " ").split(" ") if word]
        if words and not words[0].startswith("#"):
            try:
                draft.take(words[0], words[1:])
            except Malformed as error:
                raise Malformed(f"line {number} of the policy: {error}") from error
    if draft.quorum is None:
        raise Malformed("the policy names no quorum")
    return Policy(tuple(draft.logs), draft.witnesses, draft.groups, draft.quorum)


def accept(policy: Policy, checkpoint: Checkpoint, verify: Verify) -> dict[str, int]:
    """Return which witnesses saw a checkpoint that meets the policy, and when, in Unix seconds.

    Every line that says it is by a key of the policy has to be; lines by other keys are passed over.

    Raises:
        Untrusted: The checkpoint does not meet the policy.
    """
    verdicts = [is_signed_by(checkpoint, key, verify) for key in policy.logs if key.name == checkpoint.origin]
    if True not in verdicts or False in verdicts:
        raise Untrusted("no log of the policy signed this checkpoint")
    try:
        times = {name: cosigning_time(checkpoint, key, verify) for name, key in policy.witnesses.items()}
    except Malformed as error:
        raise Untrusted(str(error)) from error
    seen = {name: at for name, at in times.items() if at is not None}
    if not is_quorum(policy, seen):
        raise Untrusted("too few witnesses of the policy saw this checkpoint")
    return seen


def is_signed(note: Note, policy: Policy, verify: Verify) -> bool:
    """Report whether a log that the policy believes signed a note, such as a receipt.

    No witness is asked: such a note is the word of the server alone, to be held against it.
    """
    text = note.text.encode()
    return any(
        line is not None and verify(key.public_key, text, line.value) for key in policy.logs for line in [note.by(key)]
    )


def is_quorum(policy: Policy, witnesses: Collection[str]) -> bool:
    """Report whether these witnesses, by their names in the policy, are as many as it asks for."""
    if policy.quorum == NONE:
        return True
    agree = {name: name in witnesses for name in policy.witnesses}
    for name, group in policy.groups.items():
        agree[name] = sum(agree[member] for member in group.members) >= group.least
    return agree[policy.quorum]


class _Draft(Struct):
    """A policy, line by line."""

    logs: list[Key] = field(default_factory=list)
    witnesses: dict[str, Key] = field(default_factory=dict)
    groups: dict[str, WitnessGroup] = field(default_factory=dict)
    members: set[str] = field(default_factory=set)
    quorum: str | None = None

    def take(self, keyword: str, words: list[str]) -> None:
        if len(self.logs) + len(self.witnesses) + len(self.groups) >= DEFINITIONS_MAX:
            raise Malformed("the policy is too long")
        match keyword, words:
            case "log", [vkey] | [vkey, _]:
                self.logs.append(_key(vkey, ED25519, self.logs))
            case "witness", [name, vkey] | [name, vkey, _]:
                self.witnesses[self._check_fresh(name)] = _key(vkey, COSIGNATURE, self.witnesses.values())
            case "group", [name, least, *members] if members:
                self.groups[self._check_fresh(name)] = self._group(least, members)
            case "quorum", [name] if self.quorum is None and (name == NONE or self._is_known(name)):
                self.quorum = name
            case _:
                raise Malformed(f"this {keyword} says nothing that can be understood")

    def _is_known(self, name: str) -> bool:
        return name in self.witnesses or name in self.groups

    def _check_fresh(self, name: str) -> str:
        if name == NONE or self._is_known(name):
            raise Malformed(f"the name {name} is taken")
        return name

    def _group(self, least: str, names: list[str]) -> WitnessGroup:
        for name in names:
            if not self._is_known(name) or name in self.members:
                raise Malformed(f"{name} is not there to be a member")
            self.members.add(name)
        count = {"any": 1, "all": len(names)}.get(least) or decimal(least)
        if not 1 <= count <= len(names):
            raise Malformed("a group asks for at least one member and at most all")
        return WitnessGroup(count, tuple(names))


def _lines(text: str) -> list[str]:
    if any((character < " " and character not in "\t\n") or character == "\x7f" for character in text):
        raise Malformed("the policy has control characters")
    return text.split("\n")


def _key(vkey: str, kind: int, others: Collection[Key]) -> Key:
    key = key_of(vkey)
    if key.kind != kind:
        raise Malformed("a log's key has type 1, a witness's type 4")
    if any(other.public_key == key.public_key for other in others):
        raise Malformed("this key stands in the policy twice")
    return key
