"""A ladder on the card of an entrant: where one stands, whom one may challenge, and what waits for an answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from domain.ids import UnixMs
from domain.tournaments.field import StageField
from domain.tournaments.formats.ladders import busy, ladder_ends_at, playing_order, waiting
from domain.tournaments.rules import LadderStage
from domain.tournaments.schedules.ladder import LadderChallenge
from domain.tournaments.tournament import Tournament
from projections.tournaments.people import Names, name_of


class CardRival(Struct, frozen=True):
    """Somebody who may be challenged, and the place on the ladder, from 1, among those who play."""

    number: int
    name: str
    bot: bool
    place: int


class CardChallenge(Struct, frozen=True):
    """A challenge that waits for an answer or a table.

    Attributes:
        challenge: The number of it.
        number: The other, who is challenged or asks.
        own: Whether one has made it oneself.
        until: Until when there is time to answer, in Unix milliseconds.
        accepted: Whether the answer was yes.
    """

    challenge: int
    number: int
    name: str
    bot: bool
    own: bool
    until: UnixMs
    accepted: bool


class CardLadder(Struct, frozen=True):
    """A ladder as an entrant of it stands there.

    Attributes:
        place: The own place among those who play, from 1; null for who does not.
        ends_at: Until when somebody may be challenged, in Unix milliseconds.
        challenge: What one waits for, or is asked.
        rivals: Whom one may challenge now, from the top.
    """

    place: int | None
    ends_at: UnixMs
    challenge: CardChallenge | None
    rivals: tuple[CardRival, ...]


def is_on_ladder(tournament: Tournament) -> bool:
    """Report whether a ladder is played."""
    stage = tournament.stage
    open_stage = tournament.phase == "running" and stage is not None and stage.closed is None
    return open_stage and isinstance(tournament.stage_rules, LadderStage)


def idle_errand(tournament: Tournament) -> Literal["climb", "wait_for_round"]:
    """Return what an entrant without a table has to do, or waits for, between two rounds."""
    return "climb" if is_on_ladder(tournament) else "wait_for_round"


def card_ladder(tournament: Tournament, names: Names, number: int) -> CardLadder | None:
    """Return how an entrant stands on the ladder that is played; None where none is."""
    stage, rules = tournament.stage, tournament.stage_rules
    if not is_on_ladder(tournament):
        return None
    assert stage is not None, "it is played"
    assert isinstance(rules, LadderStage), "it is one"
    field, found = StageField(tournament, stage.number), waiting(tournament, stage)
    order, ends_at = playing_order(field), ladder_ends_at(stage, rules)
    asked = {each for one in found.values() for each in (one.number, one.against)}
    engaged = asked | busy(stage).keys()
    at = order.index(number) if number in order else None
    rivals: list[CardRival] = []
    if at is not None and number not in engaged and not tournament.paused and tournament.at < ends_at:
        for place, other in list(enumerate(order[:at], start=1))[-rules.reach :]:
            if other not in engaged and not field.forbidden((number, other)):
                rivals.append(CardRival(other, name_of(names, other), tournament.entrants[other].bot, place))
    own = next(
        (_challenge(tournament, names, key, one, number) for key, one in found.items() if number in _pair(one)), None
    )
    return CardLadder(None if at is None else at + 1, ends_at, own, tuple(rivals))


def _pair(challenge: LadderChallenge) -> tuple[int, int]:
    return challenge.number, challenge.against


def _challenge(tournament: Tournament, names: Names, key: int, one: LadderChallenge, number: int) -> CardChallenge:
    other = one.against if one.number == number else one.number
    return CardChallenge(
        challenge=key,
        number=other,
        name=name_of(names, other),
        bot=tournament.entrants[other].bot,
        own=one.number == number,
        until=one.until,
        accepted=one.state == "accepted",
    )


def asks_on(ladder: CardLadder | None) -> Iterator[str]:
    """Yield what an entrant may ask for on a ladder."""
    if ladder is not None and ladder.rivals:
        yield "challenge"
    if ladder is not None and ladder.challenge is not None and not (ladder.challenge.own or ladder.challenge.accepted):
        yield "answer"
