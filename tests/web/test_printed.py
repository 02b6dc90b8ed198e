"""Figures of an analysis are said in one way: in sentences, in the table of the command, on pages and by scripts."""

from __future__ import annotations

import re
import subprocess
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path

import msgspec
import playwright
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from domain.analysis.figures import Figure, Printed
from domain.analysis.report import Analysis
from domain.fairness.records import split
from infra.printable import printable
from services.cli.analysing.telling import told
from services.web.assets import FOLDER
from services.web.onefile.events import shown_events
from services.web.onefile.page import one_file
from services.words.catalogue import CATALOGUE, LANGUAGES, speaking
from services.words.printed import chance_words, percent_words, printed_words
from tests.web.test_one_file import RECORDS, analysis_from

NODE = Path(playwright.__file__).parent / "driver" / "node"
SAID = """
globalThis.document = { documentElement: { lang: process.argv[3] } };
const { chanceWords, shareWords } = await import(`${process.argv[1]}/analysis/figures.js`);
const asked = JSON.parse(process.argv[2]);
process.stdout.write(JSON.stringify(asked.map((ppm) => [chanceWords(ppm), shareWords(ppm)])));
"""
RECORD = (RECORDS / "one-die-each.cup").read_bytes()
EDGES = (0, 1, 300, 499, 500, 501, 1_500, 555_499, 555_500, 555_501, 556_500, 999_499, 999_500, 999_501, 999_999)
FIGURES = (*EDGES, 1_000_000, *range(250, 1_000_000, 9_750))


def tenths(ppm: int) -> str:
    """Return millionths in hundredths, by an oracle of its own."""
    return f"{(Decimal(ppm) / 10_000).quantize(Decimal('0.1'), ROUND_HALF_EVEN)}\u00a0%"


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return analysis_from(RECORD)


def with_figure(analysis: Analysis, printed: Printed) -> Analysis:
    """Return an analysis in which every chance of a claim to everybody, and what is said of seats, is this one."""
    events = tuple(
        event if event.chance is UNSET else replace(event, chance=replace(event.chance, public=printed))
        for event in analysis.events
    )
    seats = tuple(replace(seat, accuracy=printed, error_rate=printed) for seat in analysis.seats)
    return replace(analysis, events=events, seats=seats, moments=())


@pytest.mark.parametrize("ppm", FIGURES)
def test_a_rate_is_rounded_half_to_even_and_a_chance_never_to_none_or_sure(ppm: int) -> None:
    assert percent_words(ppm) == tenths(ppm)
    assert percent_words(-ppm).removeprefix("\u2212") == tenths(ppm)
    if 0 < ppm <= 500:
        assert chance_words(ppm) == "under 0.1\u00a0%"
    elif 999_500 <= ppm < 1_000_000:
        assert chance_words(ppm) == "over 99.9\u00a0%"
    else:
        assert chance_words(ppm) == tenths(ppm)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_script_says_a_figure_as_everything_else_does(language: str) -> None:
    command: list[str | Path | bytes] = [NODE, "--no-warnings", "--input-type=module", "-e", SAID]
    given = msgspec.json.encode(FIGURES)
    done = subprocess.run([*command, str(FOLDER), given, language], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    with speaking(language):
        assert msgspec.json.decode(done.stdout) == [[chance_words(ppm), percent_words(ppm)] for ppm in FIGURES]


@pytest.mark.parametrize(
    ("ppm", "chance", "rate"),
    [
        (300, "under 0.1\u00a0%", "0.0\u00a0%"),
        (555_500, "55.6\u00a0%", "55.6\u00a0%"),
        (999_999, "over 99.9\u00a0%", "100.0\u00a0%"),
        (0, "0.0\u00a0%", "0.0\u00a0%"),
        (1_000_000, "100.0\u00a0%", "100.0\u00a0%"),
    ],
)
def test_the_table_and_the_page_say_a_chance_as_sentences_do_and_rates_plainly(
    analysis: Analysis, ppm: int, chance: str, rate: str
) -> None:
    found = with_figure(analysis, Figure(ppm, "exact"))
    seat = next(event.seat for event in found.events if event.chance is not UNSET)
    claims, seats = ([re.split(" {2,}", line) for line in told(found, "m.cup", each)] for each in (seat, None))
    assert {row[4] for row in claims if len(row) > 7} == {CATALOGUE["analyses"]["told"]["claims"]["public"], chance}
    assert [row[4:6] for row in seats[3 : 3 + len(found.seats)]] == [[rate, rate]] * len(found.seats)
    name = CATALOGUE["analyses"]["page"]["bars"]["public"]
    bars = [bar for event in shown_events(split(RECORD).lines, found, ()) for bar in event.shares if bar.name == name]
    assert {(bar.text, bar.ppm) for bar in bars} == {(chance, ppm)}
    page = one_file(RECORD, found).decode()
    assert page.count(f"<dd>{printable(rate)}</dd>") == 2 * len(found.seats)


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_there_is_no_figure_its_reason_is_said(language: str) -> None:
    with speaking(language):
        reasons = [printed_words(each, chance_words) for each in ("not_shown", "no_model", "no_stake")]
        assert reasons == [
            CATALOGUE["analyses"]["told"]["words"][each] for each in ("not_shown", "no_model", "no_stake")
        ]
