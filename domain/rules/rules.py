"""A rule set is a value: seven independent choices, and the engine plays whatever they say.

Tokens, claims and their order, doubt, handling, reveal, loss, match: the axes of the family, each a small struct. A new
game is a new value of `Rules` in `domain.games`; a house rule is another value of one of its members. What fits no axis
is an interlude, there only where the rules name it.
"""

from __future__ import annotations

from typing import ClassVar, Final, Literal

from msgspec import Struct

from domain.fairness.deal import Policy
from domain.ids import Modulus, Units

Wild = Literal["always", "never", "unless_opened"]
Aces = Literal["no", "as_ones", "half_double"]
DealPer = Literal["match", "round"]
SpotOnWin = Literal["others_lose", "bidder_loses", "regain", "nothing"]


class Faces(Struct, frozen=True):
    """What a token shows: so many faces, numbered on from the first."""

    first: int
    count: int


PIPS: Final = Faces(1, 6)
POKER: Final = Faces(9, 6)
"""Nine, ten, jack (11), queen (12), king (13), ace (14)."""
DIGITS: Final = Faces(0, 10)


class OwnCups(Struct, frozen=True, tag=True):
    """Every seat has a cup of its own with this many dice."""

    dice: int
    faces: Faces = PIPS


class SharedCup(Struct, frozen=True, tag=True):
    """One cup with this many dice is passed from seat to seat."""

    dice: int
    faces: Faces = PIPS


class Serials(Struct, frozen=True, tag=True):
    """Every seat has a number, drawn anew each round.

    Attributes:
        dice: How many digits it has.
        single_use: Whether a number may be played once only.
    """

    dice: int = 8
    faces: Faces = DIGITS
    single_use: bool = False


Tokens = OwnCups | SharedCup | Serials


# ---- claims and their order ---------------------------------------------------------------------


class Counting(Struct, frozen=True, tag=True):
    """Claims are counts over all tokens of the table.

    Attributes:
        order: A name in `domain.rules.orders.ORDERS`: when one claim outranks another.
        rank: A name in `domain.rules.orders.RANKS`: which face outranks another.
        wild: Whether ones count for every other face.
        natural: Whether a claim needs one die that shows the face itself, ones being wild.
        aces: Whether ones may be named, and what it costs.
    """

    order: str = "quantity_first"
    rank: str = "natural"
    wild: Wild = "never"
    natural: bool = False
    aces: Aces = "as_ones"


class Rungs(Struct, frozen=True, tag=True):
    """Claims name hands, about one place.

    Attributes:
        table: A name in `domain.rules.ladders`: which hands there are, and which is higher.
        ace_high: Whether a one outranks all other faces, but in straights.
        shorthand: Whether faces may be left out at the end of a claim; the lowest hand that fits is meant.
        wild: Whether ones count for every other face.
        ties: Whether a claim as high as the one before is enough.
        specials: The throws that do something instead of counting.
    """

    table: str
    ace_high: bool = False
    shorthand: bool = False
    wild: Wild = "never"
    ties: bool = False
    specials: tuple[str, ...] = ()


# ---- doubt, handling, reveal --------------------------------------------------------------------


class Doubt(Struct, frozen=True):
    """Who may challenge, and what else may be said to a claim.

    Attributes:
        who: Of a claim: only the next seat, anyone but the claimant, or all others in a row, who then doubt together.
            Of a pass: with `anyone` any seat but the one that passed, else the next seat; one doubt is enough.
        rebid: Whether a claimant whom all others doubt may raise instead of having it counted, once in a row.
        spot_on: Whether the seat in turn may say that the claim is exactly right.
        spot_on_win: Who loses by a right spot on, or what else it does.
        pass_once: Whether each seat may once a round claim that its own dice all differ.
        catch: Whether claims too low are let through for the next seat to catch.
        false_catch: What a catch costs where there was nothing to catch, in drinks.
    """

    who: Literal["next", "anyone", "all"] = "next"
    rebid: bool = False
    spot_on: bool = False
    spot_on_win: SpotOnWin = "others_lose"
    pass_once: bool = False
    catch: bool = False
    false_catch: int = 1


