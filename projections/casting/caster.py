"""Caster frames: what may be said of a match while it is played, figures that its published lines alone decide.

The law of the file: lines are taken and frames are given. Nothing here knows a ceremony, a dealer or an opening, so
what lies under a cup can be in no figure; a seat is never told any of them.

`odds` is said at once, for every version, of what everybody sees (`projections.casting.public_odds`); so are `reads`,
of what moves say (`projections.casting.reads`), where that may be said. `late` is said when a round closes: what each
of its claims was from every viewpoint whose dice these lines have opened by then, and what became of it. A die that was
not shown by then stays hidden in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final, Literal, get_args

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from domain import events
from domain.analysis.claims import claims_told
from domain.analysis.record.following import rounds_of
from domain.analysis.report import ToldEvent, ToldSentence
from domain.ids import RoundNumber, Seat, Version
from domain.match.evolve import Match
from domain.match.record import MatchAtHead
from projections.casting.public_odds import TableOdds, odds_of
from projections.casting.reads import PublicReading, TableEquity, TableReads, is_read, reading_after, reads_of
from projections.casting.sentences import live_sentences, sentences

Channel = Literal["odds", "reads", "late"]
CHANNELS: Final[tuple[Channel, ...]] = get_args(Channel)
Step = tuple[MatchAtHead, events.Event]
"""A match after a line, and what the line says."""
CLOSING: Final = (events.RoundClosed, events.MatchEnded)
"""Events with which a round closes, the first of them that comes."""


class LateRound(Struct, frozen=True):
    """What is said of a round that has closed.

    Attributes:
        first: The line that opened it.
        events: As an analysis has them, without anything that a policy says.
    """

    round: RoundNumber
    first: Version
    events: tuple[ToldEvent, ...]


class CasterFrame(Struct, frozen=True, omit_defaults=True):
    """What is said of one version of a match.

    Attributes:
        version: As that of everybody's frames.
        head: The hash of its line, in hex.
        event: The type of its event.
        seat: Whose event it is, where it is a seat's.
        text: Sentences on it, as keys and pointers into this frame (`projections.casting.sentences`).
        odds: While a round is played.
        reads: While a round is played, where it may be said.
        late: Where a round closes.
    """

    version: Version
    head: str
    event: str
    seat: Seat | None
    text: tuple[ToldSentence, ...]
    odds: TableOdds | UnsetType = UNSET
    reads: TableReads | UnsetType = UNSET
    late: LateRound | UnsetType = UNSET


def caster_frame(written: MatchAtHead, event: events.Event) -> CasterFrame:
    """Return what is said at once of a match after an event. Cost: a look into tables for each figure."""
    match, claimed = written.match, isinstance(event, events.Bid | events.HandClaimed)
    odds = UNSET if match.table is None else odds_of(match.table)
    raised = odds is not UNSET and bool(odds.raises)
    text = live_sentences(match.version, raised=raised) if claimed and odds is not UNSET else ()
    return CasterFrame(match.version, written.head, events.type_of(event), getattr(event, "seat", None), text, odds)


def read_with(
    frame: CasterFrame, reading: PublicReading, match: Match, equity: TableEquity | UnsetType = UNSET
) -> CasterFrame:
    """Return a frame with what moves say, given what is read after its event, and the match then.

    Args:
        frame: What is said at once.
        reading: What is read.
        match: The match.
        equity: What the match is worth then (`projections.casting.reads.moment_of`).
    """
    reads = UNSET if match.table is None else reads_of(reading, match.table)
    return replace(frame, reads=reads if reads is UNSET else replace(reads, equity=equity))


def readings(steps: Iterable[Step], before: Match | None, reading: PublicReading) -> Iterator[PublicReading]:
    """Yield what is read after each of some steps, given the match before them and what was read of it."""
    for written, event in steps:
        after = written.match
        if before is not None and before.table is not None and after.table is not None and is_read(after.rules):
            reading = reading_after(reading, before.table, event, after.table)
        yield reading
        before = after


def closed_by(frame: CasterFrame, steps: Sequence[Step]) -> CasterFrame:
    """Return a frame with what is said of the round that its event closes; the frame itself if it closes none.

    Args:
        frame: What is said at once.
        steps: The lines up to that of the frame, from before the one that opened its round, or from earlier on.

    Cost: for each claim of the round a look at what every seat knew.
    """
    # A die is shown by its opening alone: what a deal publishes when it ends may come before its last round closes, or
    # long after.
    rounds = rounds_of([step for step in steps if not isinstance(step[1], events.DealClosed)])
    played = rounds[-1] if rounds else None
    closing = [] if played is None else [step for step in played.steps if isinstance(step.event, CLOSING)]
    if played is None or not closing or closing[0].version != frame.version:
        return frame
    late = LateRound(played.number, played.steps[0].version, claims_told(played))
    told = sentences(msgspec.to_builtins(late, str_keys=True), "late", "/late")
    return replace(frame, late=late, text=(*frame.text, *told))


def encode_caster_frame(frame: CasterFrame, channels: Collection[Channel]) -> bytes:
    """Return a frame as JSON, with what is said on these channels and nothing else."""
    text = tuple([said for said in frame.text if said.channel in channels])
    silent: dict[str, Any] = {channel: UNSET for channel in CHANNELS if channel not in channels}
    return msgspec.json.encode(replace(frame, text=text, **silent))
