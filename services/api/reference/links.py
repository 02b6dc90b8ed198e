"""Links in `/openapi.json`: which operation goes on from an answer, with what of it (OpenAPI 3.1, Link Object).

A program that knows no more than the document walks from a table that it has opened to its end. Tokens are no part of a
link, for OpenAPI names them in security schemes alone: whoever goes on shows the one that the answer, or the request
before it, had.
"""

from __future__ import annotations

from typing import Any, Final

Json = dict[str, Any]

_OF_THIS_MATCH: Final = {"match_id": "$request.path.match_id"}
_OF_A_NEW_MATCH: Final = {"match_id": "$response.body#/match"}
_OF_THIS_EVENT: Final = {"tournament_id": "$request.path.tournament_id"}
_OF_A_NEW_EVENT: Final = {"tournament_id": "$response.body#/tournament"}
_OF_THIS_SEASON: Final = {"season_id": "$request.path.season_id"}
_OF_A_NEW_SEASON: Final = {"season_id": "$response.body#/season"}
_OF_THIS_PLAYER: Final = {"player": "$response.body#/player"}
_COMMENT: Final = {**_OF_THIS_MATCH, "comment": "$response.body#/comment"}
_OFFICIAL: Final = {**_OF_THIS_EVENT, "official": "$response.body#/by"}
_ENTRANT: Final = {**_OF_THIS_EVENT, "number": "$response.body#/number"}
_OWN_SEAT: Final = {**_OF_THIS_MATCH, "seat": "$response.body#/seat"}

_LOBBY: Final = ("join_match", "seat_bots", "start_match", "play", "view_match")
_SEATED: Final = ("view_match", "play", "say_phrase", "own_openings", "say_comment", "leave_match")
_IN_PLAY: Final = ("view_match", "play", "replay_match", "lines_of_match", "choices_of_match")
_MOVED: Final = ("view_match", "play", "record_of_match", "audit_match", "see_rematch", "ask_for_rematch")
_ANNOUNCED: Final = ("enter_tournament", "enter_bots", "ask_of_tournament", "appoint_official", "view_tournament")
_ENTERED: Final = ("own_card", "ask_of_tournament", "list_entrants", "view_standings")

_LINKS: Final[dict[str, tuple[tuple[Json, tuple[str, ...]], ...]]] = {
    "open_match": ((_OF_A_NEW_MATCH, _LOBBY),),
    "ask_for_rematch": ((_OF_A_NEW_MATCH, _LOBBY),),
    "join_match": ((_OF_THIS_MATCH, (*_SEATED, "erase_name")), (_OWN_SEAT, ("name_key",))),
    "seat_bots": ((_OF_THIS_MATCH, ("start_match", "view_match", "bot_turns")),),
    "start_match": ((_OF_THIS_MATCH, _IN_PLAY),),
    "play": ((_OF_THIS_MATCH, _MOVED),),
    "leave_match": ((_OF_THIS_MATCH, ("view_match", "join_match")),),
    "say_comment": ((_OF_THIS_MATCH, ("list_comments", "let_write")), (_COMMENT, ("replace_comment",))),
    "replace_comment": ((_COMMENT, ("withdraw_comment",)), (_OF_THIS_MATCH, ("export_comments",))),
    "announce_tournament": ((_OF_A_NEW_EVENT, _ANNOUNCED),),
    "enter_tournament": ((_OF_THIS_EVENT, _ENTERED), (_ENTRANT, ("view_entrant",))),
    "enter_bots": ((_OF_THIS_EVENT, ("list_entrants", "ask_of_tournament", "preview_round")),),
    "appoint_official": ((_OFFICIAL, ("dismiss_official",)), (_OF_THIS_EVENT, ("ask_of_tournament",))),
    "ask_of_tournament": ((_OF_THIS_EVENT, ("view_tournament", "view_standings", "lines_of_tournament")),),
    "begin_season": ((_OF_A_NEW_SEASON, ("view_season", "close_season")),),
    "close_season": ((_OF_THIS_SEASON, ("export_season",)),),
    "make_player": ((_OF_THIS_PLAYER, ("view_player", "renew_player_token", "erase_player")),),
}


def links_of(operation: str) -> Json:
    """Return what goes on from a good answer of an operation, by the name of the operation that does.

    Each has the parameters that say where it goes on; what is asked there is for whoever asks to say.
    """
    return {
        following: {"operationId": following, "parameters": parameters}
        for parameters, those in _LINKS.get(operation, ())
        for following in those
    }
