"""Checks of what nobody may read: secrets and tokens as they are stored, and what lines of the log tell."""

from __future__ import annotations

import re
from typing import Final

from infra.sealing import CannotUnwrap, Sealing
from tests.simulation.nodes import Shared, house_keys
from tests.simulation.people import Crowd
from tests.simulation.world import World

OF_DICE: Final = re.compile(r"(?<![0-9a-f]{4}-)\b(dice|faces?|cups?)\b(?!-[0-9a-f]{4})")
"""Words that no line of a log needs: what it says of a match, it says by name and version. `face` may be of a UUID."""

_unwrap = Sealing.unwrap  # as it is, whatever stands in its place while a schedule runs


def check_secrecy(world: World, shared: Shared, crowd: Crowd) -> None:
    """Hold what is stored, and what was logged, against what may be read there."""
    tokens = {token for told in crowd.told if (token := told.answer.token) is not None}
    said = "\n".join(world.logged)
    stored = b"\n".join(shared.store.token_rows())
    for token in tokens:
        world.hold(token.encode() not in stored, "a token is stored as it is")
        world.hold(token not in said, "a line of the log tells a token")
    for secret in _secrets(world, shared):
        forms = (secret.hex(), repr(secret)[2:-1])
        world.hold(not any(form in said for form in forms), "a line of the log tells a secret")
    found = OF_DICE.search(said)
    world.hold(found is None, f"a line of the log speaks of dice: {found and found[0]}")


def _secrets(world: World, shared: Shared) -> set[bytes]:
    """Return the secrets of all deals, each of which is wrapped for its place, and drawn for it."""
    sealing, found = house_keys().sealing, set[bytes]()
    for append in shared.store.appended:
        for name, wrapped in append.secrets:
            try:
                secret = _unwrap(sealing, wrapped, f"{append.stream}/{name}".encode())
            except CannotUnwrap:
                world.violate("a secret is stored so that others can read it, or for another place")
                continue
            world.hold(secret not in found, "two deals have one secret")
            found.add(secret)
    return found
