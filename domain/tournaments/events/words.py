"""Words that lines of a tournament share: who acts, why, and who has which place."""

from __future__ import annotations

from typing import Final, Literal

RULE: Final = "rule"
"""Who acts where the law itself does."""
Role = Literal["host", "arbiter"]
Reason = Literal[
    "late", "absent", "conduct", "collusion", "illegal_help", "technical", "house_fault", "wrong_result", "agreement",
    "rules", "request", "other",
]  # fmt: skip
"""Why an official does something; `other` takes a note."""
Ranking = tuple[tuple[int, ...], ...]
"""Numbers of entrants, best first; who shares a place stands together."""
