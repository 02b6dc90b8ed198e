"""Tournaments moved on by hand whose lines are written down, so that they can be audited, and lied about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import msgspec

from domain import commands as of_lots
from domain.audit.tournaments import TournamentRuling, replay_tournament
from domain.fairness.beacons import CHAINS, QUICKNET
from domain.fairness.deal import seed_commitment
from domain.fairness.records import RecordLine
from domain.log import canonical
from domain.match.record import GENESIS
from domain.tournaments import commands, events
from domain.tournaments.deciding.decide import TournamentDecision, decide
from domain.tournaments.deciding.due import due
from domain.tournaments.events import Ranking, TournamentEvent
from domain.tournaments.record import lines_of, stream_of
from domain.tournaments.rules import object_of
from infra.keys import ed25519_verify
from tests.tournaments.events_by_hand import TOURNAMENT, EventByHand, seed_of

BEACON = {"chain": QUICKNET, "genesis": CHAINS[QUICKNET].genesis, "period": CHAINS[QUICKNET].period}
NOON = 1_800_000_000_000


class WrittenEvent(EventByHand):
    """A tournament with the lines of its stream."""

    def __init__(self, name: str = "pods", **members: Any) -> None:
        self.lines: list[bytes] = []
        super().__init__(name, **members)

    @property
    def head(self) -> str:
        """The hash of the last line; the first one is written when it is asked for."""
        if not self.lines:
            created = events.TournamentCreated(str(TOURNAMENT), object_of(self.tournament.rules), "all")
            self.lines += lines_of(TOURNAMENT, 0, GENESIS, self.at, [created])[0]
        return canonical.head(self.lines[-1])

    def head_at(self, line: int) -> str:
        return canonical.head(self.lines[max(line, 0)])

    def copy(self) -> Self:
        other = super().copy()
        other.lines = list(self.lines)
        return other

    def decide(self, command: commands.AnyCommand) -> TournamentDecision:
        return decide(self.tournament, command, self.at, self.head, self.keeper)

    def do(self, command: commands.AnyCommand) -> tuple[TournamentEvent, ...]:
        head, version = self.head, self.tournament.version
        happened = super().do(command)
        self.lines += lines_of(TOURNAMENT, version, head, self.at, happened)[0]
        return happened

    def close(self) -> Self:
        """Play to the end, and close."""
        if self.tournament.phase == "running":
            self.finish()
        while not self.tournament.ended:
            self.step()
        return self

    def absent(self, table: int, *numbers: int) -> tuple[TournamentEvent, ...]:
        """Record a table to which these did not come."""
        there: Ranking = tuple((each,) for each in self.table(table).seats if each not in numbers)
        how = {0: "nobody", 1: "walkover"}.get(len(there), "played")
        found = self.table(table).seats
        assert set(numbers) <= set(found), "they sit there"
        said = {} if how == "played" else {"match": None, "version": None, "head": None}
        return self.record(table, there, absent=numbers, how=how, **said)

    def do_commits(self) -> Self:
        """Let every drawer fix a seed."""
        for seat in self.drawers:
            commit = seed_commitment(seed_of(seat), self.ceremony.ctx, self.ceremony.root, seat).hex()
            self.do(of_lots.CommitSeed(seat, self.ceremony.deal, commit))
        return self

    def hurry(self, by: str) -> tuple[TournamentEvent, ...]:
        """Let somebody ask now for what is due later."""
        found = due(self.tournament)
        assert found is None or found.at >= self.at
        return self.do(self.proceed_of(by))


def judged(raw: Sequence[bytes]) -> TournamentRuling:
    """Return what layer 3 says to these lines."""
    return replay_tournament([_line(number, line) for number, line in enumerate(raw, start=1)], raw, ed25519_verify)


def _line(number: int, raw: bytes) -> RecordLine:
    document = msgspec.json.decode(raw)
    return RecordLine(number, document["type"], document["data"], document["at"])


Change = Callable[[dict[str, Any]], object]
"""Changes the members `at`, `type` and `data` of a line, where they are."""


def bent(raw: Sequence[bytes], number: int, change: Change) -> list[bytes]:
    """Return lines of which one, by its number from 1, says something else, chained anew from there on."""
    documents = [msgspec.json.decode(line) for line in raw]
    change(documents[number - 1])
    return chained(documents)


def without(raw: Sequence[bytes], number: int) -> list[bytes]:
    """Return lines of which one is left out, chained anew."""
    documents = [msgspec.json.decode(line) for line in raw]
    del documents[number - 1]
    return chained(documents)


def chained(documents: Sequence[dict[str, Any]]) -> list[bytes]:
    """Return the lines that these are, in a chain."""
    head, lines = GENESIS, []
    for seq, each in enumerate(documents):
        line = canonical.line(stream_of(TOURNAMENT), seq, head, each["at"], each["type"], each["data"])
        head = canonical.head(line)
        lines.append(line)
    return lines


def number_of(raw: Sequence[bytes], kind: str, which: int = 0) -> int:
    """Return the number, from 1, of a line of this type."""
    found = [number for number, line in enumerate(raw, start=1) if msgspec.json.decode(line)["type"] == kind]
    return found[which]
