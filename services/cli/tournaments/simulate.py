"""`truecup tournament simulate`: a whole tournament of house bots, in memory, to look at and to audit."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal
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
from services.cli.screen import say_aside
from services.cli.tournaments.records import cannot
from services.cli.tournaments.rehearsal import Rehearsal
from services.cli.tournaments.simulated.stopping import StoppedRehearsal
from services.cli.tournaments.simulated.telling import JsonRehearsal, TextRehearsal
from services.cli.tournaments.tables import Draw, drawing_from
from services.client.house import CannotDo
from services.words.catalogue import CATALOGUE
from services.words.catalogue import say as put

POLICY_FILE: Final = "policy.txt"
RECORD: Final = ".cup"
ACCESS: Final = ".access"
COUNTED: Final = ("stages.0.rounds", "stages.0.inner.rounds")
"""The options that say how many rounds the first stage has."""


@dataclass(frozen=True)
class EventAsked:
    """The tournament that is played.

    Attributes:
        preset: The rules: which tournament it is.
        entrants: How many bots enter.
        rounds: How many rounds the first stage has, in each of its groups if there are any; as many as it needs if
            nothing is said, or if its law leaves no choice.
        best_of: How many matches a table of two plays at most in the first stage.
    """

    preset: str = "pods"
    entrants: Annotated[int, Parameter(validator=Number(gte=2, lte=ENTRANTS_MAX))] = 16
    rounds: Annotated[int | None, Parameter(validator=Number(gte=1, lte=100))] = None
    best_of: Literal[1, 3, 5, 7] = 1


def simulate(
    *,
    asked: Annotated[EventAsked, Parameter(name="*")] = EventAsked(),
    bots: bool = True,
    ratings: bool = False,
    luck: bool = False,
    seed: Annotated[int | None, Parameter(validator=Number(gte=0))] = None,
    kill: bool = False,
    json: bool = False,
    out: Path | None = None,
) -> int:
    """Play a tournament.

    Args:
        asked: The tournament.
        bots: That house bots play; nobody else is here to.
        ratings: Print how strong everybody is by it, too.
        luck: Print how far everybody's dice were above or below their mean, too.
        seed: All chance follows from this number, so that the same is played again.
        kill: Stop it at random steps, and go on from what was stored.
        json: Print JSON, one document a line: every round, the standings, what was played.
        out: A folder that is made, for all records and the policy to audit them by.
    """
    if not bots:
        raise CannotDo("--no-bots: nobody but bots plays in a rehearsal")
    began, rules = ticks_s(), _rules(asked)
    rehearsal, ledger = _rehearsal(rules, seed, kill=kill)
    _make(out)
    rehearsal.enter(asked.entrants)
    telling = JsonRehearsal(rehearsal) if json else TextRehearsal(rehearsal, ratings=ratings, luck=luck)
    try:
        for held in rehearsal.rounds():
            telling.tell_round(held)
    except Refused as refused:
        # Too few for any table: in a house officials would see to it, and here there are none.
        raise cannot(refused) from refused
    if out is not None:
        _write(out, rehearsal, ledger)
    telling.tell_end(ticks_s() - began, out, None if out is None else out / POLICY_FILE)
    return FINE


def _rehearsal(rules: TournamentRules, seed: int | None, *, kill: bool) -> tuple[Rehearsal, Ledger]:
    """Return a rehearsal and its log. Where it stops is apart from all other chance: so stops change nothing else."""
    chance: Draw = draw
    stops: Draw = draw
    if seed is not None:
        chance, stops = (drawing_from(name + seed.to_bytes(32, "big")) for name in (b"event", b"stops"))
    ledger = Ledger(REHEARSAL, chance(32))
    given = (UUID(bytes=chance(16), version=4), rules, now_ms(), ledger, chance)
    return (StoppedRehearsal(*given, stops=stops) if kill else Rehearsal(*given)), ledger


def _rules(asked: EventAsked) -> TournamentRules:
    name, entrants, rounds, best_of = asked.preset, asked.entrants, asked.rounds, asked.best_of
    if name not in PRESETS:
        raise CannotDo(f"--preset {name}: there are {', '.join(PRESETS)}")
    given = preset(name, entry={"max": max(2, entrants), "bots": "only"})
    first, *others = given["stages"]
    first = {**first, "best_of": best_of}
    try:
        try:
            rules = rules_from({**given, "stages": [_counted(first, rounds), *others]})
        except Refused as refused:
            if rounds is None or refused.facts.get("option") not in COUNTED:
                raise
            say_aside(put(CATALOGUE["terminal"]["tournament"]["passed over"], {"rounds": str(rounds)}))
            rules = rules_from({**given, "stages": [first, *others]})
    except Refused as refused:
        raise CannotDo(f"{refused}: {refused.facts.get('option')}: {refused.facts.get('why')}") from refused
    if lacks_package(rules):
        raise CannotDo(f"--preset {name}: this takes truecup with its extra, truecup[dutch]")
    return rules


def _counted(first: dict[str, Any], rounds: int | None) -> dict[str, Any]:
    """Return a first stage with so many rounds. A chouette calls them bouts; groups play theirs each for itself."""
    if rounds is None:
        return first
    if "inner" in first:
        return {**first, "inner": {**first["inner"], "rounds": rounds}}
    return {**first, "bouts" if "bouts" in first else "rounds": rounds}


def _make(out: Path | None) -> None:
    if out is None:
        return
    try:
        out.mkdir(parents=True)
    except OSError as trouble:
        raise CannotDo(f"{out} cannot be made: {trouble.strerror}") from trouble


def _write(out: Path, rehearsal: Rehearsal, ledger: Ledger) -> None:
    """Write everything that an audit reads."""
    (out / f"tournament{RECORD}").write_bytes(rehearsal.record())
    matches = out / "matches"
    matches.mkdir()
    for name, played in rehearsal.matches.items():
        (matches / f"{name}{RECORD}").write_bytes(played.record)
        (matches / f"{name}{ACCESS}").write_bytes(played.access)
    for name, board in rehearsal.boards.items():
        (matches / f"{name}{RECORD}").write_bytes(board.record)
    (out / POLICY_FILE).write_text(ledger.policy, encoding="utf-8")
