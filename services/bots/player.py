"""The house bots at work: they follow the log, and act when it is the turn of one of them.

They keep nothing but places in the log, and the last receipt of each match, which they hold against the log before they
act again. Whoever takes over after a crash finds the same turns, and since a bot's command is named after its match,
seat and version, no turn is taken twice. That version is the one its turn began with (`domain.match.turns`): whoever
writes beside the game moves neither its moment nor its chance.

The law of the file: when a bot acts owes nothing to its hand. Some hands take longer to think over than others, and
everybody is told in milliseconds when something happened. So a bot chooses within its pause and acts at the end of it:
by then all that is left to do is to hand in a command. Not at its beginning, because then the line that makes it the
bot's turn is on its way to everybody, and would be late by as long as the bot thinks.

What remains is what the command itself takes behind that moment, which is read before it is decided; and that thinking
slows the process down, for some milliseconds, and some hundred of them where a position is new to a level that looks
ahead. It is done in a thread, one bot after the other, so that nobody waits for longer than it takes to change threads.
At which moment of the pause is drawn at random, so that whoever asks something of this process all the time cannot tell
what slowed it down.

A level that looks ahead for as long as its hand makes it does so in another process, from that moment on. What has come
of it when the bot acts is played, else what was chosen here: by the same level where all hands are as dear, by one that
only looks at what is there elsewhere. By which of them is kept just before it acts, and told once the deal is over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from copy import copy
from functools import partial
from itertools import islice
from typing import Final, Protocol
from uuid import UUID

import structlog
from cachetools import LRUCache
from msgspec.structs import replace

from domain import commands
from domain.errors import Refused
from domain.ids import Milliseconds, Seat, UnixMs, Version
from domain.log.canonical import head as head_of
from domain.log.receipts import AnotherHistory
from domain.match.clocks import Clocks
from domain.match.evolve import Match, is_halted
from domain.match.record import is_match, match_of, stream_of
from infra.clock import now_ms
from infra.entropy import draw
from infra.store import Away, Card, Unavailable
from infra.store.people import StoredBotTurn
from services.bots.agenda import Agenda, BotTurn
from services.bots.ahead import TurnAsked
from services.bots.playing import chooser_of, level_of, played_by, thinks_beside
from services.bots.seeing import SeatFrames, Sightings
from services.bots.thinkers import Thinkers
from services.engines.level_names import looks_ahead
from services.engines.levels import CHANCE_BYTES, Thought
from services.engines.seen import SeenMatch
from services.matches.reads.queries import CachedMatch
from services.matches.requests import Answer, CommandMetadata, KeyUsed, VersionPassed
from services.matches.secrets.turn_chance import chance_of_turn
from services.work.changes import ChangeCursor, LiveLog, LiveStreams, live_with_boards
from services.work.failures import Stuck, take_due
from services.work.startup import program_version
from services.work.together import in_rounds, side_by_side
from services.work.waiting import Waits
from services.work.wakeups import Waker

IDLE_S: Final = 0.25
"""How long the bots sleep when nothing wakes them."""
GATHER_S: Final = 0.05
"""How long commits gather before the bots look at what has moved, at most: half of the part of their pause in which
none of them thinks yet (`thinks_after`). So none is late, and a busy house does not wake them for each commit."""
INSTANT_MS: Final = 40
"""How long a bot takes where its host wants it to be quick. It thinks within that as within any pause: for five
milliseconds as a rule, from a moment on that is 25 at the latest."""
AHEAD_MS: Final = 600
"""How long a quick bot takes whose level looks ahead. It thinks from the first hundred milliseconds on, and a new round
takes some two hundred of a core."""
BANK_SHARE: Final = 16
"""A bot's pause takes no larger part than this of what is left on its clock, so that it never loses by waiting."""
QUICK_GATHER_S: Final = 0.001
"""How long commits gather while somebody practises with bots that are quick."""
QUICK_S: Final = 1.0
"""For how long after such a turn they do."""
AGAIN_MS: Final = 1_000
"""After how long a bot tries again when the store could not take its command."""
RECEIPTS_MAX: Final = 4_096
"""Matches whose last receipt is kept; the last vouches for all lines before it."""
CHOSEN_MAX: Final = 4_096
"""Turns of which it is kept what was chosen, until another begins in the match: a table may be held up in between."""
WAITS_MS: Final = 3_000
"""How long a bot waits at most for the level it was to be played by before a crash."""
AT_ONCE_MAX: Final = 16
"""Bots that act at the same time."""
READ_MAX: Final = 8
"""Matches that are read side by side: as many as leave room in the pool of connections for others. At the start, a
match that moves waits for no more than these."""
STEP_MS: Final = 6
"""The steps in which a bot is late that began to think too late, as one does without a pause or after a crash. Nine
choices in ten take less, at ten seats too, so that such a bot acts one step after it began, whatever it holds."""
AHEAD_STEP_MS: Final = 250
"""The same of a level that looks ahead: how long that takes hangs on the hand, and is told in as little as can be."""

