"""Tokens that a house has shown once, kept by this machine: of hosts of tournaments and seasons, and of players.

Each lies in a file of the data folder that nobody else of this machine reads: the token and, on a second line, the
address of the house that gave it, which alone is shown it.
"""

from __future__ import annotations

from pathlib import Path

from infra.files.whole import FOR_ITS_OWNER, write_whole
from services.cli.settings import folder_of, settings
from services.client.house import CannotDo


def place_of(kind: str, name: str) -> Path:
    """Return where a token is kept: below the folder of its kind, under the id of what it is for."""
    return folder_of(settings()) / kind / name


def keep(place: Path, token: str, base: str) -> None:
    """Keep a token where nobody else of this machine reads it, in the place of the one before.

    Raises:
        CannotDo: It cannot be kept: then it is in the message, since it is shown once.
    """
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(place, f"{token}\n{base}\n".encode(), FOR_ITS_OWNER)
    except OSError as trouble:
        raise CannotDo(f"it is done; the token, {token}, cannot be kept: {trouble.strerror}") from trouble


def kept(place: Path, base: str, option: str = "--token") -> str:
    """Return the token that was kept, for the house that gave it and no other.

    Args:
        place: Where it is kept.
        base: The house that is to be shown it.
        option: How another one is given.

    Raises:
        CannotDo: There is none, or another house gave it.
    """
    try:
        token, _, giver = place.read_text(encoding="utf-8").strip().partition("\n")
    except FileNotFoundError as error:
        raise CannotDo(f"no token of {place.name} was kept here: give it with {option}") from error
    except OSError as error:
        raise CannotDo(f"{place} cannot be read: {error.strerror}") from error
    if giver.casefold() != base.casefold():
        whose = f"is for {giver}" if giver else "says no address"
        raise CannotDo(f"the token in {place} {whose} and is not shown to {base}: give {option}")
    return token
