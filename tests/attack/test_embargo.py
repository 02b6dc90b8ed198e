"""Embargo: nothing that is told outside of a table of a board hangs on what is said there while the round goes on.

In several worlds a table of a board has come to the same round, and other things are bid in it, or nothing yet. What
the house answers to anybody but its own seats is the same in all, byte for byte, at every address, in every stream and
in the log. Once the round is over at all tables everybody is told everything, at the versions it has had all along.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import aclosing
from itertools import groupby
from typing import Any, Final, cast
from uuid import UUID

from domain import commands
from domain.log import canonical
from domain.match.record import GENESIS
from infra.feed.memory import MemoryFeed
from infra.keys import Ed25519Signer
from infra.store import Access, Append, Appended, shard_of
from infra.store.memory import MemoryStore
from services.dealer.notary import Notary
from services.matches.reads.frame_buffer import WaitPolicy
from services.matches.reads.queries import MatchQueries
from services.matches.reads.shared import shared_reads
from services.matches.reads.streams import StreamHub
from services.matches.secrets.tokens import digest
from services.relay.lobby_projector import LobbyProjector
from services.relay.publisher import Publisher
from services.work.failures import Stuck
from tests.attack.test_watching import OF_MATCHES, Streams, answers, differences
from tests.attack.watched_house import TOKENS, WatchedHouse, ends_of
from tests.sizes import spread
from tests.store.lines import chain
from tests.tournaments.boards_by_hand import PlayedBoard, board_rules

OWN: Final = f"match/{UUID(int=5)}"
FIRST: Final = 1
SECOND: Final = 2
SPOKEN: Final = ([(1, 2)], [(1, 3), (1, 5), (2, 2)])
"""What is bid in the round, by seats in turn, in each world in which something is."""
ENDS: Final = ("", "doubted", "left")
SIGNER: Final = Ed25519Signer(bytes(32))
OF_LOG: Final = (
    *("/log/checkpoint", "/api/v1/log/checkpoint"),
    *("/log/tile/entries/000.p/{entries}", "/log/tile/0/000.p/{entries}"),
)


class PlayedTable:
    """A table of a board, as the watched house is told of it."""

    def __init__(self, board: PlayedBoard) -> None:
        table = board.tables[FIRST]
        self.board, self.match, self.lines, self.at = board, table.match, table.lines, table.at
        self.keepers: dict[int, Any] = {}
        self.keeper = None
        assert table.match.table is not None
        self.table = table.match.table

    @property
    def happened(self) -> Iterator[list[bytes]]:
        """The lines of each command behind the first line; a command has one time, and the first opens the match."""
        for _, lines in groupby(self.lines[1:], lambda line: json.loads(line)["at"]):
            yield list(lines)

    def received(self, seat: int) -> bytes:
        """Return nothing: no dice are swapped here."""
        return b"%d" % seat


def begun(number: int = 1) -> PlayedBoard:
    """Return the board of a round of an event whose tables have played a round of theirs, and are in the second."""
    board = PlayedBoard(board_rules(tables=2, seats=2, number=number))
    board.log()
    steps = iter(board.steps())
    for step in steps:
        if step == "release":
            break
    table = board.tables[FIRST]
    table.at = max(table.at, table.match.resumes_at or 0)
    table.do(commands.Advance(commands.Chance(b"", {})), board.keeper)
    return board


def spoken(bids: list[tuple[int, int]], ends: str = "", number: int = 1) -> PlayedBoard:
    """Return that board once this was bid at its first table, and the round was ended in this way, if it was."""
    board = begun(number)
    table = board.tables[FIRST]
    for quantity, face in bids:
        assert table.match.table is not None
        seat = table.match.table.turn
        assert seat is not None
        table.do(commands.Bid(seat, quantity, face), board.keeper)
    state = table.match.table
    assert state is not None
    assert state.turn is not None
    if ends == "doubted":
        table.do(commands.Challenge(state.turn), board.keeper)
    if ends == "left":
        table.do(commands.Forfeit(state.turn), board.keeper)
    return board


async def told(board: PlayedBoard) -> dict[str, object]:
    """Return all that is told without a token of the table, by what was asked, while the round goes on."""
    house = WatchedHouse(cast("Any", PlayedTable(board)))
    await house.begin()
    before, _ = await house.come_so_far()
    streams = Streams(house, before)
    await streams.begin()
    await written(house.store)
    await house.go_on()
    version, released = await house.come_so_far()
    assert version < house.version
    await streams.come_to(version, released)
    named = {"match": house.match, "game": house.game, "version": version, "after": version + 1, "before": before}
    found: dict[str, object] = {"version": version}
    neighbour = await seat_elsewhere(house, board)
    await written(house.store)
    named["entries"] = await house.store.log_size()
    addresses = [*OF_LOG, *(each for path in OF_MATCHES.values() for each in path)]
    for asked in [*addresses, *(f"/api/v1/boards/{board.board.id}/{what}" for what in ("record", "me"))]:
        found |= await answers(house, asked, named)
        heard = await answers(house, asked, named, neighbour)
        found |= {f"{what} at another table": told for what, told in heard.items()}
    for guess in range(version, version + 9):
        wants = {"If-Match": f'"v{guess}"'}
        found[f"a seat at {guess}"] = await house.post("seats", wants, b'{"name":"Eve"}')
    return found | await streams.end()


async def seat_elsewhere(house: WatchedHouse, board: PlayedBoard) -> dict[str, str]:
    """Let the house have the board and the match at its second table, and return what the first seat there shows."""
    table = board.tables[SECOND]
    token = TOKENS.issue(table.match.id, "seat", 1, b"test")
    known = ((digest(token), "seat", 1),)
    append = Append(f"match/{table.match.id}", 0, tuple(table.lines), b"elsewhere", b"", b"{}", tokens=known)
    assert isinstance(await house.store.append(append), Appended)
    shared = Append(f"board/{board.board.id}", 0, tuple(board.lines), b"shared", b"", b"{}")
    assert isinstance(await house.store.append(shared), Appended)
    return {"Authorization": f"Bearer {token}"}


async def written(store: MemoryStore) -> list[tuple[str, int, str]]:
    """Let a notary that has just been started write the log, and return what that speaks of: stream, seq and kind."""
    await Notary(store, "example.org/truecup", (SIGNER,)).work()
    entries = [entry.decode().split("\n") for entry in await store.log_entries(0, 1_000)]
    return [(stream, int(seq), kind) for _, stream, seq, _, kind, _ in entries]


async def test_nothing_that_is_told_elsewhere_hangs_on_a_round_that_goes_on() -> None:
    before = await told(spoken([]))
    for bids, ends in spread([(bids, ends) for ends in ENDS for bids in SPOKEN], 4):
        assert differences(before, await told(spoken(bids, ends))) == set(), (bids, ends)


async def test_the_bus_tells_others_of_such_a_round_that_there_is_more_and_nothing_else() -> None:
    board = spoken(SPOKEN[1], "doubted")
    kept, feed, heard = Kept(board), MemoryFeed(), list[tuple[int, bytes]]()
    await kept.tell()
    stream = f"match/{kept.match}"
    await feed.listen(str(kept.match), None, lambda version, body: heard.append((version, body)))
    publisher = Publisher(kept.store, feed, None, kept.shared)
    shard = shard_of(stream)
    await publisher.start(shard)
    await publisher.take(shard, await kept.store.follow(shard, 0, 1_000))
    shown = len(await kept.matches.frames(kept.match, None, 0, 1_000))
    assert [version for version, _ in heard] == [*range(1, len(board.tables[FIRST].lines) + 1)]
    assert not any(body for version, body in heard if version > shown)
    assert any(body for _, body in heard)


async def test_a_reader_is_told_of_the_round_once_it_is_over_everywhere() -> None:
    board = spoken(SPOKEN[1], "doubted")
    kept, feed = Kept(board), MemoryFeed()
    await kept.tell()
    shown, seen = len(await kept.matches.frames(kept.match, None, 0, 1_000)), list[int]()
    streams = StreamHub(kept.matches, feed, WaitPolicy(0.02, 0.02, 0.01), wait_of=kept.matches.wait_of)
    async with aclosing(streams.stream(kept.match, None, 0, beat_s=0.2)) as items:
        async for item in items:
            seen += [item.version] if item.kind == "frame" else []
            if item.kind == "beat" and max(seen) == shown:
                _finish_elsewhere(board)
                await kept.tell()
            elif item.kind == "beat":
                break
    assert seen == [*range(1, len(board.tables[FIRST].lines) + 1)]


# ---- released ------------------------------------------------------------------------------------


def _play_elsewhere(board: PlayedBoard) -> None:
    """Play the round at the second table until it waits there as well."""
    other = board.tables[SECOND]
    other.at = max(other.at, other.match.resumes_at or 0)
    other.do(commands.Advance(commands.Chance(b"", {})), board.keeper)
    other.play(board.keeper)


def _finish_elsewhere(board: PlayedBoard) -> None:
    _play_elsewhere(board)
    assert [board.proceed(), board.proceed()] == ["close_round", "release"]


class Kept:
    """The streams of a board and of its tables in a store, told as far as they have come."""

    def __init__(self, board: PlayedBoard, store: Any = None) -> None:
        self.board, self.store = board, store or MemoryStore()
        self._told: dict[str, int] = {}
        self.shared = shared_reads(self.store)
        self.matches = MatchQueries(self.store, None, self.shared)
        self.match = UUID(board.rules.match_at(FIRST))

    async def tell(self) -> None:
        """Store whatever has come."""
        streams = {f"board/{self.board.rules.id}": self.board.lines}
        streams |= {f"match/{table.match.id}": table.lines for table in self.board.tables.values()}
        for stream, lines in streams.items():
            known = self._told.get(stream, 0)
            if len(lines) > known:
                parts = self._ends(stream, lines[known:])
                append = Append(stream, known, tuple(lines[known:]), b"%d" % len(lines), b"", b"{}", **parts)
                assert isinstance(await self.store.append(append), Appended)
                self._told[stream] = len(lines)

    @staticmethod
    def _ends(stream: str, lines: list[bytes]) -> dict[str, Any]:
        """Return what goes to the log with these lines, and who saw what where the match ends with them."""
        seen, ends = f"access/{stream.partition('/')[2]}", ends_of(lines)
        closed = tuple(chain(seen, 1, kind="access.closed")) if ends and stream.startswith("match/") else ()
        return {"anchors": ends, "access": Access(seen, 0, closed) if closed else None}

    async def shown(self) -> tuple[list[bytes], bytes, bytes]:
        """Return what anybody may see: frames, the record, and the row of the lobby."""
        frames = await self.matches.frames(self.match, None, 0, 1_000)
        return frames, await self.matches.record(self.match), await self.row()

    async def row(self) -> bytes:
        """Return the row of the lobby, made by a projector that follows every shard to its end."""
        projector = LobbyProjector(self.store, self.shared)
        for stream in (f"match/{self.match}", f"board/{self.board.rules.id}"):
            shard = shard_of(stream)
            page = await self.store.follow(shard, await projector.start(shard), 10_000)
            if page:
                await projector.take(shard, page)
        shelves = ("live", "ended", "ended/bots")
        rows = [row for shelf in shelves for row in await self.store.projection("lobby", shelf, 10)]
        return next(row.doc for row in rows if row.key == str(self.match))


async def test_a_round_that_is_over_everywhere_is_told_from_the_log_at_the_same_versions() -> None:
    board = spoken(SPOKEN[1], "doubted")
    kept = Kept(board)
    await kept.tell()
    before, record, _ = await kept.shown()
    whole = b"".join(line + b"\n" for line in board.tables[FIRST].lines)
    assert len(before) == len(record.splitlines()) < len(board.tables[FIRST].lines)
    assert whole.startswith(record)
    for behind in (0, len(before) - 1, len(before), len(before) + 1):
        assert await kept.matches.lines(kept.match, behind, None) == record.splitlines()[behind:]
        assert await kept.matches.lines(kept.match, behind, 1) == board.tables[FIRST].lines[behind:], "its own seats"
    _play_elsewhere(board)
    assert board.proceed() == "close_round"
    await kept.tell()
    assert (await kept.shown())[:2] == (before, record), "it is not told before its match is"
    assert board.proceed() == "release"
    await kept.tell()
    after, record, row = await kept.shown()
    lines = board.tables[FIRST].lines
    assert (len(after), len(record.splitlines())) == (len(lines), len(lines))
    assert after[: len(before)] == before
    assert json.loads(row)["version"] == len(lines)


async def test_a_match_that_ends_in_a_round_is_shown_to_have_once_that_is_over_everywhere() -> None:
    board = spoken(SPOKEN[0], "left")
    kept = Kept(board)
    assert board.tables[FIRST].match.ended
    await kept.tell()
    before, record, row = await kept.shown()
    assert (await kept.matches.view(kept.match, None)).phase != "finished"
    assert json.loads(row)["phase"] != "finished"
    _play_elsewhere(board)
    assert board.proceed() == "close_round"
    await kept.tell()
    after, whole, row = await kept.shown()
    assert len(after) == len(board.tables[FIRST].lines) > len(before)
    assert whole.startswith(record)
    assert json.loads(row)["phase"] == "finished"
    assert (await kept.matches.view(kept.match, None)).phase == "finished"


async def test_the_log_has_no_head_that_hangs_on_a_round_that_goes_on() -> None:
    logs = set()
    for bids, ends in [([], ""), *((bids, ends) for bids in SPOKEN for ends in ENDS)]:
        kept = Kept(spoken(bids, ends))
        await kept.tell()
        await written(kept.store)
        logs.add((*await kept.store.log_entries(0, 1_000), str(await kept.store.log_checkpoint())))
    assert len(logs) == 1


async def test_the_log_has_a_round_that_is_over_everywhere_and_nothing_of_it_is_lost_over_a_restart() -> None:
    board = spoken(SPOKEN[1], "doubted")
    kept = Kept(board)
    await kept.tell()
    stream, before = f"match/{kept.match}", await written(kept.store)
    _play_elsewhere(board)
    assert board.proceed() == "close_round"
    await kept.tell()
    assert [each for each in await written(kept.store) if each[0] == stream] == [
        each for each in before if each[0] == stream
    ]
    assert board.proceed() == "release"
    await kept.tell()
    told = board.tables[FIRST].lines
    released = max(seq for seq, line in enumerate(told) if line.endswith(b'"type":"game.released","v":1}'))
    assert [each for each in await written(kept.store) if each[0] == stream][-1] == (stream, released, "live")


async def test_the_log_has_the_end_of_a_match_once_its_round_is_over_everywhere() -> None:
    board = spoken(SPOKEN[0], "left")
    kept = Kept(board)
    await kept.tell()
    ends = {f"{kind}/{kept.match}" for kind in ("match", "access")}
    one = Notary(kept.store, "example.org/truecup", (SIGNER,))
    await one.work()
    assert not [each for each in await written(kept.store) if each[2] == "final"]
    _play_elsewhere(board)
    assert board.proceed() == "close_round"
    await kept.tell()
    await one.work()
    assert not [each for each in await written(kept.store) if each[2] == "final" and each[0] not in ends]
    assert {stream for stream, _, kind in await written(kept.store) if kind == "final"} == ends
    record = await MatchQueries(kept.store, None).record(kept.match)
    assert b"#tlog-proof " in record


async def test_what_cannot_be_read_keeps_no_end_of_another_match_from_the_log() -> None:
    kept = Kept(spoken(SPOKEN[0], "left"))
    await kept.tell()
    board = f"board/{kept.board.rules.id}"
    strange = canonical.line(board, len(kept.board.lines), kept.board.head, 2, "board.dealt_anew", {})
    assert isinstance(
        await kept.store.append(Append(board, len(kept.board.lines), (strange,), b"s", b"", b"{}")), Appended
    )
    ended = canonical.line(OWN, 0, GENESIS, 1, "match.ended", {})
    assert isinstance(
        await kept.store.append(Append(OWN, 0, (ended,), b"o", b"", b"{}", anchors=ends_of([ended]))), Appended
    )
    for _ in range(2):
        assert [stream for stream, _, kind in await written(kept.store) if kind == "final"] == [OWN]


async def test_a_board_that_cannot_be_read_keeps_no_other_stream_from_its_row() -> None:
    board = spoken(SPOKEN[0])
    kept = Kept(board)
    await kept.tell()
    stream, stuck = f"board/{UUID(int=7)}", Stuck()
    first = canonical.line(stream, 0, GENESIS, 1, "board.created", {})
    last = canonical.line(stream, 1, canonical.head(first), 2, "board.closed", {})
    assert isinstance(await kept.store.append(Append(stream, 0, (first, last), b"strange", b"", b"{}")), Appended)
    projector, shard = LobbyProjector(kept.store, kept.shared, stuck), shard_of(stream)
    page = await kept.store.follow(shard, await projector.start(shard), 10_000)
    assert await projector.take(shard, page) == page[-1].position
    assert await stuck.notice() is not None
