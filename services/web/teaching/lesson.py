"""The first lesson: one round with fixed dice, and every number that is told of it.

The law of the file: of the lesson only the dice and the bids are written down. What may be answered is what the rules
allow, what is right at a turn is what an analysis would have played, and each number follows from the dice and the bids
by what judges matches: chances, beliefs, worths.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

from msgspec import Struct

from domain import commands, events
from domain.analysis.figures import Figure, exact, model, ppm_of
from domain.analysis.odds.chances import CountOdds
from domain.analysis.worths.equity import decide
from domain.analysis.worths.scenes import Sampling, Scene
from domain.games import rules_of
from domain.ids import Face, Seat
from domain.rules.claims import refusal
from domain.rules.orders import Count
from domain.strategy.knowledge import known_all
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.reading.learning import Learning
from domain.strategy.reading.reader import Beliefs
from domain.table.decide import decide as decided
from domain.table.decide import evolve, initial_state, next_deal
from domain.table.state import State
from services.evaluators.batch_evaluator import evaluate
from services.policies.shelf import LEVEL
from services.policies.usual import usual_stakes
from services.web.teaching.examples import ExampleDealer, Script

GAME: Final = "common_hand"
NAMES: Final[dict[Seat, str]] = {1: "ann", 2: "you", 3: "ben"}
LEARNER: Final[Seat] = 2
"""Who learns sits between the others."""
HANDS: Final[dict[Seat, tuple[Face, ...]]] = {1: (4, 5, 5, 3, 1), 2: (1, 4, 4, 2, 6), 3: (2, 3, 3, 6, 6)}
BIDS: Final = (Count(3, 5), Count(4, 4), Count(6, 4), Count(8, 4))
"""What is claimed, in turn, until the learner doubts it."""
WRONG: Final = {"lower": Count(3, 4), "fewer": Count(2, 6)}
"""Answers to the first bid that the rules do not allow."""
HIGHER: Final = Count(9, 4)
"""What could be said instead of doubting."""
SAMPLES: Final = 512


class LessonBid(Struct, frozen=True):
    """A claim of one of the players."""

    who: str
    quantity: int
    face: Face


class LessonChoice(Struct, frozen=True, omit_defaults=True):
    """What may be answered: a bid, a number, or something that has a name.

    Attributes:
        right: Whether it leads on.
        number: A number that may be answered.
    """

    name: str
    right: bool = False
    quantity: int | None = None
    face: Face | None = None
    number: int | None = None


class LessonStep(Struct, frozen=True, omit_defaults=True):
    """A step.

    Attributes:
        said: What has been claimed by then.
        choices: What may be answered.
        lifted: Whether all dice lie open.
        lost: Who loses a die.
    """

    name: str
    said: tuple[LessonBid, ...]
    choices: tuple[LessonChoice, ...] = ()
    lifted: bool = False
    lost: str | None = None


class Lesson(Struct, frozen=True):
    """The first lesson.

    Attributes:
        hands: The dice of each, in the order of their turns.
        learner: Who learns.
        steps: One after the other.
        numbers: What is counted in what is told, by name.
        figures: What is reckoned in it, by name.
    """

    hands: dict[str, tuple[Face, ...]]
    learner: str
    steps: tuple[LessonStep, ...]
    numbers: dict[str, int]
    figures: dict[str, Figure]


@cache
def lesson() -> Lesson:
    """Return the lesson. Cost: a round of the engine and its fold, a tenth of a second the first time."""
    played = _Round()
    last, own, all_dice = BIDS[-1], HANDS[LEARNER], played.now.dice_in_play
    odds = CountOdds(played.now)
    counts = {NAMES[seat]: odds.own_and_need(last, {seat: hand})[0] for seat, hand in HANDS.items()}
    numbers = {
        "each": len(own),
        "dice": all_dice,
        "others": all_dice - len(own),
        **counts,
        "plain": own.count(last.face),
        "need": odds.own_and_need(last, {LEARNER: own})[1],
        "sum": sum(counts.values()),
        "left": played.after_doubt.balance("die", played.loser),
    }
    hands = {NAMES[seat]: hand for seat, hand in HANDS.items()}
    steps = tuple(_steps(played, numbers))
    return Lesson(hands, NAMES[LEARNER], steps, numbers, played.figures)


def _steps(played: _Round, numbers: dict[str, int]) -> Iterator[LessonStep]:
    opened, raised = played.said[:1], played.said
    answers = [LessonChoice(name, number == numbers["you"], number=number) for name, number in _counted(numbers)]
    raises = [_bid(name, claim, right=played.may_follow(claim)) for name, claim in {**WRONG, "more": BIDS[1]}.items()]
    # What is right is what an analysis would have played.
    doubts = played.figures["liar"].ppm > played.figures["higher"].ppm
    last = [_bid("higher", HIGHER, right=not doubts), LessonChoice("liar", doubts)]
    yield LessonStep("dice", ())
    yield LessonStep("wild", (), tuple(answers))
    yield LessonStep("claim", opened)
    yield LessonStep("raise", opened, tuple(raises))
    yield LessonStep("others", raised)
    yield LessonStep("doubt", raised, tuple(last))
    yield LessonStep("lift", raised, lifted=True)
    yield LessonStep("loses", raised, lifted=True, lost=NAMES[played.loser])
    yield LessonStep("end", ())


def _counted(numbers: dict[str, int]) -> Iterator[tuple[str, int]]:
    """Yield what may be taken for the dice that count: those of the face alone, or the ones as well."""
    yield "plain", numbers["plain"]
    yield "wild", numbers["you"]


def _bid(name: str, claim: Count, *, right: bool) -> LessonChoice:
    return LessonChoice(name, right, claim.quantity, claim.face)


class _Round:
    """The round, played by the engine, with what an analysis says of it at the learner's last turn.

    Attributes:
        now: The game when it is the learner's turn to doubt.
        said: What has been claimed by then.
        after_doubt: The game after that.
        loser: Who loses the round.
        figures: How likely the last claim is by odds and by what the bids say, and what each answer is worth.
    """

    def __init__(self) -> None:
        dice = {str(seat): [list(hand)] for seat, hand in HANDS.items()}
        state = initial_state(rules_of(GAME, {}), tuple(HANDS), starter=next(iter(HANDS)))
        self._dealer = ExampleDealer(Script(len(HANDS), dice, []), state.rules.tokens.faces.first)
        self._beliefs = Beliefs(LEVEL_ONE, {seat: Learning(LEVEL_ONE).doubt(seat) for seat in HANDS})
        self._begun, self._states = state, [self._after(state, next_deal(state))]
        said = []
        for bid in BIDS:
            turn = self.now.turn
            assert turn is not None, "it is bid in turn"
            said.append(LessonBid(NAMES[turn], bid.quantity, bid.face))
            self._states.append(self._after(self.now, commands.Bid(turn, bid.quantity, bid.face)))
        self.said = tuple(said)
        self.figures = {**self._chances(), **self._worths()}
        self.loser = 0
        self.after_doubt = self._after(self.now, commands.Challenge(LEARNER))

    @property
    def now(self) -> State:
        return self._states[-1]

    def may_follow(self, claim: Count) -> bool:
        """Report whether the rules allow a claim after the first one."""
        opened = self._states[1]
        assert isinstance(opened.round.standing, Count), "a bid stands"
        return refusal(opened.auction, opened.round.standing, claim) is None

    def _after(self, state: State, command: commands.TableCommand) -> State:
        for event in decided(state, command, self._dealer):
            self._beliefs = self._beliefs.after(state, event)
            state = evolve(state, event)
            if isinstance(event, events.Judged):
                (self.loser,) = event.losers
        return state

    def _chances(self) -> dict[str, Figure]:
        last, own = BIDS[-1], HANDS[LEARNER]
        odds = CountOdds(self.now).chance(last, {LEARNER: known_all(own, 0)})
        return {"odds": exact(odds), "read": model(ppm_of(self._beliefs.chance_of(self.now, last, LEARNER, own)))}

    def _worths(self) -> dict[str, Figure]:
        dealt = self._states[0]
        stakes = usual_stakes(self._begun, dealt)
        sampling = Sampling("lesson", LEVEL, SAMPLES)
        scene = Scene(stakes, self.now, self._beliefs.beliefs, len(BIDS), sampling, evaluate)
        worth = decide(scene, LEARNER, HANDS[LEARNER], HIGHER)
        doubt = [way.answer for way in worth.ways].index("challenge")
        return {"higher": worth.worths[worth.played].figure, "liar": worth.worths[doubt].figure}