class Handling(Struct, frozen=True):
    """What may be done with dice between the roll and the verdict.

    Attributes:
        gate: What believing leads to in a passed cup: a look at the dice, or a roll of all of them, blind.
        law: A name in `domain.rules.laws.LAWS`: what may be kept, shown and rolled.
        limit: How many re-rolls there are, per turn or per round and seat.
        binds: Whether a seat that has handled its dice may no longer doubt in this turn.
        last_forces: Whether the last re-roll of a turn brings the standing claim to the test at once.
        rehide: Whether a shown die may be hidden again.
        opener: What may be done before the first claim of the round: nothing, showing, or anything.
        own_claim_first: Whether a seat may roll only after its own first claim of the round.
        show_to_claim: Whether a die has to be shown before each claim, while more than one is hidden.
        keeps: Whether a handling may leave every die as it lies; it counts as one all the same.
    """

    gate: Literal["look", "blind"] = "look"
    law: str = "frozen"
    limit: int = 0
    per: Literal["turn", "round"] = "turn"
    binds: bool = True
    last_forces: bool = False
    rehide: bool = True
    opener: Literal["nothing", "shows", "anything"] = "nothing"
    own_claim_first: bool = False
    show_to_claim: bool = False
    keeps: bool = False


class Reveal(Struct, frozen=True):
    """What is shown at the verdict.

    Attributes:
        shows: Every place, the place that the claim is about, or only how many of the face each seat has.
        muck: Whether the losers' dice stay hidden.
        on_demand: Whether the claimant may ask for everything after a count.
    """

    shows: Literal["all", "accused", "counts"] = "all"
    muck: bool = False
    on_demand: bool = False


# ---- what a verdict costs -----------------------------------------------------------------------


class LoseDie(Struct, frozen=True, tag=True):
    """The loser of a round loses a die to the box.

    Attributes:
        spot_on_fail: How many dice a wrong spot on costs.
        most: What nobody regains more dice than.
    """

    spot_on_fail: int
    most: int


class Tally(Struct, frozen=True, tag=True):
    """Each loser, or each winner, of a round is written one `unit` more."""

    unit: Literal["loss", "win"]


class Token(Struct, frozen=True, tag=True):
    """The loser of a round gives one of so many tokens to the pot, or to the winner.

    Attributes:
        stake: How many each seat has at the start.
        to: Who gets them.
        winner_takes: Whether the winner of the match takes the pot.
    """

    stake: int
    to: Literal["pot", "winner"]
    winner_takes: bool


class Wager(Struct, frozen=True, tag=True):
    """The loser of a round pays the winner this many chips."""

    amount: Units


class Pot(Struct, frozen=True, tag=True):
    """Everybody pays this many chips into the pot at the start; the winner of the match takes it.

    Attributes:
        doubles: Whether a winner without a loss is paid once more what each other seat has put in.
    """

    amount: Units
    doubles: bool = False


class PayEach(Struct, frozen=True, tag=True):
    """The claimant receives the stake, times what the claim is worth, from each other seat, or pays it once to each.

    Source: liar's poker, Salomon's rules of 1986; the bonus rules are independent of each other.

    Attributes:
        stake: The basic stake of the first round, in units.
        n_plus_three: Whether claims of three more than there are seats, and above, are worth more.
        sixes: Whether claims on sixes are worth double.
        hero: Whether a claimant who has none of the digit is paid one more.
        skunk: Whether a claimant wins where nobody has any.
        progressive: Whether the next stake is what this round's claim was worth.
    """

    stake: int = 1
    n_plus_three: bool = False
    sixes: bool = False
    hero: bool = False
    skunk: bool = False
    progressive: bool = False


class Drinks(Struct, frozen=True, tag=True):
    """Losers drink, from the bar.

    Attributes:
        basis: What a loser's drinks are counted by: the round, the dice lost, how far the claim was off.
        base: Drinks a unit of the basis.
        elimination: Extra for a seat that goes out.
        ghost_per_round: For each seat that was out before this round.
        wrong_out_of_turn_factor: Multiplies for a wrong challenge out of turn.
        wrong_spot_on_factor: Multiplies the base for a wrong spot on.
        finish_on_top: Whether a loser finishes the glass instead where the top hand was claimed or thrown.
    """

    basis: Literal["round", "die", "difference"] = "round"
    base: int = 1
    elimination: int = 0
    ghost_per_round: int = 0
    wrong_out_of_turn_factor: int = 1
    wrong_spot_on_factor: int = 1
    finish_on_top: bool = False


Settler = LoseDie | Tally | Token | Wager | Pot | PayEach | Drinks


