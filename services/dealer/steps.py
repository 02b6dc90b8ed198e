"""Steps of a tournament: what its director does there, one look at a time.

The law of the file: what is to be done follows from the tournament, its matches and the time, and is remembered nowhere
but in the log. Every step is one append at the version it was found at, or a command of a match whose id follows from
the step. So any number of directors may look, and be killed anywhere: whoever looks next finds what is left.

    bots       those of the house are there
    people     who waits in an arena and has gone does not wait
    lots       the log has the seal, or the beacon has spoken
    matches    opened, started, left without who does not come, ended in time, stopped where an official has ruled
    time       given where an official has said so
    results    put on record from the matches
    boards     their deals, and the rounds of their matches (`boards`)
    what is due (`domain.tournaments.deciding.due`)
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final
from uuid import UUID

from domain import commands as of_matches
from domain.errors import Refused
from domain.fairness.beacons import Chain, round_due_at
from domain.ids import UnixMs, Version
from domain.match.dues import kept_seats, ready_awaited
from domain.match.evolve import Match
from domain.tournaments import commands
from domain.tournaments.deciding.due import due
from domain.tournaments.events import RULE
from domain.tournaments.matches import match_outcome
from domain.tournaments.record import stream_of
from domain.tournaments.tournament import Tournament
from infra.clock import now_ms
from infra.store import Away
from services.dealer.beacon_client import BeaconClient
from services.dealer.boards.steps import BoardSteps, concerns_board
from services.dealer.bots_of_events import asks_of_bots
from services.dealer.idlers import GONE_MS, pause_the_gone, people_idle
from services.dealer.notary import Notary
from services.dealer.scheduler import anchor_of_deal
from services.dealer.table_times import TableTimes, TimeGifts
from services.matches.chance import NO_CHANCE
from services.matches.handler import CommandHandler
from services.matches.heart import Heart
from services.matches.reads.queries import UnknownMatch
from services.matches.requests import CommandMetadata, VersionPassed
from services.matches.tables.event_tables import SCOPE
from services.matches.watching.presence import Presence
from services.tournaments.cached import CachedTournament
from services.tournaments.handler import TournamentHandler
from services.tournaments.tables import TableMatch, boards_ever, latecomer, newcomers, open_tables, rules_at
from services.work.changes import noting_away
from services.work.together import in_rounds

STEPS_MAX: Final = 64
"""Steps of one tournament in a row, before others have their turn."""
AT_ONCE: Final = 32
"""Matches that are opened side by side: they share commits, and leave connections to others."""
AGAIN_MS: Final = 250
"""How long to wait before asking again for what was refused as not due, or for what others are waited for."""
SOON_MS: Final = 20
"""The soonest that a tournament is looked at again, where nothing was to be done just now."""


class TournamentSteps:
    """What a director does of tournaments, given how their matches stand.

    Attributes:
        seen: The matches of tables without a result, as they were seen last.
    """

    def __init__(
        self,
        tournaments: TournamentHandler,
        matches: CommandHandler,
        notary: Notary,
        heart: Heart,
        ear: BeaconClient | None = None,
        presence: Presence | None = None,
    ) -> None:
        """Act through these handlers, log through this notary, hear a beacon by this ear, and know who has gone.

        `heart` knows for how much of a time nobody was there, and hears which time lines have.
        """
        self._tournaments = tournaments
        self._matches = matches
        self._notary = notary
        self._heart = heart
        self._ear = ear
        self._presence = presence or Presence()
        self._stopped: set[UUID] = set()
        self._times, self._gifts = TableTimes(heart), TimeGifts(matches)
        self._boards = BoardSteps(tournaments, matches, notary, ear)
        self._barred: dict[UUID, Version] = {}
        self._of: dict[UUID, UUID] = {}
        self.seen: dict[UUID, Match] = {}

    def forget(self) -> None:
        """Forget how matches stood, which may have moved unseen."""
        self.seen.clear()
        self._of.clear()
        self._barred.clear()

    async def close(self) -> None:
        """Listen to no beacon any more."""
        if self._ear is not None:
            await self._ear.close()

    def played_in(self, name: UUID) -> UUID | None:
        """Return in which tournament a match is played, if it is at a table that has no result, or a board."""
        return self._of.get(name)

    async def look(self, tournament_id: UUID) -> UnixMs | None:
        """Do whatever is to be done now, and return when to look again; None for when something moves.

        Raises:
            UnknownTournament, Unreadable, Unavailable, AnotherMatch.
        """
        for _ in range(STEPS_MAX):
            await self._heart.find_gap()
            cached = await self._tournaments.load(tournament_id)
            self._heart.hear_time(cached.tournament.at)
            away = list[Away]()
            if not await self._do_one(cached, away):
                times = [self._next_at(cached)]
                with noting_away(away):
                    times.append(await self._look_at_boards(cached.tournament))
                if away:
                    raise away[0]
                return min((at for at in times if at is not None), default=None)
        return now_ms()

    async def _look_at_boards(self, tournament: Tournament) -> UnixMs | None:
        """Do whatever is due on boards, and return when to look again; None for when one of them moves."""
        self._of.update(dict.fromkeys(boards_ever(tournament), tournament.id))
        return await self._boards.look(tournament)

    async def look_at_match(self, tournament_id: UUID, match_id: UUID, version: Version) -> None:
        """Do what is to be done at a table whose match has moved. What follows for all, the tournament's line tells."""
        match = self.seen[match_id] = (await self._matches.load_in_time(match_id, version)).match
        cached = await self._tournaments.load(tournament_id, 0)
        for at in open_tables(cached.tournament):
            if at.id == match_id and at.table.started:
                await self._follow(cached, at, match)
        if concerns_board(match):
            await self._look_at_boards(cached.tournament)

    def _next_at(self, cached: CachedTournament) -> UnixMs | None:
        tournament = cached.tournament
        if tournament.ended:
            return None
        tables = [(at, self.seen[at.id]) for at in open_tables(tournament) if at.table.started and at.id in self.seen]
        dues = [self._times.due_at(tournament, at, match) for at, match in tables]
        times = [at for at in dues if at is not None]
        step = due(tournament)
        if step is not None and self._barred.get(tournament.id) != tournament.version:
            times.append(self._times.step_at(tournament, step))
        if anchor_of_deal(tournament.ceremony, tournament.sealed_seq, tournament.opened_seq) is not None:
            times.append(now_ms() + AGAIN_MS)
        if tournament.ceremony is not None and tournament.ceremony.stage == "fixed":
            times.append(now_ms() + AGAIN_MS)
        if next(people_idle(tournament), None) is not None:
            times.append(now_ms() + GONE_MS)
        return max(min(times), now_ms() + SOON_MS) if times else None

    # ---- one step -------------------------------------------------------------------------------

    async def _do_one(self, cached: CachedTournament, away: list[Away]) -> bool:
        """Do the first thing that is to be done; report whether there was any. A match that is away keeps no other."""
        tournament, moved = cached.tournament, False
        await self._stop_matches(cached, away)
        if tournament.ended:
            if not away:
                # Nobody looks at it again, so nothing of it need be remembered.
                self._stopped -= cached.stops.keys()
                self._gifts.forget(cached.gifts)
                self._barred.pop(tournament.id, None)
            return False
        if await self._hear_lots(tournament) or await self._speak_for_bots(tournament):
            return True
        if await pause_the_gone(tournament, self._presence, self._submit):
            return True
        for at in open_tables(tournament):
            with noting_away(away):
                if at.table.started:
                    moved |= await self._follow(cached, at, await self._match_of(tournament, at))
        if moved:
            return True
        with noting_away(away):
            return await self._proceed(tournament)
        return False

    async def _proceed(self, tournament: Tournament) -> bool:
        """Do what is due. A crash before leaves it due; whoever is second finds another version."""
        step = due(tournament)
        if step is None or self._barred.get(tournament.id) == tournament.version:
            return False
        if not self._times.is_over(self._times.step_at(tournament, step)):
            return False
        if step.step == "close" and await self._look_at_boards(tournament) is not None:
            return False
        if step.step == "start":
            await self._boards.open(tournament)
            await self._open_tables(tournament)
        try:
            ask = _ask(tournament, f"proceed/{tournament.version}", tournament.version)
            await self._tournaments.proceed(tournament.id, RULE, ask)
        except VersionPassed:
            return True
        except Refused:
            # Nobody can be paired as things are, or the clock that decides is behind: somebody has to do something.
            self._barred[tournament.id] = tournament.version
            return False
        return True

    async def _hear_lots(self, tournament: Tournament) -> bool:
        """Bring the deal of lots what it waits for: that the log has it, or what the beacon says."""
        deal, stream = tournament.ceremony, stream_of(tournament.id)
        anchor = anchor_of_deal(deal, tournament.sealed_seq, tournament.opened_seq)
        if deal is not None and anchor is not None:
            self._notary.wake()
            proof = await self._notary.proof(stream, anchor.seq, anchor.kind)
            if proof is None:
                return False
            kind = of_matches.LogDeal if anchor.kind == "sealed" else of_matches.FixDeal
            command = kind(deal.deal, proof.index, proof.path, proof.checkpoint)
            return await self._submit(tournament, command, f"log/{anchor.seq}")
        chosen = tournament.rules.lots.beacon
        if deal is None or deal.stage != "fixed" or deal.beacon is None or chosen is None or self._ear is None:
            return False
        due_at = 1000 * round_due_at(Chain(chosen.genesis, chosen.period), deal.beacon.round)
        said = self._ear.signature_of(deal.beacon.chain, deal.beacon.round, due_at)
        heard = None if said is None else of_matches.HearBeacon(deal.deal, deal.beacon.round, said)
        return heard is not None and await self._submit(tournament, heard, f"beacon/{deal.deal}")

    async def _speak_for_bots(self, tournament: Tournament) -> bool:
        """Let the bots of the house say what nobody else would for them. A crash between leaves the rest."""
        moved = False
        for command, key in asks_of_bots(tournament):
            moved |= await self._submit(tournament, command, f"{key}/{tournament.version}")
        return moved

    async def _submit(
        self, tournament: Tournament, command: commands.AnyCommand, key: str, version: Version | None = None
    ) -> bool:
        """Ask the tournament for something; report whether it moved, by this or by another director.

        With a `version`, only if it is still at that.
        """
        try:
            answer = await self._tournaments.submit(tournament.id, command, _ask(tournament, key, version))
        except VersionPassed:
            return True
        except Refused:
            return (await self._tournaments.load(tournament.id)).tournament.version != tournament.version
        return answer.version > tournament.version

    # ---- matches --------------------------------------------------------------------------------

    async def _open_tables(self, tournament: Tournament) -> None:
        """Open the matches of all tables that wait for theirs. A crash between leaves the rest to be opened."""
        waiting = [at for at in open_tables(tournament) if not at.table.started]
        own = await self._tournaments.own_seeds(tournament.id)
        await in_rounds((self._open(tournament, at, own) for at in waiting), AT_ONCE)

    async def _open(self, tournament: Tournament, at: TableMatch, own: frozenset[str]) -> None:
        await self._matches.open_table(at.id, rules_at(tournament, at), newcomers(tournament, at, own))

    async def _match_of(self, tournament: Tournament, at: TableMatch) -> Match:
        if at.id not in self.seen:
            self.seen[at.id] = (await self._matches.load_match(at.id)).match
            self._of[at.id] = tournament.id
        return self.seen[at.id]

    def _drop(self, match_id: UUID) -> None:
        self.seen.pop(match_id, None)
        self._of.pop(match_id, None)

    async def _ask_match(self, match_id: UUID, command: of_matches.MatchCommand, key: str) -> None:
        """Ask a match for something, and look at it as it is then. Refused: another director was quicker."""
        with suppress(Refused):
            await self._matches.submit(match_id, command, CommandMetadata(SCOPE, f"{key}/{match_id}", b""))
        self.seen[match_id] = (await self._matches.load_match(match_id)).match

    async def _stop_matches(self, cached: CachedTournament, away: list[Away]) -> None:
        """End the matches that no longer count: an official has ruled, or nobody sits there any more."""
        for match_id, line in cached.stops.items():
            with noting_away(away):
                if match_id not in self._stopped:
                    await self._stop_match(match_id, line)

    async def _stop_match(self, match_id: UUID, line: int) -> None:
        with suppress(UnknownMatch):
            match = (await self._matches.load_match(match_id)).match
            if not match.ended and match.stopped is None:
                await self._ask_match(match_id, of_matches.StopMatch(line), f"stop/{line}")
        self._drop(match_id)
        self._stopped.add(match_id)

    async def _follow(self, cached: CachedTournament, at: TableMatch, match: Match) -> bool:
        """Do what is to be done at a table that is played; report whether the tournament moved."""
        tournament = cached.tournament
        if match.ended:
            return not await self._boards.keeps_back(match) and await self._record(tournament, at, match)
        if match.table is None:
            return await self._begin(tournament, at, match)
        match = self.seen[at.id] = await self._gifts.give(match, cached.gifts.get(at.id, ()))
        ends_at = self._times.round_ends_at(tournament, at)
        is_over = ends_at is not None and self._times.is_over(ends_at)
        if is_over and match.last_round is None and match.stopped is None:
            await self._ask_match(at.id, of_matches.LastRound(), "last")
        for seat in self._gone(tournament, at, match):
            await self._ask_match(at.id, of_matches.Forfeit(seat, "absent"), f"forfeit/{seat}")
        return False

    async def _begin(self, tournament: Tournament, at: TableMatch, match: Match) -> bool:
        """Begin a match once all are there; whoever does not come is left out when the time is up."""
        awaited = ready_awaited(match) or ()
        if not awaited and _can_play(match, len(match.seated)):
            await self._ask_match(at.id, of_matches.Start(NO_CHANCE), "begin")
            return False
        gone = [seat for seat in awaited if not tournament.entrants[at.seats[seat - 1]].plays]
        over = not tournament.paused and self._times.is_over(self._times.no_show_at(tournament, at))
        absent = list(awaited) if over else gone
        there = [seat for seat in match.seated if seat not in awaited]
        if (over or not awaited) and not _can_play(match, len(there)):
            return await self._record_unplayed(tournament, at, there)
        for seat in absent:
            if seat in kept_seats(match):
                await self._ask_match(at.id, latecomer(tournament, at, seat), f"late/{seat}")
            await self._ask_match(at.id, of_matches.LeaveOut(seat), f"absent/{seat}")
        return False

    def _gone(self, tournament: Tournament, at: TableMatch, match: Match) -> list[int]:
        """Return the seats that still play of entrants who have left the tournament."""
        out = () if match.table is None else match.table.out
        left = [seat for seat, number in enumerate(at.seats, start=1) if not tournament.entrants[number].plays]
        return [seat for seat in left if seat in match.seated and seat not in out]

    # ---- results --------------------------------------------------------------------------------

    async def _record(self, tournament: Tournament, at: TableMatch, match: Match) -> bool:
        """Put on record what a match came to; who was left out before it began was absent."""
        written = (await self._matches.load_match(at.id)).written
        came = match_outcome(match, at.seats)
        return await self._submit_result(
            tournament,
            at,
            commands.Record(
                by=RULE, round=at.held.number, table=at.table.number, attempt=at.table.attempt, match=str(at.id),
                version=match.version, head=written.head, how="played" if match.last_round is None else "time",
                ranking=came.ranking, absent=came.absent, units=came.units,
            ),
        )  # fmt: skip

    async def _record_unplayed(self, tournament: Tournament, at: TableMatch, there: list[int]) -> bool:
        """Put on record that too few have come to play: whoever is there has won, if anybody is."""
        ranking = (tuple(at.seats[seat - 1] for seat in sorted(there)),) if there else ()
        placed = {number for level in ranking for number in level}
        return await self._submit_result(
            tournament,
            at,
            commands.Record(
                by=RULE, round=at.held.number, table=at.table.number, attempt=at.table.attempt,
                match=None, version=None, head=None, how="walkover" if there else "nobody", ranking=ranking,
                absent=tuple(number for number in at.seats if number not in placed),
            ),
            # Somebody may have paused it meanwhile, or come.
            tournament.version,
        )  # fmt: skip

    async def _submit_result(
        self, tournament: Tournament, at: TableMatch, command: commands.Record, version: Version | None = None
    ) -> bool:
        moved = await self._submit(tournament, command, f"result/{at.id}", version)
        if moved:
            self._drop(at.id)
        return moved


def _ask(tournament: Tournament, key: str, version: Version | None = None) -> CommandMetadata:
    """Return the identity of a step: the same for every director."""
    expected = None if version is None else (version,)
    return CommandMetadata(f"{SCOPE}/{tournament.id}", key, b"", expected)


def _can_play(match: Match, people: int) -> bool:
    return people >= match.rules.seats[0]
