"""The roles of a process: what it does, and whose rights in the database it needs for that."""

from __future__ import annotations

from collections.abc import Collection

from infra.events.postgres import Role


def rights_of(roles: Collection[str]) -> Role:
    """Return the database's role for a process with these roles: that of the most it does (`.docs/roles.md`).

    A relay reads the vault, since the frames of seats hold their dice; only a dealer may append.
    """
    if "dealer" in roles:
        return "truecup_dealer"
    return "truecup_relay" if "relay" in roles else "truecup_api"
