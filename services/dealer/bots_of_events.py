"""Bots of the house in tournaments: what they ask for by themselves, since nobody else would.

They are there, wait for a table in an arena, and on a ladder play whoever challenges them; they challenge nobody.
"""

from __future__ import annotations

from domain.seats import is_person
from domain.tournaments import commands
from domain.tournaments.formats.ladders import waiting
from domain.tournaments.formats.table import format_of
from domain.tournaments.tournament import Entrant, Tournament

BotAsk = tuple[commands.AnyCommand, str]
"""A command, and a key that says which it is."""


def asks_of_bots(tournament: Tournament) -> list[BotAsk]:
    """Return what bots ask for now."""
    bots = [each for each in tournament.entrants.values() if not is_person(each.player) and each.is_in]
    if tournament.phase == "check_in":
        missing = [bot for bot in bots if not bot.here and bot.gone is None]
        return [(commands.CheckIn(by=bot.player, number=bot.number), f"check-in/{bot.number}") for bot in missing]
    if tournament.phase != "running":
        return []
    if format_of(tournament.stage_rules).waits:
        return _waits(tournament, bots)
    return _answers(tournament, bots)


def _waits(tournament: Tournament, bots: list[Entrant]) -> list[BotAsk]:
    if tournament.stage is None or tournament.stage.closed is not None:
        return []
    silent = [bot for bot in bots if bot.plays and bot.asked is None]
    return [(commands.WaitForTable(by=bot.player, number=bot.number), f"wait/{bot.number}") for bot in silent]


def _answers(tournament: Tournament, bots: list[Entrant]) -> list[BotAsk]:
    players = {bot.number: bot.player for bot in bots}
    challenges = {} if tournament.stage is None else waiting(tournament, tournament.stage)
    return [
        (commands.AnswerChallenge(by=players[each.against], challenge=key, accepted=True), f"answer/{key}")
        for key, each in challenges.items()
        if each.state == "open" and each.against in players
    ]
