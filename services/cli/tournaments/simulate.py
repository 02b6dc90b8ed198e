"""`truecup tournament simulate`: a whole tournament of house bots, in memory, to look at and to audit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal
from uuid import UUID

from cyclopts import Parameter
from cyclopts.validators import Number

from domain.errors import Refused
from domain.tournaments.options import rules_from
from domain.tournaments.presets import PRESETS, preset
from domain.tournaments.rules import ENTRANTS_MAX, TournamentRules
from infra.clock import now_ms, ticks_s
from infra.entropy import draw
from services.audit.dutch import lacks_package
from services.cli.exits import FINE
from services.cli.ledger import REHEARSAL, Ledger
from services.cli.screen import say
from services.cli.tournaments.rehearsal import Rehearsal
from services.cli.tournaments.standings import luck_lines, place_lines, rating_lines, round_lines
from services.client.house import CannotDo
from services.words.catalogue import CATALOGUE
from services.words.catalogue import say as put

POLICY_FILE: Final = "policy.txt"
RECORD: Final = ".cup"
ACCESS: Final = ".access"


def simulate(
    *,
    preset_name: Annotated[str, Parameter(name="--preset")] = "pods",
    entrants: Annotated[int, Parameter(validator=Number(gte=2, lte=ENTRANTS_MAX))] = 16,
    rounds: Annotated[int | None, Parameter(validator=Number(gte=1, lte=100))] = None,
    best_of: Literal[1, 3, 5, 7] = 1,
    bots: bool = True,
    ratings: bool = False,
    luck: bool = False,
    out: Path | None = None,
) -> int:
    """Play a tournament.

    Args:
        preset_name: The rules: which tournament it is.
        entrants: How many bots enter.
        rounds: How many rounds the first stage has; as many as it needs if nothing is said.
        best_of: How many matches a table of two plays at most in the first stage.
        bots: That house bots play; nobody else is here to.
        ratings: Print how strong everybody is by it, too.
        luck: Print how far everybody's dice were above or below their mean, too.
        out: A folder that is made, for all records and the policy to audit them by.
    """
    if not bots:
        raise CannotDo("--no-bots: nobody but bots plays in a rehearsal")
    rules, began = _rules(preset_name, entrants, rounds, best_of), ticks_s()
    if out is not None:
        _make(out)
    ledger = Ledger(REHEARSAL, draw(32))
    rehearsal = Rehearsal(UUID(bytes=draw(16), version=4), rules, now_ms(), ledger, draw)
    rehearsal.enter(entrants)
    say(CATALOGUE["terminal"]["tournament"]["legend"])
    for held in rehearsal.rounds():
        say(*round_lines(rehearsal.tournament, held))
    say(*_end_lines(rehearsal, ratings=ratings, luck=luck))
    say(_played_line(rehearsal, ticks_s() - began))
    if out is not None:
        say(_write(out, rehearsal, ledger))
    return FINE


def _played_line(rehearsal: Rehearsal, seconds: float) -> str:
    facts = {"matches": str(len(rehearsal.matches)), "seconds": f"{seconds:.1f}"}
    return put(CATALOGUE["terminal"]["tournament"]["played"], facts)


def _end_lines(rehearsal: Rehearsal, *, ratings: bool, luck: bool) -> list[str]:
    """Return the places, and what else is asked for."""
    rated = rating_lines(rehearsal.tournament) if ratings else []
    fell = luck_lines(rehearsal.tournament, rehearsal.luck()) if luck else []
    return [*place_lines(rehearsal.tournament), *rated, *fell]


def _rules(name: str, entrants: int, rounds: int | None, best_of: int) -> TournamentRules:
    if name not in PRESETS:
        raise CannotDo(f"--preset {name}: there are {', '.join(PRESETS)}")
    given = preset(name, entry={"max": max(2, entrants), "bots": "only"})
    first, *others = given["stages"]
    # What other formats call a round is a bout there.
    counted = {} if rounds is None else {"bouts" if "bouts" in first else "rounds": rounds}
    given["stages"] = [{**first, **counted, "best_of": best_of}, *others]
    try:
        rules = rules_from(given)
    except Refused as refused:
        raise CannotDo(f"{refused}: {refused.facts.get('option')}: {refused.facts.get('why')}") from refused
    if lacks_package(rules):
        raise CannotDo(f"--preset {name}: this takes truecup with its extra, truecup[dutch]")
    return rules


def _make(out: Path) -> None:
    try:
        out.mkdir(parents=True)
    except OSError as trouble:
        raise CannotDo(f"{out} cannot be made: {trouble.strerror}") from trouble


def _write(out: Path, rehearsal: Rehearsal, ledger: Ledger) -> str:
    """Write everything that an audit reads, and return where it is."""
    (out / f"tournament{RECORD}").write_bytes(rehearsal.record())
    matches = out / "matches"
    matches.mkdir()
    for name, played in rehearsal.matches.items():
        (matches / f"{name}{RECORD}").write_bytes(played.record)
        (matches / f"{name}{ACCESS}").write_bytes(played.access)
    for name, board in rehearsal.boards.items():
        (matches / f"{name}{RECORD}").write_bytes(board.record)
    (out / POLICY_FILE).write_text(ledger.policy, encoding="utf-8")
    facts = {"folder": str(out), "policy": str(out / POLICY_FILE)}
    return put(CATALOGUE["terminal"]["tournament"]["written"], facts)
