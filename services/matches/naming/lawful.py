"""The law of names in this house, for whoever takes one: from a person, or from a node that should have looked."""

from __future__ import annotations

from typing import Final

from services.matches.naming import law
from services.matches.naming.bots import HOUSE_BOTS
from services.matches.naming.law import BadName
from services.matches.naming.lookalikes import alike

HOUSE: Final = "Truecup"
"""What the house is called, and no table."""


def lawful(text: str) -> str:
    """Return a name in its normal form; who sits at a table and what it is called speak for the house neither.

    Raises:
        BadName: Nobody may be called so, and nothing.
    """
    name = law.name_of(text, (name for _, name in HOUSE_BOTS))
    if alike("".join(one for one in name if one.isalpha()), HOUSE):
        raise BadName(f"{HOUSE} is what the house is called")
    return name


def check_bot(manner: str, name: str) -> None:
    """Let a bot of the house be called this if the house calls one so that plays in this style, of whatever level.

    Raises:
        BadName: It has no such bot.
    """
    if (manner.rpartition(".")[2], name) not in HOUSE_BOTS:
        raise BadName("the house has no such bot")
