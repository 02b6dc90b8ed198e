"""Automatic words in the language that is spoken: the sentence of a key, with every argument where its pointer points.

Numbers are read as finely as people speak of them, a tenth of a per cent or of a point; what is not sure is never said
to be so. No number stands in a message of the catalogue.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from domain.analysis.figures import MILLION, divide
from domain.analysis.report import ToldSentence
from projections.casting.sentences import Document, found_at, variant_of
from services.words.catalogue import CATALOGUE, Facts, count_words, hand_words, say, sentence
from services.words.figures import figure
from services.words.printed import chance_words, percent_words

Names = Mapping[int, str]
"""What people call the seats; those that are not named go by their number."""
POINT: Final = 10_000
"""A point in ppm of the stake."""


def sentence_words(document: Document, told: ToldSentence, names: Names | None = None) -> str:
    """Return what a sentence of a document comes to.

    Args:
        document: What its pointers point into, with the `head` that decides how it is phrased.
        told: The sentence.
        names: What people call the seats.

    Raises:
        LookupError: A pointer points at nothing.
    """
    facts: dict[str, str] = {"variant": str(variant_of(document["head"], told.version, told.key))}
    for name, pointer in told.args.items():
        value = found_at(document, pointer)
        if name == "seat":
            facts |= _seat_facts(value, names or {})
        else:
            facts[name] = _written(told.key, name)(value, document)
    return sentence(say(CATALOGUE["analysis"]["said"][told.key], facts))


def _seat_facts(seat: int, names: Names) -> Facts:
    people = CATALOGUE["people"]
    name = names.get(seat) or say(people["seat"], {"seat": str(seat)})
    return {"seat": name, "seat.whose": say(people["whose"], {"name": name})}


# ---- arguments ----------------------------------------------------------------------------------


def claim_words(claim: Mapping[str, Any]) -> str:
    """Return a claim of an analysis, such as `five threes` or `a pair of kings`."""
    if "quantity" in claim:
        return count_words(claim["quantity"], claim["face"])
    return hand_words(claim["shape"], claim["faces"])


def worth_figure(ppm: int, document: Document) -> str:
    """Return a worth without what it is a part of."""
    worth = document.get("worth", {"kind": "match"})
    return percent_words(ppm) if worth["kind"] == "match" else _units(ppm)


def worth_words(ppm: int, document: Document) -> str:
    """Return a worth: as a share of the match, or in the unit of a session."""
    worth = document.get("worth", {"kind": "match"})
    if worth["kind"] == "match":
        return say(CATALOGUE["analysis"]["of_match"], {"number": worth_figure(ppm, document)})
    _, many = CATALOGUE["units"][worth["unit"]]
    return f"{_units(ppm)} {many}"


def _units(ppm: int) -> str:
    tenths = divide(ppm, MILLION // 10)
    minus = "\u2212" if tenths < 0 else ""
    return f"{minus}{figure(abs(tenths) / 10, 1)}"


def _points(ppm: int, _document: Document) -> str:
    return say(CATALOGUE["analysis"]["points"], {"number": figure(divide(ppm, POINT // 10) / 10, 1)})


def _own(count: int, _document: Document) -> str:
    return say(CATALOGUE["analysis"]["own"], {"number": str(count)})


def _move(move: Mapping[str, Any], how: str) -> str:
    claim = claim_words(move) if "quantity" in move or "shape" in move else ""
    return say(CATALOGUE["analysis"][how], {"type": move["type"], "claim": claim})


_WRITTEN: Final[dict[str, Callable[[Any, Document], str]]] = {
    "did": lambda move, _: _move(move, "did"),
    **dict.fromkeys(("best", "other"), lambda move, _: _move(move, "move")),
    **dict.fromkeys(("claim", "raise"), lambda claim, _: claim_words(claim)),
    **dict.fromkeys(("chance", "public", "read"), lambda ppm, _: chance_words(ppm)),
    "label": lambda label, _: say(CATALOGUE["analysis"]["label"], {"label": label}),
    "points": _points,
    "own": _own,
    "before": worth_figure,
    **dict.fromkeys(("after", "worth", "runner_up"), worth_words),
}
"""How each argument is written, by its name."""


def _written(key: str, name: str) -> Callable[[Any, Document], str]:
    # What a seat has is a count of dice, but where it speaks of how they fell.
    return worth_words if (key, name) == ("dealt", "own") else _WRITTEN[name]
