"""Format of a stage: what each says, so that rounds can be played without knowing which it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal

from msgspec import Struct

from domain.errors import Refused
from domain.ids import UnixMs
from domain.tournaments.commands import GivenPairing
from domain.tournaments.events import Ranking, TablesPaired
from domain.tournaments.field import StageField
from domain.tournaments.pairing.lots import Lots
from domain.tournaments.pairing.pods.inputs import PairingInput
from domain.tournaments.pairing.seating import SeatLaw
from domain.tournaments.rules import CountingLaw, Stage, TournamentRules
from domain.tournaments.tournament import PlayedStage, Tournament

STAGE_MIN: Final = 2
"""With fewer no stage begins, and one in which fewer are left is over."""
WINS: Final = ("WON", "WIN", "CB")
"""Tie-breaks that say something where not everybody plays as often."""


Step = Literal[
    "draw",
    "lots",
    "seal",
    "void",
    "open_stage",
    "lapse",
    "pair",
    "start",
    "close_round",
    "close_stage",
    "finish",
    "close",
]
"""What the tournament does by itself. Between `start` and `close_round` its matches are played."""


class DueStep(Struct, frozen=True):
    """A step, and when it may be done at the earliest, in Unix milliseconds."""

    step: Step
    at: UnixMs


NextStep = Callable[[Tournament, PlayedStage], DueStep | None]
"""Says what a stage does next, if nothing happens before: a round is paired, or it closes once no round is open."""


class DrawnRound(Struct, frozen=True):
    """A round as a law has it.

    Attributes:
        law: Its name and edition.
        tables: The first is table 1; members in seat order, the first opens.
        byes: Who rests, since tables are full.
        certificate: What shows that it is what the law says, for laws that have such a thing.
        numbers: The numbers of the tables; 1, 2, ... if nothing is said.
        group: Whose round it is, where there are groups, from 1.
        parts: Where there are groups, the rounds of each that plays, and nothing else of this counts.
    """

    law: str
    tables: tuple[tuple[int, ...], ...]
    byes: tuple[int, ...] = ()
    certificate: dict[str, Any] | None = None
    numbers: tuple[int, ...] = ()
    group: int | None = None
    parts: tuple[DrawnRound, ...] = ()

    @property
    def numbered(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """The tables with their numbers."""
        return tuple(zip(self.numbers or range(1, len(self.tables) + 1), self.tables, strict=True))


def no_groups(_stage: Stage, _seeds: tuple[int, ...]) -> None:
    """Say that all play in one."""


def rounds_max_of(stage: Stage) -> int | None:
    """Return how many rounds of the game a match may last; None: to its end."""
    return stage.rounds_max


def stacks_of_the_game(_field: StageField) -> dict[int, int]:
    """Return nothing: everybody begins with what the game says."""
    return {}


def as_asked(stage: Stage, _last: bool) -> Stage:  # noqa: FBT001 - as all of them are called
    """Return a stage as the host asks for it: nothing follows from the rest of it."""
    return stage


def itself(stage: Stage) -> Stage:
    """Return a stage, whose rounds are its own."""
    return stage


def usual_rolls(_stage: Stage) -> int:
    """Say that it takes no more rolls than every deal has."""
    return 0


def all_counts(_stage: Stage, _field: int) -> Iterable[tuple[str, str]]:
    """Say that whatever is said of it counts."""
    return ()


def asks_for_nothing(_rules: TournamentRules, _stage: Stage, _option: str) -> None:
    """Let it be: rules that fit each other are all that is asked for."""


def uncounted(_stage: Stage, option: str, _field: int, _exact: bool) -> None:  # noqa: FBT001 - as all of them are called
    """Let nobody say how many rounds there are."""
    raise bad_option(option, "here it shows in the end how many rounds there are")


def any_number(_stage: Stage, _option: str, _field: int, _exact: bool) -> None:  # noqa: FBT001 - as all of them are called
    """Let there be as many rounds as the host says."""


def keeps_nobody_apart(_stage: Stage, _entrants: int) -> bool:
    """Say that who sits together follows from something else than who may."""
    return False


def keeps_apart(_stage: Stage, _entrants: int) -> bool:
    """Say that two who may not sit together do not."""
    return True


def no_byes(_stage: Stage, _entrants: int) -> int:
    """Return none: everybody has a table in the first round."""
    return 0


def without_end(_stage: PlayedStage, _rules: Stage) -> None:
    """Say that no time ends a stage."""


class Format(Struct, frozen=True):
    """What a format has to say.

    The first four it says; what it says nothing of is as with most.

    Attributes:
        rounds: How many rounds a stage of so many entrants has; None where that shows only in the end.
        draw: The next round of a field, with its lots and its number.
        is_over: Whether the field has played all there is to play.
        ranking: Who has which place then, best first; who shares one together.
        rolls: Whether each round has lots of its own; else those of the stage serve throughout.
        groups: The groups that the seeds of a stage are dealt to, where it has any.
        advanced: Who goes on to the next stage, of so many, in the order of its seeds.
        by_score: Whether places are those of the standings, which follow from points, or from the order of the field.
        rounds_max: How many rounds of the game a match of such a stage may last; None: to its end.
        stacks: What each begins the next match with of what one is out without; empty: with what the game says.
        spelled_out: A stage with what follows from the rest of it, and from whether it is the last.
        part: The stage that the rounds are those of: of one with groups, what each of them plays.
        check: Refuses rules that do not fit such a stage, which is the option of this name.
        check_rounds: Refuses as many rounds as are said of a stage, at the option of this name, of a field of so many
            at most, or of exactly so many.
        sized_by: The option that says how large its tables are.
        tiebreaks: The tie-breaks that say something here; empty: all of them.
        robin: Whether everybody meets everybody.
        rolls_max: How many rolls it may take; 0 where what every deal has is enough.
        idle: Members of a stage that change nothing as they are said, with so many entrants at most, and why not.
        counting: How what is played comes to standings.
        is_out: Whether somebody has no match left, where whoever loses is out; None where nobody ever is.
        fixed: Whether who meets whom, or who plays in which group, is known before the first round.
        first_byes: How many of so many entrants meet nobody in the first round, where more would change all tables.
        rests: Whether an entrant may ask to be left out of a round.
        by_hand: What officials may set: a `round` as a whole, some `tables` of it, or nothing (`never`).
        played_once: Why no table plays again; empty: it may.
        keeps_apart: Whether rounds of so many entrants look at who may not sit together; 0: nobody knows yet how many.
        waits: Whether entrants say that they are ready for a table.
        boards: Whether all tables of a round have the same dice.
        given: A round of tables that come with the command, where a package has paired.
        next_step: What a stage does next whose rounds do not wait for each other; None: they do.
        ends_at: Until when a round may begin; None: no time says it.
        paired_from: What a round was paired from whose line has a certificate; None: none has.
        trf: What kind of tournament it is in a TRF report.
        title: What people call it, and `about`, how it is played, in English, where no catalogue has words for it.
    """

    rounds: Callable[[Any, int], int | None]
    draw: Callable[[StageField, Lots, int], DrawnRound]
    is_over: Callable[[StageField], bool]
    ranking: Callable[[StageField], Ranking]
    rolls: bool = False
    groups: Callable[[Any, tuple[int, ...]], tuple[tuple[int, ...], ...] | None] = no_groups
    advanced: Callable[[StageField, int], tuple[int, ...]] | None = None
    by_score: bool = True
    rounds_max: Callable[[Any], int | None] = rounds_max_of
    stacks: Callable[[StageField], Mapping[int, int]] = stacks_of_the_game
    spelled_out: Callable[[Any, bool], Stage] = as_asked
    part: Callable[[Any], Stage] = itself
    check: Callable[[TournamentRules, Any, str], None] = asks_for_nothing
    check_rounds: Callable[[Any, str, int, bool], None] = uncounted
    sized_by: str = "format"
    tiebreaks: tuple[str, ...] = ()
    robin: bool = False
    rolls_max: Callable[[Any], int] = usual_rolls
    idle: Callable[[Any, int], Iterable[tuple[str, str]]] = all_counts
    counting: CountingLaw = CountingLaw()
    is_out: Callable[[StageField, int], bool] | None = None
    fixed: bool = False
    first_byes: Callable[[Any, int], int] = no_byes
    rests: bool = True
    by_hand: Literal["round", "tables", "never"] = "round"
    played_once: str = ""
    keeps_apart: Callable[[Any, int], bool] = keeps_nobody_apart
    waits: bool = False
    boards: bool = False
    given: Callable[[StageField, int, GivenPairing], DrawnRound] | None = None
    next_step: NextStep | None = None
    ends_at: Callable[[PlayedStage, Any], UnixMs | None] = without_end
    paired_from: Callable[[StageField, TablesPaired], PairingInput | None] | None = None
    trf: str = "Individual: Knock-Out"
    title: str = ""
    about: str = ""

    @property
    def eliminates(self) -> bool:
        """Whether whoever loses is out: results say who plays on, and nobody comes back."""
        return self.is_out is not None


def bad_option(option: str, why: str) -> Refused:
    """Return the refusal of an option that a host asks for."""
    return Refused("bad_options", option=option, why=why)


def check_wins(rules: TournamentRules) -> None:
    """Check that tie-breaks are those that say something where not everybody plays as often.

    Raises:
        Refused: `bad_options`.
    """
    if not set(rules.tiebreaks) <= set(WINS):
        raise bad_option("tiebreaks", f"here there are {', '.join(WINS)}: nobody plays every round")


def has_played_all(field: StageField) -> bool:
    """Report whether as many rounds are closed as were planned, or nobody is left to play with."""
    planned = field.stage.rounds_planned
    return (planned is not None and field.upto >= planned) or (
        len(field.left) < STAGE_MIN and not field.tournament.earlier
    )


def seat_law(field: StageField, lots: Lots) -> SeatLaw:
    """Return what orders of seats look at."""
    history = field.history
    balance = {number: history.balance.get(number, 0) for number in field.numbers}
    return SeatLaw(history.after, balance, lots.ranks(field.numbers))
