"""Automatic words: which sentences an analysis comes to, as keys and pointers, never as text.

The law of the file: no sentence carries a number, a name or a claim of its own. Each argument is a JSON pointer into
the document that the sentence stands in (RFC 6901), so whoever reads it in whatever language reads the same figures.

There are at most two sentences an event: those of the most weight, then those whose key comes first in `KEYS`. Which
phrasing of a key is read follows from the head of the document, the version and the key. What is said while dice are
hidden points at members that the public log alone decides, and at nothing else (`projections.casting.caster`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from domain.analysis.figures import MILLION, divide
from domain.analysis.odds.labels import BLUFFS
from domain.analysis.report import Analysis, SentenceChannel, ToldSentence, document_of
from domain.ids import Seat, Version

Document = Mapping[str, Any]
"""An analysis, or what is said live, as its JSON reads."""
Arguments = dict[str, str]
"""JSON pointers, by the names of a key's arguments."""
Candidate = tuple[str, Arguments]

KEYS: Final = {
    "blunder": 9,
    "mistake": 7,
    "brilliant": 9,
    "bold": 6,
    "only": 6,
    "caught": 8,
    "lucky": 7,
    "passed": 6,
    "unlucky": 6,
    "call": 8,
    "missed_challenge": 6,
    "swing": 5,
    "dealt": 4,
    "under_fire": 3,
    "raises": 2,
}
"""Every key with its weight, in their order."""
LIVE: Final = frozenset({"under_fire", "raises"})
"""The keys of what is said while dice are hidden."""
OUTCOMES: Final = frozenset({"caught", "lucky", "passed", "unlucky"})
"""The keys of what became of a claim."""
ENDS: Final = OUTCOMES | {"call", "swing"}
"""The keys of what gives away how something came out: nobody could know it before the cups were lifted."""
OF_AN_EVENT: Final = 2
VARIANTS: Final = 2
"""Phrasings of each key, in every language."""
TENTH: Final = 1_000
"""A tenth of a per cent in ppm: as finely as sentences are read."""
HALF: Final = MILLION // 2

_ORDER: Final = {key: place for place, key in enumerate(KEYS)}


def variant_of(head: str, version: Version, key: str) -> int:
    """Return which phrasing of a key is read at an event, by the first byte of SHA-256(head, version, key).

    Args:
        head: The hash of the last line that the document was made of, in hex.
        version: The event's, in decimal; the three are parted by newlines.
        key: The sentence's.
    """
    return hashlib.sha256(f"{head}\n{version}\n{key}".encode()).digest()[0] % VARIANTS


def found_at(document: Document, pointer: str) -> Any:  # noqa: ANN401 - whatever stands there
    """Return what a JSON pointer points at.

    Raises:
        LookupError: Nothing stands there.
    """
    found: Any = document
    for part in pointer.split("/")[1:]:
        found = found[int(part) if isinstance(found, list | tuple) else part]
    return found


def is_figure(printed: object) -> bool:
    """Report whether a figure stands there, and not a reason why there is none."""
    return isinstance(printed, list | tuple)


def live_sentences(version: Version, *, raised: bool) -> tuple[ToldSentence, ...]:
    """Return what is said at once of a claim, of the member `odds` of the frame that it stands in.

    Args:
        version: The frame's.
        raised: Whether anything may follow the claim.
    """
    found: list[Candidate] = [("under_fire", {"claim": "/odds/standing/claim", "public": "/odds/standing/chance/0"})]
    if raised:
        found.append(("raises", {"raise": "/odds/raises/0/claim", "public": "/odds/raises/0/chance/0"}))
    return _ranked(version, "odds", found)


def with_sentences(analysis: Analysis) -> Analysis:
    """Return an analysis with its sentences. Cost: what it takes to make its document."""
    return replace(analysis, text=sentences(document_of(analysis)))


def sentences(analysis: Document, channel: SentenceChannel = "replay", root: str = "") -> tuple[ToldSentence, ...]:
    """Return the sentences of an analysis, by version.

    Args:
        analysis: As its JSON reads; members that are lacking there say nothing.
        channel: Where they are said.
        root: Where it stands in the document that is read, as a JSON pointer.
    """
    events: Sequence[Document] = analysis["events"]
    found: list[tuple[Version, Candidate]] = []
    for place, event in enumerate(events):
        about = _Told(analysis, root, place)
        found += [(event["version"], each) for each in (*_judged(about), *_doubted(about), *_swung(about))]
    found += _dealt(analysis, root)
    found.sort(key=lambda each: each[0])
    return tuple(
        sentence
        for version, of_event in groupby(found, key=lambda each: each[0])
        for sentence in _ranked(version, channel, [each for _, each in of_event])
    )


def _ranked(version: Version, channel: SentenceChannel, found: Iterable[Candidate]) -> tuple[ToldSentence, ...]:
    ranked = sorted(found, key=lambda each: (-KEYS[each[0]], _ORDER[each[0]]))[:OF_AN_EVENT]
    # What became of a claim is said before it is judged.
    ranked.sort(key=lambda each: each[0] not in OUTCOMES)
    return tuple([ToldSentence(version, channel, key, args) for key, args in ranked])


# ---- events -------------------------------------------------------------------------------------


