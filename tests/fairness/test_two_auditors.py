"""Two auditors in two languages, layers 1 and 2 of each written from the protocol, say the same of every record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest

from tests.fairness.javascript_auditor import (
    PUBLISHED,
    VECTORS,
    Ask,
    in_javascript,
    in_python,
    published,
    published_signed,
    run,
)
from tests.fairness.missing_checks import malformed_records, misshapen
from tests.fairness.random_mutations import mutants, policies
from tests.fairness.record_files import bundled
from tests.fairness.rewritten_records import events_of
from tests.fairness.scripted_server import POLICY_TEXT, Story
from tests.fairness.signed_mutations import signed_mutants
from tests.fairness.sole_checks import records_of_sole_checks
from tests.fairness.test_audit import LIES, MALFORMED, OUT_OF_TURN
from tests.fairness.test_every_game import matches, record_of
from tests.log.odd_points import fitting, refused
from tests.sizes import cases

SEEDS = cases(1, 8)
MUTANTS = cases(100, 1_000)
"""How many records, or policies, are changed for each seed."""
SHALLOW = {"E_FORMAT", "E_CHAIN"}
WAYS = ((), ("--noble",), ("--webcrypto",))
"""As Node is quickest, with the library that stands in for a browser's own hashes, and with those."""


def agreed(asks: Sequence[Ask], *options: str) -> Counter[str]:
    """Check that both auditors say the same of each record, and return how often they said what."""
    with ThreadPoolExecutor(1) as other:
        answers = other.submit(in_javascript, asks, *options)
        first, second = in_python(asks), answers.result()
    apart = [number for number, (one, two) in enumerate(zip(first, second, strict=True)) if one != two]
    assert [(number, first[number], second[number]) for number in apart[:3]] == []
    return Counter(one.get("code") or one["status"] for one in first)


# ---- records as they are --------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_the_second_auditor_judges_every_published_record_as_published(way: tuple[str, ...]) -> None:
    told = [(ask, bundle["result"]) for ask, bundle in zip(published().values(), PUBLISHED["bundles"], strict=True)]
    told += published_signed().values()
    found = in_javascript([ask for ask, _ in told], *way)
    for number, ((_, result), one) in enumerate(zip(told, found, strict=True)):
        said = {name: value for name, value in one.items() if value is not None}
        if "line" in said:
            said["line"] -= 1  # The vectors count from 0, and the whole file is -1; people count from 1.
        assert said == result, number


def test_they_agree_on_published_records_whomever_one_believes() -> None:
    records = [ask.record for ask in published().values()]
    agreed([Ask(record, None) for record in records])
    agreed([Ask(record, POLICY_TEXT, (1,)) for record in records])


@pytest.mark.parametrize("way", WAYS)
def test_they_agree_on_forged_records(way: tuple[str, ...]) -> None:
    stories = [*OUT_OF_TURN.values(), *MALFORMED.values(), *(story for story, _ in LIES.values())]
    records = [record for story in stories for record in (story.bare(), story.record())]
    found = agreed([Ask(record, policy) for record in records for policy in (POLICY_TEXT, None)], *way)
    assert found.keys() >= {"E_ORDER", "E_FORMAT", "E_SLOT", "E_ABORT", "E_WITHHELD", "E_LOG", "E_BEACON", "E_SECRET"}


