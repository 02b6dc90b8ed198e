"""The chance of a bot's turn: it follows from the secret of the deal, and is known to all once the deal publishes that.

    HMAC-SHA256(secret, "truecup bot turn" LF match LF version LF mix in hex)

So nobody can say afterwards that it was another, the house had no choice of it once the seeds were open, and whoever
takes a turn again after a crash takes it with the same chance. It tells nothing of any die.
"""

from __future__ import annotations

import hmac
from uuid import UUID

from domain.ids import Version

LABEL = "truecup bot turn"


def chance_of_turn(secret: bytes, mix: bytes, match: UUID, version: Version) -> bytes:
    """Return 32 bytes of chance for a turn that is taken at this version, in a deal with this secret and this mix."""
    text = "\n".join((LABEL, str(match), str(version), mix.hex()))
    return hmac.digest(secret, text.encode(), "sha256")
