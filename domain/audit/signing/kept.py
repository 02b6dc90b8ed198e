"""A command as its seat signed it, in the text in which the client keeps it: needed where it came to nothing.

    CUP1 command
    match/09feebed-f45a-44f6-94c7-cee9cb798097      the stream
    {"command":{"type":"look"},"n":4,...}           who signed what, as a line of the stream would have it

A refusal has the hash of what was signed alone; beside this text everybody can say whether it was right.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec
from msgspec import Struct, structs

from domain.fairness.shapes import Signed
from domain.log import canonical
from domain.log.notes import Malformed

HEADER: Final = "CUP1 command"
_TEXT: Final = re.compile(rf"{HEADER}\n(match/[0-9a-f-]{{36}})\n(\{{[^\n]*\}})\n")


class KeptCommand(Struct, frozen=True):
    """What a seat of a match signed; 1 to 254 as its seat, also where it had none yet."""

    stream: str
    signed: Signed

    def __str__(self) -> str:
        """Return the text that a client keeps."""
        return f"{HEADER}\n{self.stream}\n{canonical.encode(structs.asdict(self.signed)).decode()}\n"


def kept_command(text: str) -> KeptCommand:
    """Return the command that a text spells.

    Raises:
        Malformed: It spells none.
    """
    found = _TEXT.fullmatch(text)
    if found is None:
        raise Malformed("a command that is kept has three lines: what it is, stream, signature")
    try:
        signed = msgspec.convert(canonical.decode(found[2].encode()), Signed)
    except (canonical.NotCanonical, msgspec.ValidationError) as trouble:
        raise Malformed("this is not what a line has of a signature") from trouble
    return KeptCommand(found[1], signed)
