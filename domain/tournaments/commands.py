"""Commands of a tournament: everything that can be asked of it. `domain.tournaments.deciding.decide` decides them.

`by` is who asks: an official's id, an entrant's id, or `rule` for the director, who does what is due. Whether somebody
is who he says, the service knows; what he may, the tournament. The steps by which lots are drawn are those of a match
(`domain.commands`).
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from domain import commands
from domain.commands import Chance
from domain.fairness.signing.entrants import KeySignature
from domain.ids import Milliseconds, UnixMs
from domain.tournaments.events import Ranking, Reason, Role

Note = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
"""The hash of a text that an official writes beside a reason."""

Case = Annotated[str, Meta(pattern=r"\Ak[0-9a-f]{24}\Z")]
"""What stands for a pair that a screening has found."""

SEED_MAX: Final = 4_096
"""The last place among the seeds: so many may enter."""


class TournamentCommand(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """Something that is asked of a tournament."""

    by: str


class Ruling(TournamentCommand, frozen=True, kw_only=True):
    """Something that an official does, and says why."""

    reason: Reason = "rules"
    note: Note | None = None


class Appoint(TournamentCommand, frozen=True, tag="appoint"):
    """Give somebody powers."""

    official: str
    role: Role


class Dismiss(TournamentCommand, frozen=True, tag="dismiss"):
    """Take them back."""

    official: str


class OpenEntry(TournamentCommand, frozen=True, tag="open_entry"):
    """Let people enter."""


class CloseEntry(TournamentCommand, frozen=True, tag="close_entry"):
    """Let nobody enter any more."""


class Register(TournamentCommand, frozen=True, tag="register"):
    """Enter somebody, known from here on by the next number."""

    player: str
    club: str | None = None
    bot: bool = False
    rating: tuple[int, int] | None = None
    seed: int | None = None


class Approve(Ruling, frozen=True, tag="approve", kw_only=True):
    """Let an entrant in."""

    number: int


class Seed(TournamentCommand, frozen=True, tag="seed"):
    """Set the place of an entrant among the seeds, or take it back: who has none comes behind those who have one."""

    number: int
    seed: Annotated[int, Meta(ge=1, le=SEED_MAX)] | None = None


class TurnAway(Ruling, frozen=True, tag="turn_away", kw_only=True):
    """Do not."""

    number: int


class OpenCheckIn(TournamentCommand, frozen=True, tag="open_check_in"):
    """Ask everybody to say that they are there."""


class CheckIn(TournamentCommand, frozen=True, tag="check_in"):
    """Say that an entrant is there; `draws` offers a seed for the lots."""

    number: int
    draws: bool = False


class Withdraw(Ruling, frozen=True, tag="withdraw", kw_only=True):
    """Take an entrant out, from the next pairing on."""

    number: int


class Return(Ruling, frozen=True, tag="return", kw_only=True):
    """Take him in again."""

    number: int


class TakeKey(TournamentCommand, frozen=True, tag="take_key"):
    """Say which key is the entrant's own, signed with the one that holds, or with that which a host has named.

    The first is registered before the entrant has a table, and signed with itself.
    """

    number: int
    key: commands.Hash
    signed: KeySignature


class NameEntrantKey(TournamentCommand, frozen=True, tag="name_key"):
    """Name a key for an entrant who has lost the own one: the next word of the entrant decides of it."""

    number: int
    key: commands.Hash


class RequestBye(TournamentCommand, frozen=True, tag="request_bye"):
    """Leave an entrant out of a round of the stage that is played."""

    number: int
    round: int
    kind: Literal["half", "zero"] = "half"


class DropBye(TournamentCommand, frozen=True, tag="drop_bye"):
    """Do not, after all."""

    number: int
    round: int


class WaitForTable(TournamentCommand, frozen=True, tag="wait"):
    """Say that an entrant of an arena is ready for a table."""

    number: int


class TakeBreak(TournamentCommand, frozen=True, tag="take_break"):
    """Say that it is not."""

    number: int


class ChallengeAbove(TournamentCommand, frozen=True, tag="challenge"):
    """Ask one who stands above on a ladder for a match.

    Attributes:
        number: Who asks.
        against: Who is asked.
    """

    number: int
    against: int


class AnswerChallenge(TournamentCommand, frozen=True, tag="answer"):
    """Say yes to a challenge, or give the place away without a match.

    Attributes:
        challenge: The number of the challenge.
        accepted: Whether one plays.
    """

    challenge: int
    accepted: bool


class FixTables(Ruling, frozen=True, tag="fix_tables", kw_only=True):
    """Say who sits together in the next round, or at tables of this one that were taken back."""

    tables: tuple[tuple[int, ...], ...]


class Forbid(Ruling, frozen=True, tag="forbid", kw_only=True):
    """Keep two from one table."""

    numbers: tuple[int, int]


class Allow(TournamentCommand, frozen=True, tag="allow"):
    """Let them; `line` is the place of what forbids it."""

    line: int


class Unpair(Ruling, frozen=True, tag="unpair", kw_only=True):
    """Take tables of the round back, of which no match has ended: these, or all of it.

    Who sat at some of them is seated anew by `FixTables`.
    """

    tables: Annotated[tuple[int, ...], Meta(min_length=1)] | None = None


class Record(TournamentCommand, frozen=True, tag="record"):
    """Put on record what became of a table: the director has it from the match.

    `round` is the last one if nothing is said.
    """

    table: int
    attempt: int
    match: str | None
    version: int | None
    head: str | None
    how: Literal["played", "time", "walkover", "nobody"]
    ranking: Ranking
    absent: tuple[int, ...] = ()
    units: tuple[tuple[int, int], ...] = ()
    round: int | None = None


class Rule(Ruling, frozen=True, tag="rule", kw_only=True):
    """Say what a table counts as."""

    stage: int
    round: int
    table: int
    ranking: Ranking
    absent: tuple[int, ...] = ()
    points: tuple[tuple[int, str], ...] | None = None


class Replay(Ruling, frozen=True, tag="replay", kw_only=True):
    """Have a table play again."""

    round: int
    table: int


class Penalise(Ruling, frozen=True, tag="penalise", kw_only=True):
    """Punish an entrant."""

    number: int
    kind: Literal["warning", "points", "table_loss", "disqualified"]
    points: str | None = None
    table: int | None = None


class Lift(Ruling, frozen=True, tag="lift", kw_only=True):
    """Take a penalty back; `line` is the place of it."""

    line: int


class OpenCase(TournamentCommand, frozen=True, tag="open_case"):
    """Look into a case that a screening has found: everybody sees that an official does, and nobody of whom.

    Attributes:
        case: The name of the case.
    """

    case: Case


class PauseTournament(Ruling, frozen=True, tag="pause", kw_only=True):
    """Pair and start nothing for a while."""


class Resume(TournamentCommand, frozen=True, tag="resume"):
    """Go on."""


class Extend(Ruling, frozen=True, tag="extend", kw_only=True):
    """Let the round last until then."""

    until: UnixMs


class GiveTableTime(Ruling, frozen=True, tag="give_time", kw_only=True):
    """Give an entrant time back in the match of a table."""

    table: int
    number: int
    ms: Milliseconds


class Appeal(TournamentCommand, frozen=True, tag="appeal"):
    """Dispute a line."""

    number: int
    line: int
    note: Note | None = None


class DecideAppeal(TournamentCommand, frozen=True, tag="decide"):
    """Say what becomes of an appeal."""

    appeal: int
    outcome: Literal["upheld", "denied", "withdrawn"]
    lines: tuple[int, ...] = ()
    note: Note | None = None


class StartRound(TournamentCommand, frozen=True, tag="start_round"):
    """Say that the matches of the round are open."""


class GivenPairing(Struct, frozen=True, forbid_unknown_fields=True):
    """A round that a package has worked out.

    Attributes:
        law: The name of the law, with the edition of the package: `dutch/py4swiss-0.3.1`.
        tables: Who meets, who opens first; the first is table 1.
        byes: Who rests.
    """

    law: str
    tables: tuple[tuple[int, int], ...]
    byes: tuple[int, ...] = ()


class Proceed(TournamentCommand, frozen=True, tag="proceed"):
    """Do what is due: the director asks for it, or officials where rounds start by hand.

    `head` is the hash of the line before the current deal of lots, as hex; a pairing names it where each lot has a
    deal of its own. `given` are the tables of a round that a package makes.
    """

    chance: Chance
    head: str | None = None
    given: GivenPairing | None = None


class Pair(Proceed, frozen=True, tag="pair"):
    """Pair the next round without waiting for its time; it starts by itself once its matches are open."""


class Finish(TournamentCommand, frozen=True, tag="finish"):
    """Hear no more appeals, and close, once all that were filed are decided."""


class Cancel(Ruling, frozen=True, tag="cancel", kw_only=True):
    """Let it not take place, or not go on."""


OfPeople = (
    Register
    | Approve
    | Seed
    | TurnAway
    | OpenCheckIn
    | CheckIn
    | Withdraw
    | Return
    | RequestBye
    | DropBye
    | WaitForTable
    | TakeBreak
    | TakeKey
    | NameEntrantKey
    | ChallengeAbove
    | AnswerChallenge
    | OpenEntry
    | CloseEntry
)
"""What is asked about who takes part."""
OfTables = FixTables | Forbid | Allow | Unpair | Record | Rule | Replay | StartRound | Extend | GiveTableTime
"""What is asked about rounds and tables."""
OfCourse = (
    Appoint
    | Dismiss
    | Penalise
    | Lift
    | OpenCase
    | PauseTournament
    | Resume
    | Appeal
    | DecideAppeal
    | Proceed
    | Pair
    | Finish
    | Cancel
)
"""What is asked about the course of it, and about what was ruled."""
OfLots = commands.CommitSeed | commands.LogDeal | commands.OpenSeed | commands.FixDeal | commands.HearBeacon
"""What is asked while lots are drawn, as in a match; a seat is a drawer."""
AnyCommand = OfPeople | OfTables | OfCourse | OfLots
"""What can be asked of a tournament."""
