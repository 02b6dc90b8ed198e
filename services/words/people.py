"""Names of entrants in plain text, where no label can stand beside them."""

from __future__ import annotations

from services.words.catalogue import CATALOGUE, say


def person_text(name: str, *, bot: bool) -> str:
    """Return the name of an entrant; a bot says beside its own that it is one."""
    return say(CATALOGUE["card"]["named_bot"], {"name": name}) if bot else name
