"""Families of metrics, made of plain numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

from infra.measures.buckets import Buckets

Values = Iterable[tuple[Sequence[str], float]]
"""The value of each label, and the number under them."""


def gauge(name: str, told: str, value: float) -> GaugeMetricFamily:
    """Return a gauge without labels."""
    return GaugeMetricFamily(name, told, value=value)


def counter(name: str, told: str, value: float) -> CounterMetricFamily:
    """Return a counter without labels; `_total` is added to its name."""
    return CounterMetricFamily(name, told, value=value)


def gauges(name: str, told: str, labels: str, values: Values) -> GaugeMetricFamily:
    """Return a gauge with these labels, separated by blanks, and its samples."""
    family = GaugeMetricFamily(name, told, labels=labels.split())
    for key, value in values:
        family.add_metric(key, value)
    return family


def counters(name: str, told: str, labels: str, values: Values) -> CounterMetricFamily:
    """Return a counter with these labels, as `gauges` does."""
    family = CounterMetricFamily(name, told, labels=labels.split())
    for key, value in values:
        family.add_metric(key, value)
    return family


def histogram(name: str, told: str, buckets: Buckets) -> HistogramMetricFamily:
    """Return a histogram without labels."""
    return HistogramMetricFamily(name, told, buckets=list(buckets.counts()), sum_value=buckets.total)