Chooses = Callable[[str, SeenMatch, bytes], Thought | None]
"""How a turn is decided: by the level the seat is played by, from what it has seen, and by chance."""

NAME: Final = "bots"
"""What they are called among the works that may get stuck."""

log = structlog.get_logger(__name__)


class Table(SeatFrames, Protocol):
    """Where bots sit."""

    async def load_match(self, match_id: UUID, at_least: int | None = None) -> CachedMatch:
        """Return the match as of the last line in the store."""

    async def card(self, match_id: UUID) -> Card:
        """Return what the host chose beside the rules, among other things."""

    async def keep_bot_turn(self, match_id: UUID, turn: StoredBotTurn) -> StoredBotTurn:
        """Keep how a bot is about to take a turn, and return what is kept of it, which may be there before."""

    async def submit(self, match_id: UUID, command: commands.MatchCommand, ask: CommandMetadata) -> Answer:
        """Decide a command and store what it leads to."""


class Bots:
    """Every house bot of this process."""

    def __init__(
        self,
        log: LiveLog,
        matches: Table,
        waker: Waker,
        pause_ms: Milliseconds,
        chooses: Chooses = lambda level, seen, chance: chooser_of(level).choose(seen, chance),
        stuck: Stuck | None = None,
        thinkers: Thinkers | None = None,
        late_ms: Callable[[UUID], Milliseconds] = lambda _match_id: 0,
    ) -> None:
        """Find turns in this log, and think so long, and in this way, before each.

        `stuck` is told at which tables they cannot go on; `thinkers` think over what takes as long as a hand makes it.
        Whatever the hand, they are as late at a match as is said of it, where another process is to be first.
        """
        self._late_ms = late_ms
        self._stuck, self._thinkers = stuck or Stuck(), thinkers or Thinkers()
        self._chooses = chooses
        self._log = log
        self._matches = matches
        self._sightings = Sightings(matches)
        self._waker = waker
        self._pause_ms = pause_ms
        self._gather_s = min(GATHER_S, pause_ms / 16_000)
        self._quick_until: UnixMs = 0
        self._thinking, self._acting = Agenda(), Agenda()
        self._chosen: LRUCache[UUID, BotTurn] = LRUCache(CHOSEN_MAX)
        self._unread: dict[str, None] = {}
        self._again: dict[str, UnixMs] = {}
        self._touched, self._live = ChangeCursor(log), LiveStreams(partial(live_with_boards, log))
        self._waits = Waits(NAME)
        self._receipts: LRUCache[UUID, Answer] = LRUCache(RECEIPTS_MAX)

    async def run(self) -> None:
        """Play until cancelled. After trouble with the store it starts like after a crash: from the log.

        Raises:
            AnotherHistory: The log does not say what was signed.
        """
        try:
            while True:
                try:
                    await self._play()
                except Unavailable as trouble:
                    await self._waits.out(trouble)
        finally:
            self._thinkers.close()

    async def _play(self) -> None:
        await self._touched.begin()
        self._thinking, self._acting = Agenda(), Agenda()
        self._unread = dict.fromkeys(filter(is_match, await self._live.list_them()))
        while not await self._live.are_back():
            await self._look_at_all(await self._take_moved())
            self._waits.over()
            await self._do_what_is_due()
            self._unread |= dict.fromkeys(take_due(self._again))
            await self._look_at_all(self._take_unread())
            if not self._unread:
                await self._waker.wait(self._sleep_s())
                await asyncio.sleep(min(self._gathering_s(), self._sleep_s()))

    async def _take_moved(self) -> dict[str, int | None]:
        """Return the matches that have moved, which need not be read for the start any more."""
        found = await self._touched.look()
        moved: dict[str, int | None] = {stream: version for stream, version in found.items() if is_match(stream)}
        for stream in moved:
            self._unread.pop(stream, None)
        return moved

    def _take_unread(self) -> dict[str, int | None]:
        """Take out some of the matches that have not been read since the start. They come after what moves."""
        some = dict.fromkeys(islice(self._unread, READ_MAX))
        for stream in some:
            del self._unread[stream]
        return some

    async def _look_at_all(self, versions: dict[str, int | None]) -> None:
        await in_rounds((self._look_at(stream, version) for stream, version in versions.items()), READ_MAX)

    async def _look_at(self, stream: str, version: Version | None) -> None:
        with self._live.contain_away(), self._stuck.contain_failures(NAME, stream) as contained:
            match = (await self._matches.load_match(match_of(stream), version)).match
            turn = await self._turn_of(match)
            if turn is not None and (self._thinking.has(turn) or self._acting.has(turn)):
                return
            self._thinking.drop(match.id)
            self._acting.drop(match.id)
            # A turn that the table is held up in goes on: what was thought of it is not thought again.
            self._thinkers.drop(match.id, unless=match.begun.version)
            if turn is not None and turn.thought is None:
                late_ms = self._late_ms(match.id)
                self._thinking.put(replace(turn, at=turn.at + late_ms, due_at=turn.due_at + late_ms))
            elif turn is not None:
                self._acting.put(turn)
        contained.put_back(self._again, stream)

    async def _turn_of(self, match: Match) -> BotTurn | None:
        turn = turn_of(match, self._pause_ms)
        chosen = self._chosen.get(match.id)
        if turn is not None and chosen is not None and chosen.version == turn.version:
            # Late as it may have been chosen, while the table was held up nobody waited for it.
            due_at = chosen.due_at + turn.began_at - chosen.began_at
            return replace(chosen, at=max(chosen.at, due_at), due_at=due_at, began_at=turn.began_at)
        if turn is None or (await self._matches.card(match.id)).choices.bots == "usual":
            return turn
        now = now_ms()
        self._quick_until = now + round(QUICK_S * 1_000)
        ahead = looks_ahead(turn.level)
        pause_ms = min(turn.due_at - turn.began_at, AHEAD_MS if ahead else INSTANT_MS)
        return replace(turn, at=now + thinks_after(pause_ms // 4 if ahead else pause_ms), due_at=now + pause_ms)

    def _gathering_s(self) -> float:
        return min(self._gather_s, QUICK_GATHER_S) if now_ms() < self._quick_until else self._gather_s

    def _sleep_s(self) -> float:
        times = [at for at in (self._thinking.next_at(), self._acting.next_at()) if at is not None]
        wait_ms = min(times) - now_ms() if times else IDLE_S * 1_000
        return min(IDLE_S, max(0.0, wait_ms / 1_000))

    async def _do_what_is_due(self) -> None:
        """Take the turns that are due, several at a time; think about others only while there are none, one by one."""
        while True:
            acting = self._acting.take(now_ms(), AT_ONCE_MAX)
            thinking = [] if acting else self._thinking.take(now_ms(), 1)
            if not acting and not thinking:
                return
            await side_by_side(self._alone(turn) for turn in (*acting, *thinking))

    async def _alone(self, turn: BotTurn) -> None:
        """Take a turn, or think about it; what is at a database that is away is found in the log when that is back."""
        with self._live.contain_away(), self._stuck.contain_failures(NAME, stream_of(turn.match)) as contained:
            try:
                await (self._think(turn) if turn.thought is None else self._act(turn, turn.thought))
            except Away:
                raise
            except Unavailable as trouble:
                log.warning("bots.again", match=str(turn.match), why=str(trouble))
                self._put_back(turn, now_ms() + AGAIN_MS)
        if contained.again_at is not None:
            self._put_back(turn, contained.again_at)

    def _put_back(self, turn: BotTurn, at: UnixMs) -> None:
        agenda = self._thinking if turn.thought is None else self._acting
        agenda.put(replace(turn, at=at))

    async def _think(self, turn: BotTurn) -> None:
        """Choose for a bot. A crash before it has acted leaves the turn in the log, to be chosen for anew."""
        begun, step_ms = now_ms(), AHEAD_STEP_MS if looks_ahead(turn.level) else STEP_MS
        found = await self._matches.load_match(turn.match, turn.version)
        seen = await self._sightings.up_to(turn.match, turn.seat, turn.version)
        if seen is None or seen.state is None or found.match.begun.version != turn.version:
            return
        chance = _chance_of(found)
        if thinks_beside(turn.level, seen.state.rules):
            # For the moment at which it acts, unless what is chosen here takes too long.
            asked = TurnAsked(turn.match, turn.level, copy(seen), chance)
            self._thinkers.ask(moment(turn.due_at, begun, begun, step_ms), turn.version, asked)
        thought = await asyncio.to_thread(self._chooses, turn.level, seen, chance)
        if thought is not None:
            chosen = replace(turn, at=moment(turn.due_at, begun, now_ms(), step_ms), thought=thought)
            self._chosen[turn.match] = chosen
            self._acting.put(chosen)

    async def _act(self, turn: BotTurn, thought: Thought) -> None:
        """Act for a bot. A crash before the answer leaves the turn in the log, or its command stored: never two."""
        try:
            await self._compare(turn.match)
            found = await self._settle(turn, thought)
            if found is None:
                self._acting.put(replace(turn, at=now_ms() + AHEAD_STEP_MS))
            else:
                self._keep(turn.match, await self._matches.submit(turn.match, found.command, turn.ask))
        except (VersionPassed, KeyUsed):
            # Somebody else was first; what they did wakes the bots again.
            return
        except Refused as refused:
            # The clock may take the turn between looking and acting; anything else is a fault of the bot's.
            log.warning("bots.refused", match=str(turn.match), seat=turn.seat, code=refused.code)

    async def _settle(self, turn: BotTurn, thought: Thought) -> Thought | None:
        """Return what a bot plays, by the level that is kept of its turn; None where that still thinks.

        What is there now is kept and played. A crash behind that leaves the row of a turn that is still to be taken,
        which is taken by the same level then.
        """
        thoughts = [each for each in (self._thinkers.answer(turn.match, turn.version), thought) if each is not None]
        played = {played_by(each, turn.level): each for each in reversed(thoughts)}
        kept = StoredBotTurn(turn.version, played_by(thoughts[0], turn.level), program_version())
        found = played.get((await self._matches.keep_bot_turn(turn.match, kept)).level)
        is_awaited = self._thinkers.is_under_way(turn.match, turn.version) and now_ms() < turn.due_at + WAITS_MS
        return found if found is not None or is_awaited else thought

    async def _compare(self, match: UUID) -> None:
        """Hold the last receipt of a match against the log. Cost: a query for one line.

        Raises:
            AnotherHistory: Another line stands there, or none.
        """
        kept = self._receipts.get(match)
        if kept is None:
            return
        lines = await self._log.read(stream_of(match), kept.version - 1, 1)
        if [head_of(line) for line in lines] != [kept.head]:
            raise AnotherHistory(
                f"line {kept.version} of match {match} is not the one that was signed:\n{kept.receipt}"
            )

    def _keep(self, match: UUID, answer: Answer) -> None:
        self._receipts[match] = answer


def turn_of(match: Match, pause_ms: Milliseconds) -> BotTurn | None:
    """Return the turn that a house bot has in this match, if it has one: first to be thought over, within the pause."""
    if match.table is None or match.ended or match.table.turn is None or is_halted(match):
        return None
    seat = match.table.turn
    if not match.seated[seat].is_house:
        return None
    level, began_at = level_of(match.seated[seat]), match.begun.at
    if match.clocks is not None:
        pause_ms = min(pause_ms, _left_ms(match.clocks, seat, began_at) // BANK_SHARE)
    at, due_at = began_at + thinks_after(pause_ms), began_at + pause_ms
    return BotTurn(at, due_at, match.id, seat, match.begun.version, level, began_at=began_at)


def _left_ms(clocks: Clocks, seat: Seat, at: UnixMs) -> Milliseconds:
    """Return what a seat has left on its clock, which may have run before a bot stood in: its bank is as of then."""
    bank_ms = clocks.banks[seat]
    return bank_ms if clocks.running != seat or clocks.due_at is None else min(bank_ms, max(0, clocks.due_at - at))


def _chance_of(found: CachedMatch) -> bytes:
    """Return the chance of the next turn: of the deal's secret, of which a bot knows nothing else."""
    deal, keeper = found.match.ceremony, found.keeper
    if deal is None or keeper is None or deal.mix is None or deal.stage != "ready" or keeper.number != deal.deal:
        return draw(CHANCE_BYTES)
    return chance_of_turn(keeper.secret, deal.mix, found.match.id, found.match.begun.version)


def thinks_after(pause_ms: Milliseconds) -> int:
    """Return how long after its turn began a bot thinks, in milliseconds: at any moment of the middle of its pause.

    While it thinks the service is busy, for as long as its hand makes it; whoever measures that is not to know whose
    thoughts they were.
    """
    return pause_ms // 8 + int.from_bytes(draw(4)) % (pause_ms // 2 + 1)


def moment(due_at: UnixMs, begun: int, chosen: int, step_ms: int = STEP_MS) -> int:
    """Return when a bot acts that has begun to think and chosen at these times, in Unix milliseconds.

    That is `due_at`, whatever it chose. Where that is over, it is a whole number of steps behind it, one at least for
    who has not begun before: whoever counts them learns how many there were, and no more of its thoughts.
    """
    late = max(0, chosen - due_at, begun + 1 - due_at)
    return due_at + -(-late // step_ms) * step_ms
