"""Access streams: who saw what of a match, for anybody to read.

    {"at":...,"data":{"match":"<uuid>"},...,"stream":"access/<uuid>","type":"access.created","v":1}
    {...,"data":{"cup":2,"deal":0,"roll":0,"slots":[0,1,2,3,4],"version":17,"viewer":"seat/2"},"type":"access.served",...}
    {...,"data":{"version":212},"type":"access.closed","v":1}

The law of the file: before hidden dice leave the dealer for a viewer, it is on record that they do. `version` is the
version of the match at which the viewer may have had them first; a value never stands here.

What the rules let a seat know goes on record with the event that lets it, in the same transaction: a roll into its cup,
a look, a cup that is accepted. It is served to the seat from that version on, whether or not anybody is there to look,
so the line says when the rules opened the cup and never when a person did. Whatever would leave the dealer besides,
for whatever reason, is put on record before it does. The same dice served again add nothing: what matters is who may
have known what from when on, and a page that connects again is no news. So there is at most one line for a viewer and a
roll.

The lines tell no more than the stream of the match: which of its dice a holder rolled again is sealed (CUP/1 section
4.12), so a line names all dice of a roll, whichever of them still lie there. The blind slot of a roll and the slots
that tell how dice lie go with its dice and are not named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final
from uuid import UUID

from msgspec import Struct, field, to_builtins

from domain import events
from domain.ids import CupId, DealNumber, RollNumber, Seat, Slot, UnixMs, Version
from domain.log import canonical
from domain.match.evolve import Match, evolve
from domain.match.record import GENESIS
from domain.table.interlude import InterludeEvent
from domain.table.places import Place

CREATED: Final = "access.created"
SERVED: Final = "access.served"
CLOSED: Final = "access.closed"
_KNOWN: Final = frozenset((kind, 1) for kind in (CREATED, SERVED, CLOSED))
"""The lines there are: each type in its one version."""
_LET_KNOW: Final = (events.Rolled, events.Accepted, events.Arranged, events.StoodIn, events.MatchEnded)
"""Events after which seats may know dice that they did not know before, and the one that closes the record."""
Key = tuple[str, int, int, int]
"""Viewer, deal, cup and roll: what stands at most once in an access stream."""


class UnknownLine(ValueError):  # noqa: N818 - says what it is
    """A line of an access stream whose type, or version of it, this program does not know."""


class Served(Struct, frozen=True):
    """That the dice of a roll are served to a viewer, from a version of the match on.

    Attributes:
        viewer: `seat/3`, and `stand_in/3` for the house bot that plays that seat meanwhile; `caster/<id>` and
            `admin/<id>` for those who see more than a seat; `spectator`, which no rule allows.
        slots: All dice of the roll, ascending.
    """

    viewer: str
    deal: DealNumber
    cup: CupId
    roll: RollNumber
    slots: tuple[Slot, ...]
    version: Version

    @property
    def key(self) -> Key:
        """What it is about."""
        return self.viewer, self.deal, self.cup, self.roll


class AccessStream(Struct, frozen=True):
    """An access stream, folded.

    Attributes:
        version: How many lines it has.
        head: The hash of the last of them.
        told: What is on record.
        closed: Whether the match is over in it.
    """

    version: Version = 0
    head: str = GENESIS
    told: frozenset[Key] = frozenset()
    closed: bool = False


def stream_of(match_id: UUID) -> str:
    """Return the name of a match's access stream."""
    return f"access/{match_id}"


def viewer_of(seat: Seat | None) -> str:
    """Return what a seat is called in an access stream; None is whoever looks on."""
    return "spectator" if seat is None else f"seat/{seat}"


def stand_in_of(seat: Seat) -> str:
    """Return what the house bot is called that stands in for a seat."""
    return f"stand_in/{seat}"


def rolls_of(place: Place) -> dict[int, tuple[int, ...]]:
    """Return the rolls that the hidden dice of a place may have come from, with all dice of each, as the public knows.

    Where a choice is sealed, they may be of any roll since the dice were laid.
    """
    rolls: dict[int, tuple[int, ...]] = {}
    for roll, slot in place.laid:
        rolls[roll] = (*rolls.get(roll, ()), slot)
    for event in place.handled:
        if event.roll is not None and event is not place.rolling:
            rolls[event.roll] = tuple(range(event.roll_inside + event.roll_outside))
    addresses = {die.at for die in place.inside}
    lying = {at[0] for at in addresses if at is not None}
    return {roll: slots for roll, slots in rolls.items() if roll in lying or None in addresses}


def hidden_rolls(match: Match) -> Iterator[tuple[int, int, int, tuple[int, ...]]]:
    """Yield the rolls whose dice lie hidden now, as (deal, cup, roll, slots)."""
    deal = match.ceremony
    if match.table is not None and deal is not None and deal.mix is not None:
        for cup, place in match.table.places.items():
            for roll, slots in rolls_of(place).items():
                yield deal.deal, cup, roll, slots


def allowed_dice(match: Match) -> Iterator[Served]:
    """Yield the hidden dice that the rules let seats know at this version."""
    for deal, cup, roll, slots in hidden_rolls(match):
        assert match.table is not None, "dice lie on a table"
        for seat in match.table.places[cup].knowers:
            yield Served(viewer_of(seat), deal, cup, roll, slots, match.version)
            if match.seated[seat].stand_in:
                yield Served(stand_in_of(seat), deal, cup, roll, slots, match.version)


# ---- writing ------------------------------------------------------------------------------------


