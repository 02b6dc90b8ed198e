"""The roles of a process: what it does, and whose rights in the database it needs for that."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from msgspec import Struct

from infra.bus import INBOX
from infra.config import Config
from infra.store.postgres import Role
from services.work.startup import program_version

KEYED: Final = frozenset({"dealer", "relay"})
"""Roles that need the key of the installation: whoever deals, and whoever makes frames for seats."""


def roles_of(config: Config) -> frozenset[str]:
    """Return what this process does."""
    return frozenset(config.roles.split(","))


def inbox_of(roles: Collection[str]) -> str:
    """Return the subject below which a process with these roles gets answers, so that no other role hears them."""
    return f"{INBOX}.{rights_of(roles).removeprefix('truecup_')}"


def rights_of(roles: Collection[str]) -> Role:
    """Return the database's role for a process with these roles: that of the most it does (`.docs/roles.md`).

    A relay reads the vault, since the frames of seats hold their dice; only a dealer may append.
    """
    if "dealer" in roles:
        return "truecup_dealer"
    return "truecup_relay" if "relay" in roles else "truecup_api"


class ConnectedProcess(Struct, frozen=True):
    """A process, as the database knows its connections."""

    release: str
    roles: frozenset[str]


def node_name(roles: Collection[str]) -> str:
    """Return what the connections of a process with these roles are called, for `truecup doctor` elsewhere."""
    return f"truecup/{program_version()}/{','.join(sorted(roles))}"


def node_of(name: str) -> ConnectedProcess | None:
    """Return the process whose connections are called so; None if that is none of ours."""
    program, *said = name.split("/")
    if program != "truecup" or len(said) != len(ConnectedProcess.__struct_fields__):
        return None
    return ConnectedProcess(said[0], frozenset(said[1].split(",")))
