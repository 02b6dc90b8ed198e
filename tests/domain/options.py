"""Every set of options of common hand, for laws that hold whatever the house rules are."""

from __future__ import annotations

from hypothesis import strategies as st

FEW = st.integers(0, 3)
_SYSTEMS = st.sampled_from(["face_first", "quantity_first", "highest_number", "product", "no_decrease"])
_DRINKS = {"elimination": FEW, "ghost_per_round": FEW, "wrong_out_of_turn_factor": FEW, "wrong_spot_on_factor": FEW}
_PLAY = {
    "dice_per_player": st.integers(1, 5),
    "system": _SYSTEMS,
    "wild": st.sampled_from(["always", "never", "unless_opened"]),
    "bid_aces": st.sampled_from(["auto", "no", "as_ones", "half_double"]),
    "challenge_by": st.sampled_from(["next", "anyone"]),
    "spot_on": st.booleans(),
    "spot_on_win": st.sampled_from(["others_lose", "bidder_loses", "regain", "nothing"]),
    "spot_on_fail_dice": FEW,
    "next_starter": st.sampled_from(["loser", "winner"]),
    "palifico": st.booleans(),
    "push": st.booleans(),
    "pass_once": st.booleans(),
}


def _drinks(*bases: str) -> st.SearchStrategy[object]:
    return st.none() | st.fixed_dictionaries({"basis": st.sampled_from(bases)}, optional=_DRINKS)


MATCHES = st.fixed_dictionaries(
    {},
    optional={
        **_PLAY,
        "stakes": st.sampled_from(["none", "winner_take_all"]),
        "drinks": _drinks("round", "die", "difference"),
    },
)
"""Played until one seat is left."""

SESSIONS = st.fixed_dictionaries(
    {"elimination": st.just("none")},
    optional={
        **_PLAY,
        "stakes": st.sampled_from(["none", "per_round"]),
        "drinks": _drinks("round", "difference"),
    },
)
"""Played until the host ends it."""
