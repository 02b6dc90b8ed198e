"""Policies are files: a canonical JSON header on the first line, and after it a table or nothing.

The id of a policy is its name and the SHA-256 of its bytes, so that a change of one constant is another policy. Nothing
is computed with a file before all of it was read, and what does not fit is refused with the byte, record or member.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct

from domain.log import canonical
from domain.rules.ladders import SPECIALS
from domain.rules.orders import ORDERS, RANKS
from domain.rules.rules import PIPS, Aces, Counting, Faces, Rungs, Wild
from domain.strategy.bad_policy import BadPolicy
from domain.strategy.duels.best_reply import Guarantees, guarantees_of
from domain.strategy.duels.blind_cup import LADDERS, BlindCup, guarantees_of_cup
from domain.strategy.duels.blueprint import BlueprintTable, read_blueprint
from domain.strategy.duels.duel import CLAIMS_MAX, Duel
from domain.strategy.duels.solved import SolvedTable, read_table
from domain.strategy.level_params import LevelParams
from domain.strategy.policies.facts import Facts
from domain.strategy.policies.headers import FORMAT, FirstLine, Kind, PolicyHeader, converted, split_policy
from domain.strategy.tables import RoundModel

WEIGHT_MAX: Final = 2**32

Content = LevelParams | RoundModel | SolvedTable | BlueprintTable | BlindCup


class Policy(PolicyHeader, frozen=True):
    """A policy that was read.

    Attributes:
        content: What it says: constants of level 1, a round model, a solved table, that of a blueprint, or the cup of
            which it is the tablebase.
    """

    content: Content


class _RoundParams(Struct, frozen=True, forbid_unknown_fields=True):
    """How likely each seat is to lose a round, as it is written.

    Attributes:
        even: Whether all who are in are alike.
        weights: By how many are in, and by what a seat has, how likely it loses beside the others.
    """

    even: bool = False
    weights: dict[int, tuple[int, ...]] = {}


class _BlueprintParams(Struct, frozen=True, forbid_unknown_fields=True):
    """How a blueprint was found, which proves nothing.

    Attributes:
        passes: How often the round was gone through.
        seed: What deals were drawn from, in hex.
        once_in: What a seat comes to with its hand less than once in so many rounds is left out; None for nothing.
    """

    passes: Annotated[int, Meta(ge=1, le=1_000_000)]
    seed: Annotated[str, Meta(pattern=r"\A([0-9a-f]{2}){1,32}\Z")]
    once_in: Annotated[int, Meta(ge=1, le=1_000_000_000)] | None = None


class _DuelFacts(Struct, frozen=True, forbid_unknown_fields=True):
    """What the table of a duel has to say it is for."""

    tokens: Literal["OwnCups"]
    faces: Faces
    dice: tuple[Annotated[int, Meta(ge=1, le=5)], Annotated[int, Meta(ge=1, le=5)]]
    order: str
    rank: str
    wild: Wild
    natural: bool
    aces: Aces
    doubt: Literal["next"]
    plain: Literal[True]


class _CupFacts(Struct, frozen=True, forbid_unknown_fields=True):
    """What the tablebase of a blind cup has to say it is for."""

    tokens: Literal["SharedCup"]
    faces: Faces
    dice: tuple[Literal[2], Literal[2]]
    ladder: Rungs
    doubt: Literal["next"]
    blind: Literal[True]


def write_policy(
    kind: Kind,
    name: str,
    params: Mapping[str, Any],
    *,
    applies: Facts | None = None,
    certificate: Guarantees | None = None,
    table: bytes = b"",
) -> bytes:
    """Return the bytes of a policy."""
    proved = None if certificate is None else {"lower": str(certificate.lower), "upper": str(certificate.upper)}
    header = {"applies": applies or {}, "certificate": proved, "format": FORMAT, "kind": kind, "name": name}
    return canonical.encode({**header, "params": dict(params)}) + b"\n" + table


def read_policy(data: bytes, digest: str | None = None) -> Policy:
    """Return the policy that these bytes are.

    Args:
        data: The file.
        digest: The SHA-256 it was named by, as hex; None where it was not.

    Raises:
        BadPolicy: They are none, or not the one that was named. A certificate is not looked into: `prove` does.
    """
    header, said, body = split_policy(data, digest)
    content = _READERS[said.kind](said, body, len(data) - len(body))
    return Policy(header.name, header.digest, header.size, header.kind, header.applies, header.certificate, content)


def prove(policy: Policy) -> Guarantees:
    """Return what the tables of a solved policy guarantee, worked out anew: milliseconds for a die each.

    Raises:
        BadPolicy: It is less than its certificate says, or cannot be worked out.
    """
    content = policy.content
    assert isinstance(content, SolvedTable | BlindCup)
    assert policy.certificate is not None
    found = guarantees_of(content) if isinstance(content, SolvedTable) else guarantees_of_cup(content)
    claimed = policy.certificate
    if found.lower < claimed.lower:
        raise BadPolicy("certificate_not_met", "lower", _promised(claimed.lower, found.lower))
    if found.upper > claimed.upper:
        raise BadPolicy("certificate_not_met", "upper", _promised(claimed.upper, found.upper))
    return found


def _promised(claimed: Fraction, met: Fraction) -> str:
    return f"it says {claimed}, and the table guarantees {met}"


def named_apart(policies: Iterable[Policy]) -> tuple[Policy, ...]:
    """Return the policies as they come; one that comes twice counts once.

    Raises:
        BadPolicy: Two of them have one name.
    """
    found: dict[str, Policy] = {}
    for policy in policies:
        if found.setdefault(policy.name, policy).digest != policy.digest:
            raise BadPolicy("same_name", policy.name)
    return tuple(found.values())


def must_fit(policy: Policy, rounds: Iterable[Facts]) -> None:
    """Refuse a policy that somebody named for rounds of which it is for none.

    Raises:
        BadPolicy: It is for other rounds.
    """
    if not any(policy.fits(facts) for facts in rounds):
        raise BadPolicy("does_not_apply", policy.name)


# ---- what each kind says ------------------------------------------------------------------------


def _level(header: FirstLine, body: bytes, at: int) -> LevelParams:
    _check_bare(header, body, at)
    # A constant that is left out would be one that nobody reads in the file.
    missing = [name for name in LevelParams.__struct_fields__ if name not in header.params]
    if missing:
        raise BadPolicy("bad_header", f"$.params.{missing[0]}", "this is needed, and is missing")
    params = converted(header.params, LevelParams, "$.params")
    ratios = (params.nerve, params.tame, params.odd, params.doubt_keep, *params.doubts)
    if not params.doubts or not all(0 <= top <= bottom and bottom for top, bottom in ratios):
        raise BadPolicy("bad_header", "$.params", "a share lies between 0 and 1")
    counts = (params.power, params.steps, params.tries, params.tries_keeping, params.reach)
    if not all(1 <= count <= _COUNT_MAX for count in counts) or not 1 <= params.grain <= _GRAIN_MAX:
        raise BadPolicy("bad_header", "$.params", f"a count lies between 1 and {_COUNT_MAX}")
    return params


def _rounds(header: FirstLine, body: bytes, at: int) -> RoundModel:
    _check_bare(header, body, at)
    params = converted(_with_numbers(header.params), _RoundParams, "$.params")
    if params.even == bool(params.weights):
        raise BadPolicy("bad_header", "$.params", "a round model is even, or has weights")
    rows = tuple(sorted(params.weights.items()))
    for seats, row in rows:
        where = f"$.params.weights.{seats}"
        if seats not in _SEATS.values() or not row or min(row) < 0:
            raise BadPolicy("bad_header", where, "weights are 0 or more, by how many are in, 2 to 10")
        if max(row) > WEIGHT_MAX:
            raise BadPolicy("weight_too_large", where)
        if not any(row):
            raise BadPolicy("no_weight", where)
    return RoundModel(rows)


def _with_numbers(params: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters with seats as numbers, which are texts as keys of JSON."""
    weights = params.get("weights")
    if not isinstance(weights, dict):
        return params
    return {**params, "weights": {_SEATS.get(key, key): row for key, row in weights.items()}}


