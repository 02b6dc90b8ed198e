"""The house as the command line finds it: where it is told, or where the last `truecup up` of this machine noted it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Final

import httpx

from services.cli.settings import folder_of, settings
from services.client import house as client
from services.client.house import CannotDo, base_of

ADDRESS_FILE: Final = "url"
"""In the data folder: where the service that runs on it can be reached. A stale one is harmless: nobody answers."""


def address(given: str | None) -> str:
    """Return where the service is: as given, or as the last `truecup up` on this machine noted.

    Raises:
        CannotDo: Nothing was given and nothing is noted, or it is no address.
    """
    return base_of(_note() if given is None else given)


def _note() -> str:
    try:
        return (folder_of(settings()) / ADDRESS_FILE).read_text(encoding="utf-8").strip()
    except FileNotFoundError as error:
        raise CannotDo("no `truecup up` has run here: say where the service is, with --url") from error


def house(url: str | None) -> AbstractContextManager[httpx.Client]:
    """Lend a client of the service.

    Raises:
        CannotDo: The service cannot be reached, or says no.
    """
    return client.house(address(url))
