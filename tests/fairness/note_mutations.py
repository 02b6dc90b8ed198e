"""Checkpoints changed at random: what they say, who signed it, and how it is spelled."""

from __future__ import annotations

from base64 import b64decode, b64encode
from random import Random

from domain.log.notes import COSIGNATURE, ED25519, Key
from infra.keys import Ed25519Signer
from tests.fairness.scripted_server import ORIGIN, SIGNERS, WITNESS

DASH = "\u2014 "
SPACES = (" ", "\u00a0", "\u0085", "\u2003", "\u2028", "\u3000", "\ufeff", "\u200b", "\u180e", "\x1c", "+")
STRANGER = Ed25519Signer(b"s" * 32)


def renoted(rng: Random, note: str) -> str:
    """Return a checkpoint with something changed, and signed again more often than not."""
    text, _, tail = note.rpartition("\n\n")
    lines = tail.split("\n")[:-1]
    if rng.random() < 0.6:
        text = _said(rng, text)
        if rng.random() < 0.8:
            lines = _signatures(rng, text + "\n", origin=text.partition("\n")[0])
    else:
        lines = _signed(rng, text + "\n", lines)
    spelled = text + "\n\n" + "".join(f"{line}\n" for line in lines)
    return spelled[:-1] if rng.random() < 0.03 else spelled


def _said(rng: Random, text: str) -> str:
    origin, size, root = text.split("\n")
    way = rng.randrange(8)
    if way == 0:
        origin = rng.choice(["", "other.example", origin + rng.choice(SPACES), "é"])
    elif way < 3:
        size = rng.choice([str(int(size) + 1), str(int(size) - 1), "0", "1", "2", f"0{size}", f"+{size}", "", "٣"])
    elif way == 3:
        size = rng.choice([str(2**53), str(2**63 - 1), str(2**63), "1" * 19, "9" * 20, f"{size} "])
    elif way == 4:
        root = rng.choice([root[:-1], root[:-2] + "B=", root + "=", root[:-4], "", b64encode(bytes(32)).decode()])
    elif way == 5:
        root = b64encode(bytes([b64decode(root)[0] ^ 1]) + b64decode(root)[1:]).decode()
    elif way == 6:
        return rng.choice([text + "\nextension", f"{origin}\n{size}", f"\n{text}", f"{text}\n", f"{text}\t"])
    return f"{origin}\n{size}\n{root}"


def _signatures(rng: Random, text: str, origin: str = ORIGIN) -> list[str]:
    """Return the lines that the log and its witness would sign under this text."""
    name = rng.choice([ORIGIN, ORIGIN, ORIGIN, origin or ORIGIN])
    return [_by_log(text, name), _by_witness(text, rng.choice([0, 1, 2**63 - 1, 2**63, 2**64 - 1]))]


def _by_log(text: str, name: str = ORIGIN, signer: Ed25519Signer = SIGNERS[ORIGIN]) -> str:
    return _line(name, Key(name, ED25519, signer.public_key).id, signer.sign(text.encode()))


def _by_witness(text: str, at: int, name: str = WITNESS, signer: Ed25519Signer = SIGNERS[WITNESS]) -> str:
    value = at.to_bytes(8, "big") + signer.sign(f"cosignature/v1\ntime {at}\n{text}".encode())
    return _line(name, Key(name, COSIGNATURE, signer.public_key).id, value)


def _line(name: str, key_id: bytes, value: bytes) -> str:
    return f"{DASH}{name} {b64encode(key_id + value).decode()}"


def _signed(rng: Random, text: str, lines: list[str]) -> list[str]:
    """Return other signatures of the same text."""
    at = rng.randrange(len(lines))
    name, value = lines[at].removeprefix(DASH).split(" ")
    raw = b64decode(value)
    bit = rng.randrange(len(raw))
    flipped = raw[:bit] + bytes([raw[bit] ^ 1 << rng.randrange(8)]) + raw[bit + 1 :]
    stranger = _by_log(text, rng.choice(["s.example", ORIGIN, WITNESS, f"s{rng.choice(SPACES)}s"]), STRANGER)
    changed = rng.choice(
        [
            f"{DASH}{name} {b64encode(flipped).decode()}",
            f"{DASH}{name} {b64encode(raw[: rng.choice([0, 3, 4, 5, 11, 12, 67, 75])]).decode()}",
            f"{DASH}{name} {b64encode(raw + b'.').decode()}",
            f"{DASH}{name}{rng.choice(SPACES)} {value}",
            f"{DASH}{name}  {value}",
            f"{DASH}{name} {value} ",
            f"{DASH}{name} {value.rstrip('=')}",
            f"{DASH}{name} {value[:-3]}{rng.choice('ABCDwxyz')}{value[-2:]}",
            f"- {name} {value}",
            f"{DASH}{value}",
            "",
            _by_witness(text, rng.choice([0, 1, 2**63 - 1, 2**63, 2**64 - 1])),
            _by_log(text, ORIGIN, STRANGER),
        ]
    )
    return rng.choice(
        [
            [*lines[:at], changed, *lines[at + 1 :]],
            [*lines[:at], changed, *lines[at:]],
            [*lines, changed],
            [stranger, *lines],
            [*lines[:at], *lines[at + 1 :]],
            [*lines, *lines],
            lines[::-1],
            [*lines, *[stranger] * rng.choice([61, 62, 63])],
        ]
    )
