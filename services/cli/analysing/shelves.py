"""`truecup policy list`, `show` and `verify`: policies that are shipped, or lie on this machine."""

from __future__ import annotations

import json as jsons
from math import floor
from pathlib import Path
from typing import Final

from msgspec import Struct

from domain.rules.orders import Count
from domain.strategy.bad_policy import BadPolicy
from domain.strategy.duels.blueprint import BlueprintTable
from domain.strategy.duels.duel import CHALLENGE, Duel
from domain.strategy.duels.solved import SolvedTable
from domain.strategy.policies.files import Policy, prove
from domain.strategy.policies.headers import PolicyHeader
from services.cli.exits import FINE, FOUND
from services.cli.screen import say, say_json
from services.cli.settings import folder_of, settings
from services.client.house import CannotDo
from services.policies.shelf import NotFound, Shelf, Shelved, policy_in
from services.solver.local_reply import gives_away

FOLDER = "policies"
"""Where this machine keeps what it has solved, below its data folder."""
TABLES: Final = (SolvedTable, BlueprintTable)
"""What says how a round of two seats is played, hand by hand."""
GUARANTEES_NOTHING: Final = "it is what it should be; it guarantees nothing, and says so"
SCALE: Final = 10_000


class PolicyRow(Struct, frozen=True):
    """A policy as a list tells it.

    Attributes:
        id: Its name and hash.
        kind: What it says something of.
        bytes: How long its file is.
        lower: What the opener of its round has at least, +1 won and -1 lost; None if nothing is guaranteed.
        upper: What the opener has at most.
        shipped: Whether it came with the program.
    """

    id: str
    kind: str
    bytes: int
    lower: str | None
    upper: str | None
    shipped: bool


def shelf() -> Shelf:
    """Return what is shipped, and what this machine keeps."""
    return Shelf(folder_of(settings()) / FOLDER)


def list_policies(*, json: bool = False) -> int:
    """List every policy there is.

    Args:
        json: Print one JSON document.
    """
    policies = shelf()
    try:
        rows = [_row(one, shipped=True) for one in policies.shipped()]
        rows += [_row(one, shipped=False) for one in policies.kept()]
    except BadPolicy as fault:
        return _tell_fault(fault)
    if json:
        say_json(rows)
        return FINE
    width = max(len(row.id.partition("@")[0]) for row in rows)
    for row in rows:
        name, _, digest = row.id.partition("@")
        worth = row.lower if row.lower == row.upper else f"{row.lower} to {row.upper}"
        say(f"{name:<{width}}  {row.kind:<9}  {digest[:12]}  {row.bytes:>6}  {worth or ''}".rstrip())
    return FINE


def show(policy: str, /, *, hand: str | None = None, after: str = "", json: bool = False) -> int:
    """Show what a policy says.

    Args:
        policy: Its name, its hash, or a file.
        hand: Faces that a seat holds, such as `3` or `1,4`: how the table of a round plays them.
        after: The claims so far, such as `1x2,1x5`.
        json: Print one JSON document.
    """
    try:
        found = find_policy(policy)
    except BadPolicy as fault:
        return _tell_fault(fault)
    if hand is not None:
        moves = _moves(found, hand, after)
        say_json(moves) if json else say(*[f"{move:<9}  {weight}" for move, weight in moves.items()])
        return FINE
    header = jsons.loads(found.data.partition(b"\n")[0])
    said = {"id": found.policy.id, "bytes": len(found.data), **header}
    given = _given_away(found.policy)
    if json:
        say_json({**said, **given})
        return FINE
    for member, value in said.items():
        say(f"{member:<11}  {value if isinstance(value, str) else jsons.dumps(value)}")
    if isinstance(found.policy.content, TABLES):
        say(f"{'records':<11}  {len(found.policy.content.records)}")
    if given:
        say(f"{'model':<11}  {_sentence(given)}")
    return FINE


