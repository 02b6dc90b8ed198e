"""Keys of entrants: nothing is stored of one that an audit would find signed by nobody, or otherwise."""

from __future__ import annotations

from domain.errors import Refused
from domain.fairness.points import is_point
from domain.fairness.signing.entrants import is_signed
from domain.ids import Version
from domain.log import canonical
from domain.tournaments import commands
from domain.tournaments.record import stream_of
from domain.tournaments.tournament import Tournament
from infra.keys import ed25519_verify
from services.matches.secrets.signatures import StoredLines

OF_KEYS = (commands.TakeKey, commands.NameEntrantKey)
"""What is asked about keys."""


async def check_word(lines: StoredLines, before: Tournament, command: object) -> None:
    """Check what the laws of a tournament, which have taken a command, leave to whoever can verify.

    Args:
        lines: The lines as they are stored.
        before: The tournament that the command was decided on.
        command: What was asked; of anything but keys there is nothing to check.

    Raises:
        Refused: `bad_key`, `bad_signature`.

    Cost: a query and a verification.
    """
    if not isinstance(command, OF_KEYS):
        return
    if not is_point(bytes.fromhex(command.key)):
        raise Refused("bad_key")
    if isinstance(command, commands.TakeKey):
        head = await _head(lines, before, command.signed.version)
        if not is_signed(before.id, command.number, command.key, command.signed, head, ed25519_verify):
            raise Refused("bad_signature", why="head_or_key")


async def _head(lines: StoredLines, before: Tournament, version: Version) -> bytes:
    found = await lines.read(stream_of(before.id), version - 1, 1)
    if not found:
        # What is decided beside it and not stored yet, nobody has seen.
        raise Refused("bad_signature", why="version")
    return bytes.fromhex(canonical.head(found[0]))
