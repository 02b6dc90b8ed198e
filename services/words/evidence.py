"""The evidence for a verdict: the open dice that count for a claim, and those of a hand.

It goes by dice that everybody sees and by no others, so that a verdict is the same for each viewer.
`services/web/static/words/evidence.js` finds the same.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from domain.rules.claims import ONE
from services.words.catalogue import CATALOGUE, Facts, count_words, die_words, join_names, number_words, say

Json = dict[str, Any]
NOTHING: Final = "none"


def facts_of_count(verdict: Json, view: Json) -> Facts:
    """Return how a count came about: how many dice show the face itself, and how many wild ones count with them.

    `tally` says which of it can be said: `hidden` where not every die lies open, or where those that do come to another
    count than the one that was judged.
    """
    face, count = verdict["face"], verdict["count"]
    faces = _shown([die for seat in view["seats"] for die in seat["dice"]])
    natural = faces.count(face)
    wild = 0 if face == ONE else count - natural
    if count and (not faces or wild not in {0, faces.count(ONE)}):
        tally = "hidden"
    elif not count or not wild:
        tally = "plain" if count else NOTHING
    elif natural:
        tally = "mixed"
    else:
        short = verdict["kind"] != "spot_on" and verdict["holds"] is False and count >= verdict["quantity"]
        tally = "no natural" if short else "wild"
    # Where the dice that lie open are not all, what would be left for wild ones is no number of anything.
    number = {"wild": str(wild), "wild.words": number_words(wild)}
    return {"tally": tally, "naturals": count_words(natural, face), "wild.number": say(CATALOGUE["wild"], number)}


def lying(verdict: Json, view: Json) -> str:
    """Return the dice of the hand that was judged, such as `two kings, a ten and an ace`; `none` where any is hidden.

    They are the claimant's, or those of the cup that was passed on.
    """
    cups = [seat["dice"] for seat in view["seats"] if seat["seat"] == verdict["claimant"]]
    return dice_words(_shown(view["cup"] or [die for cup in cups for die in cup])) or NOTHING


def dice_words(faces: list[int]) -> str:
    """Return dice as people say them, those that are alike together, in the order in which they lie."""
    if not faces:
        return ""
    return join_names([die_words(number, face) for face, number in Counter(faces).items()])


def _shown(dice: list[Json]) -> list[int]:
    """Return the faces of dice that everybody sees; none of them unless all are seen."""
    return [die["face"] for die in dice] if all(die["shown"] for die in dice) else []
