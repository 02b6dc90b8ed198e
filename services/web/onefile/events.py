"""Events of a match in words, each with what an analysis and people say of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET, Struct

from domain.analysis.figures import Figure
from domain.analysis.report import Analysis, Printed, ToldDecision, ToldEvent, ToldSentence, document_of
from domain.ids import RoundNumber, Version
from domain.match.record import fold
from projections.commentary.comments import CommentView
from projections.history import frames
from services.words.catalogue import CATALOGUE, say
from services.words.events import sentence_of
from services.words.printed import chance_words
from services.words.sentences import claim_words, sentence_words, worth_words

LOSS_MIN: Final = 500
"""What is told of a loss, in ppm; less is none in tenths of a per cent."""
BARS: Final = ("public", "own", "read")
Versioned = TypeVar("Versioned", CommentView, ToldSentence)


class ShownBar(Struct, frozen=True):
    """A chance of a claim: whose it is, in words, and in ppm."""

    name: str
    text: str
    ppm: int


class ShownEvent(Struct, frozen=True):
    """An event.

    Attributes:
        version: The line's number.
        round: Its round; 0 before the first.
        text: What happened.
        label: What a claim was; empty for others.
        shares: How likely it was.
        decision: What would have been best; empty where it was played, or nobody judges it.
        said: Sentences on it.
        comments: What people say about it.
        is_moment: Whether it is a key moment.
    """

    version: Version
    round: RoundNumber
    text: str
    label: str
    shares: tuple[ShownBar, ...]
    decision: str
    said: tuple[str, ...]
    comments: tuple[CommentView, ...]
    is_moment: bool


def shown_events(lines: Sequence[bytes], analysis: Analysis, comments: Sequence[CommentView]) -> Iterator[ShownEvent]:
    """Yield what happened, without what only machines care for. Cost: a view for each line."""
    document, told = document_of(analysis), {event.version: event for event in analysis.events}
    sentences, remarks = _by_version(analysis.text), _by_version(comments)
    moments = {moment.version for moment in analysis.moments}
    earlier: dict[str, Any] | None = None
    for _, frame in frames(lines, None, {}, names_in(lines)):
        view = msgspec.to_builtins(frame.view, str_keys=False)
        text, event = sentence_of(frame.event, view, earlier), told.get(frame.version)
        earlier = view
        if not text and event is None and frame.version not in remarks:
            continue
        yield ShownEvent(
            version=frame.version,
            round=frame.view.round,
            text=text,
            label="" if event is None else _label(event),
            shares=() if event is None else tuple(_bars(event)),
            decision="" if event is None or event.decision is UNSET else _decision(event.decision, document),
            said=tuple(sentence_words(document, one) for one in sentences.get(frame.version, ())),
            comments=tuple(remarks.get(frame.version, ())),
            is_moment=frame.version in moments,
        )


def _by_version(every: Iterable[Versioned]) -> dict[Version, list[Versioned]]:
    """Return what is said by the version it is about, in its order."""
    found: dict[Version, list[Versioned]] = {}
    for one in every:
        found.setdefault(one.version, []).append(one)
    return found


def names_in(lines: Sequence[bytes]) -> dict[str, str]:
    """Return what players are called by their ids: no record knows a person's name, and the page says their seats."""
    names = dict[str, str]()
    for written, _ in fold(lines):
        for seat, player in written.match.seated.items():
            names[player.player] = say(CATALOGUE["people"]["seat"], {"seat": str(seat)})
    return names


def words() -> Mapping[str, Any]:
    """Return what is said of an analysis, in the language that is spoken."""
    found: Mapping[str, Any] = CATALOGUE["analyses"]["told"]
    return found


def _label(event: ToldEvent) -> str:
    named, found = words()["words"], list[str]()
    if event.label is not UNSET:
        found.append(named[event.label])
    if event.flags is not UNSET:
        found += [named[flag] for flag in event.flags]
    if event.outcome is not UNSET:
        found.append(named[event.outcome])
    return ", ".join(found)


def _bars(event: ToldEvent) -> Iterator[ShownBar]:
    """Yield how likely a claim was: to everybody, to its claimant, and by what all moves say."""
    if event.chance is UNSET or event.seat is None:
        return
    found: dict[str, Printed] = {"public": event.chance.public}
    found["own"] = event.chance.seat.get(event.seat, "not_shown")
    if event.read is not UNSET:
        found["read"] = event.read.after.public
    names = CATALOGUE["analyses"]["page"]["bars"]
    for name in BARS:
        figure = found.get(name)
        if isinstance(figure, Figure):
            yield ShownBar(names[name], chance_words(figure.ppm), figure.ppm)


def _decision(decision: ToldDecision, document: dict[str, Any]) -> str:
    """Return what would have been better, and by how much; nothing where nothing would."""
    if not isinstance(decision.loss, Figure) or decision.loss.ppm < LOSS_MIN or not decision.options:
        return ""
    best = decision.options[decision.best].move
    claim = claim_words(best) if "quantity" in best or "shape" in best else ""
    move = say(CATALOGUE["analysis"]["move"], {"type": best["type"], "claim": claim})
    return say(
        CATALOGUE["analyses"]["page"]["better"], {"move": move, "loss": worth_words(decision.loss.ppm, document)}
    )
