"""Sentences about the record of a season: what was worked out again, and what its host and the house could still do."""

from __future__ import annotations

from collections.abc import Iterator, Sized

from msgspec import UNSET, UnsetType

from services.words.catalogue import CATALOGUE, say


def season_sentences(counts: Sized | UnsetType) -> Iterator[str]:
    """Yield what layer 3 found of these tournaments in a season without fault, if it was asked for."""
    words = CATALOGUE["terminal"]["season"]
    if counts is not UNSET:
        yield words["kept"]
        yield say(words["counted"], {"count": str(len(counts))})


def season_powers() -> tuple[str, ...]:
    """Return what the house could do in a season in spite of its record."""
    words = CATALOGUE["terminal"]["season"]
    return (words["admits"], words["elsewhere"])
