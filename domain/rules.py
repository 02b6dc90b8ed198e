"""A rule set is a value: eight independent choices, and the engine plays whatever they say.

Tokens, claims and their order, doubt, handling, reveal, loss, match: the axes of the family, each a small struct. A new
game is a new value of `Rules` in `domain.games`; a house rule is another value of one of its members.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Wild = Literal["always", "never", "unless_opened"]
Aces = Literal["no", "as_ones", "half_double"]
SpotOnWin = Literal["others_lose", "bidder_loses", "regain", "nothing"]


class OwnCups(Struct, frozen=True, tag=True):
    """Every seat has a cup of its own with this many dice, whose faces count from 1."""

    dice: int
    faces: int = 6


class Counting(Struct, frozen=True, tag=True):
    """Claims are counts over all dice of the table.

    Attributes:
        order: A name in `domain.orders.ORDERS`: when one claim outranks another.
        wild: Whether ones count for every other face.
        aces: Whether ones may be named, and what it costs.
    """

    order: str
    wild: Wild
    aces: Aces


class Doubt(Struct, frozen=True):
    """Who may challenge, and what else may be said to a claim.

    Attributes:
        who: Whether only the next seat may challenge, or anyone but the claimant.
        spot_on: Whether the seat in turn may say that the claim is exactly right.
        spot_on_win: Who loses by a right spot on, or what else it does.
        pass_once: Whether each seat may once a round claim that its own dice all differ.
    """

    who: Literal["next", "anyone"] = "next"
    spot_on: bool = False
    spot_on_win: SpotOnWin = "others_lose"
    pass_once: bool = False


class Handling(Struct, frozen=True):
    """What may be done with dice between the roll and the verdict: a name in `domain.places.LAWS`."""

    law: Literal["frozen", "push"] = "frozen"


class LoseDie(Struct, frozen=True, tag=True):
    """The loser of a round loses a die to the box.

    Attributes:
        spot_on_fail: How many dice a wrong spot on costs.
        most: What nobody regains more dice than.
    """

    spot_on_fail: int
    most: int


class Wager(Struct, frozen=True, tag=True):
    """The loser of a round pays the winner this many chips."""

    amount: int


class Pot(Struct, frozen=True, tag=True):
    """Everybody pays this many chips into the pot at the start; the winner of the match takes it."""

    amount: int


class Drinks(Struct, frozen=True, tag=True):
    """Losers drink, from the bar.

    Attributes:
        basis: What a loser's drinks are counted by: the round, the dice lost, how far the claim was off.
        base: Drinks a unit of the basis.
        elimination: Extra for a seat that goes out.
        ghost_per_round: For each seat that was out before this round.
        wrong_out_of_turn_factor: Multiplies for a wrong challenge out of turn.
        wrong_spot_on_factor: Multiplies the base for a wrong spot on.
    """

    basis: Literal["round", "die", "difference"]
    base: int
    elimination: int
    ghost_per_round: int
    wrong_out_of_turn_factor: int
    wrong_spot_on_factor: int


Settler = LoseDie | Wager | Pot | Drinks


class MatchEnd(Struct, frozen=True):
    """When the match is over and who begins the next round.

    Attributes:
        unit: The unit whose balance decides who is out; None for a session that only its host ends.
        next_start: Whose turn it is to open the next round.
        palifico: Whether the round after a seat's first fall to one die is played with a fixed face and plain ones.
    """

    unit: str | None
    next_start: Literal["loser", "winner"] = "loser"
    palifico: bool = False


class Rules(Struct, frozen=True):
    """A game."""

    name: str
    seats: tuple[int, int]
    tokens: OwnCups
    claims: Counting
    doubt: Doubt
    handling: Handling
    settlers: tuple[Settler, ...]
    match: MatchEnd
