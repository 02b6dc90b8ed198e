"""Faults of a policy: a code that stays, a sentence, and the byte or record where it shows."""

from __future__ import annotations

from typing import Final

CODES: Final[dict[str, str]] = {
    # the header
    "not_a_policy": "the first line is no header of a policy",
    "bad_header": "the header says something that no policy says",
    "too_long": "there is more than a policy has",
    # the table
    "cut": "the table ends in the middle of a record",
    "no_such_hand": "no seat here holds this hand",
    "no_such_claims": "no round comes to these claims",
    "out_of_order": "the record stands before one that comes earlier",
    "unreachable": "the seat's own play never comes here",
    "illegal_move": "this move is not legal here",
    "move_twice": "a move stands here twice, or before a lower one",
    "no_weight": "all weights are 0",
    "weight_too_large": "a weight is above 2^32",
    # what it claims
    "silent": "the seat's own play comes to where the table says nothing",
    "certificate_not_met": "the table guarantees less than the certificate says",
    "too_large": "the round is too large for its replies to be gone through",
    # the file among others
    "wrong_hash": "the file is not the one that was named",
    "same_name": "two files have one name",
    "does_not_apply": "the policy is for another round",
}


class BadPolicy(ValueError):  # noqa: N818 - the field's word for it
    """A policy is refused, before anything is computed with it.

    Attributes:
        code: One of `CODES`.
        where: The byte, the record or the member where it shows; empty for the whole.
    """

    def __init__(self, code: str, where: str = "", why: str = "") -> None:
        """Refuse with a code, where it shows, and what exactly is wrong there."""
        super().__init__(": ".join(part for part in (where, why or CODES[code]) if part))
        self.code = code
        self.where = where