def verify(policy: str, /, *, json: bool = False) -> int:
    """Work out anew what a policy guarantees, or gives away.

    Args:
        policy: Its name, its hash, or a file.
        json: Print one JSON document.
    """
    try:
        found = find_policy(policy).policy
        # It was proved when it was read; what the table has is said besides, since it may be more than the file says.
        proved = prove(found) if found.certificate is not None else None
    except BadPolicy as fault:
        if json:
            say_json({"code": fault.code, "where": fault.where, "why": str(fault)})
            return FOUND
        return _tell_fault(fault)
    bounds = {} if proved is None else {"lower": str(proved.lower), "upper": str(proved.upper)}
    given = _given_away(found)
    if json:
        say_json({"id": found.id, **bounds, **given})
        return FINE
    say(found.id)
    if given:
        say(f"{GUARANTEES_NOTHING}; {_sentence(given)}")
    elif proved is None:
        say(GUARANTEES_NOTHING)
    else:
        say(f"who opens has at least {proved.lower} by its table, and at most {proved.upper} by that of the other seat")
    return FINE


def _given_away(policy: Policy) -> dict[str, str]:
    """Return what a blueprint gives away at least of a round, the mean of both seats, rounded down; or nothing."""
    if not isinstance(policy.content, BlueprintTable):
        return {}
    return {"gives_away_at_least": f"{floor(gives_away(policy.content).mean * SCALE) / SCALE:.4f}"}


def _sentence(given: dict[str, str]) -> str:
    least = given["gives_away_at_least"]
    return f"who knows it wins {least} a round at least, +1 won and -1 lost, on average of both seats"


def _row(one: PolicyHeader, *, shipped: bool) -> PolicyRow:
    bounds = one.certificate
    lower, upper = (None, None) if bounds is None else (str(bounds.lower), str(bounds.upper))
    return PolicyRow(one.id, one.kind, one.size, lower, upper, shipped)


def find_policy(asked: str) -> Shelved:
    """Return a policy by name or hash, or the one of a file.

    Raises:
        BadPolicy: It is none, or guarantees less than it says.
        CannotDo: There is none, or it cannot be read.
    """
    try:
        return shelf().find(asked)
    except NotFound as error:
        path = Path(asked)
        if not path.exists():
            raise CannotDo(f"{error}, and there is no such file; `truecup policy list` lists what there is") from error
        try:
            return policy_in(path)
        except OSError as trouble:
            raise CannotDo(f"{asked} cannot be read: {trouble.strerror}") from trouble


def keep_policy(data: bytes) -> Policy:
    """Put a policy into the folder of this machine, and return it.

    Raises:
        CannotDo: It cannot be written.
    """
    policies = shelf()
    try:
        path = policies.keep(data)
    except OSError as trouble:
        raise CannotDo(f"the policy cannot be kept: {trouble.strerror}") from trouble
    return policies.find(path.stem).policy


def _tell_fault(fault: BadPolicy) -> int:
    say(f"{fault.code}: {fault}")
    return FOUND


def _moves(found: Shelved, hand: str, after: str) -> dict[str, int]:
    """Return how often the table of a round plays each move."""
    table = found.policy.content
    if not isinstance(table, TABLES):
        raise CannotDo(f"{found.policy.name} is no table of a round")
    try:
        made = bytes([_number(table.duel, claim) for claim in after.split(",") if claim])
        moves = table.moves(tuple(int(face) for face in hand.split(",")), made)
    except ValueError as error:
        raise CannotDo("a hand is written 3 or 1,4 and claims 1x2,1x5") from error
    if moves is None:
        raise CannotDo("its own play never comes there with such a hand; level 1 would be asked")
    return {_named(table.duel, move): weight for move, weight in moves}


def _number(duel: Duel, claim: str) -> int:
    quantity, face = (int(part) for part in claim.split("x"))
    return duel.number(Count(quantity, face))


def _named(duel: Duel, move: int) -> str:
    if move == CHALLENGE:
        return "challenge"
    claim = duel.claim(move)
    return f"{claim.quantity}x{claim.face}"
