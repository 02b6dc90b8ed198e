"""The certificate of a pairing: a claim that anybody can check against its input and the roll that was opened.

Its members are those below; `input_hash` is the hash of the input's canonical text. The checks, of which the first
that fails is the fault:

    C_FORMAT      members, types, ranges and order of both, fractions in lowest terms
    C_DRAW        the lot is what was opened
    C_INPUT       the hash is that of the input
    C_BYE         who rests
    C_SIZES       sizes of free tables, and of all tables
    C_PLAYERS     everybody exactly once; fixed tables whole
    C_FORBIDDEN   no pair at a free table that may not meet
    C_COST        cost, repeats, and what the orders of seats cost
    C_BOUND       the bound
    C_METHOD      exact up to 16 at free tables, search above
    C_OPTIMUM     exact: no other grouping is cheaper, or as cheap and earlier
    C_ENGINE      search: the search finds this grouping
    C_SEATING     the order at a table, or of tables

Source: the laws of tournaments, the pairing certificate.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from domain.tournaments.pairing.lots import LOT_BYTES, Lots
from domain.tournaments.pairing.pods.inputs import NotAnInput, Number, PairingInput, input_hash, input_of
from domain.tournaments.pairing.pods.law import Method, Pods, PodsRound, round_of
from domain.tournaments.pairing.sizes import SEATS_MAX, SEATS_MIN, Seats

OK: Final = "OK"
FORMAT: Final = "C_FORMAT"
FILE_BYTES_MAX: Final = 2**24
"""How long a file of a certificate and its input may be; 4,096 entrants need a few million."""

_Hash = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
_Uuid = Annotated[str, Meta(pattern=r"\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")]
_Whole = Annotated[int, Meta(ge=0, le=2**53 - 1)]
_Table = Annotated[tuple[Number, ...], Meta(min_length=SEATS_MIN, max_length=SEATS_MAX)]


class CertificatePlace(Struct, frozen=True):
    """Where in a tournament a pairing stands, and what it was drawn from.

    Attributes:
        tournament: The id of the tournament.
        stage: The stage, from 1.
        round: The round, from 1.
        upto: The number of the last line that was looked at.
        head: The hash of that line, as hex.
        roll: The roll of the table's cup.
        lot: The values of that roll, as hex.
    """

    tournament: str
    stage: int
    round: int
    upto: int
    head: str
    roll: int
    lot: str


class Certificate(Struct, frozen=True, forbid_unknown_fields=True):
    """The members of a certificate; see `CertificatePlace` and `Pods`."""

    v: Literal[1]
    engine: Literal["pods/1"]
    tournament: _Uuid
    stage: Annotated[int, Meta(ge=1, le=65_535)]
    round: Annotated[int, Meta(ge=0, le=2**32 - 1)]
    upto: _Whole
    head: _Hash
    roll: Annotated[int, Meta(ge=0, le=65_535)]
    lot: _Hash
    input_hash: _Hash
    method: Method
    byes: tuple[Number, ...]
    sizes: tuple[Seats, ...]
    tables: tuple[_Table, ...]
    cost: _Whole
    bound: _Whole
    repeats: _Whole
    seating: tuple[_Whole, _Whole]


def make(place: CertificatePlace, value: PairingInput, pods: Pods) -> Certificate:
    """Return the certificate of a round that was paired from an input."""
    members: dict[str, Any] = msgspec.structs.asdict(place) | msgspec.structs.asdict(pods)
    return Certificate(v=1, engine="pods/1", input_hash=input_hash(value), **members)


def check_file(file: bytes, opened: object) -> str:
    """Return what is wrong with a file of a certificate and its input, whatever its bytes.

    Args:
        file: A JSON object with the members `certificate` and `input`, each once.
        opened: The values of the roll that the certificate names, from the record.
    """
    try:
        parts = read(file)
    except NotAnInput:
        return FORMAT
    return check(parts["certificate"], parts["input"], opened)


def check(certificate: object, value: object, opened: object) -> str:
    """Return the code of the first fault of a certificate, or `OK`.

    Args:
        certificate: A value of JSON, of whatever type.
        value: The input, likewise.
        opened: The values of the roll that the certificate names, from the record: 32 from 0 to 255.

    Cost: that of pairing the round once more, where nothing is wrong before.
    """
    try:
        claim = msgspec.convert(certificate, Certificate)
        believed = input_of(value)
    except (msgspec.ValidationError, RecursionError, NotAnInput):
        return FORMAT
    if _values(opened) != claim.lot:
        return "C_DRAW"
    if input_hash(believed) != claim.input_hash:
        return "C_INPUT"
    found = round_of(believed, Lots(bytes.fromhex(claim.lot), claim.stage, claim.round))
    return next((code for code, holds in _CHECKS if not holds(claim, found)), OK)


def read(file: bytes) -> dict[str, Any]:
    """Return the certificate and the input in a file, each a value of JSON.

    Raises:
        NotAnInput: It is no JSON, too long, too deep, has a name twice in one object, or other members.
    """
    if len(file) > FILE_BYTES_MAX:
        raise NotAnInput("the file is too long")
    try:
        found = json.loads(file.decode(), object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise NotAnInput("the file is no JSON with each name once") from error
    if not isinstance(found, dict) or found.keys() != {"certificate", "input"}:
        raise NotAnInput("the file has other members than a certificate and an input")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a name stands twice")
    return members


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _values(opened: object) -> str | None:
    """Return opened values as hex; None where they are not those of a roll of lots."""
    try:
        values = msgspec.convert(opened, _Opened)
    except (msgspec.ValidationError, RecursionError):
        return None
    return bytes(values).hex()


_Opened = Annotated[tuple[Annotated[int, Meta(ge=0, le=255)], ...], Meta(min_length=LOT_BYTES, max_length=LOT_BYTES)]


def _free(claim: Certificate, found: PodsRound) -> list[tuple[int, ...]]:
    """Return the tables that no official set."""
    fixed = set(map(frozenset, found.value.fixed))
    return [table for table in claim.tables if frozenset(table) not in fixed]


def _has_sizes(claim: Certificate, found: PodsRound) -> bool:
    lengths = Counter(map(len, claim.tables))
    return claim.sizes == found.sizes and lengths == Counter((*found.sizes, *map(len, found.value.fixed)))


def _has_players(claim: Certificate, found: PodsRound) -> bool:
    seated = [number for table in claim.tables for number in table]
    everybody = sorted(entrant.n for entrant in found.value.players)
    whole = len(claim.tables) - len(_free(claim, found)) == len(found.value.fixed)
    return sorted((*seated, *claim.byes)) == everybody and whole


def _has_costs(claim: Certificate, found: PodsRound) -> bool:
    free = _free(claim, found)
    costs = (found.cost(free), found.repeats(free), found.seating(claim.tables))
    return costs == (claim.cost, claim.repeats, claim.seating)


def _has_groups(claim: Certificate, found: PodsRound) -> bool:
    return set(map(frozenset, _free(claim, found))) == set(found.groups())


_CHECKS: Final[list[tuple[str, Callable[[Certificate, PodsRound], bool]]]] = [
    ("C_BYE", lambda claim, found: claim.byes == found.byes),
    ("C_SIZES", _has_sizes),
    ("C_PLAYERS", _has_players),
    ("C_FORBIDDEN", lambda claim, found: not found.forbidden(_free(claim, found))),
    ("C_COST", _has_costs),
    ("C_BOUND", lambda claim, found: claim.bound == found.bound()),
    ("C_METHOD", lambda claim, found: claim.method == found.method),
    ("C_OPTIMUM", lambda claim, found: claim.method != "exact" or _has_groups(claim, found)),
    ("C_ENGINE", lambda claim, found: claim.method != "search" or _has_groups(claim, found)),
    ("C_SEATING", lambda claim, found: claim.tables == found.seated(_free(claim, found))),
]
