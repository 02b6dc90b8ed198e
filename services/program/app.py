"""The program: every part made and joined by hand, in one place.

Roles say what a process does: `api` answers over HTTP, `relay` tells viewers, `dealer` takes commands and moves matches
on, `bots` plays the house's seats, beside a dealer. One process may have them all; any number of processes may share
one database. A process without `api` answers only whether it is well; one without `dealer` hands commands, and what
only a seat may see, to one that has it.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine, Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

import structlog
from prometheus_client import CollectorRegistry

from infra.abroad.pinned import PinnedPoster
from infra.config import Config, networks_of
from infra.drand import verifier
from infra.feed.nats import NatsFeed
from infra.files.limit import raise_limit
from infra.handoff.nats import NatsHandoff
from infra.posting import Poster
from infra.store.primaries.opening import open_house
from services.api.application import create_app, create_health_app
from services.api.dependencies import Check, Dependencies, MatchPort
from services.api.reference.openapi import describe
from services.audit.beacons import known_beacons
from services.audit.report import Audits
from services.bots.demo import ALONE_S, keep_demo
from services.dealer.archivist import Archivist
from services.dealer.beacon_client import BeaconClient
from services.dealer.director import Director
from services.dealer.handoff.remote import Dealers, RemoteMatches
from services.dealer.handoff.remote_tournaments import RemoteTournaments
from services.dealer.handoff.starting import MatchesHere
from services.dealer.scheduler import MatchScheduler
from services.dealer.steps import TournamentSteps
from services.dealer.usher import Usher
from services.http.front.proxies import Proxies
from services.http.front.server import BoundedServer
from services.http.front.sockets import terms_within
from services.http.game_cards import cards
from services.http.layers.hosts import known_hosts
from services.http.reach import others_reach
from services.matches.audience import Audience
from services.matches.looks import HOUSE, Looks
from services.matches.reads.shared import SharedReads, shared_reads
from services.matches.reads.streams import StreamHub
from services.matches.reads.transparency import PublishedLog
from services.matches.secrets.keys import Keys, keys_of, public_keys_of
from services.matches.secrets.vault import Vault
from services.matches.watching.crowds import Crowds
from services.matches.watching.presence import Presence
from services.program.aside import AnalysesAside, bots_aside, screening_aside
from services.program.dealer import DealerParts, dealing_of
from services.program.grounds import Ground, Where, beacon_named_by, bounds_within
from services.program.member import Member, Ready, leave_policy
from services.program.meters.carriers import meter_process
from services.program.meters.dealing import DealerMeter, Works
from services.program.meters.traces import traced
from services.program.roles import KEYED, inbox_of, node_name, rights_of, roles_of
from services.program.seasons import beyond_elsewhere, pages_beyond
from services.program.sets import share_of_bounds, share_of_terms
from services.program.site import HouseSite, HouseTournaments
from services.relay.relay import Relay
from services.relay.tail import TELL_S, LogTail
from services.tournaments.streams import TournamentStreams
from services.web.pages import web_handlers
from services.webhooks.hooks import Hooks
from services.webhooks.teller import Teller
from services.work.failures import Stuck
from services.work.startup import CannotStart
from services.work.together import end_of_first

SWITCH_S = 0.0005
"""How long a thread that computes keeps the interpreter while the event loop waits for it; the default is ten times as
long, and the loop waits so each time it comes back from the network."""
END_S = 8.0
"""How long works may take to end when the program does: longer than each waits for the database or the bus."""
LAG_MAX = 1_000
"""How many events the relay may be behind while the program calls itself ready."""

log = structlog.get_logger(__name__)


async def serve(config: Config, folder: Path, where: Where, ready: Ready, member: Member | None = None) -> None:
    """Serve until told to stop, alone or as this member of a set.

    Raises:
        Unavailable: The database or the bus does not answer.
        CannotStart: The database's log was signed with another key, or under another origin; or no policy can be made
            of the witnesses and the quorum.
    """
    sys.setswitchinterval(SWITCH_S)
    roles, member = roles_of(config), member or Member()
    async with AsyncExitStack() as stack:
        stack.enter_context(traced(config.traces_url, member.part.name))
        store = await open_house(where.database_url, config.shards, rights_of(roles), node_name(roles))
        stack.push_async_callback(store.close)
        feed = await NatsFeed.connect(where.nats_url, inbox=inbox_of(roles), replicas=config.bus_replicas)
        stack.push_async_callback(feed.close)
        post = Poster()
        stack.push_async_callback(post.close)
        keys = keys_of(config, folder) if roles & KEYED else None
        ground = Ground(store, feed, NatsHandoff(feed.client), where.witnesses, post)
        analyses = AnalysesAside(folder)
        program = await program_of(config, member, keys, ground, analyses)
        if program.dealing is not None:
            stack.callback(program.dealing.worker.close)
        if member.part.keeps:
            await leave_policy(folder, program.published)
        lag = meter_process(program.registry, store, feed, program.relay, program.streams)
        await program.run(folder, ready, [lag.run(), *([analyses.run()] if "api" in roles else [])])


async def program_of(
    config: Config, member: Member, keys: Keys | None, ground: Ground, analyses: AnalysesAside
) -> HouseProgram:
    """Return the parts of a process on this ground, joined; a dealer's log has begun then.

    Raises:
        Unavailable, CannotStart: As `serve`.
    """
    published = PublishedLog(ground.store, config.origin, () if keys is None else public_keys_of(keys))
    vault, dealing, shared = None, None, shared_reads(ground.store, worths=analyses.worths)
    registry = CollectorRegistry()
    stuck = Stuck(registry)
    if keys is not None:
        if not await published.is_ours():
            raise CannotStart("the log in this database was signed with another key, or under another origin")
        vault = Vault(ground.store, keys.sealing)
        if "dealer" in roles_of(config):
            dealing = await dealing_of(config, keys, ground, vault, published, shared, stuck, member.part)
    return HouseProgram(config, member, ground, published, vault, dealing, shared, stuck, registry, analyses)


class HouseProgram:
    """The parts of one process.

    Attributes:
        published: The log as everybody may read it.
        dealing: What only a dealer has.
        webhooks: Those of tournaments; None where it deals nothing, since their secrets are made of a dealer's keys.
        streams: What those see who follow a match; `event_streams` a tournament.
        relay: What tells them.
        registry: Its meters.
    """

    def __init__(
        self,
        config: Config,
        member: Member,
        ground: Ground,
        published: PublishedLog,
        vault: Vault | None,
        dealing: DealerParts | None,
        shared: SharedReads,
        stuck: Stuck,
        registry: CollectorRegistry,
        analyses: AnalysesAside,
    ) -> None:
        self._config, self._analyses = config, analyses
        self.published, self.dealing, self._member = published, dealing, member
        self._roles = roles_of(config)
        self._store, self._feed, self._handoff = store, feed, handoff = ground.store, ground.feed, ground.handoff
        # Where frames are made here, nobody waits for what others are told: it is a second net for their followers.
        tell_s = TELL_S if "relay" in self._roles else 0.0
        self._tail = LogTail(store, feed, shared.milestones.recent.on_stored, tell_s)
        store.on_commit = self._tail.on_commit
        self._beacon = None if config.beacon_url is None else beacon_named_by(config)
        self._stuck, self.registry = stuck, registry
        self._dealers = Dealers(handoff, self.registry)
        self._remote = RemoteMatches(store, self._dealers, shared, stuck)
        self._events = RemoteTournaments(store, self._dealers, stuck)
        self._held = self._events if dealing is None else dealing.tournaments
        self.event_streams = TournamentStreams(self._held, feed)
        self._house = self._remote if dealing is None else dealing.matches
        self._looks, self._crowds, self._audience = Looks(feed), Crowds(feed), Audience(feed)
        self.streams = StreamHub(self._house, feed, audience=self._audience, wait_of=self._house.wait_of)
        terms = terms_within(raise_limit())
        self._terms = share_of_terms(terms, member.part)
        self._bounds = share_of_bounds(bounds_within(terms), member.part)
        self._poster = PinnedPoster(anywhere=self._config.webhooks == "anywhere")
        self.webhooks = None if dealing is None else Hooks(store, dealing.tokens, self._poster)
        self._audits = Audits(published.policy_for, known_beacons(self._beacon))
        self.relay = Relay(store, feed, self._tail, vault, shared=shared, stuck=stuck, audience=self._audience)

    async def run(self, folder: Path, ready: Ready, aside: Sequence[Coroutine[Any, Any, None]]) -> None:
        """Run every role, and what goes on `aside`, until told to stop; if one fails, all ends and says why."""
        create = create_app if "api" in self._roles else create_health_app
        app, proxies = create(self._parts()), Proxies(networks_of(self._config.proxies))
        server = BoundedServer(app, self._doors, self._config.host, self._config.port, self._terms, proxies)
        serving = asyncio.create_task(self._member.serve(server))
        telling = self._member.tell(server, self._config.host, folder, ready)
        works = [asyncio.create_task(work) for work in (*self.works(), *aside, telling)]
        try:
            await end_of_first([serving, *works])
        finally:
            # Told to stop: the doors close first, then those who might still write stop, then the drivers go.
            # Each of these has its time; whoever does not wait for it says so a second time.
            server.should_exit = True
            self.streams.close()
            self.event_streams.close()
            await asyncio.gather(serving, return_exceptions=True)
            for work in works:
                work.cancel()
            _, hanging = await asyncio.wait(works, timeout=END_S)
            if hanging:
                log.warning("program.leaves_behind", works=len(hanging))

    def works(self) -> list[Coroutine[None, None, None]]:
        """Return whatever goes on beside requests, to be run until it is cancelled."""
        works = [self._tail.run(), self._looks.run(), self._audience.run(), self._crowds.run()]
        works += [self.relay.run()] if "relay" in self._roles else []
        if self.dealing is None:
            return works
        keeps = self._member.part.keeps
        return works + (self._works_of_dealer(self.dealing) if keeps else [self.dealing.heart.run_beside()])

    def _works_of_dealer(self, dealing: DealerParts) -> list[Coroutine[None, None, None]]:
        """Return the works of a dealer, and of the bots beside it."""
        matches, held, heart, bell = dealing.matches, dealing.tournaments, dealing.heart, self._tail.bell()
        dealing.notary.on_published, tables, shares = bell.ring, dealing.tables, self._handoff
        tables.meter(self.registry)
        ear, stuck = self._ear(), self._stuck
        scheduler = MatchScheduler(self._tail, heart, matches, dealing.notary, bell, ear, stuck, tables, shares)
        director, archivist = self._director(dealing), Archivist(self._store, self._config.archive_after_s)
        teller = Teller(self._store, dealing.tokens, self._poster, self._tail.bell())
        done = Works(scheduler, dealing.notary, director, teller, archivist)
        self.registry.register(DealerMeter(done))
        works = [
            scheduler.run(),
            director.run(),
            dealing.beyond.desk(self._handoff, matches, held).run(),
            Usher(self._store, matches, tables, self._looks, self._stuck, heart).run(),
            archivist.run(),
            screening_aside(self._store, self._tail, held, dealing.tokens, self._stuck),
            teller.run(),
        ]
        if "bots" in self._roles:
            pause_ms, bell = self._config.bot_pause_ms, self._tail.bell()
            works.append(bots_aside(self._tail, matches, bell, pause_ms, stuck, self.registry, shares).run())
            if self._config.demo:
                works.append(keep_demo(matches, partial(self._looks.is_unseen, HOUSE, ALONE_S)))
        return works

    def _director(self, dealing: DealerParts) -> Director:
        held, presence = dealing.tournaments, Presence(self._looks)
        steps = TournamentSteps(held, dealing.matches, dealing.notary, dealing.heart, self._ear(), presence)
        seasons = dealing.beyond.steps(held, self._stuck)
        return Director(self._tail, held, steps, self._tail.bell(), seasons, self._stuck)

    def _ear(self) -> BeaconClient | None:
        verify = verifier()
        if self._beacon is None or self._config.beacon_url is None or verify is None:
            return None
        return BeaconClient(self._config.beacon_url, self._beacon, verify)

    def _parts(self) -> Dependencies:
        games, beacon = cards(), None if self._beacon is None else self._beacon.name
        hosts = known_hosts(self._config.hosts, self._config.host)
        reach = partial(others_reach, self._config.host, hosts)
        site = HouseSite(self._house, self._audits.report, games, beacon, self._crowds.count)
        shown = (HouseTournaments(self._held, self._house), *pages_beyond(self._store, self._held, self._house))
        parts = Dependencies(
            matches=self.matches(),
            streams=self.streams,
            log=self.published,
            report=self._audits.report,
            games=games,
            checks=self._checks(),
            notices=self._notices(),
            looks=self._looks,
            crowds=self._crowds,
            hosts=hosts,
            handlers=web_handlers(site, reach, describe, *shown),
            bounds=self._bounds,
            registry=self.registry,
            kin=self._member.kin,
            analyses=self._analyses.desk,
            hints=self._analyses.hints,
            pages=self._analyses,
            **self._tournaments(),
        )
        self._doors = parts.doors
        self._member.join(parts)
        return parts

    def matches(self) -> MatchPort:
        """Return the matches for whoever asks: all is done here, or by dealers, or all but what takes following."""
        if self.dealing is None:
            return self._remote
        return self.dealing.matches if self._member.part.keeps else MatchesHere(self.dealing.matches, self._remote)

    def _tournaments(self) -> dict[str, Any]:
        """Return the tournaments for whoever asks: all is done here, or by dealers."""
        seats = self._events if self.dealing is None else self.dealing.matches
        told: dict[str, Any] = {"tournaments": self._held, "tournament_streams": self.event_streams, "seats": seats}
        if self.dealing is None:
            told |= beyond_elsewhere(self._store, self._dealers, self._events.shown, self._remote)
        else:
            told |= {"webhooks": self.webhooks, **self.dealing.beyond.parts}
        return told

    def _checks(self) -> dict[str, Check]:
        """Return what has to be well for this process to do what its roles say."""
        checks: dict[str, Check] = {"database": self._database, "bus": self._bus, "lag": self._lag}
        if "api" in self._roles and self.dealing is None:
            checks["dealer"] = self._dealers.trouble
        if self.dealing is not None:
            checks["writes"] = self._store.check_writes
        return checks

    def _notices(self) -> dict[str, Check]:
        """Return what is worth a word beside readiness."""
        notices: dict[str, Check] = {"matches": self._stuck.notice, "frames": self._feed.trouble}
        if self.dealing is not None and self._member.part.keeps:
            notices["clock"] = self.dealing.heart.trouble
            notices["log"] = self.dealing.notary.trouble
        if self.dealing is not None:
            notices["writes"] = self._store.refusal
        return notices

    async def _database(self) -> str | None:
        await self._store.check()
        return None

    async def _bus(self) -> str | None:
        await self._feed.check()
        return None

    async def _lag(self) -> str | None:
        return None if (behind := await self.relay.lag()) <= LAG_MAX else f"viewers are {behind} events behind"