def _solved(header: FirstLine, body: bytes, at: int) -> SolvedTable | BlindCup:
    if header.params:
        raise BadPolicy("bad_header", "$.params", "a solved table has none")
    if header.applies.get("tokens") == "SharedCup":
        return _solved_cup(header, body, at)
    if header.certificate is None:
        raise BadPolicy("bad_header", "$.certificate", "a solved table says what it guarantees")
    return read_table(duel_of(header.applies), body)


def _solved_cup(header: FirstLine, body: bytes, at: int) -> BlindCup:
    # Its table follows from what it is for.
    if body:
        raise BadPolicy("too_long", f"byte {at}")
    unknown = sorted(set(header.applies) - _ASKED_OF_CUPS)
    if unknown:
        raise BadPolicy("bad_header", f"$.applies.{unknown[0]}", "no cup has this")
    cup = cup_of(header.applies)
    if (header.certificate is None) != cup.voids:
        raise BadPolicy(
            "bad_header", "$.certificate", "nothing is guaranteed where a throw ends the round, else all is"
        )
    return cup


def cup_of(applies: Facts) -> BlindCup:
    """Return the blind cup that these facts are of.

    Raises:
        BadPolicy: They are not those of a cup whose tablebase is known.
    """
    facts = converted({each: applies[each] for each in applies if each in _ASKED_OF_CUPS}, _CupFacts, "$.applies")
    known = Rungs(facts.ladder.table, specials=facts.ladder.specials)
    if facts.ladder != known or facts.ladder.table not in LADDERS or not set(facts.ladder.specials) <= _VOIDS:
        raise BadPolicy("bad_header", "$.applies.ladder", "of claims like these no tablebase is known")
    if facts.faces != PIPS or (facts.ladder.specials and facts.ladder.table != LADDERS[0]):
        raise BadPolicy("bad_header", "$.applies.faces", "of dice like these no tablebase is known")
    return BlindCup(facts.faces, facts.ladder)


