"""The open statistics over HTTP."""

from __future__ import annotations

import msgspec
import pytest

from domain.statistics.uniformity import Statistics, statistics
from projections.sheets import Sheet, tally_of
from services.api.routes import statistics as statistics_routes
from tests.api.conftest import Service, Table
from tests.api.house import TALLY


def test_anybody_may_read_the_statistics_and_keep_them_for_a_moment(service: Service) -> None:
    answer = service.client.get("/api/v1/statistics")
    assert msgspec.json.decode(answer.content, type=Statistics) == statistics(TALLY)
    assert answer.headers["cache-control"] == "public, max-age=5"


def test_every_match_has_a_sheet_on_a_line_of_its_own(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics_routes, "PAGE", 2)
    opened = {Table(service).id for _ in range(5)}
    answer = service.client.get("/api/v1/statistics/matches")
    sheets = [msgspec.json.decode(line, type=Sheet) for line in answer.content.splitlines()]
    assert opened <= {sheet.match for sheet in sheets}
    assert len({sheet.match for sheet in sheets}) == len(sheets)
    assert all(tally_of(sheet.sums) == TALLY for sheet in sheets)
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert "attachment" in answer.headers["content-disposition"]
