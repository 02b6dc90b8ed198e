"""`truecup player new`, `show`, `renew`, `erase`: somebody who is known beyond one tournament."""

from __future__ import annotations

import hashlib
from typing import Final

import msgspec

from projections.seasons.players import PlayerView
from services.cli.asking import AskedHouse, asked_house, earned
from services.cli.auditing.export import print_bytes
from services.cli.exits import FINE
from services.cli.kept import keep, kept, place_of
from services.cli.screen import say, say_json
from services.cli.seasons.telling import player_lines, words
from services.client.house import read_reply

PLAYERS: Final = "players"
"""Of what kind tokens of players are, among those that are kept."""


def new(name: str, /, *, url: str | None = None, json: bool = False) -> int:
    """Become a player.

    Args:
        name: What people shall call you; it can be erased.
        url: Where the service is; the `truecup up` of this machine if nothing is said.
        json: Print the service's answer, with the token.
    """
    with asked_house(url) as at:
        answer = at.ask("POST", "/players", body={"name": name})
        return _kept(at, answer, "made", json=json)


def _kept(at: AskedHouse, answer: bytes, key: str, *, json: bool) -> int:
    got = earned(answer, "player")
    place = place_of(PLAYERS, got.name)
    keep(place, got.token, at.base)
    if json:
        print_bytes(answer + b"\n")
    else:
        say(words(key, id=got.name, page=f"{at.base}/players/{got.name}"), words("kept", file=place))
    return FINE


def show(player: str, /, *, url: str | None = None, json: bool = False) -> int:
    """Show a player: how strong in which season, and where the player has played.

    Args:
        player: The id, or the address of the player's page.
        url: Where the service is; the `truecup up` of this machine if nothing is said.
        json: Print the service's answer.
    """
    with asked_house(url) as at:
        view = _seen(at.get(f"/players/{_id(player)}"))
    say_json(view) if json else say(*player_lines(view))
    return FINE


def renew(player: str, /, *, token: str | None = None, url: str | None = None, json: bool = False) -> int:
    """Have another token for a player; the one of before counts no more.

    Args:
        player: The id, or the address of the player's page.
        token: The token of before; the kept one if nothing is said.
        url: Where the service is; the `truecup up` of this machine if nothing is said.
        json: Print the service's answer, with the token.
    """
    name = _id(player)
    with asked_house(url) as at:
        shown = token or kept(place_of(PLAYERS, name), at.base)
        # Asked again after a crash it is the same request, since the old token makes the key: the answer is not lost.
        key = hashlib.sha256(f"renew {shown}".encode()).hexdigest()[:32]
        return _kept(at, at.ask("POST", f"/players/{name}/token", token=shown, key=key), "renewed", json=json)


def erase(player: str, /, *, token: str | None = None, url: str | None = None, json: bool = False) -> int:
    """Erase what a player is called, and which tournaments were entered. It cannot be taken back.

    Args:
        player: The id, or the address of the player's page.
        token: The token of the player; the kept one if nothing is said.
        url: Where the service is; the `truecup up` of this machine if nothing is said.
        json: Print the service's answer.
    """
    name = _id(player)
    with asked_house(url) as at:
        shown = token or kept(place_of(PLAYERS, name), at.base)
        view = _seen(at.ask("DELETE", f"/players/{name}/name", token=shown))
    say_json(view) if json else say(words("erased", id=name), *player_lines(view))
    return FINE


def _seen(answer: bytes) -> PlayerView:
    with read_reply():
        return msgspec.json.decode(answer, type=PlayerView)


def _id(player: str) -> str:
    """Return the id of a player, from itself or from the address of a page; whether there is one, the house says."""
    return player.partition("?")[0].rstrip("/").rpartition("/")[2]
