"""Works of a dealer in numbers: matches moved on, the log kept, tournaments directed, hooks told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from msgspec import Struct
from prometheus_client import Metric
from prometheus_client.registry import Collector

from services.dealer.archivist import Archivist
from services.dealer.director import Director
from services.dealer.meters.open_matches import STAGES
from services.dealer.notary import Notary
from services.dealer.scheduler import MatchScheduler
from services.program.meters.families import counter, counters, gauge, gauges, histogram
from services.webhooks.teller import Taken, Teller


class Works(Struct, frozen=True):
    """The works of a dealer that count."""

    scheduler: MatchScheduler
    notary: Notary
    director: Director
    teller: Teller
    archivist: Archivist


class DealerMeter(Collector):
    """The works of a dealer."""

    def __init__(self, works: Works) -> None:
        """Read the numbers of these."""
        self._works = works

    def collect(self) -> Iterator[Metric]:
        """Yield what they have counted."""
        works = self._works
        yield from self._of_matches(works.scheduler)
        yield from self._of_log(works.notary)
        told = "Time of a look at a tournament, with all that was done."
        yield histogram("truecup_director_look_seconds", told, works.director.looks)
        posts = {(kind,): works.teller.posts[kind] for kind in get_args(Taken)}
        yield counters(
            "truecup_webhook_posts", "Messages sent to webhooks, by what came of them.", "answer", posts.items()
        )
        told = "Messages to webhooks of the house that wait to be sent again."
        yield gauge("truecup_webhook_messages_waiting", told, works.teller.waiting)
        yield counter("truecup_matches_archived", "Matches moved to the archive.", works.archivist.moved)

    def _of_matches(self, scheduler: MatchScheduler) -> Iterator[Metric]:
        yield histogram("truecup_due_late_seconds", "How late the table did what was due.", scheduler.late)
        stages = scheduler.seen.by_stage()
        going = {(stage,): stages[stage] for stage in STAGES}
        yield gauges("truecup_matches_open", "Matches that go on.", "stage", going.items())
        waiting = {("log",): scheduler.awaiting_log, ("beacon",): scheduler.awaiting_beacon}
        yield gauges("truecup_deals_waiting", "Deals that wait.", "awaited", waiting.items())

    def _of_log(self, notary: Notary) -> Iterator[Metric]:
        told = "Time since a checkpoint was known to cover the whole log."
        yield gauge("truecup_checkpoint_age_seconds", told, notary.age_s)
        yield gauge("truecup_log_entries", "Entries of the transparency log.", notary.size)
        yield gauge("truecup_log_entries_uncovered", "Entries that no checkpoint covers.", notary.uncovered)
        told = "What witnesses said."
        yield counters("truecup_witness_answers", told, "witness answer", notary.witnesses.said.items())
