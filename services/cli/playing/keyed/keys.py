"""`truecup key show`, `export`, `import`, `give`: the key with which a seat signs, and what to do when it is lost."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Final

from cyclopts import App, Parameter

from infra.files.whole import FOR_ITS_OWNER, write_whole
from services.cli.exits import FINE
from services.cli.house import address
from services.cli.playing.phrases import phrase
from services.cli.screen import say
from services.cli.settings import folder_of, settings
from services.client import seating
from services.client.evidence import receipts_of
from services.client.house import CannotDo, match_id, origin_of
from services.client.keys.seat_keys import KeptKey, KeyFile, in_groups, key_in, with_secret
from services.client.seating import Sitting


@dataclass(frozen=True)
class KeyPlace:
    """Where the key of a seat is.

    Attributes:
        token: The seat's token; a link to the seat has it already.
        receipts: The file that keeps what the server signs for the seat, if it is not in the data folder.
        url: Where the service is; the house of the match's address, or the `truecup up` of this machine.
    """

    token: str | None = None
    receipts: Path | None = None
    url: str | None = None

    def sitting(self, match: str) -> Sitting:
        """Return the seat.

        Raises:
            CannotDo: Nothing says which.
        """
        base = address(self.url or origin_of(match))
        keeps = partial(receipts_of, base, folder_of(settings()), self.receipts, None)
        if self.token is None:
            return seating.sitting_at(base, match, keeps)
        known = match_id(match.partition("#")[0])
        return Sitting(base, known, self.token, keeps(known))


HERE: Final = KeyPlace()
Placed = Annotated[KeyPlace, Parameter(name="*")]


def show(match: str, /, *, place: Placed = HERE) -> int:
    """Show the public half of the key that is here for a seat.

    Args:
        match: The id of the match, or the address of its page; without a token, the link to the seat.
        place: Where the key is.
    """
    sitting = place.sitting(match)
    say(phrase("key", "own", key=_key_of(sitting).public, match=sitting.match))
    return FINE


def export(match: str, /, *, place: Placed = HERE, out: Path | None = None) -> int:
    """Print the key of a seat, or keep a copy in a file.

    Args:
        match: The id of the match, or the address of its page; without a token, the link to the seat.
        place: Where the key is.
        out: The file for the copy, which only you can read.
    """
    secret = in_groups(_key_of(place.sitting(match)).secret)
    if out is None:
        say(secret)
        return FINE
    try:
        write_whole(out, f"{secret}\n".encode(), FOR_ITS_OWNER)
    except OSError as trouble:
        raise CannotDo(phrase("key", "unwritten", path=str(out), trouble=str(trouble.strerror))) from trouble
    return FINE


def bring(match: str, key: str, /, *, place: Placed = HERE) -> int:
    """Bring the key of a seat from another device.

    Args:
        match: The id of the match, or the address of its page; without a token, the link to the seat.
        key: The key, 64 digits in groups or not, or the file that has it.
        place: Where the key goes.
    """
    secret, sitting = key_in(_text_of(key)), place.sitting(match)
    file = KeyFile(seating.signing_file(sitting))
    kept = with_secret(file.read(), secret)
    file.keep(kept, durably=True)
    say(phrase("key", "brought", key=kept.public))
    return FINE


def give(match: str, seat: int, key: str, /, *, host: str, url: str | None = None) -> int:
    """Give a seat another key, as the host, where its player has lost the old one.

    Args:
        match: The id of the match, or the address of its page.
        seat: The number of the seat.
        key: The public half of the key, which its player is shown.
        host: The token of the host.
        url: Where the service is; the house of the match's address, or the `truecup up` of this machine.
    """
    named, base = key_in(key), address(url or origin_of(match))
    known = match_id(match)
    kept = receipts_of(base, folder_of(settings()), None, None, known)
    seating.name_key(Sitting(base, known, host, kept, host), seat, named)
    say(phrase("key", "given"))
    return FINE


def _key_of(sitting: Sitting) -> KeptKey:
    return KeyFile(seating.signing_file(sitting)).read() or seating.signing_key_of(sitting)


def _text_of(key: str) -> str:
    """Return a key as it was given, or as it stands in the file that was named."""
    try:
        file = Path(key)
        return file.read_text(encoding="utf-8") if file.is_file() else key
    except (OSError, ValueError) as trouble:
        raise CannotDo(phrase("key", "unread", path=key)) from trouble


commands: Final = App(name="key", help_epilogue="")
commands.command(show, name="show")
commands.command(export, name="export")
commands.command(bring, name="import")
commands.command(give, name="give")