# ---- the match ----------------------------------------------------------------------------------


class MatchEnd(Struct, frozen=True):
    """When the match is over and who begins the next round.

    Attributes:
        unit: The unit whose balance decides who is out; None where nobody goes out.
        out_at: The balance at which a seat is out.
        wins: How many rounds won end the match; None where that ends none.
        first_out_ends: Whether the match ends as soon as a seat is out, and that seat has lost it.
        next_start: Whose turn it is to open the next round; `letters` draws it anew each time.
        first: How the first to open is found: the highest die, the highest die choosing, or the lowest letters.
        palifico: Whether the round after a seat's first fall to one die is played with a fixed face and plain ones.
        bouts: Who plays whom where more than two sit at a game for two: the winner stays and the others queue, or the
            loser is out; None where all play at once.
    """

    unit: str | None = None
    out_at: int = 0
    wins: int | None = None
    first_out_ends: bool = False
    next_start: Literal["loser", "winner", "claimant", "doubter", "letters"] = "loser"
    first: Literal["high_roll", "boss_decides", "letters"] = "high_roll"
    palifico: bool = False
    bouts: Literal["chouette", "knockout"] | None = None

    @property
    def open_ended(self) -> bool:
        """Whether only the host ends it."""
        return self.bouts == "chouette" or (self.unit is None and self.wins is None)


# ---- interludes: phases of their own ------------------------------------------------------------


class InterludeRules(Struct, frozen=True):
    """Something that fits no axis: a phase of its own, or more that lies in a cup.

    One file of `domain.table.interludes` has all there is to it: what may be asked for in it, what happens, what is
    remembered, and where the game asks it. Here is what a deal and an audit have to know without a game.

    Attributes:
        unseen: What it decides by dice that nobody is ever shown, in words; empty if nothing.
        rolls: How often a cup may be rolled in a round because of it, beyond what the game asks for.
    """

    unseen: ClassVar[str] = ""
    rolls: ClassVar[int] = 0

    def moduli_beside(self, dice: int) -> tuple[Modulus, ...]:
        """Return the moduli of the slots it needs in a cup beside this many dice."""
        return ()

    def first_edition(self) -> InterludeRules:
        """Return it as its rules were read in the first edition (`domain.match.settings`)."""
        return self

    def rounds_beside(self, match: MatchEnd, seats: int) -> int:
        """Return how many more rounds a match of so many seats may take because of it."""
        return 0


class Rules(Struct, frozen=True):
    """A game."""

    name: str
    seats: tuple[int, int]
    tokens: Tokens
    claims: Counting | Rungs
    doubt: Doubt
    handling: Handling
    reveal: Reveal
    settlers: tuple[Settler, ...]
    match: MatchEnd
    interludes: tuple[InterludeRules, ...] = ()

    @property
    def keeps_hidden(self) -> bool:
        """Whether dice that were not shown stay somebody's secret when a round is over: told as counts, or folded."""
        folded = self.reveal.shows == "accused" and isinstance(self.tokens, OwnCups)
        return self.reveal.shows == "counts" or self.reveal.muck or folded

    @property
    def deals(self) -> tuple[DealPer, ...]:
        """What one provable deal may be for: a deal that ends publishes all its tokens, shown or not."""
        return self.deals_under("all")

    def deals_under(self, policy: Policy) -> tuple[DealPer, ...]:
        """Return what one provable deal may be for, given what it publishes when it ends."""
        unseen = self.keeps_hidden or self.handling.gate == "blind"
        return ("match",) if unseen and policy == "all" else ("match", "round")

    @property
    def hidden_decision(self) -> str:
        """What is decided here by dice that nobody is ever shown, in words; empty if nothing is."""
        counts = isinstance(self.claims, Counting) and self.reveal.shows != "all"
        single = isinstance(self.tokens, Serials) and self.tokens.single_use
        unseen = {
            "claims are counted over dice that are not shown": counts,
            "the losers of a claim do not show their dice": self.reveal.muck,
            "a number that was played before is dealt anew unseen": single,
            **{each.unseen: True for each in self.interludes if each.unseen},
        }
        return next((why for why, decides in unseen.items() if decides), "")

    @property
    def policies(self) -> tuple[Policy, ...]:
        """What a deal that ends may publish: `all` its dice, or only those the rules have `shown`."""
        return ("all",) if self.hidden_decision else ("all", "shown")
