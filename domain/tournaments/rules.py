"""Rules of a tournament: the object that its first line freezes, with every option spelled out and checked together.

What is left out takes the default that stands here. The rules of the matches are a template, `match`, of which a stage
may say something else (`overrides`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from domain.match.settings import BeaconSettings, rules_in_force, rules_object, settings_of
from domain.rules.rules import Rules
from domain.tournaments.pairing.pods.inputs import Weights
from domain.tournaments.pairing.sizes import SEATS_MAX, TableSizes

ENTRANTS_MAX: Final = 4_096
DAY_MS: Final = 86_400_000
WEEK_MS: Final = 7 * DAY_MS
AMOUNT_MAX: Final = 10**12
ROUNDS_MAX: Final = 1_000
TIME_MAX: Final = 2**53 - 1
"""The last moment, and the largest number, that a line can say."""

Wait = Annotated[int, Meta(ge=0, le=WEEK_MS)]
"""A length of time, in milliseconds; nothing here lasts longer than a week."""
Size = Annotated[int, Meta(ge=2, le=SEATS_MAX)]
Rounds = Annotated[int, Meta(ge=1, le=ROUNDS_MAX)]
Entrants = Annotated[int, Meta(ge=2, le=ENTRANTS_MAX)]
Mu = Annotated[int, Meta(ge=-1_000_000, le=1_000_000)]
"""A rating, in whole points of mu."""
Season = Annotated[str, Meta(pattern=r"\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")]


class RulesPart(Struct, frozen=True, forbid_unknown_fields=True):
    """A part of the rules object."""


class Entry(RulesPart, frozen=True):
    """Who may enter, and until when.

    Attributes:
        min: With fewer there is no tournament.
        max: How many may enter.
        late_rounds: Until so many rounds are closed somebody may still enter.
        late_points: What each round counts that was missed so: half a first place, or nothing.
        bots: Whether bots may enter, among people with a label, or they alone.
        approve: Whether an official lets each in.
        invited: Whether entering takes an invitation.
        half_byes: How many rounds an entrant may ask to be left out of, each worth half a first place; never the last.
        rating: The lowest and the highest rating, in whole points of mu, or none.
        player: Whether only players with a name of their own may enter, and no guests.
    """

    min: Entrants = 2
    max: Entrants = 64
    late_rounds: Annotated[int, Meta(ge=0, le=ROUNDS_MAX)] = 0
    late_points: Literal["half", "zero"] = "half"
    bots: Literal["none", "labelled", "only"] = "none"
    approve: bool = False
    invited: bool = False
    half_byes: Annotated[int, Meta(ge=0, le=ROUNDS_MAX)] = 1
    rating: tuple[Mu, Mu] | None = None
    player: bool = False


USUAL_SIZES: Final = TableSizes(4, 3, 4)
PAIR_SIZES: Final = TableSizes(2, 2, 2)
USUAL_WEIGHTS: Final = Weights(repeat=16, club=1, score=1, small=1)


class Stage(RulesPart, frozen=True, tag_field="format"):
    """What every stage says.

    Attributes:
        rounds: How many rounds; None where it follows from the law and the entrants.
        advance: How many go on to the next stage; None in the last.
        round_ms: How long a round may last, in milliseconds; None: as long as the tournament's `time` says.
        rounds_max: How many rounds of the game a match may last; None: to its end.
        overrides: Members of `match` that are different here.
        best_of: How many matches a table of two plays at most (`domain.tournaments.ranking.legs`), unless one.
    """

    rounds: Rounds | None = None
    advance: Entrants | None = None
    round_ms: Annotated[int, Meta(ge=1_000, le=WEEK_MS)] | None = None
    rounds_max: Rounds | None = None
    overrides: dict[str, Any] = {}
    # Tournaments that were announced before there were legs have no such member, and keep their bytes.
    best_of: Literal[1, 3, 5, 7] | UnsetType = UNSET

    @property
    def table_sizes(self) -> TableSizes:
        """How many sit at a table: where it comes out even, at least and at most."""
        return PAIR_SIZES


class Swiss(Stage, frozen=True, tag="swiss"):
    """Whoever has done as well sits together, and rather with new faces."""

    sizes: TableSizes = USUAL_SIZES
    weights: Weights = USUAL_WEIGHTS

    @property
    def table_sizes(self) -> TableSizes:
        """As the host says."""
        return self.sizes


class RoundRobin(Stage, frozen=True, tag="round_robin"):
    """Everybody meets everybody, once or twice, two at a table (FIDE C.05, Berger tables)."""

    cycles: Literal[1, 2] = 1


class Balanced(Stage, frozen=True, tag="balanced"):
    """Tables of one size, everybody with everybody equally often where a design does that, or nearly."""

    size: Size = 4

    @property
    def table_sizes(self) -> TableSizes:
        """As near to one size as it comes out, and fewer where somebody has left."""
        return TableSizes(self.size, 2, self.size)


class Single(Stage, frozen=True, tag="single"):
    """Two at a table; whoever loses is out."""

    third_place: bool = False


class Double(Stage, frozen=True, tag="double"):
    """Two at a table; whoever loses twice is out."""

    third_place: bool = False


class KnockoutStage(Stage, frozen=True, tag="knockout"):
    """Tables of three to eight; the first `through` of each go on, until at most `final` sit down to the last."""

    size: Annotated[int, Meta(ge=3, le=SEATS_MAX)] = 4
    through: Annotated[int, Meta(ge=1, le=SEATS_MAX - 1)] = 2
    final: Size | None = None

    @property
    def table_sizes(self) -> TableSizes:
        """Of one size, and fewer at the last one, or where somebody has left."""
        return TableSizes(self.size, 2, self.size)


class LastLonger(Stage, frozen=True, tag="last_longer"):
    """Many tables down to one survivor; dice and lives go along from level to level."""

    high: Annotated[int, Meta(ge=3, le=SEATS_MAX)] = 6
    level_rounds: Rounds = 6

    @property
    def table_sizes(self) -> TableSizes:
        """So many at most, and ever fewer."""
        return TableSizes(self.high, 2, self.high)


class Dutch(Stage, frozen=True, tag="dutch"):
    """Whoever has done as well sits together, two at a table, by FIDE's book (C.04.3), as a package has it."""


