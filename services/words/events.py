"""A match in words: the sentence for each public event, for one viewer, and for the verdict on a round.

`services/web/static/words/telling.js` makes the same arguments of the same events.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from domain.rules.rules import DIGITS, Faces
from domain.table.state import PASSED_CUP, TABLE_CUP
from projections.words import face_mark
from services.words.catalogue import (
    CATALOGUE,
    Facts,
    amount_words,
    count_words,
    hand_words,
    join_names,
    number_words,
    say,
    sentence,
    term,
)
from services.words.evidence import facts_of_count, lying

Json = dict[str, Any]
NOBODY: Final = "none"

_APART: Final = "\u2068\u2069"
"""Stand around a name while a sentence is made, so that nobody's name gets a capital that is not theirs."""
_WITHOUT_MARKS: Final = dict.fromkeys(map(ord, _APART))
_TESTS: Final = {"auto_challenge", "count"}
"""Verdicts that put a claim to the test, as a challenge does."""
_SEATS: Final = ("seat", "who", "starter", "from", "to", "claimant", "turn", "winner")
_LISTS_OF_SEATS: Final = ("seats", "losers", "winners")


class Names:
    """The names of people at a table, for one viewer."""

    def __init__(self, view: Json, earlier: Json | None = None) -> None:
        """Take the names from this view, and from an earlier one those of seats that were given up since."""
        self.viewer = view.get("viewer")
        self.tokens = Faces(*view["faces"])
        self.sizes = {seat["seat"]: len(seat["dice"]) for seat in view["seats"]} | {PASSED_CUP: len(view["cup"])}
        before = () if earlier is None else earlier["seats"]
        self._names = {seat["seat"]: seat["name"] for seat in (*before, *view["seats"])}
        self._words = CATALOGUE["people"]

    def of(self, account: int | str) -> str:
        """Return the name of a seat, or of a place at the table such as the pot."""
        if isinstance(account, str):
            return say(self._words["place"], {"place": account})
        if account == self.viewer:
            return str(self._words["you"])
        name = self._names.get(account)
        return say(self._words["seat"], {"seat": str(account)}) if name is None else f"{_APART[0]}{name}{_APART[1]}"

    def whose(self, seat: int) -> str:
        """Return whose something is."""
        if seat == self.viewer:
            return str(self._words["your"])
        return say(self._words["whose"], {"name": self.of(seat)})

    def person(self, seats: Sequence[int]) -> str:
        """Return of whom a verb speaks: `none`, `you` alone, `one` other, or `many`."""
        if len(seats) > 1:
            return "many"
        return NOBODY if not seats else "you" if seats[0] == self.viewer else "one"

    def all(self, seats: Iterable[int]) -> str:
        """Return the names of some seats in a row."""
        return join_names([self.of(seat) for seat in seats])

    def drawn(self, faces: Iterable[int]) -> str:
        """Return dice that everybody sees, such as `[3][K]`."""
        return "".join(f"[{face_mark(face, self.tokens)}]" for face in faces)


def sentence_of(event: Json, view: Json, earlier: Json | None = None, *, opened: bool = False) -> str:
    """Return what an event comes to, as a sentence; nothing where only machines care, its type if nobody knows it.

    Args:
        event: A public event, with its `type`.
        view: The view after it.
        earlier: The view before it, where that is at hand: who gives a seat up has a name only there.
        opened: Whether it is said to whoever opened the match, whom no view names.
    """
    message = CATALOGUE["events"].get(event["type"])
    if message is None:
        return f"({event['type']})"
    facts = {**_facts_of_event(event, view, Names(view, earlier)), "host.person": _host_person(view, opened=opened)}
    return sentence(say(message, facts)).translate(_WITHOUT_MARKS)


def _host_person(view: Json, *, opened: bool) -> str:
    """Return whether a host is spoken to: whoever opened the match, until the powers are handed to a seat."""
    host = view.get("host")
    return "you" if (opened if host is None else host == view["viewer"]) else "other"


def finding_of(verdict: Json, view: Json) -> str:
    """Return what was found when a round was settled and why, without who loses by it.

    Args:
        verdict: As the event says it.
        view: A view in which the dice lie as they were judged.
    """
    facts = _facts_of_verdict(verdict, view)
    messages = CATALOGUE["verdicts"]
    if verdict["kind"] in _TESTS:
        facts["tested"] = say(messages["challenge"], facts)
    return say(messages.get(verdict["kind"], messages["other"]), facts)


