"""What people read beside the options of games, and in which group they stand."""

from __future__ import annotations

from typing import Final

GROUPS: Final[dict[str, tuple[str, ...]]] = {
    "Dice": ("dice_per_player", "elimination", "next_starter"),
    "Bidding": ("system", "wild", "bid_aces", "palifico"),
    "Doubting": ("challenge_by", "pass_once", "push"),
    "Spot on": ("spot_on", "spot_on_win", "spot_on_fail_dice"),
    "Stakes": ("stakes", "wager"),
    "Drinks": ("drinks",),
}
"""Options by the title of their group, in the order of the form."""

LABELS: Final[dict[str, str]] = {
    "dice_per_player": "Dice each",
    "elimination": "Losing a round costs",
    "next_starter": "Who opens the next round",
    "system": "A bid beats another if",
    "wild": "Ones are wild",
    "bid_aces": "Bids on ones",
    "palifico": "Palifico round at the last die",
    "challenge_by": "Who may challenge",
    "pass_once": "Pass once a round (all dice differ)",
    "push": "Push dice and roll the others again",
    "spot_on": "Spot on may be called",
    "spot_on_win": "Spot on, right",
    "spot_on_fail_dice": "Spot on, wrong: dice lost",
    "stakes": "Chips",
    "wager": "Wager in chips",
    "drinks": "Keep a drinks ledger",
    "drinks.basis": "Drinks are counted by",
    "drinks.base": "Drinks each time",
    "drinks.elimination": "More for going out",
    "drinks.ghost_per_round": "Each round for those who are out",
    "drinks.wrong_out_of_turn_factor": "Factor: wrong out of turn",
    "drinks.wrong_spot_on_factor": "Factor: wrong spot on",
}

NOTES: Final[dict[str, str]] = {
    "palifico": "who is down to one die opens it, and the face stays",
    "push": "show equal dice, then bid",
    "drinks": "a ledger only: what is in the glass is yours to decide",
}

NEEDS: Final[dict[str, str]] = {"spot_on_win": "spot_on", "spot_on_fail_dice": "spot_on", "wager": "stakes"}
"""Options that mean nothing while the other one is off or none."""

VALUES: Final[dict[str, dict[str, str]]] = {
    "elimination": {"lose_die": "a die", "none": "nothing: an open session"},
    "next_starter": {"loser": "who lost", "winner": "who won"},
    "system": {
        "face_first": "its face is higher, or same face and more",
        "quantity_first": "its count is higher, or same count and higher face",
        "highest_number": "its larger number is larger",
        "product": "its product is larger",
        "no_decrease": "neither number is lower, and one is higher",
    },
    "wild": {"always": "always", "never": "never", "unless_opened": "unless the round opens on ones"},
    "bid_aces": {
        "auto": "allowed unless they are always wild",
        "no": "not allowed",
        "as_ones": "like any face",
        "half_double": "half the count, and double back",
    },
    "challenge_by": {"next": "only the next seat", "anyone": "anyone, at any time"},
    "spot_on_win": {
        "others_lose": "all others lose a die",
        "bidder_loses": "the bidder loses a die",
        "regain": "the caller gets a die back",
        "nothing": "nothing more",
    },
    "stakes": {"none": "none", "winner_take_all": "winner takes the pot", "per_round": "a wager a round"},
    "drinks.basis": {"round": "round lost", "die": "dice lost", "difference": "how far the bid was off"},
}
