"""Canaries: secrets whose bytes are known, looked for in whatever must not have them, in every form they might take."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from typing import Any

from domain.fairness.openings import DealSecrets
from tests.cluster.memory import forms
from tests.domain.swapped_dice import Where


class Canaries:
    """Secrets by their names."""

    def __init__(self, secrets: Mapping[str, bytes]) -> None:
        assert all(len(secret) >= 16 for secret in secrets.values()), "what is shorter may stand anywhere by chance"
        self._forms = {name: written(secret) for name, secret in secrets.items()}

    @property
    def names(self) -> set[str]:
        """What they are called."""
        return set(self._forms)

    def found_in(self, text: bytes) -> set[str]:
        """Return the names of those that stand in a text, in any form."""
        return {name for name, each in self._forms.items() if any(form in text for form in each)}


def written(secret: bytes) -> list[bytes]:
    """Return how a secret may be written: as it is, in hex, base64, as numbers, as Python, JSON or URLs quote it."""
    numbers, quoted = [str(byte) for byte in secret], json.dumps(secret.decode("latin-1"))[1:-1]
    texts = [", ".join(numbers), ",".join(numbers), " ".join(numbers), repr(secret)[2:-1], quoted]
    texts += [mark + mark.join(f"{byte:02{case}}" for byte in secret) for mark, case in ((":", "x"), ("%", "X"))]
    shifted = [base64.b64encode(b"\0" * before + secret)[4:-4] for before in (1, 2)]
    return [*forms(secret), *shifted, *(text.removeprefix(":").encode() for text in texts)]


def of_deal(keeper: DealSecrets, shown: Iterable[Where], name: str = "deal") -> dict[str, bytes]:
    """Return what opens a deal: its secret, and the keys of hidden dice, of the first rolls of each cup."""
    known = {where[1:] for where in shown if where[0] == keeper.number}
    cups = [
        (cup.id, roll, slot)
        for cup in keeper.deal.cups
        for roll in range(min(cup.rolls + 1, 4))
        for slot in range(cup.width)
    ]
    keys = {f"{name}: key {at}": keeper.deal.key(*at) for at in cups if at not in known}
    return {f"{name}: secret": keeper.secret, **keys}


def text_of(value: Any) -> bytes:
    """Return everything that stands in a value, its bytes as they are."""
    match value:
        case bytes():
            return value
        case list() | tuple() | set():
            return b"\n".join(map(text_of, value))
        case dict():
            return b"\n".join(text_of(each) for pair in value.items() for each in pair)
        case _:
            return str(value).encode()
