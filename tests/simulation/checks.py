"""Checks of a schedule at rest: what was promised to those who asked, watched and will read."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections import Counter
from typing import Final

import msgspec
from msgspec.structs import replace

from domain.audit.access import stream_of as access_of
from domain.log import canonical, merkle
from domain.log.checkpoints import checkpoint_of
from domain.log.policies import policy_of
from domain.match.record import match_of
from infra.store import MISSED_MS, SHARDS, Append
from projections.sheets import ROWS, SHEETS, TOTALS
from services.audit.results import held_match, hold
from services.audit.verdict import LAYERS, NOTHING_BESIDE, Evidence, Verdict, verdict_of
from services.matches.handler import CommandHandler
from services.matches.heart import STALLED_MS
from services.matches.reads.records import Records
from services.matches.reads.transparency import PublishedLog
from services.matches.requests import Answer
from services.matches.secrets.keys import public_keys_of
from services.matches.secrets.vault import Vault
from services.relay.lobby_projector import LobbyProjector
from services.relay.statistics_projector import StatisticsProjector
from tests.simulation.events import Event
from tests.simulation.hooks import LEAPT_WITHIN_S, WITHIN_S, tell_the_rest
from tests.simulation.link import SLOW_S
from tests.simulation.nodes import ORIGIN, Node, Shared, house_keys
from tests.simulation.people import Crowd, Reader
from tests.simulation.secrecy import check_secrecy
from tests.simulation.tables import Table, has_passed_cup

SETTLE_S: Final = 20.0
"""How long works that nobody waits for may take to come to rest."""

ACTS: Final = ("game.bid", "game.called", "game.accepted", "game.challenged", "game.spot_on_called", "game.passed")
OF_A_SEAT: Final = re.compile(rb'"type":"(' + "|".join(ACTS).encode() + rb')"')
OF_THE_TABLE: Final = re.compile(rb'"type":"game\.(absent|timed_out)"')
"""What a seat does, and what the table says before it does that for a seat."""
ABSENT: Final = re.compile(rb'"type":"game\.absent"')
OUT_OF_TIME: Final = re.compile(rb'"type":"game\.timed_out"')
NEVER_ACTED: Final = re.compile(rb'"data":\{"seat":1\b.*"type":"game\.timed_out"')
"""Whoever never acts at a table with clocks has all of its time left; others spend theirs turn by turn."""
BY_A_HOST: Final = re.compile(rb'"type":"game\.(kicked|paused|resumed|stood_in|taken_back|time_given)"')
ENDS: Final = ("game.bid", "game.called", "game.challenged", "game.spot_on_called", "game.passed", "game.round_closed")
BEGINS: Final = re.compile(rb'"type":"(' + "|".join((*ENDS, "deal.ready", "game.round_opened")).encode() + rb')"')
"""Lines with which the time of whoever is next begins. Between two of them a turn goes on: dice are handled, a claim is
accepted, time is given back, a host asks for the end."""
BEGINS_WITH_A_CUP: Final = re.compile(rb'"type":"(' + "|".join((*ENDS, "deal.ready")).encode() + rb')"')
"""Likewise where a cup is passed: whoever is first opens the round by a roll, in the middle of a turn."""
FIRST_S: Final = 0.2
"""When the first lives of all nodes have begun, whose clocks are the same."""
UNHEARD_S: Final = 5.0
"""For how long a process may not have heard of a later time: it is cut off, and its next word is a second later."""
SLACK_S: Final = 0.1
"""By how much clocks of a millisecond, and the time until a line is stored, may differ from the world's."""


