"""Hints on a terminal: what an analysis would do in the place of whoever asks, as the house works it out.

Every figure that is not exact has a mark, and each mark says below what vouches for it, as on pages
(`static/analysis/hint.js`).
"""

from __future__ import annotations

from typing import Any, Final

from services.cli.playing.names import Json
from services.cli.playing.phrases import phrase
from services.words.catalogue import CATALOGUE, say, sentence
from services.words.printed import chance_words, percent_words
from services.words.sentences import claim_words, worth_words

MOVES_MAX: Final = 6
"""Moves that are told; those of a hint behind them are as good as never played."""
MARKS: Final = {"exact": "", "model": "\u2248", "sampled": "\u223c", "certified": "\u2713"}
"""What stands behind a figure, by what vouches for it."""


def hint_lines(hint: Json) -> list[str]:
    """Return a hint of the interface, on a line each.

    Raises:
        LookupError, TypeError, ValueError: It is none.
    """
    told = _Told(hint)
    lines = [say(CATALOGUE["teach"]["hints"]["by"], {"by": hint["by"]}), *told.standing()]
    lines += [told.move(option) for option in _together(hint["options"])[:MOVES_MAX]]
    return [*lines, *told.promises.values()]


class _Told:
    """A hint that is told, and what its figures have promised so far, by their marks."""

    def __init__(self, hint: Json) -> None:
        self._hint = hint
        self.promises: dict[str, str] = {}

    def standing(self) -> list[str]:
        """Return how likely the claim to beat is, if there is one."""
        standing = self._hint.get("standing")
        if standing is None:
            return []
        key = "standing" if standing.get("read") is None else "read"
        facts = {name: self._chance(standing[name]) for name in ("odds", "read") if standing.get(name) is not None}
        return [sentence(phrase("hint", key, claim=claim_words(standing["claim"]), **facts))]

    def move(self, option: Json) -> str:
        """Return a move with its figures."""
        figures = []
        if option.get("q") is not None:
            worth = worth_words(option["q"][0], self._hint)
            figures.append(phrase("hint", "worth", worth=self._marked(option["q"], worth)))
        if option.get("chance") is not None:
            figures.append(phrase("hint", "true", chance=self._chance(option["chance"])))
        figures.append(phrase("hint", "weight", chance=self._chance(option["weight"])))
        return phrase("hint", "move", move=_name(option["move"]), figures=", ".join(figures))

    def _chance(self, figure: list[Any]) -> str:
        return self._marked(figure, chance_words(figure[0]))

    def _marked(self, figure: list[Any], words: str) -> str:
        _, by, *more = figure
        if MARKS[by]:
            self.promises.setdefault(by, f"{MARKS[by]} {self._promise(by, *more)}")
        return words + MARKS[by]

    def _promise(self, by: str, more: int = 0) -> str:
        page = CATALOGUE["analysis"]["page"]
        policy = say(page["policy"], {"name": self._hint["policy"].partition("@")[0]})
        facts = {"policy": policy, "samples": str(self._hint.get("deals", 0)), "more": percent_words(more)}
        return say(page["promise"], {"by": by, **facts})


def _together(options: list[Json]) -> list[Json]:
    """Return moves of which those that are called alike, such as ways with the dice, are one, as likely as all."""
    found: dict[str, Json] = {}
    for option in options:
        known = found.setdefault(_name(option["move"]), option | {"weight": [0, *option["weight"][1:]]})
        known["weight"][0] += option["weight"][0]
    return list(found.values())


def _name(move: Json) -> str:
    claim = claim_words(move) if "quantity" in move or "shape" in move else ""
    return say(CATALOGUE["analysis"]["move"], {"type": move["type"], "claim": claim})
