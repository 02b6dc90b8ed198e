"""Matches played with their access streams, as a server would write them, and access records that say anything."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from domain import commands
from domain.audit import access
from domain.audit.access import AccessStream, Rights, Served
from domain.audit.access_audit import Disclosure, judge
from domain.audit.rulings import ReplayResult
from domain.fairness.openings import DealSecrets
from domain.fairness.records import assemble
from domain.games import GAMES, rules_of
from domain.log import canonical
from domain.log.proofs import anchor_entry
from domain.match.decide import Decision
from domain.match.record import MatchAtHead, fold
from infra.keys import ed25519_verify
from projections.history import frames
from projections.served_dice import dice_of_view
from tests.domain.playing import MATCH, Played
from tests.domain.test_every_game import OPTIONS, judged, play_on
from tests.fairness.scripted_server import POLICY, Log

STREAM = access.stream_of(MATCH)
Entry = tuple[str, dict[str, Any]]
"""Type and members of a line."""


class Recorded(Played):
    """A match on its way, with its access stream."""

    def __init__(self, *how: Any, **rules: Any) -> None:
        super().__init__(*how, **rules)
        lines, self.book = access.new_access_stream(MATCH, self.at)
        self.seen = list(lines)
        self.keepers: dict[int, DealSecrets] = {}

    def do(self, command: commands.MatchCommand, after_ms: int = 10) -> Decision:
        before = self.match
        made = super().do(command, after_ms)
        lines, book = access.lines_of_events(self.book, before, made.events, self.at)
        for written, _ in fold(self.lines[before.version :], MatchAtHead(before, "")):
            told = {each.key for each in access.allowed_dice(written.match)}
            assert told <= book.told, "nothing is let known that is not looked for"
        assert lines == () or access.touches(made.events)
        self.seen += lines
        self.book = book
        if made.keeper is not None:
            self.keepers[made.keeper.number] = made.keeper
        return made


@cache
def finished(game: str, number: int, which: int = 0) -> Recorded:
    """Return a random match of a game, played to its end."""
    drawn = random.Random(f"{game} {number} {which}")
    options = OPTIONS[game][which]
    low, high = rules_of(game, options).seats
    deals = GAMES[game].rules(GAMES[game].options()).deals
    seats = drawn.randint(low, max(low, min(4, high)))
    played = Recorded(options, seats, f"{game} {number}", game, pause_ms=0, deal_per=drawn.choice(deals))
    played.start()
    play_on(played, drawn)
    assert played.match.ended
    return played


def entries(played: Recorded) -> list[Entry]:
    """Return what stands in an access stream, to be changed and written anew."""
    documents = [canonical.decode(line) for line in played.seen]
    return [(document["type"], document["data"]) for document in documents]


def written(said: list[Entry], stream: str = STREAM) -> bytes:
    """Return the access record of these entries: chained, logged and signed, whatever it says."""
    lines: list[bytes] = []
    for seq, (kind, data) in enumerate(said):
        lines.append(canonical.line(stream, seq, canonical.head(lines[-1]) if lines else "0" * 64, 1, kind, data))
    return signed(lines, stream)


def signed(lines: list[bytes], stream: str = STREAM) -> bytes:
    log = Log()
    log.add(b"somebody else's")
    index = log.add(anchor_entry(stream, len(lines) - 1, canonical.head(lines[-1]), "final"))
    return assemble(lines, log.inclusion(index, log.checkpoint()))


def told(played: Recorded, record: bytes, upto: int | None = None) -> Disclosure:
    """Return what the audit of an access record comes to."""
    return judge(record, played.lines, ruling_of(played, upto), POLICY, ed25519_verify)


def ruling_of(played: Recorded, upto: int | None = None) -> ReplayResult:
    """Return how far a match follows from the rules, or what would be said if it were so far."""
    reached = judged(played).upto if upto is None else upto
    rights = Rights()
    for written, event in fold(played.lines[:reached]):
        rights.take(written.match, event)
    return ReplayResult(judged=True, upto=reached, rights=rights)


def shown(played: Recorded) -> dict[access.Key, Served]:
    """Return what leaves with the frames of all seats: each roll, with the version it first leaves at."""
    found: dict[access.Key, Served] = {}
    seats = {seat for written, _ in fold(played.lines) for seat in written.match.seated}
    for seat in sorted(seats):
        for match, frame in frames(played.lines, seat, played.keepers, {}):
            for each in dice_of_view(match, frame.view):
                found.setdefault(each.key, each)
    return found


def on_record(book_lines: list[bytes]) -> dict[access.Key, Served]:
    """Return what an access stream says, by what it is about; nothing stands there twice."""
    found: dict[access.Key, Served] = {}
    book = AccessStream()
    for line in book_lines:
        document, before = canonical.decode(line), len(book.told)
        book = access.fold_lines(book, [line])
        if document["type"] == access.SERVED:
            data = document["data"]
            served = Served(**{**data, "slots": tuple(data["slots"])})
            assert len(book.told) == before + 1
            found[served.key] = served
    return found
