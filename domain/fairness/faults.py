"""Fault codes: everything an audit can find wrong with a record.

Source: CUP/1 section 4.10.
"""

from __future__ import annotations

from typing import Final, Literal

Code = Literal[
    "E_FORMAT",
    "E_CHAIN",
    "E_ORDER",
    "E_COMMIT",
    "E_MIX",
    "E_SLOT",
    "E_PATH",
    "E_KEY",
    "E_VALUE",
    "E_SECRET",
    "E_WITHHELD",
    "E_ABORT",
    "E_BEACON",
    "E_LOG",
    "E_UNSIGNED",
    "E_SIGNED",
    "E_RULES",
    "E_PAIRING",
    "E_RESULT",
    "E_STANDING",
    "E_ACCESS",
]

CODES: Final[dict[Code, str]] = {
    "E_FORMAT": "a line is not what the protocol allows to be written",
    "E_CHAIN": "a line does not follow the one before it: something was changed, left out or put in",
    "E_ORDER": "something happened out of turn",
    "E_COMMIT": "a seat's seed is not the one it had fixed",
    "E_MIX": "the dice were not worked out from all seeds",
    "E_SLOT": "dice were rolled or shown that the deal does not have there",
    "E_PATH": "a shown die is not among those fixed before the seeds were known",
    "E_KEY": "the key of a shown die is not the one that was fixed",
    "E_VALUE": "a shown die does not have the value that follows from its key",
    "E_SECRET": "the published secret is not the one the dice were fixed with",
    "E_WITHHELD": "a secret that had to be published was not",
    "E_ABORT": "a deal was thrown away without a seat to answer for it",
    "E_BEACON": "the public beacon was not asked in time, or did not say this",
    "E_LOG": "the transparency log does not vouch for this record",
    "E_UNSIGNED": "a seat with a key has not signed what it is said to have done",
    "E_SIGNED": "what a seat signed is not what stands there, or not there",
    "E_RULES": "the rules of the game do not allow this",
    "E_PAIRING": "who sits where does not follow from the law, the lots and the lines before",
    "E_RESULT": "a result is not what the record of its match says",
    "E_STANDING": "places or prizes do not follow from the results",
    "E_ACCESS": "hidden dice were served to somebody who may not know them, or it is not on record who saw what",
}
"""What each code means, for people."""


class Fault(Exception):  # noqa: N818 - the field's word
    """Something is wrong with a record.

    Attributes:
        code: Which of the codes.
        why: What exactly, in a sentence.
    """

    def __init__(self, code: Code, why: str) -> None:
        """Find this fault."""
        super().__init__(f"{code}: {why}")
        self.code: Code = code
        self.why = why
