"""Health checks and meters: whether the process runs, whether requests are welcome, and what it counts."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

from litestar import Response, get
from prometheus_client import CONTENT_TYPE_LATEST, Metric
from prometheus_client.core import GaugeMetricFamily

from infra.store import Unavailable
from services.api.answers import Alive, Readiness, json_of
from services.api.dependencies import Check, Dependencies
from services.api.kin import Condition, condition_of_all, meters_of_all, text_of
from services.http.injected import Injected

CHECK_S: Final = 2.0
"""How long one check may take before it counts as a no."""


@get("/health/live", operation_id="is_live", summary="Whether the process runs", opt={"answers": Alive})
async def live() -> Response[bytes]:
    """Return that it does."""
    return json_of(Alive())


@get(
    "/health/ready",
    operation_id="is_ready",
    summary="Whether requests are welcome",
    opt={"answers": Readiness, "otherwise": {503: Readiness}},
)
async def ready(parts: Injected[Dependencies]) -> Response[bytes]:
    """Run every check of every process that answers here, or beside it; 503 with the reasons if one says no.

    What is only worth a word stands beside a yes.
    """
    found = await condition_of(parts) if parts.kin is None else await condition_of_all(parts.kin)
    if found.reasons:
        return json_of(Readiness("not_ready", found.reasons), 503)
    return json_of(Readiness("ready", found.notices))


@get("/metrics", include_in_schema=False)
async def metrics(parts: Injected[Dependencies]) -> Response[bytes]:
    """Return the meters of all processes that answer here, in the text format of Prometheus."""
    body = text_of(await meters_of(parts)) if parts.kin is None else await meters_of_all(parts.kin)
    return Response(body, headers={"Content-Type": CONTENT_TYPE_LATEST})


async def meters_of(parts: Dependencies) -> list[Metric]:
    """Return the meters of this process, with what it says of its health."""
    return [*parts.registry.collect(), _health_metric(parts, await condition_of(parts))]


def _health_metric(parts: Dependencies, condition: Condition) -> Metric:
    told = "Whether health gives this reason: 1 if it does."
    metric = GaugeMetricFamily("truecup_health_reason", told, labels=["reason", "status"])
    for name in (*parts.checks, "doors"):
        metric.add_metric([name, "503"], float(name in condition.reasons))
    for name in parts.notices:
        metric.add_metric([name, "200"], float(name in condition.notices))
    return metric


async def condition_of(parts: Dependencies) -> Condition:
    """Return how this process is; what is only worth a word is asked of one that is well."""
    reasons = await _reasons(parts.checks)
    if not parts.doors.are_open:
        reasons["doors"] = "the service is going down"
    return Condition(reasons, {} if reasons else await _reasons(parts.notices))


async def _reasons(checks: Mapping[str, Check]) -> dict[str, str]:
    found = await asyncio.gather(*(_reason(check) for check in checks.values()))
    return {name: reason for name, reason in zip(checks, found, strict=True) if reason is not None}


async def _reason(check: Check) -> str | None:
    try:
        async with asyncio.timeout(CHECK_S):
            return await check()
    except TimeoutError:
        return f"no answer within {CHECK_S:g} s"
    except Unavailable as unavailable:
        return str(unavailable)
