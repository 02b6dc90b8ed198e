"""One look at a log: from its checkpoint to what its entries say of the streams they are about."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from msgspec import UNSET, Struct, UnsetType, field

from domain.log import merkle, monitoring, policies
from domain.log.checkpoints import Checkpoint, checkpoint_of, is_signed_by
from domain.log.monitoring import Alarm, Anchor, Code
from domain.log.notes import Malformed
from domain.log.policies import Policy, Untrusted
from domain.log.tiles import WIDTH, Tile
from domain.log.witnessing import Head
from infra.clock import now_ms
from infra.keys import ed25519_verify
from services.monitor.comparing import Comparison
from services.monitor.counting import CountedHouse, HouseSheets, Wrong, void_alarms
from services.monitor.reading import LogHouse, LogSilent, NotServed
from services.monitor.store import MonitorStore

DAY_MS: Final = 24 * 60 * 60 * 1000
SAMPLE: Final = 10
"""Streams compared at a look, unless all are asked for: those first that were not for the longest time."""
NOTED_AT_ONCE: Final = 16 * WIDTH
"""Entries that are read before they are noted: a look that is stopped loses no more."""
LATE_MS: Final = 60_000
"""How long after a match was first seen to be over the statistics may lack it."""
TOLD_MAX: Final = 100
"""Findings of one kind that are told at a look."""


class AnotherLog(Exception):  # noqa: N818 - named for what it is about
    """What is in the notebook was not seen of a log of the policy."""


class MonitorFinding(Struct, frozen=True):
    """Something is wrong: which kind of fault, and what was found, in a sentence."""

    code: Code
    text: str


_PATHS: Final = {
    "match": "matches/{}/record",
    "access": "matches/{}/access",
    "tournament": "tournaments/{}/export",
    "season": "seasons/{}/export",
    "board": "boards/{}/record",
}
"""Where the lines of a stream are read, by the first part of its name."""


class MonitorLook(Struct):
    """What one look came to.

    Attributes:
        followed: Whether the log is one history up to its newest checkpoint, and leads to its root.
        size: Entries of the log that were checked, now and before.
        grown: How many of them are new.
        compared: Streams that were held against what the log says of them.
        findings: What is wrong.
        unanswered: What could not be checked, and why.
        statistics: What the statistics of the house came to; unset where nobody asked.
    """

    followed: bool = False
    size: int = 0
    grown: int = 0
    compared: int = 0
    findings: list[MonitorFinding] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)
    statistics: CountedHouse | UnsetType = UNSET


class Monitor:
    """Follows one log."""

    def __init__(self, house: LogHouse, notebook: MonitorStore, policy: Policy, patience_days: float) -> None:
        """Follow the log of this house.

        Args:
            house: Where it is.
            notebook: What was seen of it.
            policy: Whom to believe.
            patience_days: How long after its first deal a match may have no end.

        Raises:
            AnotherLog: No log of the policy signed the checkpoint seen last. Every log may have the same name: two
                histories of two keys contradict nobody.
        """
        seen = notebook.note()
        if seen is not None and not _is_signed(policy, checkpoint_of(seen)):
            raise AnotherLog("this folder followed another log; use another folder")
        self._house = house
        self._notebook = notebook
        self._policy = policy
        self._patience_ms = int(patience_days * DAY_MS)

    async def look(self, *, every_stream: bool, counts: bool = False) -> MonitorLook:
        """Return what is wrong with the log now, and with the house's counts. Nothing is noted that is not believed."""
        look = MonitorLook()
        before = self._notebook.head().size
        try:
            await self._follow()
            look.followed = True
        except Alarm as alarm:
            look.findings.append(MonitorFinding(alarm.code, str(alarm)))
        except LogSilent as trouble:
            look.unanswered.append(str(trouble))
        look.size = self._notebook.head().size
        look.grown = look.size - before
        look.findings += self._compare_entries()
        sheets = await self._sheets(look) if counts else None
        await self._compare(look, None if every_stream else SAMPLE, sheets)
        return look

    def _compare_entries(self) -> list[MonitorFinding]:
        """Return what is wrong with the entries that were read, held against each other."""
        notebook, since = self._notebook, now_ms() - self._patience_ms
        return [
            *(
                MonitorFinding("ENTRIES", f"entry {again} is entry {n} again")
                for n, again in notebook.repeated_entries(TOLD_MAX)
            ),
            *(
                MonitorFinding("ENTRIES", f"the log has a line of {one} after its last")
                for one in notebook.streams_after_end(TOLD_MAX)
            ),
            *(
                MonitorFinding("TWO_HEADS", f"the log has two heads for line {seq} of {stream}")
                for stream, seq in notebook.two_heads(TOLD_MAX)
            ),
            *(
                MonitorFinding("UNFINISHED", f"{stream} has a sealed deal and no end")
                for stream, _ in notebook.unfinished_streams(since, TOLD_MAX)
            ),
        ]

    # ---- the log --------------------------------------------------------------------------------

    async def _follow(self) -> None:
        """Read what is new in the log, once its checkpoint continues the one seen last."""
        shown = self._trusted_head(await self._house.checkpoint())
        seen, head = self._notebook.last_head(), Head(shown.size, shown.root)
        edge: dict[merkle.Place, bytes] = {}
        try:
            monitoring.check_head(seen, head)
            if head.size > seen.size:
                edge = await self._extend_tree(seen, head)
        except Alarm as alarm:
            raise self._with_proof(alarm, shown) from alarm
        self._notebook.accept(shown)
        read = self._notebook.head()
        if read.size < head.size:
            await self._read(read.size, edge if read == seen else await self._extend_tree(read, head), head)

    def _trusted_head(self, text: str) -> Checkpoint:
        try:
            shown = checkpoint_of(text)
            policies.accept(self._policy, shown, ed25519_verify)
        except Malformed as trouble:
            raise Alarm("NONSENSE", f"the checkpoint is none: {trouble}") from trouble
        except Untrusted as trouble:
            raise Alarm("UNTRUSTED", f"the checkpoint does not meet the policy: {trouble}") from trouble
        if self._notebook.origin() not in {None, shown.origin}:
            raise Alarm("UNTRUSTED", f"this is the log {shown.origin}, and not {self._notebook.origin()}")
        return shown

    def _with_proof(self, alarm: Alarm, shown: Checkpoint) -> Alarm:
        if alarm.code not in {"SHRUNK", "FORKED"}:
            return alarm
        name = self._notebook.keep_proof(shown)
        kept = "" if name is None else f"; both checkpoints are kept as {name}.seen and {name}.shown"
        return Alarm(alarm.code, f"{alarm}{kept}")

    async def _extend_tree(self, seen: Head, head: Head) -> dict[merkle.Place, bytes]:
        hashes: dict[merkle.Place, bytes] = {}
        for tile in monitoring.tiles_for(seen.size, head.size):
            hashes.update(await self._house.hashes(tile))
        return monitoring.check_growth(seen, head, hashes)

    async def _read(self, size: int, edge: dict[merkle.Place, bytes], head: Head) -> None:
        """Read the entries from this size on, and note them some bundles at a time, as far as they lead to the root."""
        said: list[Anchor] = []
        while size < head.size:
            number = size // WIDTH
            end = min((number + 1) * WIDTH, head.size)
            bundle = Tile(None, number, end - number * WIDTH)
            entries = await self._house.entries(bundle)
            leaves = [merkle.leaf_hash(entry) for entry in entries]
            above = Tile(0, number, bundle.width)
            hashes = await self._house.hashes(above)
            if list(hashes.values()) != leaves:
                raise Alarm("TILES", f"tile/{above} is not that of the entries in tile/{bundle}")
            fresh = size - number * WIDTH
            known = monitoring.extend_edge(size, edge, leaves[fresh:])
            for tile in monitoring.tiles_ended(size, end, last=end == head.size):
                monitoring.check_tile(tile, hashes if tile.level == 0 else await self._house.hashes(tile), known)
            said += monitoring.anchors_of(entries[fresh:], size)
            size, edge = end, monitoring.edge_of(end, known)
            if size == head.size or size % NOTED_AT_ONCE == 0:
                await self._note(said, Head(size, merkle.hash_of((0, size), edge)), head)
                said = []

    async def _note(self, said: list[Anchor], read: Head, head: Head) -> None:
        """Note what entries say, if the head they lead to is that of the log or becomes it."""
        try:
            monitoring.check_head(read, head)
            if read.size < head.size:
                await self._extend_tree(read, head)
        except Alarm as alarm:
            if alarm.code == "NONSENSE":
                raise
            raise Alarm("TILES", f"the entries do not lead to the root of the first {head.size} entries") from alarm
        self._notebook.add(said, read, now_ms())

    # ---- the streams ----------------------------------------------------------------------------

    async def _compare(self, look: MonitorLook, most: int | None, sheets: HouseSheets | None) -> None:
        streams = self._notebook.due(most)
        for stream in streams:
            try:
                await self._compare_one(stream, look, sheets)
            except Alarm as alarm:
                look.findings.append(MonitorFinding(alarm.code, str(alarm)))
            except NotServed as trouble:
                look.findings.append(MonitorFinding("GONE", f"{stream} is in the log and no longer served: {trouble}"))
            except LogSilent as trouble:
                look.unanswered.append(str(trouble))
        self._notebook.note_comparison(streams, now_ms())

    async def _compare_one(self, stream: str, look: MonitorLook, sheets: HouseSheets | None) -> None:
        path = _path_of(stream)
        if path is None:
            look.unanswered.append(
                f"{stream!r} is no stream of a match, a board, a tournament or a season, so it cannot be compared"
            )
            return
        anchors = self._notebook.anchors(stream)
        comparison, lines = Comparison(stream, anchors), list[bytes]()
        is_over = stream.startswith("match/") and any(anchor.kind == "final" for anchor in anchors)

        def take(line: bytes) -> bool:
            lines.append(line)
            return comparison.take(line)

        await self._house.lines(path, take if sheets is not None and is_over else comparison.take)
        look.compared += 1
        wrong = comparison.finish()
        look.findings += [MonitorFinding("STREAM", text) for text in wrong]
        if sheets is not None and is_over and not wrong:
            await self._hold(stream, lines, sheets, look)
        if comparison.is_kept_back:
            look.unanswered.append(f"{stream} keeps a round back until it is over at all tables with the same dice")

    # ---- the statistics -------------------------------------------------------------------------

    async def _sheets(self, look: MonitorLook) -> HouseSheets | None:
        """Return the sheets of the house, and note what is wrong with them all together."""
        sheets = HouseSheets(self._house)
        try:
            await sheets.read()
        except Alarm as alarm:
            look.findings.append(MonitorFinding(alarm.code, str(alarm)))
            return None
        except LogSilent as trouble:
            look.unanswered.append(str(trouble))
            return None
        look.statistics = sheets.counted
        if sheets.moved:
            look.unanswered.append("the statistics moved on while they were read, so they were not added up")
        if sheets.wrong:
            look.findings.append(MonitorFinding("STATISTICS", sheets.wrong))
        look.findings += [MonitorFinding("VOIDS", text) for text in void_alarms(sheets.counted.dealt)]
        return sheets

    async def _hold(self, stream: str, lines: list[bytes], sheets: HouseSheets, look: MonitorLook) -> None:
        """Hold the statistics against the record of a match that is over; they may be a minute late."""
        counted, since, now = *self._notebook.counting(stream), now_ms()
        try:
            caught_up = await sheets.hold(stream, lines, counted=counted)
        except Wrong as wrong:
            look.findings.append(MonitorFinding("STATISTICS", str(wrong)))
            return
        if not caught_up and since is not None and now - since >= LATE_MS:
            look.findings.append(MonitorFinding("STATISTICS", f"{stream} is over, and the statistics leave it out"))
        elif not caught_up:
            look.unanswered.append(f"{stream} is over, and not yet in the statistics")
        self._notebook.note_counting(stream, now if since is None else since, counted=counted or sheets.has(stream))


def _is_signed(policy: Policy, checkpoint: Checkpoint) -> bool:
    # While keys change, both sign, and the policy names both: so one of them is enough.
    return any(is_signed_by(checkpoint, key, ed25519_verify) for key in policy.logs)


def _path_of(stream: str) -> str | None:
    """Return where the lines of a stream are: of a match, its access, a tournament, a season; None for any other."""
    kind, _, name = stream.partition("/")
    try:
        return f"/api/v1/{_PATHS[kind].format(name)}" if stream == f"{kind}/{UUID(name)}" else None
    except (ValueError, KeyError):
        return None
