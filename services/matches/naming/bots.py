"""The bots of the house by name: nobody else at a table may be called so."""

from __future__ import annotations

from typing import Final

HOUSE_BOTS: Final = (
    ("steady", "Basil"),
    ("bold", "Saffron"),
    ("cautious", "Juniper"),
    ("steady", "Clove"),
    ("bold", "Sorrel"),
    ("cautious", "Tansy"),
    ("steady", "Borage"),
    ("bold", "Cumin"),
    ("cautious", "Lovage"),
    ("steady", "Anise"),
    ("bold", "Fennel"),
    ("cautious", "Caraway"),
)
"""How the house's bots play, and what people call them."""
