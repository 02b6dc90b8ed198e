"""Carriers of the house: writes to the store, connections, the bus, followers of the log, streams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from prometheus_client import CollectorRegistry, Metric
from prometheus_client.registry import Collector

from infra.feed.nats import NatsFeed
from infra.measures.writes import TROUBLES
from infra.store.postgres import PostgresStore
from services.matches.reads.streams import StreamHub
from services.program.meters.families import counter, counters, gauge, gauges, histogram
from services.program.meters.process import LoopMeter
from services.relay.relay import Relay

OUTCOMES: Final = {"Appended": "appended", "Conflict": "conflict", "Repeated": "repeated", "KeyReused": "key_reused"}
"""What is said of what came of a command, by the type that says it in the store."""


class StoreMeter(Collector):
    """The store."""

    def __init__(self, store: PostgresStore) -> None:
        """Read this one's numbers."""
        self._store = store

    def collect(self) -> Iterator[Metric]:
        """Yield what it has counted."""
        writes, lendings = self._store.writes, self._store.lendings
        outcomes = {(word,): writes.outcomes[kind] for kind, word in OUTCOMES.items()}
        troubles = {(kind,): writes.troubles[kind] for kind in TROUBLES}
        used = sum(one.lent for one in lendings)
        connections = {("used",): used, ("idle",): sum(one.open for one in lendings) - used}
        yield histogram("truecup_commit_commands", "Commands stored in one commit.", writes.sizes)
        yield histogram("truecup_commit_seconds", "Time of a commit, with what was tried again.", writes.seconds)
        yield counters(
            "truecup_appends", "Commands brought to the store, by what came of them.", "outcome", outcomes.items()
        )
        yield counters("truecup_store_errors", "What kept the store from answering.", "kind", troubles.items())
        yield gauge("truecup_appends_waiting", "Commands that wait for their commit.", self._store.pending)
        yield gauges("truecup_store_connections", "Connections to the database.", "state", connections.items())
        awaited = sum(one.asking for one in lendings)
        yield gauge("truecup_store_connections_awaited", "Who waits for a connection.", awaited)


class CarrierMeter(Collector):
    """The bus, and what goes over it."""

    def __init__(self, feed: NatsFeed, relay: Relay, streams: StreamHub) -> None:
        """Read the numbers of these."""
        self._feed = feed
        self._relay = relay
        self._streams = streams

    def collect(self) -> Iterator[Metric]:
        """Yield what they have counted."""
        stats, made = self._feed.client.stats, self._relay.publisher
        yield gauge("truecup_bus_connected", "Whether the bus can be reached.", float(self._feed.connected))
        yield counter("truecup_bus_reconnects", "How often the bus was found again.", stats["reconnects"])
        frames = {("spectators",): made.published, ("seats",): made.told}
        yield counters("truecup_frames_published", "Frames handed to the bus.", "to", frames.items())
        begun = {("beginning",): self._streams.begun, ("version",): self._streams.resumed}
        yield counters("truecup_streams_begun", "Streams begun, by where.", "at", begun.items())
        yield from self._followers()

    def _followers(self) -> Iterator[Metric]:
        followers = self._relay.followers
        left = {(one.name, str(one.shard)): one.events_left for one in followers}
        late = {(one.name, str(one.shard)): one.late_s for one in followers}
        told = "Events that a work which follows the log is behind."
        yield gauges("truecup_follower_behind_events", told, "work shard", left.items())
        told = "For how long a work which follows the log has been behind."
        yield gauges("truecup_follower_behind_seconds", told, "work shard", late.items())


def meter_process(
    registry: CollectorRegistry, store: PostgresStore, feed: NatsFeed, relay: Relay, streams: StreamHub
) -> LoopMeter:
    """Show in this registry what every process has, whatever its roles; return what has to be run to time its loop."""
    for meter in (StoreMeter(store), CarrierMeter(feed, relay, streams)):
        registry.register(meter)
    return LoopMeter(registry)