class _Told(Struct, frozen=True):
    """One event of an analysis, and where it stands."""

    analysis: Document
    root: str
    place: int

    @property
    def event(self) -> Document:
        found: Document = self.analysis["events"][self.place]
        return found

    @property
    def here(self) -> str:
        return f"{self.root}/events/{self.place}"

    @property
    def decision(self) -> Document:
        found: Document = self.event.get("decision", {})
        return found

    def seat(self, seat: Seat) -> str | None:
        """Return where the number of a seat stands; None for one of whom nothing is reported."""
        reports = self.analysis.get("seats", ())
        places = (place for place, report in enumerate(reports) if report["seat"] == seat)
        return next((f"{self.root}/seats/{place}/seat" for place in places), None)

    def standing(self) -> int | None:
        """Return the place of the last claim of the round before the event."""
        before = range(self.place - 1, -1, -1)
        events, number = self.analysis["events"], self.event["round"]
        return next((place for place in before if "claim" in events[place] and events[place]["round"] == number), None)


def _judged(about: _Told) -> Iterator[Candidate]:
    """Yield what is said of an event by its tag, its marks, and what became of a claim."""
    event, here, decision = about.event, about.here, about.decision
    tag = decision.get("tag")
    if tag in {"blunder", "mistake"} and is_figure(decision["points"]):
        yield (
            tag,
            {
                "seat": f"{here}/seat",
                "did": f"{here}/decision/options/{decision['played']}/move",
                "points": f"{here}/decision/points/0",
                "best": f"{here}/decision/options/{decision['best']}/move",
            },
        )
    for mark in ("brilliant", "bold", "only"):
        if mark in decision.get("marks", ()) and "own" in event and len(decision["options"]) > 1:
            yield mark, _daring(here, decision["played"])
    yield from _came_out(event, here)


def _daring(here: str, played: int) -> Arguments:
    """Return the arguments of a claim that was worth more than it looked; options stand best first."""
    other = f"{here}/decision/options/{int(played == 0)}"
    return {
        "seat": f"{here}/seat",
        "own": f"{here}/own",
        "claim": f"{here}/claim",
        "worth": f"{here}/decision/options/{played}/q/0",
        "other": f"{other}/move",
        "runner_up": f"{other}/q/0",
    }


def _came_out(event: Document, here: str) -> Iterator[Candidate]:
    key = _key_of(event)
    if key is not None and is_figure(event.get("chance", {}).get("seat", {}).get(str(event["seat"]))):
        yield (
            key,
            {
                "claim": f"{here}/claim",
                "label": f"{here}/label",
                "chance": f"{here}/chance/seat/{event['seat']}/0",
                "seat": f"{here}/seat",
            },
        )


def _key_of(event: Document) -> str | None:
    """Return which sentence says what became of a claim; None where nothing is worth a word, as of a pass."""
    if "claim" not in event:
        return None
    after, outcome, lied = event.get("after"), event.get("outcome"), event.get("label") in BLUFFS
    if after in {"lucky", "unlucky"}:
        return str(after)
    return outcome if lied and outcome in {"caught", "passed"} else None


def _doubted(about: _Told) -> Iterator[Candidate]:
    """Yield what is said of a doubt that was right against what others would believe, or of one that did not come."""
    place, decision = about.standing(), about.decision
    claimed: Document = {} if place is None else about.analysis["events"][place]
    read = claimed.get("read", {}).get("after", {}).get("public")
    if not is_figure(read):
        return
    marks, before = decision.get("marks", ()), f"{about.root}/events/{place}"
    seat, believed = f"{about.here}/seat", f"{before}/read/after/public/0"
    if "brilliant" in marks and "claim" not in about.event and read[0] >= HALF:
        yield "call", {"seat": seat, "read": believed}
    if "missed_challenge" in marks and is_figure(decision["points"]):
        points = f"{about.here}/decision/points/0"
        yield "missed_challenge", {"seat": seat, "claim": f"{before}/claim", "read": believed, "points": points}


def _swung(about: _Told) -> Iterator[Candidate]:
    """Yield what is said of a key moment in which the match turned, if it did by a tenth of a per cent."""
    moments = [moment for moment in about.analysis.get("moments", ()) if moment["version"] == about.event["version"]]
    if about.place == 0 or not any("swing" in moment["kinds"] for moment in moments):
        return
    before, after = (about.analysis["events"][place].get("equity", {}).get("all") for place in _pair(about.place))
    if not (isinstance(before, Mapping) and isinstance(after, Mapping)):
        return
    # Both have every seat that began; the first of those whom it moved most is named.
    turned = max(sorted(after, key=int), key=lambda seat: abs(after[seat][0] - before[seat][0]))
    seat = about.seat(int(turned))
    if seat is not None and divide(before[turned][0], TENTH) != divide(after[turned][0], TENTH):
        yield (
            "swing",
            {
                "seat": seat,
                "before": f"{about.root}/events/{about.place - 1}/equity/all/{turned}/0",
                "after": f"{about.here}/equity/all/{turned}/0",
            },
        )


def _pair(place: int) -> tuple[int, int]:
    return place - 1, place


# ---- deals --------------------------------------------------------------------------------------


def _dealt(analysis: Document, root: str) -> Iterator[tuple[Version, Candidate]]:
    """Yield what is said of dice that a seat was dealt, at the last roll before anybody acts."""
    for number, dealt in enumerate(analysis.get("rounds", ())):
        place = _last_roll(analysis["events"], dealt["round"])
        if place is None:
            continue
        about = _Told(analysis, root, place)
        for seat, luck in dealt["dealt"].items():
            named = about.seat(int(seat))
            if luck.get("mark") in {"lucky", "very_lucky"} and named is not None:
                own = f"{root}/rounds/{number}/dealt/{seat}/own/0"
                yield about.event["version"], ("dealt", {"seat": named, "own": own})


def _last_roll(events: Sequence[Document], number: int) -> int | None:
    """Return the place of the last of the rolls that a round begins with."""
    found = None
    for place, event in enumerate(events):
        if event["round"] == number:
            if event["type"] != "cup.rolled":
                break
            found = place
    return found
