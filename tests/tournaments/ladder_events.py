"""A ladder moved on by hand: who challenges whom, who answers, who wins."""

from __future__ import annotations

from typing import Any

from domain.tournaments import commands, events
from domain.tournaments.events import RULE
from domain.tournaments.field import StageField
from domain.tournaments.pairing.lots import match_id
from tests.tournaments.events_by_hand import HOST, TOURNAMENT, player
from tests.tournaments.events_for_audit import WrittenEvent, judged

LADDER = {"format": "ladder", "reach": 2, "answer_ms": 60_000, "duration_ms": 600_000}


class LadderEvent(WrittenEvent):
    """A ladder moved on by hand; seeds are by number, times are since it began."""

    def __init__(self, count: int = 5, stage: dict[str, Any] | None = None, **members: Any) -> None:
        super().__init__("ladder", **{"stages": [LADDER | (stage or {})], "seeding": "manual", **members})
        self.enter(0)
        for number in range(1, count + 1):
            self.do(commands.Register(by=HOST, player=player(number), seed=number))
        for number in self.tournament.entrants if self.tournament.rules.entry.approve else ():
            self.do(commands.Approve(by=HOST, number=number))
        self.check_in().draw().step()
        self.began = self.tournament.stages[0].opened_at

    @property
    def order(self) -> tuple[int, ...]:
        found = StageField(self.tournament, 1).order
        assert found is not None
        return found

    def ask(self, number: int, against: int) -> commands.ChallengeAbove:
        return commands.ChallengeAbove(by=player(number), number=number, against=against)

    def challenge(self, number: int, against: int) -> int:
        """Let one challenge another, and return the number of it."""
        self.at += 1
        (made,) = self.do(self.ask(number, against))
        assert isinstance(made, events.ChallengeMade)
        return made.challenge

    def answer(self, challenge: int, *, accepted: bool = True) -> None:
        self.at += 1
        found = self.tournament.stages[0].challenges[challenge]
        self.do(commands.AnswerChallenge(by=player(found.against), challenge=challenge, accepted=accepted))

    def meet(self, number: int, against: int) -> int:
        """Let one challenge another who says yes, and their match begin; return the round."""
        self.answer(self.challenge(number, against))
        self.step()
        self.step()
        return self.round.number

    def end(self, number: int, *winner: int) -> None:
        """End the table of a round: one wins, or nobody."""
        self.at += 1
        table = self.tournament.stages[0].rounds[number].tables[1]
        ranking = (table.seats,) if not winner else (winner, tuple(n for n in table.seats if n not in winner))
        name = match_id(str(TOURNAMENT), 1, number, 1, table.attempt)
        self.do(
            commands.Record(
                by=RULE, round=number, table=1, attempt=table.attempt, match=name, version=9, head="0" * 64,
                how="played", ranking=ranking,
            )
        )  # fmt: skip

    def check(self) -> None:
        """Check that the audit has nothing to say to all of it, to its end."""
        self.close()
        ruling = judged(self.lines)
        assert (ruling.code, ruling.upto) == (None, len(self.lines)), ruling.why
