"""Choices of an operator as the program takes them: how much it bears at once, and of which beacon it speaks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from infra.config import Config
from services.audit.beacons import BadChain, BeaconSource, beacon_of_house, source_of
from services.http.bounds import Bounds
from services.http.front.sockets import Terms
from services.work.startup import CannotStart


def bounds_within(terms: Terms) -> Bounds:
    """Return the usual bounds, with no more streams than three quarters of the sockets: requests need some, too."""
    usual = Bounds()
    streams = min(usual.streams_max, terms.sockets_max * 3 // 4)
    of_network = min(usual.streams_of_network_max, terms.sockets_of_network_max * 3 // 4)
    return replace(usual, streams_max=max(1, streams), streams_of_network_max=max(1, of_network))


def beacon_named_by(config: Config, policy: str | None = None) -> BeaconSource:
    """Return the beacon that this house speaks of; with a policy, only if deals may wait for it under that.

    Raises:
        CannotStart: What describes it describes none, or deals may not wait for it.
    """
    file = None if config.beacon_chain is None else Path(config.beacon_chain)
    try:
        return source_of(file) if policy is None else beacon_of_house(file, policy)
    except BadChain as trouble:
        raise CannotStart(str(trouble)) from trouble
