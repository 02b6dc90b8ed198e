"""The laws of handling: which dice may be kept, shown, hidden and rolled, by game.

A law sees positions and never a value; where values count as well (a push shows equal dice), the handler asks the
dealer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

from msgspec import Struct

Placement = Literal["outside", "inside", "roll_inside", "roll_outside"]


class HandlingPlan(Struct, frozen=True):
    """A handling as its law sees it: positions by where they come from and where they go.

    Attributes:
        hidden: How many dice lay inside.
        shows: Inside, to be shown.
        hides: Outside, to be hidden.
        rolls_inside: To be rolled hidden.
        rolls_outside: To be rolled in the open.
        keeps_inside: Hidden afterwards without having been rolled.
    """

    hidden: int
    shows: tuple[int, ...]
    hides: tuple[int, ...]
    rolls_inside: tuple[int, ...]
    rolls_outside: tuple[int, ...]
    keeps_inside: int

    @property
    def roll_count(self) -> int:
        """How many dice are rolled."""
        return len(self.rolls_inside) + len(self.rolls_outside)

    @property
    def touch_count(self) -> int:
        """How many dice are shown, hidden or rolled."""
        return len(self.shows) + len(self.hides) + self.roll_count


class Law(Struct, frozen=True):
    """A law of handling.

    Attributes:
        refusal: Why a handling is refused, as a code; None if it is allowed.
        placements: What may be done with a die, for forms to offer.
        whole: Whether a roll takes every hidden die that is not shown.
        sealed: Whether it is the holder's secret which hidden dice were rolled (CUP/1 section 4.12).
    """

    refusal: Callable[[HandlingPlan], str | None]
    placements: tuple[Placement, ...]
    whole: bool = False
    sealed: bool = False


def _stays_inside(tally: HandlingPlan) -> bool:
    return not (tally.shows or tally.hides or tally.rolls_outside)


def _push_refusal(tally: HandlingPlan) -> str | None:
    """Show some hidden dice and roll all others. Source: Dudo's push."""
    # "All other hidden dice (at least one)" are rolled (common hand): a push keeps no die under the cup, and is none
    # without a roll.
    lawful = tally.shows and tally.rolls_inside and not tally.hides and not tally.rolls_outside
    return None if lawful and not tally.keeps_inside else "bad_dice"


def _any_hidden_refusal(tally: HandlingPlan) -> str | None:
    """Roll any of the hidden dice, at least one. Source: individual hand, the German game, Six-Six-Six."""
    return None if _stays_inside(tally) and tally.roll_count else "bad_dice"


def _all_or_none_refusal(tally: HandlingPlan) -> str | None:
    """Roll all dice. Source: Beat This, two dice."""
    return None if _stays_inside(tally) and tally.roll_count == tally.hidden else "bad_dice"


def _free_refusal(tally: HandlingPlan) -> str | None:
    """Do anything with each die, but something. Source: the Stanford variation."""
    return None if tally.roll_count or tally.shows or tally.hides else "bad_dice"


def _one_way_refusal(tally: HandlingPlan) -> str | None:
    """Roll outside if any die is kept inside, and inside if none is. Source: Finska, options B and C."""
    # "Any die kept inside: the rest is rolled outside, in public", and the other way round: the two refusals mirror
    # each other, and dice kept outside matter to neither.
    if tally.keeps_inside and tally.rolls_inside:
        return "roll_must_be_outside"
    if not tally.keeps_inside and tally.rolls_outside:
        return "roll_must_be_inside"
    # A turn with "nothing rolled" is allowed as long as a die moves; passing on unaltered is no law's to allow
    # (`Handling.keeps`).
    return _free_refusal(tally)


def _show_one_refusal(tally: HandlingPlan) -> str | None:
    """Show one hidden die, roll all others, or both. Source: Stud Liars."""
    # One die a turn is shown, for one claim; a second would be `already_shown` if it were asked for by itself.
    if tally.hides or tally.rolls_outside or len(tally.shows) > 1:
        return "bad_dice"
    if tally.rolls_inside:
        # "All own hidden dice" are rolled, and in one command "the showing comes first": the die just shown is not one
        # of those kept.
        return "bad_dice" if tally.keeps_inside else None
    return None if tally.shows else "bad_dice"


LAWS: Final[dict[str, Law]] = {
    # Where a roll takes every hidden die there is no choice to keep secret, and the cup needs no blind slot. Where some
    # may stay, which of them went is "nobody's business" (CUP/1 section 4.12).
    "push": Law(_push_refusal, ("outside", "roll_inside"), whole=True),
    "any_hidden": Law(_any_hidden_refusal, ("roll_inside",), sealed=True),
    "all_or_none": Law(_all_or_none_refusal, ("roll_inside",), whole=True),
    "free": Law(_free_refusal, ("outside", "inside", "roll_inside", "roll_outside"), sealed=True),
    "finska": Law(_one_way_refusal, ("outside", "inside", "roll_inside", "roll_outside"), sealed=True),
    "show_one": Law(_show_one_refusal, ("outside", "roll_inside"), whole=True),
}
"""By name; where dice are `frozen` there is no law to ask, since nobody may handle them."""
