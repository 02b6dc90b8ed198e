"""Witnesses of the house's log: who is asked, and the policy that says so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import httpx
from msgspec import Struct

from domain.log.notes import COSIGNATURE, ED25519, Key, Malformed, key_of
from domain.log.policies import NONE, policy_of
from services.work.startup import CannotStart

GROUP: Final = "witnesses"
"""What the policy calls all of them together."""


class WitnessAddress(Struct, frozen=True):
    """A witness: the key its cosignatures are checked with, and the address it is asked at (C2SP tlog-witness)."""

    key: Key
    url: str


def witnesses_of(text: str) -> tuple[WitnessAddress, ...]:
    """Return the witnesses that `TRUECUP_WITNESSES` names: `vkey url, vkey url, ...`.

    Raises:
        CannotStart: It cannot be meant so.
    """
    return tuple(_witness(number, entry) for number, entry in enumerate(filter(str.strip, text.split(",")), 1))


def _witness(number: int, entry: str) -> WitnessAddress:
    """Return a witness; one that is none is told by its number, for its address may have a password in it."""
    words = entry.split()
    try:
        vkey, url = words
        key, known = key_of(vkey), httpx.URL(url).scheme in {"http", "https"}
    except (ValueError, httpx.InvalidURL):
        raise CannotStart(f"TRUECUP_WITNESSES: number {number} is not a verifier key and an address") from None
    if key.kind != COSIGNATURE or not known:
        raise CannotStart(f"TRUECUP_WITNESSES: number {number} is not the key of a witness and where it is on the web")
    return WitnessAddress(key, url.rstrip("/"))


def policy_text(origin: str, public_keys: tuple[bytes, ...], witnesses: Sequence[Key] = (), quorum: str = "all") -> str:
    """Return the policy that believes this log; to be kept by those who check, not by us.

    Args:
        origin: The name of the log.
        public_keys: Its keys, the newest first: any of them will do.
        witnesses: The keys of the witnesses.
        quorum: How many of them have to have seen a checkpoint: `all`, `none`, or a number.

    Raises:
        CannotStart: There is no such policy.
    """
    lines = [f"log {Key(origin, ED25519, public_key)}" for public_key in public_keys]
    lines += [f"witness {key.name} {key}" for key in witnesses]
    if quorum == NONE or (quorum == "all" and not witnesses):
        lines.append(f"quorum {NONE}")
    else:
        lines += [f"group {GROUP} {quorum} {' '.join(key.name for key in witnesses)}", f"quorum {GROUP}"]
    text = "\n".join(lines) + "\n"
    try:
        policy_of(text)
    except Malformed as trouble:
        raise CannotStart(f"TRUECUP_WITNESSES and TRUECUP_QUORUM do not fit together: {trouble}") from trouble
    return text