class Groups(Stage, frozen=True, tag="groups"):
    """Several groups, each with rounds of its own; the first `through` of each go on."""

    groups: Annotated[int, Meta(ge=1, le=ENTRANTS_MAX // 2)] = 4
    inner: Swiss | RoundRobin = RoundRobin()
    through: Annotated[int, Meta(ge=1, le=ENTRANTS_MAX)] = 2

    @property
    def table_sizes(self) -> TableSizes:
        """Those of the rounds of every group."""
        return self.inner.table_sizes


class Arena(Stage, frozen=True, tag="arena"):
    """Whoever is idle is seated with who has done as well, every few seconds while the time lasts.

    Attributes:
        duration_ms: How long waves are seated.
        wave_ms: How long it takes from one wave to the next.
        patience_ms: How long nobody waits if it can be helped.
        streak: Whether a first place counts double after two in a row, until one is missed.
    """

    duration_ms: Annotated[int, Meta(ge=60_000, le=DAY_MS)] = 3_600_000
    wave_ms: Annotated[int, Meta(ge=1_000, le=3_600_000)] = 5_000
    patience_ms: Annotated[int, Meta(ge=1_000, le=3_600_000)] = 30_000
    streak: bool = False
    sizes: TableSizes = USUAL_SIZES

    @property
    def table_sizes(self) -> TableSizes:
        """As the host says."""
        return self.sizes


class LadderStage(Stage, frozen=True, tag="ladder"):
    """An order in which anybody may challenge somebody a little above, and takes their place by winning.

    Attributes:
        reach: How many places above one may challenge.
        answer_ms: How long who is challenged may take to answer; whoever does not has lost.
        duration_ms: How long somebody may be challenged.
    """

    reach: Annotated[int, Meta(ge=1, le=ENTRANTS_MAX)] = 3
    answer_ms: Annotated[int, Meta(ge=1_000, le=WEEK_MS)] = 300_000
    duration_ms: Annotated[int, Meta(ge=60_000, le=WEEK_MS)] = 3_600_000


class ChouetteStage(Stage, frozen=True, tag="chouette"):
    """One table for all: who wins stays, who loses waits again, for so many bouts or so long.

    Attributes:
        bouts: How many matches there are; None where the time says.
        duration_ms: How long a bout may begin; None where their number says.
    """

    bouts: Rounds | None = None
    duration_ms: Annotated[int, Meta(ge=60_000, le=WEEK_MS)] | None = None


class Duplicate(Stage, frozen=True, tag="duplicate"):
    """The same dice at every table of a round; what counts is the difference to those who had them elsewhere.

    Attributes:
        size: How many sit at each table; who is left over rests.
        supervised: Whether the host says that everybody is in one room, so that nobody tells another table of dice.
    """

    size: Size = 4
    supervised: bool = False

    @property
    def table_sizes(self) -> TableSizes:
        """All of one size."""
        return TableSizes(self.size, self.size, self.size)


class CountingLaw(Struct, frozen=True):
    """How what is played in a stage comes to standings, where that is not by places at tables and by rests alone.

    Attributes:
        begun: Whether tables count at once, and not with their round.
        byes: Whether who has no table in a round gets anything for it.
        results: What tables come to beside each other, of how places are worth and what each came to.
        order: Everybody in a field from the first place to the last; None where points say it.
        bonus: What entrants of a field get besides, as points that are taken from them.
    """

    begun: bool = False
    byes: bool = True
    results: Callable[[Any, Any], Any] | None = None
    order: Callable[[Any], tuple[int, ...]] | None = None
    bonus: Callable[[Any], Any] | None = None


class ScoringRules(RulesPart, frozen=True):
    """What a place at a table is worth.

    Attributes:
        scheme: `share` of the others that one is ahead of, `ladder` how many, `winner` takes all, or `custom`.
        points: What the places of a table are worth by its size, as fractions, where that is custom.
        bye: What share of a first place a bye is worth that pairing made.
    """

    scheme: Literal["share", "ladder", "winner", "custom"] = "share"
    points: dict[str, tuple[str, ...]] = {}
    bye: str = "1"


class Prizes(RulesPart, frozen=True):
    """What is won: whole amounts of a unit by place, not rising."""

    unit: Annotated[str, Meta(min_length=1, max_length=20)]
    amounts: Annotated[
        tuple[Annotated[int, Meta(ge=0, le=AMOUNT_MAX)], ...], Meta(min_length=1, max_length=ENTRANTS_MAX)
    ]


class RoundTimes(RulesPart, frozen=True):
    """When what happens.

    Attributes:
        check_in_ms: How long everybody may say that they are there.
        between_ms: How long after the last result the next round is paired.
        no_show_ms: How long a table waits for who is not there.
        round_ms: How long a round may last; None: to its end.
        start: The next round is paired by itself, by the host, or at `times`.
        times: When each round is paired, at the earliest, in Unix milliseconds; rounds without one are by themselves.
        claims_ms: How long appeals are heard after the end.
    """

    check_in_ms: Wait = 900_000
    between_ms: Wait = 60_000
    no_show_ms: Annotated[int, Meta(ge=1_000, le=DAY_MS)] = 300_000
    round_ms: Annotated[int, Meta(ge=1_000, le=WEEK_MS)] | None = None
    start: Literal["auto", "host", "times"] = "auto"
    times: Annotated[tuple[Annotated[int, Meta(ge=0, le=TIME_MAX)], ...], Meta(max_length=ROUNDS_MAX)] = ()
    claims_ms: Wait = DAY_MS


class LotRules(RulesPart, frozen=True):
    """How lots are drawn: in one deal, or in a new one for each round; with a public beacon, or without."""

    deal: Literal["once", "each"] = "once"
    beacon: BeaconSettings | None = None


class TournamentRules(RulesPart, frozen=True):
    """The rules object, as it stands in the first line.

    Attributes:
        tournament: The edition of these laws.
        match: The rules of every match, spelled out.
        seeding: What the order of the seeds follows: lots, ratings, or what the host says.
        stages: What is played one after the other; the last decides the places of those who reach it.
        tiebreaks: What parts those of one score, in order; () stands for what suits the stages until they are known.
        rated: Whether matches count for ratings of players, and so nobody enters as a guest.
    """

    match: dict[str, Any]
    # Which formats there are, and so what each may say, is for the table of formats to know (`options`).
    stages: tuple[Stage, ...]
    tournament: Literal[1] = 1
    entry: Entry = Entry()
    seeding: Literal["lots", "rating", "manual"] = "lots"
    scoring: ScoringRules = ScoringRules()
    tiebreaks: tuple[str, ...] = ()
    prizes: Prizes | None = None
    time: RoundTimes = RoundTimes()
    lots: LotRules = LotRules()
    rated: bool = False
    season: Season | None = None


def preferred_size(stage: Stage) -> int:
    """Return how many sit at a table of this stage where it comes out even."""
    return stage.table_sizes.preferred


def largest_size(stage: Stage) -> int:
    """Return how many sit at a table of this stage at most."""
    return stage.table_sizes.max


def smallest_size(stage: Stage) -> int:
    """Return how many sit at a table of this stage at least."""
    return stage.table_sizes.min


def format_name(stage: Stage) -> str:
    """Return the format of a stage as the rules object has it, such as `swiss`."""
    return str(type(stage).__struct_config__.tag)


def legs_max(stage: Stage) -> int:
    """Return how many matches a table of this stage plays at most."""
    return 1 if isinstance(stage.best_of, UnsetType) else stage.best_of


def template_of(rules: TournamentRules, stage: Stage) -> dict[str, Any]:
    """Return the rules object of the matches of a stage, without what says which match it is."""
    return rules_object(settings_of({**rules.match, **stage.overrides}))


def has_clocks(rules: TournamentRules, stage: int) -> bool:
    """Report whether the matches of a stage, by its number, are played with clocks."""
    return template_of(rules, rules.stages[stage - 1])["clock"] is not None


def match_rules(rules: TournamentRules, stage: Stage) -> Rules:
    """Return the rules that the game of a stage is played by."""
    return rules_in_force(settings_of({**rules.match, **stage.overrides}))


def object_of(rules: TournamentRules) -> dict[str, Any]:
    """Return the rules object as it goes into `tournament.created`."""
    # As it is read back out of a line: lists, and no tuples.
    built: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(rules))
    return built
