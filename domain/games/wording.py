"""The wording of options for people: it stands beside the option and goes into its JSON Schema.

A form for a game, and the rules a table reads out, are made from that schema alone. Beyond `title` and `description`
the schema of an option says:

    x-group   the title under which it stands with others
    x-words   for each of its values, and `null` if it may be that, a phrase that goes on from the title
    x-needs   other options, and their values with which this one counts for anything
    x-only    for a value, the same: what it needs to be allowed
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from msgspec import Meta

Needs = Mapping[str, tuple[str | bool, ...]]
"""Values by the name of an option; with any of them, and that for every option named, the need is met."""

ON: Final = (True,)
APOSTROPHE: Final = "\N{RIGHT SINGLE QUOTATION MARK}"


def option(
    title: str,
    note: str | None = None,
    *,
    group: str,
    words: Mapping[str, str] | None = None,
    needs: Needs | None = None,
    only: Mapping[str, Needs] | None = None,
) -> Meta:
    """Return what people read beside an option."""
    more: dict[str, Any] = {"x-group": group}
    told = {"x-words": words, "x-needs": needs, "x-only": only}
    return Meta(
        title=title, description=note, extra_json_schema=more | {key: what for key, what in told.items() if what}
    )


# ---- options that several games have --------------------------------------------------------------

Starter = Annotated[
    Literal["loser", "winner"],
    option("Who opens the next round", group="Rounds", words={"loser": "who lost", "winner": "who won"}),
]
Wild = Annotated[
    Literal["unless_opened", "always", "never"],
    option(
        "Ones are wild",
        group="Claims",
        words={"unless_opened": "unless the round opens on ones", "always": "always", "never": "never"},
    ),
]
Natural = Annotated[
    bool,
    option(
        "A claim needs one real die of its face",
        "wild ones alone do not make it true",
        group="Claims",
        needs={"wild": ("unless_opened", "always")},
    ),
]
Lives = Annotated[int, Meta(ge=1, le=100), option("Lost rounds that put a seat out", group="Rounds")]
Wins = Annotated[int, Meta(ge=1, le=20), option("Rounds to win", group="Rounds")]
PokerDice = Annotated[
    Literal["poker", "spotted"],
    option("Dice", group="Dice", words={"poker": "poker dice, nine to ace", "spotted": "ordinary dice, one to six"}),
]
Lifted = Annotated[
    Literal["both", "accused"],
    option(
        "After a doubt are shown",
        group="Rounds",
        words={"both": "the dice of both", "accused": "only the dice of who was doubted"},
    ),
]
LastThrow = Annotated[
    Literal["may_claim", "auto_challenge"],
    option(
        "After the last throw",
        group="Dice",
        words={"may_claim": "one more claim may be made", "auto_challenge": "the standing claim is tested at once"},
    ),
]
Digits = Annotated[
    Literal["zero_high", "natural", "ace_high"],
    option(
        "Digits, from low to high",
        group="Claims",
        words={"zero_high": "1 to 9, then 0", "natural": "0 to 9", "ace_high": "2 to 9, then 0, then 1"},
    ),
]
Stake = Annotated[
    int, Meta(ge=1, le=1_000_000), option("Stake", "in units, to or from each other seat", group="Stakes")
]