def new_access_stream(match_id: UUID, at: UnixMs) -> tuple[tuple[bytes, ...], AccessStream]:
    """Return the first line of an access stream, and the stream so far."""
    return _extend_stream(AccessStream(), match_id, at, [(CREATED, {"match": str(match_id)})])


def touches(happened: Iterable[events.Event]) -> bool:
    """Report whether what happened may let anybody know more, or ends the match. Cost: next to nothing."""
    return any(_lets_know(event) for event in happened)


def _lets_know(event: events.Event) -> bool:
    return event.lets_know if isinstance(event, InterludeEvent) else isinstance(event, _LET_KNOW)


def lines_of_events(
    book: AccessStream, match: Match, happened: Iterable[events.Event], at: UnixMs
) -> tuple[tuple[bytes, ...], AccessStream]:
    """Return the lines that go on record with these events, and the stream after them.

    Args:
        book: The access stream so far.
        match: The match before the events.
        happened: The events of one command.
        at: Their time, in Unix milliseconds.

    Cost: one step of the match for each event, and a look at every place.
    """
    entries: list[Entry] = []
    told = set(book.told)
    for event in happened:
        match = evolve(match, event, at)
        for each in allowed_dice(match) if _lets_know(event) else ():
            if each.key not in told:
                told.add(each.key)
                entries.append(_entry(each))
        if isinstance(event, events.MatchEnded):
            entries.append((CLOSED, {"version": match.version}))
    return _extend_stream(book, match.id, at, entries)


def lines_of_served(
    book: AccessStream, match: Match, served: Iterable[Served]
) -> tuple[tuple[bytes, ...], AccessStream]:
    """Return the lines for what is served besides, as far as it is not on record, and the stream after them."""
    fresh = {each.key: each for each in served if each.key not in book.told}
    return _extend_stream(book, match.id, match.at, [_entry(each) for each in fresh.values()])


def fold_lines(book: AccessStream, lines: Iterable[bytes]) -> AccessStream:
    """Return the stream after more of its lines. Cost: linear in the stream, however many lines there are.

    Raises:
        UnknownLine: What one says is not known here, and so neither is who may have seen what.
        NotCanonical: One is no line.
    """
    version, head, told, closed = book.version, book.head, set(book.told), book.closed
    for line in lines:
        document = canonical.decode(line)
        if (document["type"], document["v"]) not in _KNOWN:
            raise UnknownLine
        version, head, closed = version + 1, canonical.head(line), document["type"] == CLOSED
        if document["type"] == SERVED:
            told.add(_key(document["data"]))
    return AccessStream(version, head, frozenset(told), closed)


Entry = tuple[str, dict[str, Any]]
"""Type and members of a line."""


def _entry(served: Served) -> Entry:
    return SERVED, to_builtins(served)


def _extend_stream(
    book: AccessStream, match_id: UUID, at: UnixMs, entries: Iterable[Entry]
) -> tuple[tuple[bytes, ...], AccessStream]:
    lines: list[bytes] = []
    head, told, closed = book.head, set(book.told), book.closed
    for seq, (kind, data) in enumerate(entries, start=book.version):
        lines.append(canonical.line(stream_of(match_id), seq, head, at, kind, data))
        head, closed = canonical.head(lines[-1]), kind == CLOSED
        if kind == SERVED:
            told.add(_key(data))
    return tuple(lines), AccessStream(book.version + len(lines), head, frozenset(told), closed)


def _key(data: dict[str, Any]) -> Key:
    return data["viewer"], data["deal"], data["cup"], data["roll"]


# ---- the rights of seats, gathered while a match is replayed -------------------------------------


Roll = tuple[int, int, int]
"""Deal, cup, and number of the roll."""


class Rights(Struct):
    """What the rules let seats know, and since when.

    Attributes:
        allowed: The lines that have to be on record.
        rolled: All dice of each roll that some seat, or nobody, may know while others may not.
        public: From which version on everybody knows all dice of a roll.
        shown: The slots of a roll that everybody has seen.
        places: The places as they were taken in last.
    """

    allowed: dict[Key, Served] = field(default_factory=dict)
    rolled: dict[Roll, tuple[int, ...]] = field(default_factory=dict)
    public: dict[Roll, int] = field(default_factory=dict)
    shown: dict[Roll, set[int]] = field(default_factory=dict)
    places: dict[CupId, Place] | None = None

    def take(self, match: Match, event: events.Event) -> None:
        """Take in an event, and the match after it."""
        places = None if match.table is None else match.table.places
        if places is not self.places or isinstance(event, events.StoodIn):
            self._take_places(match)
        self.places = places
        if isinstance(event, events.Revealed):
            self._show(event, match.version)
        if isinstance(event, events.DealClosed) and event.secret is not None:
            for roll in self.rolled:
                if roll[0] == event.deal:
                    self.public.setdefault(roll, match.version)

    def _take_places(self, match: Match) -> None:
        """Take in where the dice lie now, and who may know them."""
        for deal, cup, roll, slots in hidden_rolls(match):
            self.rolled.setdefault((deal, cup, roll), slots)
        for each in allowed_dice(match):
            self.allowed.setdefault(each.key, each)

    def _show(self, event: events.Revealed, version: Version) -> None:
        roll = (event.deal, event.cup, event.roll)
        shown = self.shown.setdefault(roll, set())
        shown |= {slot for slot, _ in event.values}
        if roll in self.rolled and shown.issuperset(self.rolled[roll]):
            self.public.setdefault(roll, version)
