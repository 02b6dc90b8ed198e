"""The laws of a large tournament on one core: a round paired, standings after a result, records audited."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Final

from domain.log import canonical
from domain.log.policies import Policy, policy_of
from domain.tournaments.deciding.rounds import draw_round
from domain.tournaments.field import StageField
from domain.tournaments.pairing.lots import LOT_BYTES, Lots
from domain.tournaments.points import points_of
from domain.tournaments.tournament import Tournament
from infra.clock import cpu_s
from services.audit.verdict import verdict_of
from services.cli.bench.event.madeup import MadeUp
from services.cli.bench.sheets.sheets import MS, REPETITIONS, Samples
from services.client.house import CannotDo

MINUTE_S: Final = 60
FAULT: Final = "FAULT"
LINE: Final = b'{"at":'
"""What an event line begins with, and nothing else in a record."""

Say = Callable[[str], None]


def measure_laws(entrants: int, rounds: int, samples: Samples, say: Say) -> None:
    """Measure what a tournament of so many costs a core, each figure right beside its floor."""
    say("making results up")
    event = MadeUp(entrants, rounds)
    first = event.before_round(1)
    last = event.before_round(rounds)
    before, after = event.before_last_result()
    for _ in event.rounds():
        continue
    record, match, policy = event.record(), event.one_match(), policy_of(event.ledger.policy)
    for number in range(REPETITIONS):
        say(f"laws, repetition {number + 1} of {REPETITIONS}")
        _pairing(samples, entrants, first, last)
        _standings(samples, entrants, before, after)
        _audits(samples, record, match, policy)


def _pairing(samples: Samples, entrants: int, first: Tournament, last: Tournament) -> None:
    for tournament in (first, last):
        stage = tournament.stage
        assert stage is not None, "a round is about to be paired"
        number, lots = stage.next_number, Lots(bytes(LOT_BYTES), stage.number, stage.next_number)
        floor = _core_ms(lambda lots=lots, held=tournament: lots.ranks(held.entrants))  # type: ignore[misc]
        took = _core_ms(lambda lots=lots, held=tournament: draw_round(held, lots))  # type: ignore[misc]
        what = f"round {number} of {entrants:,} in fours paired, a core's time"
        samples.add(what, MS, took, f"their lots, before round {number}", floor, "<= 2000 ms")
        certificate = draw_round(tournament, lots).certificate
        assert certificate is not None, "pods have one"
        cost, bound = certificate["cost"], certificate["bound"]
        samples.add(f"cost of round {number}", "points", float(_of(cost)), "its bound", float(_of(bound)))


def _of(text: object) -> float:
    return float(points_of(str(text)))


def _standings(samples: Samples, entrants: int, before: Tournament, after: Tournament) -> None:
    """Measure standings after one more result, by somebody who knows those before it."""
    stage = before.stage
    assert stage is not None, "it runs"
    assert stage.last is not None, "a round is played"
    upto = stage.last.number
    known = StageField(before, stage.number, upto)
    assert known.rows, "somebody plays"
    scores = dict.fromkeys(known.numbers, 1)
    floor = _core_ms(lambda: sorted(scores, key=scores.__getitem__))
    whole = _core_ms(lambda: StageField(after, stage.number, upto).rows)
    anew = _core_ms(lambda: StageField(after, stage.number, upto, known).rows)
    samples.add(f"standings of {entrants:,} from nothing, a core's time", MS, whole, "their scores sorted", floor)
    what = f"standings of {entrants:,} after one more result, a core's time"
    samples.add(what, MS, anew, "their scores sorted", floor, "< 50 ms")


def _audits(samples: Samples, record: bytes, played: bytes, policy: Policy) -> None:
    count, floor = _taken_apart(record)
    took = _core_ms(lambda: _audited(record, policy))
    what = f"a tournament's own record of {count:,} lines audited, a core's time"
    samples.add(what, MS, took, "its lines taken apart once", floor, "<= 20000 ms")
    _, floor = _taken_apart(played)
    took = _core_ms(lambda: _audited(played, policy))
    what = "records of its matches audited a minute and core"
    per_minute = 1_000 * MINUTE_S
    samples.add(what, "a minute", per_minute / took, "their lines taken apart", per_minute / floor, ">= 1000 a minute")


def _taken_apart(record: bytes) -> tuple[int, float]:
    """Return how many lines a record has, and how long a core takes to read each as JSON, in milliseconds."""
    lines = [line for line in record.split(b"\n") if line.startswith(LINE)]
    return len(lines), _core_ms(lambda: [canonical.decode(line) for line in lines])


def _audited(record: bytes, policy: Policy) -> None:
    found = verdict_of(record, policy)
    if found.status == FAULT:
        raise CannotDo(f"the record that was made up does not audit: {found.message}")


def _core_ms(work: Callable[[], object]) -> float:
    """Return how long a core takes for some work, in milliseconds: the middle of three."""
    took = []
    for _ in range(3):
        before = cpu_s()
        work()
        took.append(cpu_s() - before)
    return 1_000 * median(took)
