"""The verdict on a database: held against itself, then against what its witnesses have seen."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct
from rich.progress import Progress

from domain.log import merkle
from domain.log.checkpoints import checkpoint_of
from infra.posting import Poster
from infra.store.backups.snapshot import Snapshot, snapshot_of
from services.cli.exits import FINE, FOUND, INCOMPLETE, REBUILDABLE
from services.cli.operating.backups.asking import ask_all
from services.cli.operating.backups.places import HousePlace
from services.cli.operating.backups.sights import SightState, WitnessSight, WitnessWord, freshness, missing, sight_of
from services.cli.operating.backups.verifying import DatabaseFindings, verify
from services.words.figures import figure, moment_text

State = Literal["newest", "older", "forked", "unknown", "rebuild", "broken"]
WORDS: Final[dict[State, str]] = {
    "newest": "NEWEST: no witness has seen more of the log than there is. What was answered behind its last entry, a"
    " second at most in a house that ran, no witness knows of",
    "older": "OLDER: witnesses have seen {missing} entries that are not here. Start no house on it: the log would fork."
    " Bring it to the newest state, from the write-ahead log or a standby, and verify again",
    "forked": "FORKED: a witness has signed another history. Start no house on it; find out which database this is",
    "unknown": "UNKNOWN: it holds in itself, and too few witnesses said whether it is the newest. {signed}. Name them"
    " in TRUECUP_WITNESSES and verify again before a house is started on it",
    "rebuild": "REBUILD: lines, answers and the log hold, and no witness said otherwise; rows of lists or counts are"
    " not what comes of the lines. With no program of the house running, verify again with --rebuild: whoever starts"
    " next makes them again",
    "broken": "BROKEN: it does not hold in itself. Start no house on it",
}
PROVEN: Final = (
    "Held against each other: lines, what commands were answered (answers: {answers}), what lists and counts have made"
    " of lines (rows: {rows}), entries, hashes and checkpoints"
)
TAKEN: Final = (
    "Taken as it is, for no line says it: who has which token, what people are called, what they wrote beside lines,"
    " and secrets that the key closes"
)
UNREAD: Final = (
    "Lines that this program cannot read, whose rows in lists and counts are taken as they are: streams: {unread}"
)
SIGHTS: Final[dict[SightState, str]] = {
    "agrees": "has seen {size} entries, all of them here",
    "saw_more": "has seen {size} entries",
    "forked": "{why} ({size} entries)",
    "silent": "did not say: {why}",
}
EXITS: Final[dict[State, int]] = {
    "newest": FINE,
    "older": FOUND,
    "forked": FOUND,
    "broken": FOUND,
    "rebuild": REBUILDABLE,
    "unknown": INCOMPLETE,
}


class DatabaseVerdict(Struct, frozen=True):
    """What is to be said of a database.

    Attributes:
        state: Whether a house may be started on it.
        streams: How many streams it has.
        lines: How many lines they have.
        entries: How many entries the transparency log has.
        missing: How many more a witness has seen.
        signed_at: When a witness last saw the newest checkpoint that is there, in Unix seconds; None if none did.
        witnesses: What each witness said.
        faults: What does not fit in the database itself.
        answers: How many stored answers name a line that it has.
        rows: How many rows of lists and counts were made again from lines.
        unread: How many streams this program cannot read, whose rows are taken as they are.
    """

    state: State
    streams: int
    lines: int
    entries: int
    missing: int
    signed_at: int | None
    witnesses: tuple[WitnessSight, ...]
    faults: tuple[str, ...]
    answers: int = 0
    rows: int = 0
    unread: int = 0


async def judge_database(place: HousePlace, origin: str, progress: Progress) -> DatabaseVerdict:
    """Return what is to be said of the databases of a place, whose log should have this name.

    Witnesses are asked first: beside a house that runs, a log that grows meanwhile is longer than what they have seen.
    """
    task = progress.add_task("verify", total=None)
    async with snapshot_of(place.database_url) as snapshot:
        newest = await snapshot.newest()
    answers = await _ask(place, origin, None if newest is None else newest[0])
    async with snapshot_of(place.database_url, place.others) as snapshot:
        found = await verify(snapshot, lambda seen, total: progress.update(task, completed=seen, total=total))
        if found.is_broken:
            return _verdict("broken", found, ())
        sights = [sight_of(one, found.entries, await _root(snapshot, one.size, found.entries)) for one in answers]
    fresh: State = freshness(sights, found.policy)
    # Of a database that is older, or another one, that is what matters: rows of one that is not to be used may be any.
    stale = bool(found.faults) and fresh in {"newest", "unknown"}
    return _verdict("rebuild" if stale else fresh, found, tuple(sights))


async def _ask(place: HousePlace, origin: str, note: str | None) -> list[WitnessWord]:
    poster = Poster()
    try:
        return await ask_all(place.witnesses, origin if note is None else checkpoint_of(note).origin, note, poster)
    finally:
        await poster.close()


async def _root(snapshot: Snapshot, seen: int | None, size: int) -> bytes | None:
    """Return the root of as many entries as somebody has seen, if there are as many; the tree has been verified."""
    if seen is None or seen > size:
        return None
    stored = await snapshot.hashes(merkle.nodes_of([(0, seen)]))
    return merkle.hash_of((0, seen), {place: node for place, node in stored.items() if node is not None})


def _verdict(state: State, found: DatabaseFindings, sights: tuple[WitnessSight, ...]) -> DatabaseVerdict:
    return DatabaseVerdict(
        state,
        found.streams,
        found.lines,
        found.entries,
        missing(sights, found.entries),
        max(found.seen_by.values(), default=None),
        sights,
        tuple(found.faults),
        found.answers,
        found.rows,
        found.unread,
    )


def verdict_words(verdict: DatabaseVerdict) -> list[str]:
    """Return what is to be said, a line each: what there is, what is wrong, what witnesses said, what it comes to."""
    there = (
        f"lines: {figure(verdict.lines)}; streams: {figure(verdict.streams)};"
        f" entries of the transparency log: {figure(verdict.entries)}"
    )
    sights = [
        f"{one.name} {SIGHTS[one.state].format(size='no' if one.size is None else figure(one.size), why=one.why)}"
        for one in verdict.witnesses
    ]
    signed = (
        "No witness has signed its newest checkpoint"
        if verdict.signed_at is None
        else f"The newest checkpoint in it was seen by witnesses at {moment_text(1_000 * verdict.signed_at)}"
    )
    return [
        there,
        PROVEN.format(answers=figure(verdict.answers), rows=figure(verdict.rows)),
        TAKEN,
        *([UNREAD.format(unread=figure(verdict.unread))] if verdict.unread else []),
        *(f"fault: {fault}" for fault in verdict.faults),
        *sights,
        WORDS[verdict.state].format(missing=figure(verdict.missing), signed=signed),
    ]