def _facts_of_event(event: Json, view: Json, names: Names) -> Facts:
    around = {"phase": str(view["phase"]), "title": term(str(view["title"]))}
    facts = _facts(event | {"turn": view["turn"]}, names) | around
    match event["type"]:
        case "game.judged":
            facts |= {"finding": finding_of(event, view)}
        case "game.end_asked":
            facts.setdefault("reason", NOBODY)
        case "game.first_chosen":
            facts |= {"same": "yes" if event["who"] == event["seat"] else "no"}
        case "game.arranged":
            facts |= {"deeds": _deeds(event, facts)}
        case "cup.rolled" | "cup.revealed" | "game.choices_revealed":
            facts |= _facts_of_cup(event, names)
        case _:
            pass
    return facts


def _facts(event: Json, names: Names) -> dict[str, str]:
    """Return the arguments that follow from the names of an event's members, whatever the event."""
    facts = {name: _text(value) for name, value in event.items()}
    facts |= {f"{name}.words": number_words(value) for name, value in event.items() if type(value) is int}
    for name in _SEATS:
        if name in event:
            facts |= _facts_of_account(name, event[name], names)
    for name in _LISTS_OF_SEATS:
        if name in event:
            facts |= {name: names.all(event[name]), f"{name}.person": names.person(event[name])}
    if "deal" in event:
        facts["deal.ordinal"] = str(event["deal"] + 1)
    if "amount" in event:
        facts["amount"] = amount_words(event["amount"], event["unit"])
    if event.get("shape") is not None:
        facts["claim"] = hand_words(event["shape"], event["faces"] or ())
    elif event.get("quantity") is not None:
        facts["claim"] = count_words(event["quantity"], event["face"])
    return facts


def _text(value: object) -> str:
    """Return a member of an event as an argument."""
    match value:
        case None:
            return NOBODY
        case bool():
            return "yes" if value else "no"
        case list() | tuple():
            return " ".join(map(str, value))
        case _:
            return str(value)


def _facts_of_account(name: str, account: int | str | None, names: Names) -> dict[str, str]:
    """Return what may be said of a seat, of a place at the table, or of nobody."""
    if account is None:
        return {name: NOBODY, f"{name}.person": NOBODY}
    if isinstance(account, str):
        return {name: names.of(account), f"{name}.kind": account}
    person = names.person([account])
    return {name: names.of(account), f"{name}.whose": names.whose(account), f"{name}.person": person} | {
        f"{name}.kind": "seat"
    }


def _facts_of_verdict(verdict: Json, view: Json) -> dict[str, str]:
    facts = _facts(verdict, Names(view)) | {"lying": lying(verdict, view)}
    if verdict.get("count") is not None and verdict.get("face") is not None:
        facts |= facts_of_count(verdict, view)
        facts["counted"] = count_words(verdict["count"], verdict["face"])
        facts["there"] = say(CATALOGUE["there"], facts)
    return facts


def _deeds(event: Json, facts: Facts) -> str:
    """Return what somebody did with the dice of a cup; nothing for nothing."""
    thrown = event["roll_inside"] + event["roll_outside"]
    numbers = {
        "outside": len(event["outside"]),
        # What is taken up and thrown again is told by the throw.
        "taken": 0 if thrown else len(event["taken"]),
        "roll_inside": event["roll_inside"],
        "roll_outside": event["roll_outside"],
    }
    deeds = [
        say(CATALOGUE["deeds"][name], {**facts, "number": number_words(number), "dice": amount_words(number, "die")})
        for name, number in numbers.items()
        if number
    ]
    return join_names(deeds) if deeds else ""


def _facts_of_cup(event: Json, names: Names) -> dict[str, str]:
    """Return whose cup it is, how many dice were rolled, what they show, and which were chosen to roll."""
    cup, token = event["cup"], "digit" if names.tokens == DIGITS else "die"
    kind = {TABLE_CUP: "table", PASSED_CUP: "passed"}.get(cup, "seat")
    # Behind the dice of a cup lie those that tell how they fell; the table's cup has a die for every seat that draws.
    size = names.sizes.get(cup, 0)
    facts = _facts_of_account("cup", cup, names) | {"cup.kind": kind}
    if "slots" in event:
        facts["dice"] = amount_words(sum(slot < size for slot in event["slots"]), token)
    if "values" in event and kind == "table":
        facts["shown"] = ", ".join(str(value + 1) for _, value in event["values"])
    elif "values" in event:
        faces = [value + names.tokens.first for slot, value in event["values"] if slot < size]
        facts["shown"] = names.drawn(faces) or amount_words(0, token)
    if "choices" in event:
        facts["choices"] = _choices(event)
    return facts


def _choices(event: Json) -> str:
    """Return which dice were rolled anew each time, counted from the left."""
    rolled = [sorted((*choice["roll_inside"], *choice["roll_outside"])) for choice in event["choices"]]
    return "; ".join(join_names([str(position + 1) for position in one]) for one in rolled)
