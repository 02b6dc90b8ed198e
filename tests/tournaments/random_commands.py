"""Random commands to a tournament: sensible ones and nonsense, from whoever it may be, at random times."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

from domain import commands as of_lots
from domain.errors import Refused
from domain.fairness.deal import seed_commitment
from domain.tournaments import commands
from domain.tournaments.deciding.due import due
from domain.tournaments.events import RULE
from domain.tournaments.pairing.lots import match_id
from domain.tournaments.rules import TIME_MAX
from tests.tournaments.events_by_hand import ARBITER, HOST, STRANGER, TOURNAMENT, EventByHand, player, seed_of

CROWD: Final = 8
KINDS: Final = ("warning", "points", "table_loss", "disqualified")


class RandomCommands:
    """Draws commands for a tournament, of which it knows as much as anybody who reads its stream."""

    def __init__(self, event: EventByHand, seed: str) -> None:
        self.event, self.draw = event, Random(seed)

    def run(self, count: int) -> None:
        """Ask for so many things, one after the other; the time passes now and then, and what is due is done."""
        for _ in range(count):
            self.ask(self.command())
            if self.draw.random() < 0.5:
                self.wait(longest=60_000)

    def ask(self, command: commands.AnyCommand) -> bool:
        """Ask for something, and report whether it was done: what is refused leaves everything as it was."""
        before = self.event.tournament
        try:
            self.event.do(command)
        except Refused:
            assert self.event.tournament is before
            return False
        return True

    def wait(self, longest: int = TIME_MAX) -> None:
        """Let the time come for what is due, and do it, where a stage that lasts is not longer in coming than this."""
        found = due(self.event.tournament)
        if found is not None and found.step in {"close_stage", "lapse"} and found.at > self.event.at + longest:
            self.event.at += longest
        elif found is not None:
            self.event.at = max(self.event.at, found.at)
            self.ask(self.event.proceed_of())

    def close(self) -> None:
        """Bring it to its end, whatever has happened: the log and the beacon answer, and tables have results.

        What cannot go on is cancelled.
        """
        self.ask(commands.Appoint(by=ARBITER, official=HOST, role="host"))
        for _ in range(1_000):
            event = self.event
            if event.tournament.ended:
                return
            before = event.tournament.version
            self.wait()
            for command in self._answers():
                self.ask(command)
            if event.tournament.version == before:
                self.ask(self.event.proceed_of(HOST))
            if event.tournament.version == before:
                self.cancel()
        raise AssertionError("it comes to no end")

    def cancel(self) -> None:
        """Let a host who is there cancel it."""
        officials = self.event.tournament.officials
        host = next(who for who, role in officials.items() if role == "host")
        assert self.ask(commands.Cancel(by=host)), "it could still go on"

    def _answers(self) -> list[commands.AnyCommand]:
        """Return what is asked for now by whoever is waited for."""
        tournament = self.event.tournament
        officials = [*tournament.officials, HOST]
        found: list[commands.AnyCommand] = [
            commands.DecideAppeal(by=official, appeal=number, outcome="denied")
            for number, each in tournament.appeals.items()
            for official in officials
            if each.outcome is None
        ]
        if tournament.paused:
            found.append(commands.Resume(by=officials[0]))
        ceremony = tournament.ceremony
        if ceremony is not None:
            number = 0 if ceremony.beacon is None else ceremony.beacon.round
            found += [
                of_lots.LogDeal(ceremony.deal, 0, (), ""),
                of_lots.FixDeal(ceremony.deal, 0, (), ""),
                of_lots.HearBeacon(ceremony.deal, number, "ab"),
            ]
        if tournament.stage is not None and tournament.phase == "running":
            rounds = tournament.stage.open_rounds
            found += [self.event.result(table, number=held.number) for held in rounds for table in held.missing]
        return found

    def command(self) -> commands.AnyCommand:
        """Return a command, of whatever kind."""
        return self.draw.choice(_KINDS)(self)

    # ---- parts -----------------------------------------------------------------------------------

    def by(self) -> str:
        chances = [HOST] * 6 + [ARBITER] * 2 + [RULE, STRANGER, player(self.number())]
        return self.draw.choice(chances)

    def number(self) -> int:
        return self.draw.randint(1, CROWD)

    def own(self, number: int) -> str:
        return player(number) if self.draw.random() < 0.8 else self.by()

    def why(self) -> dict[str, Any]:
        reason = self.draw.choice(("rules", "other", "conduct"))
        return {"by": self.by(), "reason": reason, "note": self.draw.choice((None, "ab" * 32))}

    def place(self) -> tuple[int, int, int]:
        """Return a stage, a round and a table, as a rule that which is played."""
        stage = self.event.tournament.stage
        if stage is None or stage.last is None or self.draw.random() < 0.1:
            return self.draw.randint(0, 3), self.draw.randint(0, 4), self.draw.randint(0, 3)
        tables = [*stage.last.tables] or [1]
        return stage.number, self.draw.choice([stage.last.number] * 4 + [1]), self.draw.choice(tables)

    def seats(self, place: tuple[int, int, int]) -> list[int]:
        stages = self.event.tournament.stages
        if 1 <= place[0] <= len(stages) and place[1] in stages[place[0] - 1].rounds:
            table = stages[place[0] - 1].rounds[place[1]].tables.get(place[2])
            if table is not None:
                return list(table.seats)
        return [self.number(), self.number()]

    def ranking(self, seats: list[int]) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
        """Return who was there in some order, and who was not."""
        self.draw.shuffle(seats)
        away = tuple(seats[: self.draw.choice((0, 0, 0, 0, 1, len(seats)))])
        there = [each for each in seats if each not in away]
        if len(there) > 1 and self.draw.random() < 0.2:
            return ((there[0], there[1]), *((each,) for each in there[2:])), away
        return tuple((each,) for each in there), away

    # ---- what is asked ---------------------------------------------------------------------------

    def appoint(self) -> commands.AnyCommand:
        who = self.draw.choice((HOST, ARBITER, player(1)))
        return commands.Appoint(by=self.by(), official=who, role=self.draw.choice(("host", "arbiter", "arbiter")))

    def dismiss(self) -> commands.AnyCommand:
        return commands.Dismiss(by=self.by(), official=self.draw.choice((HOST, ARBITER, player(1))))

    def register(self) -> commands.AnyCommand:
        number = self.number()
        rating = self.draw.choice((None, (25_000_000, 1)))
        return commands.Register(by=self.own(number), player=player(number), rating=rating, seed=self.number())

    def seed(self) -> commands.AnyCommand:
        return commands.Seed(by=self.by(), number=self.number(), seed=self.draw.choice((None, 1, 2)))

    def of_number(self) -> commands.AnyCommand:
        kind = self.draw.choice((commands.Approve, commands.TurnAway, commands.Withdraw, commands.Return))
        number = self.number()
        return kind(**{**self.why(), "by": self.own(number)}, number=number)

    def check_in(self) -> commands.AnyCommand:
        number = self.number()
        return commands.CheckIn(by=self.own(number), number=number, draws=self.draw.random() < 0.3)

    def bye(self) -> commands.AnyCommand:
        number, played = self.number(), self.draw.randint(0, 4)
        if self.draw.random() < 0.3:
            return commands.DropBye(by=self.own(number), number=number, round=played)
        kind: Any = self.draw.choice(("half", "zero"))
        return commands.RequestBye(by=self.own(number), number=number, round=played, kind=kind)

    def challenge(self) -> commands.AnyCommand:
        number = self.number()
        stage = self.event.tournament.stage
        challenges = {} if stage is None else stage.challenges
        if not challenges or self.draw.random() < 0.6:
            return commands.ChallengeAbove(by=self.own(number), number=number, against=self.number())
        asked = self.draw.choice((*challenges, 99))
        against = challenges[asked].against if asked in challenges else number
        accepted = self.draw.random() < 0.7
        return commands.AnswerChallenge(by=self.own(against), challenge=asked, accepted=accepted)

    def fix(self) -> commands.AnyCommand:
        numbers = list(range(1, CROWD + 1))
        self.draw.shuffle(numbers)
        size = self.draw.randint(1, 4)
        count = self.draw.choice((1, 2, CROWD))
        tables = [tuple(numbers[at : at + size]) for at in range(0, len(numbers), size)]
        return commands.FixTables(**self.why(), tables=tuple(tables[:count]))

    def pair_of(self) -> commands.AnyCommand:
        if self.draw.random() < 0.3:
            line = self.draw.choice((*self.event.tournament.forbidden, 1))
            return commands.Allow(by=self.by(), line=line)
        return commands.Forbid(**self.why(), numbers=(self.number(), self.number()))

    def record(self) -> commands.AnyCommand:
        place = self.place()
        stage = self.event.tournament.stage
        played = self.event.tournament.next_place[1] if stage is None or stage.last is None else stage.last.number
        ranking, absent = self.ranking(self.seats((place[0], played, place[2])))
        found = None if stage is None or stage.last is None else stage.last.tables.get(place[2])
        attempt = self.draw.choice([1 if found is None else found.attempt] * 8 + [1, 2])
        match = match_id(str(TOURNAMENT), max(place[0], 1), played, place[2], attempt)
        there = sum(map(len, ranking))
        how: Any = self.draw.choice([{0: "nobody", 1: "walkover"}.get(there, "played")] * 4 + ["time", "walkover"])
        said: dict[str, Any] = {"match": match, "version": 9, "head": "0" * 64}
        if how in {"walkover", "nobody"} and self.draw.random() < 0.9:
            said = dict.fromkeys(said)
        by = self.draw.choice((RULE, RULE, RULE, RULE, self.by()))
        return commands.Record(by=by, table=place[2], attempt=attempt, how=how, ranking=ranking, absent=absent, **said)

    def rule(self) -> commands.AnyCommand:
        place = self.place()
        seats = self.seats(place)
        ranking, absent = self.ranking(list(seats))
        points = self.draw.choice((None, None, tuple((each, "1/2") for each in seats), ((1, "0.5"),)))
        return commands.Rule(
            **self.why(), stage=place[0], round=place[1], table=place[2], ranking=ranking, absent=absent, points=points
        )

    def replay(self) -> commands.AnyCommand:
        _, played, table = self.place()
        return commands.Replay(**self.why(), round=played, table=table)

    def penalise(self) -> commands.AnyCommand:
        kind: Any = self.draw.choice(KINDS)
        points = self.draw.choice(("1/2", "2/4", None)) if kind == "points" else None
        table = self.place()[2] if kind == "table_loss" else None
        return commands.Penalise(**self.why(), number=self.number(), kind=kind, points=points, table=table)

    def lift(self) -> commands.AnyCommand:
        return commands.Lift(**self.why(), line=self.draw.choice((*self.event.tournament.penalties, 1)))

    def course(self) -> commands.AnyCommand:
        ahead = self.draw.randint(-1, 9)
        given = (
            commands.OpenEntry(by=self.by()),
            commands.CloseEntry(by=self.by()),
            commands.OpenCheckIn(by=self.by()),
            commands.PauseTournament(**self.why()),
            commands.Resume(by=self.by()),
            commands.Resume(by=HOST),
            commands.StartRound(by=self.by()),
            commands.Extend(**self.why(), until=self.event.at + ahead),
            commands.GiveTableTime(**self.why(), table=self.place()[2], number=self.number(), ms=1_000 * ahead),
        )
        return self.draw.choice(given)

    def hurry(self) -> commands.AnyCommand:
        asked = self.event.proceed_of(self.by())
        return self.draw.choice((asked, commands.Pair(by=asked.by, chance=asked.chance, head=asked.head)))

    def seldom(self) -> commands.AnyCommand:
        """Return what would end too much if it came often."""
        if self.draw.random() < 0.9:
            return self.course()
        finish = commands.Finish(by=self.by())
        return self.draw.choice((commands.Cancel(**self.why()), commands.Unpair(**self.why()), finish, finish))

    def unpair(self) -> commands.AnyCommand:
        tables = self.draw.choice((None, (1,), (1, 2), (9,)))
        return commands.Unpair(**self.why(), tables=tables)

    def appeal(self) -> commands.AnyCommand:
        number, line = self.number(), self.draw.randint(-1, 40)
        if self.draw.random() < 0.5:
            return commands.Appeal(by=self.own(number), number=number, line=line)
        outcome: Any = self.draw.choice(("upheld", "denied", "withdrawn"))
        by = self.draw.choice((self.by(), player(number)))
        return commands.DecideAppeal(by=by, appeal=self.draw.randint(0, 4), outcome=outcome, lines=(line,))

    def lots(self) -> commands.AnyCommand:
        """Return a step of a ceremony, as a rule one that fits where it stands."""
        ceremony = self.event.tournament.ceremony
        if ceremony is None or self.draw.random() < 0.1:
            return self.draw.choice((of_lots.CommitSeed(1, 0, "ab" * 32), of_lots.LogDeal(0, 0, (), "")))
        deal, seat = ceremony.deal, self.draw.choice((*ceremony.seats, 40))
        seed = seed_of(seat).hex()
        commit = seed_commitment(seed_of(seat), ceremony.ctx, ceremony.root, seat).hex()
        number = 1 if ceremony.beacon is None else ceremony.beacon.round
        given: dict[str, commands.AnyCommand] = {
            "committed": of_lots.CommitSeed(seat, deal, commit),
            "sealed": of_lots.LogDeal(deal, 0, (), ""),
            "logged": self.draw.choice((of_lots.OpenSeed(seat, deal, seed), of_lots.FixDeal(deal, 0, (), ""))),
            "fixed": of_lots.HearBeacon(deal, number + self.draw.choice((0, 0, 1)), "ab"),
        }
        return given.get(ceremony.stage, of_lots.OpenSeed(seat, deal, seed))


_KINDS: Final[tuple[Callable[[RandomCommands], commands.AnyCommand], ...]] = (
    *(RandomCommands.register,) * 4,
    RandomCommands.seed,
    *(RandomCommands.check_in,) * 4,
    *(RandomCommands.record,) * 12,
    *(RandomCommands.lots,) * 4,
    *(RandomCommands.rule,) * 3,
    RandomCommands.appoint,
    RandomCommands.dismiss,
    RandomCommands.of_number,
    RandomCommands.bye,
    RandomCommands.fix,
    RandomCommands.pair_of,
    RandomCommands.replay,
    RandomCommands.penalise,
    RandomCommands.lift,
    RandomCommands.course,
    RandomCommands.hurry,
    RandomCommands.seldom,
    RandomCommands.appeal,
    RandomCommands.unpair,
    *(RandomCommands.challenge,) * 4,
)