class Checks:
    """A schedule at rest, held against every promise."""

    def __init__(
        self, shared: Shared, nodes: list[Node], crowd: Crowd, tables: list[Table], events: list[Event]
    ) -> None:
        self._world = shared.weather.world
        self._lives = [life for node in nodes for life in node.lives]
        self._dealers = [life for node in nodes if "dealer" in node.roles for life in node.lives]
        self._store = shared.store
        self._feed = shared.feed
        self._witnesses = shared.witnesses
        self._crowd = crowd
        self._tables = tables
        self._events = events
        self._shared, self._nodes = shared, nodes

    async def run(self) -> None:
        """Check everything; what does not hold is noted."""
        await self._come_to_rest()
        self._check_log()
        self._check_answers()
        check_secrecy(self._world, self._shared, self._crowd)
        for table in self._tables:
            await self._check_table(table)
        for event in self._events:
            await self._check_event(event)
        await self._check_transparency()
        await self._check_rows()
        await self._check_hooks()

    async def _come_to_rest(self) -> None:
        """Wait until rows and checkpoints have come as far as the log."""
        until = self._world.loop.time() + SETTLE_S
        while late := await self._late():
            if self._world.loop.time() > until:
                self._world.violate(f"{late} does not come to rest")
                return
            await asyncio.sleep(0.25)

    async def _late(self) -> str | None:
        ends = await self._store.positions()
        if any([await self._store.cursor(LobbyProjector.name, shard) < end for shard, end in ends.items()]):
            return "the lobby"
        if any(len(self._feed.published[shard]) < end for shard, end in ends.items()):
            return "the bus"
        totals = {int(row.key): row.version for row in await self._store.projection(ROWS, TOTALS, SHARDS)}
        if any(totals.get(shard, 0) < end for shard, end in ends.items()):
            return "the count of dice"
        newest = await self._store.log_checkpoint()
        if self._store.waiting() or newest is None or newest[0] < await self._store.log_size():
            return "the transparency log"
        return None

    # ---- the log and what people were told ------------------------------------------------------

    def _check_log(self) -> None:
        """Hold every line against the command that was stored with it: nothing else, and in this order."""
        written: dict[str, list[bytes]] = {}
        known = {f"match/{table.match_id}" for table in self._tables}
        for append in self._store.appended:
            lines = written.setdefault(append.stream, [])
            self._world.hold(append.expected == len(lines), f"a command of {append.stream} is not in its place")
            lines += append.lines
            if append.stream in known and append.command not in self._crowd.asked:
                self._check_unasked(append.stream, lines, append.lines)
        known |= {table.commentator.stream for table in self._tables if table.commentator is not None}
        known |= {stream for event in self._events for stream in self._streams_of(event)}
        self._world.hold(written == self._store.streams(), "the log has lines without a command")
        self._world.hold(written.keys() <= known, "the log has streams that nobody has begun")

    def _check_unasked(self, stream: str, written: list[bytes], lines: tuple[bytes, ...]) -> None:
        """Hold what nobody has asked for against what the house may do: it seats nobody, and acts for no person.

        But it acts for whoever has kept the table waiting, and says so, and where a bot stands in.
        """
        said = b"".join(lines)
        if b'"type":"seat.joined"' in said:
            self._world.violate(f"{stream} has a line that nobody has asked for")
        if not OF_A_SEAT.search(said) or OF_THE_TABLE.search(b"".join([said, *written[: -len(lines)][-1:]])):
            return
        data = [(line["type"], line["data"]) for line in map(canonical.decode, written)]
        bots = {one["seat"] for kind, one in data if kind == "seat.joined" and one["player"].startswith("bot/")}
        bots |= {one["seat"] for kind, one in data if kind == "game.stood_in"}
        for kind, one in data[-len(lines) :]:
            played = kind not in ACTS or one["seat"] in bots
            self._world.hold(played, f"{stream}: {kind} of seat {one.get('seat')}, whom nobody played")

    def _streams_of(self, event: Event) -> set[str]:
        """Return the streams of a tournament: its own, and those of its matches."""
        lines = map(canonical.decode, self._store.streams().get(event.stream, ()))
        played = (line["data"]["match"] for line in lines if line["type"] == "result.recorded")
        return {event.stream, *(f"match/{match}" for match in played)}

    def _check_answers(self) -> None:
        kept = {(append.stream, append.command): append for append in self._store.appended}
        stored = {append.command: append.stream for append in self._store.appended}
        for denied in self._crowd.denied & stored.keys():
            self._world.violate(f"a command of {stored[denied]} was refused and is there")
        for told in self._crowd.told:
            append = kept.get((told.stream, told.command))
            if append is None:
                self._world.violate(f"a command of {told.stream} was acknowledged and is not there")
                continue
            meant = told.expected in {None, append.expected}
            self._world.hold(meant, f"a command for version {told.expected} was done at {append.expected}")
            written = msgspec.json.decode(append.answer, type=Answer)
            public = replace(told.answer, token=None, invite=None, host=None, seat=told.answer.seat or written.seat)
            self._world.hold(written == public, f"a command of {told.stream} was answered otherwise than is stored")
            line = self._store.streams()[told.stream][written.version - 1]
            self._world.hold(hashlib.sha256(line).hexdigest() == written.head, "an answer names another line")

    # ---- one table ------------------------------------------------------------------------------

    async def _check_table(self, table: Table) -> None:
        if table.match_id is None:
            self._world.violate("a table was not opened")
            return
        stream, house = f"match/{table.match_id}", self._house()
        match = (await house.load_match(table.match_id)).match
        self._world.hold(match.ended, f"{stream} has not ended: it is at {match.version}")
        seats = dict.fromkeys(each.seat for each in table.readers)
        due = {seat: await house.frames(table.match_id, seat, 0, match.version) for seat in seats}
        self._world.hold({len(frames) for frames in due.values()} == {match.version}, f"{stream} has other frames")
        left = self._left(stream)
        for reader in table.readers:
            self._check_reader(reader, due[reader.seat], due[None], left.get(reader.seat))
            is_right = not reader.is_out or reader.seat in left
            self._world.hold(is_right, f"{reader.name} has a seat, and is shown what everybody is")
        self._check_patience(table, stream)
        if table.commentator is not None:
            said = self._store.streams().get(table.commentator.stream, [])
            await table.commentator.check(self._store, house, said)
        for keyed in table.keyed:
            keyed.check(self._crowd.asked, self._store)
        if match.ended:
            await self._audit(house, stream)

    def _left(self, stream: str) -> dict[int | None, int]:
        """Return the seats that were given up, or taken away, before the match began, and with which version."""
        lines = list(map(canonical.decode, self._store.streams().get(stream, ())))
        begun = next((number for number, line in enumerate(lines) if line["type"] == "game.started"), len(lines))
        lobby = enumerate(lines[:begun], start=1)
        return {line["data"]["seat"]: version for version, line in lobby if line["type"] == "seat.left"}

    def _house(self) -> CommandHandler:
        """Return whoever reads matches with the keys of the house, and remembers none."""
        keys = house_keys()
        return CommandHandler(self._store, Vault(self._store, keys.sealing), keys.tokens)

    def _check_patience(self, table: Table, stream: str) -> None:
        """Hold the time that was granted to whoever stops against that in which somebody was there to keep it.

        Where a host has held a table up, or given time, it is the referees who count.
        """
        idle, clock = table.rules.get("idle"), table.rules.get("clock")
        due_ms = {ABSENT: (idle or {}).get("turn_ms"), NEVER_ACTED: (clock or {}).get("bank_ms")}
        if any(map(BY_A_HOST.search, self._store.streams().get(stream, ()))):
            return
        began_s, opens = 0.0, BEGINS_WITH_A_CUP if has_passed_cup(table.rules) else BEGINS
        for append, at_s in zip(self._store.appended, self._store.at_s, strict=True):
            if append.stream != stream:
                continue
            for over, ms in due_ms.items():
                granted_s = at_s - began_s - self._unattended_s(began_s, at_s) + self._skipped_s(began_s, at_s)
                enough = ms is None or not any(map(over.search, append.lines)) or granted_s >= ms / 1_000 - SLACK_S
                self._world.hold(enough, f"{stream}: whoever was waited for was granted {granted_s:.3f} s")
            begins = any(map(opens.search, append.lines))
            began_s = self._began_s(append, at_s) if begins else began_s
            due_ms[OUT_OF_TIME] = _left_ms(append) if begins and clock else due_ms.get(OUT_OF_TIME)

    def _began_s(self, append: Append, at_s: float) -> float:
        """Return when the time of whoever is next began: with the line, which may have come late to the store.

        It was asked for as soon as it had been made, but for what a slow store was asked in between. The time that a
        line has says nothing where clocks are set: then it was no earlier than this.
        """
        profile = self._shared.weather.profile
        made_s = self._store.asked_s.get(append.lines, at_s) - (SLOW_S[1] if profile.slow else 0.0)
        if profile.leaps:
            return made_s
        stamped_s = canonical.decode(append.lines[-1])["at"] / 1_000 - self._world.unix_s(0.0)
        return min(at_s, max(stamped_s, made_s))

    def _skipped_s(self, begin_s: float, end_s: float) -> float:
        """Return how much time may have gone by for the house, as clocks leapt, that was none and is not given back.

        That is what is too short to be told from a machine that is slow, as a clock leaps or another is heard, and what
        two processes, or two lives of one, may differ by.
        """
        if not self._shared.weather.profile.leaps:
            return 0.0
        since_s = begin_s - UNHEARD_S
        began = [life.began_s for life in self._lives if life.began_s is not None]
        again = sum(max(begin_s, FIRST_S) < at_s <= end_s for at_s in began)
        skips = sum(ms for at_s, ms in self._world.skips if since_s < at_s <= end_s and ms <= STALLED_MS)
        return (skips + MISSED_MS * (1 + again)) / 1_000

    def _unattended_s(self, begin_s: float, end_s: float) -> float:
        """Return for how long no dealer was there, where it was long enough to be given back."""
        lost_s, until_s = 0.0, begin_s
        there = sorted((life.began_s, life.ended_s) for life in self._dealers if life.began_s is not None)
        for began_s, ended_s in [*there, (end_s, end_s)]:
            away_s = min(began_s, end_s) - until_s
            lost_s += away_s if away_s > MISSED_MS / 1_000 else 0.0
            until_s = max(until_s, ended_s)
        return lost_s

    def _check_reader(self, reader: Reader, own: list[bytes], public: list[bytes], left: int | None) -> None:
        """Hold what somebody saw against what the log says that they were to see.

        Who is out is shown what everybody is, and all of it so who comes back then.
        """
        end = len(own)
        if reader.began is None:
            self._world.violate(f"{reader.name} was shown nothing")
            return
        seen = sorted(reader.frames)
        self._world.hold(reader.ended, f"{reader.name} was not told the end, after {reader.version} of {end}")
        self._world.hold(seen == list(range(reader.began + 1, end + 1)), f"{reader.name} has not seen every frame")
        for version, body in reader.frames.items():
            due = [] if left is not None and version >= left else [own[version - 1]]
            due += [] if left is None else [public[version - 1]]
            if body not in due:
                self._world.violate(f"{reader.name} was shown another frame {version} than the log makes")

    async def _audit(self, house: CommandHandler, stream: str) -> Verdict:
        """Have a match judged with its access record and all receipts."""
        access = await self._store.read_access(access_of(match_of(stream)))
        receipts = tuple(
            told.answer.receipt for told in self._crowd.told if told.stream == stream and told.answer.receipt
        )
        beside = Evidence(await house.access(match_of(stream)) if access else None, receipts)
        return await self._judge(stream, await house.record(match_of(stream)), beside)

    async def _judge(self, stream: str, record: bytes, beside: Evidence = NOTHING_BESIDE) -> Verdict:
        """Hold a record against all that its lines have to follow from, and the log of the house."""
        published = PublishedLog(self._store, ORIGIN, public_keys_of(house_keys()))
        found = verdict_of(record, policy_of(await published.policy_for(record)), LAYERS, None, beside)
        self._world.hold(found.status == "OK" and found.anchored is True, f"{stream}: {found.status}: {found.message}")
        return found

    # ---- one tournament -------------------------------------------------------------------------

    async def _check_event(self, event: Event) -> None:
        """Hold a tournament against its laws: every round is paired once, and every table played once."""
        stream = event.stream
        lines = [canonical.decode(line) for line in self._store.streams().get(stream, [])]
        kinds = Counter(line["type"] for line in lines)
        self._world.hold(kinds["tournament.closed"] == 1, f"{stream} is not closed: {dict(kinds)}")
        for kind in ("tables.paired", "round.started", "round.closed"):
            rounds = Counter((line["data"]["stage"], line["data"]["round"]) for line in lines if line["type"] == kind)
            self._world.hold(set(rounds.values()) <= {1}, f"{stream} has rounds with {kind} twice")
        results = [line["data"]["match"] for line in lines if line["type"] == "result.recorded"]
        self._world.hold(len(set(results)) == len(results), f"{stream} has a result twice")
        for told in (line["data"] for line in lines if line["type"] == "result.recorded" and line["data"]["match"]):
            last = self._store.streams()[f"match/{told['match']}"][-1]
            ends = canonical.decode(last)["type"] == "match.ended" and canonical.head(last) == told["head"]
            self._world.hold(ends, f"a result names a line that ends no match: {told['match']}")
        for answer in event.told:
            line = self._store.streams()[stream][answer.version - 1]
            self._world.hold(hashlib.sha256(line).hexdigest() == answer.head, "an answer names another line")
        if kinds["tournament.closed"]:
            await self._audit_event(stream)

    async def _check_hooks(self) -> None:
        """Hold what addresses were told of tournaments; it is the last thing to be done in a house."""
        shared = self._shared
        within_s = LEAPT_WITHIN_S if shared.weather.profile.leaps else WITHIN_S
        await tell_the_rest(self._world, self._store, shared.ears, self._nodes, within_s)
        for event in self._events:
            lines = [canonical.decode(line) for line in self._store.streams().get(event.stream, [])]
            for hook in event.hooks:
                hook.check(self._store, lines)

    async def _audit_event(self, stream: str) -> None:
        """Have a tournament judged by its laws, each match of it, and what the one says of the other."""
        record = await Records(self._store).record(stream)
        assert record is not None, "it was announced"
        results = (await self._judge(stream, record)).results or ()
        house = self._house()
        held = {one.match: held_match(await self._audit(house, f"match/{one.match}")) for one in results}
        found = hold(results, {match: one for match, one in held.items() if one is not None})
        self._world.hold(not found.differences, f"{stream} does not say what its matches do: {found.differences}")

    # ---- what is made of the log ----------------------------------------------------------------

    async def _check_transparency(self) -> None:
        self._world.hold(not self._witnesses.forks(), "witnesses were shown two histories")
        anchors = self._store.anchors()
        self._world.hold(len(set(anchors)) == len(anchors), "an anchor is in the log twice")
        due = {(append.stream, *anchor) for append in self._store.appended for anchor in append.anchors}
        there = {(one.stream, one.seq, one.head, one.kind) for one in anchors}
        self._world.hold(due <= there, "an anchor is not in the log")
        leaves = [merkle.leaf_hash(entry) for entry in await self._store.log_entries(0, len(anchors))]
        for note in self._store.notes_published():
            checkpoint = checkpoint_of(note)
            same = checkpoint.root == merkle.root(leaves[: checkpoint.size])
            self._world.hold(same, f"a checkpoint of size {checkpoint.size} is of another tree")

    async def _check_rows(self) -> None:
        """Hold the rows of the lobby, and the count of dice, against those that are made from nothing."""
        anew = self._store.without_rows()
        lobby, counts = LobbyProjector(anew), StatisticsProjector(anew)
        for shard, end in (await anew.positions()).items():
            if end:
                page = await anew.follow(shard, 0, end)
                for work in (lobby, counts):
                    await work.start(shard)
                    await work.take(shard, page)
        self._world.hold(anew.rows("lobby") == self._store.rows("lobby"), "the lobby is not what the log makes")
        for shelf in (TOTALS, SHEETS):
            same = anew.shelf(ROWS, shelf) == self._store.shelf(ROWS, shelf)
            self._world.hold(same, f"the {shelf} of dice are not what the log makes")


def _left_ms(append: Append) -> int | None:
    """Return what is left to whoever is in turn after a command, by its clock; None where no clock runs."""
    set_to = [line for line in map(canonical.decode, append.lines) if line["type"] == "game.clock_set"]
    running = [line["data"]["due_at"] - line["at"] for line in set_to if line["data"]["due_at"] is not None]
    return running[-1] if running else None