def test_they_agree_on_every_game_and_on_each_of_its_dice() -> None:
    whole = [bundled(record_of(game, per)) for game, per in matches()]
    assert agreed([Ask(record) for record in whole]) == {"OK": len(whole)}
    lines = [record.splitlines(keepends=True) for record in whole]
    cut = [b"".join(some[: len(some) // 2]) for some in lines]
    assert agreed([Ask(record) for record in cut]) == {"INCOMPLETE": len(cut)}


@pytest.mark.parametrize("way", WAYS)
def test_they_agree_on_records_that_one_check_alone_stands_against(way: tuple[str, ...]) -> None:
    agreed(records_of_sole_checks(), *way)
    agreed([Ask(record, None) for record in misshapen()], *way)


def test_they_agree_on_signatures_about_which_libraries_differ() -> None:
    asks = malformed_records()
    for way in WAYS:
        assert agreed(asks, *way) == {"OK": len(fitting(b"")), "E_LOG": len(refused(b""))}


def test_they_agree_on_what_is_enormous() -> None:
    huge = [b"[" * 60_000, b'{"a":' * 10_000, b'{"v":' + b"9" * 65_000 + b"}", b"x" * 3_000_000, b"\n" * 100_000]
    assert agreed([Ask(one + b"\n") for one in huge]) == {"E_FORMAT": len(huge)}
    many = Story().created().committed(cups=[[1, 1, 8_192, 4]]).voided().closed(secret="0" * 64)
    assert agreed([Ask(many.bare(), None)]) == {"E_SECRET": 1}


# ---- records that were changed --------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(SEEDS))
def test_they_agree_on_changed_records(seed: int) -> None:
    found = agreed(list(mutants(seed, MUTANTS)))
    assert found.total() == MUTANTS
    assert found.total() >= 2 * sum(found[code] for code in SHALLOW), "half of them get past the chain"


@pytest.mark.parametrize("way", ["--noble", "--webcrypto"])
def test_they_agree_on_changed_records_whether_a_page_has_hashes_of_its_own_or_not(way: str) -> None:
    agreed(list(mutants(SEEDS, MUTANTS)), way)


def test_they_agree_on_changed_records_of_real_games() -> None:
    names = ("ok-beacon", "ok-twocup", "ok-shared", "ok-voided", "ok-serials")
    told = [events_of(published()[name].record) for name in names]
    told += [events_of(bundled(record_of(game, "match"))) for game in ("mexican", "common_hand")]
    agreed(list(mutants(SEEDS + 1, MUTANTS // 2, told)))


@pytest.mark.parametrize("seed", range(SEEDS))
def test_they_agree_on_changed_records_of_seats_with_keys(seed: int) -> None:
    found = agreed(list(signed_mutants(seed, MUTANTS)))
    assert found.total() == MUTANTS
    assert found["E_SIGNED"] + found["E_UNSIGNED"] >= MUTANTS // 4, "signatures are what most lies are about"


def test_they_agree_on_changed_records_that_are_published_with_signatures() -> None:
    told = [events_of(ask.record) for ask, _ in published_signed().values()]
    agreed(list(signed_mutants(SEEDS, MUTANTS, told)))


def test_they_agree_on_which_policies_can_be_read() -> None:
    record = Story().to_end().record()
    found = agreed([Ask(record, policy) for policy in policies(Random(1), MUTANTS)])
    assert found.keys() >= {"MALFORMED", "OK", "E_LOG"}


# ---- the program ----------------------------------------------------------------------------------


def test_the_program_answers_like_truecup_audit(tmp_path: Path) -> None:
    good, policy = VECTORS / "bundles/ok-liars.cup", VECTORS / "policy.txt"
    bad = VECTORS / "bundles/bad-key-altered.cup"
    cut = tmp_path / "cut.cup"
    cut.write_bytes(b"".join(good.read_bytes().splitlines(keepends=True)[:3]))
    files, layers = (good, bad, cut, tmp_path / "none"), ("--layers", "1,2")
    codes = [run(str(file), "--policy", str(policy), *layers).returncode for file in files]
    assert codes == [0, 1, 2, 3]
    assert run(str(good), "--policy", str(policy)).returncode == 2, "nobody here knows its rules"
    assert run(str(good), str(cut), str(bad), "--policy", str(policy)).returncode == 1
    assert run(str(good), "--policy", str(good)).returncode == 3
    assert run().returncode == 3
    told = run(str(bad), "--policy", str(policy)).stdout
    assert "E_KEY" in told
    assert '"status":"FAULT"' in run("--json", str(bad)).stdout


@pytest.mark.parametrize(
    "given",
    [["--layers", "1,2,3x"], ["--layers", "2"], ["--layers", ""], ["--layers"], ["--polcy"], ["--layers=1"]],
)
def test_what_it_does_not_understand_it_refuses(given: list[str]) -> None:
    found = run(str(VECTORS / "bundles" / "ok-liars.cup"), *given)
    assert (found.returncode, found.stdout, found.stderr.count("\n")) == (3, "", 1)


def test_a_policy_of_one_endless_word_is_refused_in_a_short_sentence(tmp_path: Path) -> None:
    policy = tmp_path / "policy.txt"
    policy.write_text("[" * 1_000_000)
    found = run(str(VECTORS / "bundles" / "ok-liars.cup"), "--policy", str(policy))
    assert (found.returncode, found.stdout) == (3, "")
    assert len(found.stderr) < 200
