"""Stanford: six dice in one cup that is passed; claims are about all six.

Source: the liar's dice article, "Stanford variation"; the order of its hands is lost, and is poker's for six dice here.
"""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta, Struct

from domain.games.game import Game, anything_goes
from domain.games.wording import APOSTROPHE, Starter, option
from domain.rules.rules import Doubt, Handling, MatchEnd, Reveal, Rules, Rungs, SharedCup, Tally


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The options of Stanford, with their defaults; `lives` is null where the session only counts lost rounds."""

    rerolls: Annotated[int, Meta(ge=0, le=10), option("Throws in a turn", group="Dice")] = 1
    lives: Annotated[
        Annotated[int, Meta(ge=1, le=100)] | None,
        option(
            "Lost rounds that put a seat out",
            "left empty, they are only counted, until the host ends the session",
            group="Rounds",
            words={"null": "none: they are only counted"},
        ),
    ] = None
    next_starter: Starter = "loser"


def _rules(options: Options) -> Rules:
    return Rules(
        "stanford",
        (2, 8),
        SharedCup(6),
        Rungs("stanford", shorthand=True),
        Doubt(),
        Handling(law="free", limit=options.rerolls, opener="shows", keeps=True),
        Reveal("accused"),
        (Tally("loss"),),
        MatchEnd(None if options.lives is None else "loss", options.lives or 0, next_start=options.next_starter),
    )


GAME: Final = Game(
    "stanford",
    f"Stanford liar{APOSTROPHE}s dice",
    "Six dice pass round in one cup; show some, hide some, roll some, and name a better hand than you were handed.",
    "Liar's dice: Stanford variation",
    Options,
    anything_goes,
    _rules,
    aliases=("Stanford variation",),
)
