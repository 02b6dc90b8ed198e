"""Lines that a server has dated otherwise than witnesses say, as both auditors find them."""

from __future__ import annotations

from typing import Any, Self

from domain.fairness.misdated import Witnessed, misdated_lines
from domain.fairness.records import RecordLine
from domain.log import canonical
from domain.log.policies import policy_of
from services.audit.findings import findings
from services.audit.verdict import verdict_of
from tests.fairness.javascript_auditor import Ask, sentences_in_javascript, told_in_javascript
from tests.fairness.scripted_server import POLICY_TEXT, STREAM, Story

MINUTE_MS = 60_000
LAYERS = (1, 2)


class Dated(Story):
    """A match whose server gives each line a time of its own, in Unix milliseconds."""

    clock = 1_000

    def say(self, kind: str, **data: Any) -> Self:
        self.lines.append(canonical.line(STREAM, len(self.lines), self.head, self.clock, kind, data))
        return self

    def at(self, ms: int) -> Self:
        self.clock = ms
        return self


def told(before: int = 1_000, after: int = 1_000, seen: int = 0) -> Dated:
    """Return a match whose deal a witness saw at this second, with lines of these times before it and after."""
    story = Dated().at(before).created().joined(1, 2).committed().seeded(1, 2).sealed()
    return story.at(after).logged(at=seen).opened(1, 2).ready()


STORIES: dict[str, tuple[Dated, str | None, str]] = {
    "all in time": (told(), POLICY_TEXT, ""),
    "a minute late": (told(MINUTE_MS, MINUTE_MS), POLICY_TEXT, ""),
    "later than it was seen": (told(MINUTE_MS + 1, MINUTE_MS + 1), POLICY_TEXT, "before"),
    "a minute early": (told(seen=61), POLICY_TEXT, ""),
    "sooner than what it holds": (told(seen=62), POLICY_TEXT, "after"),
    "by nobody's word": (told(seen=62), None, ""),
    "before all time, and nobody had looked": (told(-MINUTE_MS - 1), POLICY_TEXT, ""),
}


def test_a_line_that_is_more_than_a_minute_off_what_witnesses_saw_is_noticed_and_no_fault() -> None:
    asks = [Ask(story.bare(), policy, LAYERS) for story, policy, _ in STORIES.values()]
    seen = told_in_javascript(asks)
    sentences = sentences_in_javascript(seen, asks)
    for (name, (story, text, off)), one, said in zip(STORIES.items(), seen, sentences, strict=True):
        verdict = verdict_of(story.bare(), None if text is None else policy_of(text), LAYERS)
        kinds = [canonical.decode(line)["type"] for line in story.lines]
        logged = kinds.index("deal.logged") + 1
        expected = {"": None, "before": [*range(1, logged)], "after": [*range(logged, len(kinds) + 1)]}[off]
        assert (verdict.status, one["status"]) == ("INCOMPLETE", "INCOMPLETE"), name
        assert one["misdated"] == expected, name
        assert (verdict.misdated or None) == expected, name
        notes = findings(verdict, judged_log=text is not None).marked("note")
        assert [each["text"] for each in said["findings"] if each["mark"] == "note"] == [*notes]
        assert any("more than a minute off" in note for note in notes) == bool(off)


def test_what_comes_between_two_checkpoints_is_bounded_by_both() -> None:
    times = [0, 100_000, 200_000, 260_001, 139_999, 300_000]
    kinds = ["a", "deal.logged", "a", "seed.opened", "a", "deal.fixed"]
    lines = [RecordLine(n, kind, {}, at) for n, (kind, at) in enumerate(zip(kinds, times, strict=True), start=1)]
    first, second = Witnessed(0, {"one": 100, "other": 90}), Witnessed(3, {"one": 200, "other": 190})
    assert misdated_lines(lines, [first, second]) == [4]
    lines[4] = RecordLine(5, "a", {}, 29_999)
    assert misdated_lines(lines, [first, second]) == [4, 5]
    assert misdated_lines(lines, [first._replace(seen={}), second._replace(seen={})]) == []
