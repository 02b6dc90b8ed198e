"""Kin: the processes that answer at one address, and those beside them, as one to whoever asks how they are.

Health is that of the worst, and each reason names who says so. Meters are served with the name of their process in the
label `process`: a process that was started again counts from nothing, as `rate` expects of a series, and the sum of all
is a question to Prometheus.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, Protocol

import msgspec
from msgspec import Struct
from prometheus_client import CollectorRegistry, Metric, generate_latest
from prometheus_client.registry import Collector

LABEL = "process"


class Kin(Protocol):
    """Everybody of the set, this process among them."""

    async def ask_all(self, about: Literal["health", "meters"]) -> Mapping[str, bytes | None]:
        """Return what each says, by its name, as JSON; None for one that says nothing.

        There is nobody in it if whoever watches over them does not answer.
        """


class Condition(Struct, frozen=True):
    """How one process is.

    Attributes:
        reasons: Why requests are not welcome.
        notices: What is worth a word all the same.
    """

    reasons: Mapping[str, str]
    notices: Mapping[str, str]


class Family(Struct, frozen=True, array_like=True):
    """A metric of one process: its name, what it is, its type, and its samples with their labels."""

    name: str
    documentation: str
    kind: str
    samples: Sequence[tuple[str, dict[str, str], float]]


async def condition_of_all(kin: Kin) -> Condition:
    """Return how all of them are together: what any says, by who says it."""
    said = await kin.ask_all("health")
    if not said:
        return Condition({LABEL: "the process that watches over the others does not answer"}, {})
    conditions = {name: msgspec.json.decode(body, type=Condition) for name, body in said.items() if body is not None}
    missing = {name: {LABEL: "does not answer, or is being started again"} for name in said.keys() - conditions.keys()}
    return Condition(
        _joined({**{name: each.reasons for name, each in conditions.items()}, **missing}),
        _joined({name: each.notices for name, each in conditions.items()}),
    )


def _joined(said: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return what is said of each subject: every sentence once, behind the names of those who say it."""
    by_subject: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name in sorted(said):
        for subject, sentence in said[name].items():
            by_subject[subject][sentence].append(name)
    return {
        subject: "; ".join(f"{', '.join(names)}: {sentence}" for sentence, names in sentences.items())
        for subject, sentences in by_subject.items()
    }


def families_of(metrics: Iterable[Metric]) -> bytes:
    """Return the metrics of one process, for the others."""
    return msgspec.json.encode(
        [
            Family(
                each.name, each.documentation, each.type, [(one.name, one.labels, one.value) for one in each.samples]
            )
            for each in metrics
        ]
    )


async def meters_of_all(kin: Kin) -> bytes:
    """Return the meters of all, in the text format of Prometheus."""
    return text_of(_Together(await kin.ask_all("meters")).collect())


def text_of(metrics: Iterable[Metric]) -> bytes:
    """Return metrics in the text format of Prometheus."""
    registry = CollectorRegistry()
    registry.register(_Given(metrics))
    return generate_latest(registry)


class _Given(Collector):
    """Metrics that are there."""

    def __init__(self, metrics: Iterable[Metric]) -> None:
        self._metrics = list(metrics)

    def collect(self) -> Iterator[Metric]:
        """Yield them."""
        yield from self._metrics


class _Together(Collector):
    """The metrics of several processes, each family once."""

    def __init__(self, said: Mapping[str, bytes | None]) -> None:
        self._said = said

    def collect(self) -> Iterator[Metric]:
        """Yield them, and whether each process is there."""
        there = Metric("truecup_process_up", "Whether a process of the set does its work.", "gauge")
        together: dict[str, Metric] = {there.name: there}
        for name, body in sorted(self._said.items()):
            there.add_sample(there.name, {LABEL: name}, float(body is not None))
            for family in _families(body):
                metric = together.setdefault(family.name, Metric(family.name, family.documentation, family.kind))
                for sample, labels, value in family.samples:
                    metric.add_sample(sample, {**labels, LABEL: name}, value)
        yield from together.values()


def _families(body: bytes | None) -> Iterable[Family]:
    return () if body is None else msgspec.json.decode(body, type=list[Family])
