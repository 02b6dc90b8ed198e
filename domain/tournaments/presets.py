"""Presets: rules of whole tournaments by a name, which a host may take as they are or change."""

from __future__ import annotations

from typing import Any, Final

COMMON: Final[dict[str, Any]] = {"game": "common_hand", "options": {}}
DUEL: Final[dict[str, Any]] = {"game": "common_hand", "options": {"dice_per_player": 3}}
BOARDS: Final[dict[str, Any]] = {**COMMON, "clock": {"bank_ms": 300_000, "increment_ms": 5_000}}
PAIRS: Final[dict[str, Any]] = {"preferred": 2, "min": 2, "max": 2}

PRESETS: Final[dict[str, dict[str, Any]]] = {
    "duel_swiss": {"match": DUEL, "stages": [{"format": "swiss", "sizes": PAIRS}]},
    "pods": {"match": COMMON, "stages": [{"format": "swiss"}]},
    "club_night": {"match": COMMON, "stages": [{"format": "swiss", "rounds": 3}]},
    "knockout": {"match": COMMON, "stages": [{"format": "knockout"}]},
    "single": {"match": DUEL, "stages": [{"format": "single", "third_place": True}]},
    "arena": {"match": COMMON, "stages": [{"format": "arena"}]},
    "dutch": {"match": DUEL, "stages": [{"format": "dutch"}]},
    "last_longer": {"match": COMMON, "stages": [{"format": "last_longer"}]},
    "groups": {
        "match": DUEL,
        "stages": [
            {"format": "groups", "groups": 4, "inner": {"format": "round_robin"}, "through": 2},
            {"format": "single", "third_place": True},
        ],
    },
    "double": {"match": DUEL, "stages": [{"format": "double"}]},
    "round_robin": {"match": DUEL, "stages": [{"format": "round_robin"}]},
    "duplicate": {"match": BOARDS, "stages": [{"format": "duplicate"}]},
    "league_day": {"match": COMMON, "stages": [{"format": "balanced"}]},
    "ladder": {"match": DUEL, "stages": [{"format": "ladder"}]},
    "chouette": {"match": DUEL, "stages": [{"format": "chouette", "bouts": 12}]},
    "pods_final": {
        "match": COMMON,
        "stages": [{"format": "swiss", "rounds": 3, "advance": 4}, {"format": "swiss", "rounds": 1}],
    },
}
"""By name; what is left out takes the default of the rules."""


def preset(name: str, /, **changes: Any) -> dict[str, Any]:  # noqa: ANN401 - members of the rules object
    """Return the rules object of a preset, with other members where they are given.

    Raises:
        KeyError: There is no preset of this name.
    """
    return {**PRESETS[name], **changes}
