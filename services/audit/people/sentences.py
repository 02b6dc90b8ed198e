"""Names in an audit, in sentences: which the record commits to, which are the server's word, and which were swapped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import UNSET, UnsetType

from domain.fairness.names import NamesFound
from domain.ids import Seat
from services.audit.seeds import seat_facts
from services.words.catalogue import CATALOGUE, say

Sentence = tuple[Literal["yes", "no", "open", "note"], str]
"""How it stands with a thing, and what is said of it."""


def name_sentences(found: NamesFound | UnsetType) -> Iterator[Sentence]:
    """Yield what became of the names that were given along with a record; nothing where none were."""
    if found is UNSET:
        return
    words = CATALOGUE["audit"]
    for line in found.swapped:
        where = say(words["where"], {"line": str(line), "access": "no"})
        yield "no", say(words["findings"]["names swapped"], {"where": where})
    if found.strange:
        yield "no", say(words["findings"]["names strange"], {"names": str(found.strange)})
    if found.checked:
        yield "yes", _of_seats("names checked", found.checked)
    if found.open:
        yield "open", _of_seats("names open", found.open)
    if found.erased:
        yield "note", _of_seats("names erased", found.erased)
    yield "open", say(words["findings"]["names bots"], {})


def _of_seats(key: str, seats: Sequence[Seat]) -> str:
    return say(CATALOGUE["audit"]["findings"][key], seat_facts(sorted(set(seats))))
