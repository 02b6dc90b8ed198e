"""A small tournament moved on by hand: commands are decided, and results are said without anybody playing.

The head of the stream stays zeros, since nothing that is decided looks at it; the log is said to have whatever it is
asked for.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any, Self
from uuid import UUID

import pytest

from domain import commands as of_lots
from domain.commands import Chance
from domain.errors import Refused
from domain.fairness.deal import seed_commitment
from domain.fairness.openings import DealSecrets
from domain.tournaments import commands, events
from domain.tournaments.deciding.decide import TournamentDecision, decide
from domain.tournaments.deciding.drawing import HOUSE_SEAT
from domain.tournaments.deciding.due import due
from domain.tournaments.events import RULE, Ranking, TournamentEvent
from domain.tournaments.evolve import new_tournament
from domain.tournaments.options import rules_from
from domain.tournaments.pairing.lots import match_id
from domain.tournaments.presets import preset
from domain.tournaments.rules import LastLonger, object_of
from domain.tournaments.tournament import HeldRound, PairedTable, Tournament

TOURNAMENT = UUID("6f1de1ce-0000-4000-8000-00000000000a")
SEASON = "5ea50000-0000-4000-8000-00000000000c"
HEAD = "0" * 64
HOST = "o" + "0" * 24
ARBITER = "o" + "1" * 24
STRANGER = "e" + "f" * 24
BEGAN = 1_000_000
CLOCKED = {"game": "common_hand", "options": {}, "clock": {"bank_ms": 60_000}}
"""A template of matches in which everybody has a clock."""
CHANCE = Chance(bytes(32), {seat: bytes([seat]) * 32 for seat in range(1, 18)})


def player(number: int) -> str:
    """Return the id of the entrant that comes in by this number."""
    return f"e{number:024x}"


class EventByHand:
    """A tournament on its way: announced by `HOST` under the rules of a preset, of which members may be others.

    Attributes:
        tournament: How it stands.
        events: What has happened since it was created, in order; line 0 is the creation.
        at: The time, in Unix milliseconds.
    """

    def __init__(self, name: str = "pods", **members: Any) -> None:
        rules = rules_from(preset(name, **members))
        self.at = BEGAN
        self.tournament: Tournament = new_tournament(
            events.TournamentCreated(str(TOURNAMENT), object_of(rules), "all"), self.at
        )
        self.events: list[TournamentEvent] = []
        self.keeper: DealSecrets | None = None
        self.do(commands.Appoint(by=HOST, official=HOST, role="host"))

    def copy(self) -> Self:
        """Return the same tournament, to go on with in another way."""
        other = copy.copy(self)
        other.events = list(self.events)
        return other

    # ---- what is asked ---------------------------------------------------------------------------

    def decide(self, command: commands.AnyCommand) -> TournamentDecision:
        """Decide a command, and leave the tournament where it is."""
        return decide(self.tournament, command, self.at, HEAD, self.keeper)

    def do(self, command: commands.AnyCommand) -> tuple[TournamentEvent, ...]:
        """Do what is asked, and return what happened."""
        made = self.decide(command)
        self.tournament, self.keeper = made.tournament, made.keeper
        self.events += made.events
        return made.events

    def refusal(self, command: commands.AnyCommand) -> Refused:
        """Return the refusal of a command."""
        with pytest.raises(Refused) as refusal:
            self.decide(command)
        return refusal.value

    def code(self, command: commands.AnyCommand) -> str:
        """Return the code that a command is refused with."""
        return self.refusal(command).code

    def proceed(self, by: str = RULE) -> tuple[TournamentEvent, ...]:
        """Do what is due, now."""
        return self.do(self.proceed_of(by))

    def proceed_of(self, by: str = RULE) -> commands.Proceed:
        """Return the command to do what is due."""
        return commands.Proceed(by=by, chance=CHANCE, head=self.head_at(self.tournament.dealt_seq - 1))

    def head_at(self, _line: int) -> str:
        """Return the hash of a line."""
        return HEAD

    def step(self) -> tuple[TournamentEvent, ...]:
        """Wait until something is due, and do it."""
        found = due(self.tournament)
        assert found is not None, "something is due"
        self.at = max(self.at, found.at)
        return self.proceed()

    def do_step(self) -> Self:
        """Wait until something is due, do it, and go on from there."""
        self.step()
        return self

    # ---- before the first round ------------------------------------------------------------------

    def enter(self, count: int, **members: Any) -> Self:
        """Open entry if it is not open, and let so many more in."""
        if self.tournament.phase == "announced":
            self.do(commands.OpenEntry(by=HOST))
        for _ in range(count):
            who = player(len(self.tournament.entrants) + 1)
            self.do(commands.Register(by=who, player=who, **members))
        return self

    def open_check_in(self) -> Self:
        self.do(commands.OpenCheckIn(by=HOST))
        return self

    def check_in(self, numbers: Iterable[int] | None = None, draws: Sequence[int] = ()) -> Self:
        """Let these say that they are there, all of them if none are named; some offer to draw."""
        self.open_check_in()
        for number in self.tournament.entrants if numbers is None else numbers:
            self.do(commands.CheckIn(by=player(number), number=number, draws=number in draws))
        return self

    def draw(self) -> Self:
        """End the check-in, and draw the lots: every drawer gives a seed."""
        assert self.tournament.phase == "check_in"
        self.step()
        self.give_seeds()
        return self

    def give_seeds(self) -> Self:
        """Go through the ceremony that is open, with everybody in time."""
        return self.give_seeds_of(*self.drawers)

    def give_seeds_of(self, *seats: int) -> Self:
        """Go through the ceremony that is open, with these seats alone having a seed of their own."""
        deal = self.ceremony.deal
        for seat in seats:
            commit = seed_commitment(seed_of(seat), self.ceremony.ctx, self.ceremony.root, seat).hex()
            self.do(of_lots.CommitSeed(seat, deal, commit))
        self.log_deal()
        for seat in seats:
            self.do(of_lots.OpenSeed(seat, deal, seed_of(seat).hex()))
        return self

    def log_deal(self) -> Self:
        self.do(of_lots.LogDeal(self.ceremony.deal, 0, (), ""))
        return self

    @property
    def ceremony(self) -> Any:
        assert self.tournament.ceremony is not None
        return self.tournament.ceremony

    @property
    def drawers(self) -> list[int]:
        """The seats that have a seed of their own to give."""
        return [seat for seat in self.ceremony.seats if seat != HOUSE_SEAT]

    def begin(self, count: int, **members: Any) -> Self:
        """Go to where the first stage is open, with so many entrants."""
        self.enter(count, **members).check_in().draw().step()
        assert self.tournament.phase == "running"
        return self

    # ---- rounds ----------------------------------------------------------------------------------

    def pair(self) -> Self:
        """Pair the next round."""
        self._until("pair")
        return self

    def start(self) -> Self:
        """Pair the next round if none is, and start it."""
        self._until("start")
        return self

    def _until(self, step: str) -> None:
        while True:
            found = due(self.tournament)
            assert found is not None, f"{step} comes"
            self.step()
            if found.step == "lots":
                self.give_seeds()
            if found.step == step:
                return

    @property
    def round(self) -> HeldRound:
        stage = self.tournament.stage
        assert stage is not None
        assert stage.played is not None
        return stage.played

    def table(self, number: int = 1) -> PairedTable:
        return self.round.tables[number]

    def result(
        self, table: int = 1, ranking: Ranking | None = None, number: int | None = None, **members: Any
    ) -> commands.Record:
        """Return the command that records a table, of the last round if none is named, by seats if nothing is said."""
        assert self.tournament.stage is not None
        held = self.round if number is None else self.tournament.stage.rounds[number]
        found = held.tables[table]
        place = (self.tournament.stage.number, held.number, table, found.attempt)
        given: dict[str, Any] = {
            "by": RULE,
            "round": number,
            "table": table,
            "attempt": found.attempt,
            "match": match_id(str(TOURNAMENT), *place),
            "version": 9,
            "head": HEAD,
            "how": "played",
            "ranking": tuple((number,) for number in found.seats) if ranking is None else ranking,
        }
        if isinstance(self.tournament.stage_rules, LastLonger):
            # Who is last goes out in the first round, and everybody else has one die left.
            last = given["ranking"][-1:]
            given["units"] = tuple((n, -1 if level in last else 1) for level in given["ranking"] for n in level)
        return commands.Record(**given | members)

    def record(self, table: int = 1, ranking: Ranking | None = None, **members: Any) -> tuple[TournamentEvent, ...]:
        return self.do(self.result(table, ranking, **members))

    def play(self) -> Self:
        """Record every table without a result, of a round that is started if none is: lower numbers do better."""
        last = None if self.tournament.stage is None else self.tournament.stage.played
        if last is None or last.closed_at is not None or last.started_at is None:
            self.start()
        for number in self.round.missing:
            self.record(number, tuple((each,) for each in sorted(self.table(number).seats)))
        return self

    def play_round(self) -> Self:
        """Play a round, and close it."""
        self.play()
        self._until("close_round")
        return self

    def finish(self) -> Self:
        """Play all there is to play, until appeals are heard."""
        while self.tournament.phase == "running":
            found = due(self.tournament)
            if found is None:
                self.play()
                continue
            self.step()
            if found.step == "lots":
                self.give_seeds()
        assert self.tournament.phase == "finished"
        return self

    def finish_anew(self) -> Self:
        """Have the places said again after a ruling."""
        while self.tournament.outdated:
            found = due(self.tournament)
            self.step()
            if found is not None and found.step == "lots":
                self.give_seeds()
        return self

    def line_of(self, kind: type[TournamentEvent]) -> int:
        """Return the place of the last line of this type."""
        return max(line for line, event in enumerate(self.events, start=1) if isinstance(event, kind))


def seed_of(seat: int) -> bytes:
    """Return the own seed of a drawer."""
    return bytes([100 + seat]) * 32