def _blueprint(header: FirstLine, body: bytes, _at: int) -> BlueprintTable:
    if header.certificate is not None:
        raise BadPolicy("bad_header", "$.certificate", "a blueprint guarantees nothing")
    converted(header.params, _BlueprintParams, "$.params")
    duel = duel_of(header.applies)
    if duel.counting.wild == "unless_opened":
        raise BadPolicy("bad_header", "$.applies.wild", "a blueprint forgets how a round was opened")
    return read_blueprint(duel, body)


def duel_of(applies: Facts) -> Duel:
    """Return the duel that these facts are of.

    Raises:
        BadPolicy: They are not those of a duel whose claims have numbers.
    """
    facts = converted(applies, _DuelFacts, "$.applies")
    if facts.order not in ORDERS or facts.rank not in RANKS:
        raise BadPolicy("bad_header", "$.applies.order", "nothing is ordered like this")
    if facts.faces.count not in _FACES or sum(facts.dice) * facts.faces.count > CLAIMS_MAX:
        raise BadPolicy("bad_header", "$.applies.faces", "there are too many claims")
    counting = Counting(facts.order, facts.rank, facts.wild, facts.natural, facts.aces)
    return Duel(facts.dice, facts.faces, counting)


def _check_bare(header: FirstLine, body: bytes, at: int) -> None:
    if header.certificate is not None:
        raise BadPolicy("bad_header", "$.certificate", "only a table guarantees something")
    if body:
        raise BadPolicy("too_long", f"byte {at}")


_COUNT_MAX: Final = 64
_VOIDS: Final = frozenset(SPECIALS.values())
_ASKED_OF_CUPS: Final = frozenset(_CupFacts.__struct_fields__)
_GRAIN_MAX: Final = 2**20
_FACES: Final = range(2, 11)
_SEATS: Final = {str(seats): seats for seats in range(2, 11)}
_READERS: Final[dict[Kind, Callable[[FirstLine, bytes, int], Content]]] = {
    "level": _level,
    "rounds": _rounds,
    "solved": _solved,
    "blueprint": _blueprint,
}
