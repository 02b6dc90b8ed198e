"""Refusals: the codes a rule says no with.

A refusal is a value of the domain: it has a stable code and the facts a player needs to mend the command.
It knows nothing of HTTP. Refusing records nothing and changes nothing.
"""

from __future__ import annotations

from typing import Final

CODES: Final[dict[str, str]] = {
    # the table, in the order in which they win when several apply
    "game_over": "the match is over",
    "unknown_player": "this player has no seat at this table",
    "eliminated": "this seat is out of the match",
    "not_allowed": "the rules of this match do not have this command here",
    "paused": "the table is paused",
    "wrong_phase": "this cannot be asked at this point of the match",
    "not_your_turn": "it is another seat's turn",
    "no_standing_claim": "there is no claim to answer yet",
    "own_claim": "nobody can challenge their own claim",
    "must_claim": "only a claim will do here, or a doubt where somebody has just passed",
    "must_challenge": "no higher claim exists, so the standing one has to be challenged",
    "bad_dice": "these dice cannot be handled like this",
    "no_rerolls_left": "no re-roll is left here",
    "roll_must_be_outside": "where dice are kept under the cup, the others are rolled in the open",
    "roll_must_be_inside": "where no die is kept under the cup, the others are rolled under it",
    "already_shown": "one die a turn is shown",
    "nothing_to_show": "the last hidden die is never shown",
    "must_show_die": "a die has to be shown before this claim",
    "must_check_dice": "the dice have to be looked at first",
    "cocked_dice": "a die lies cocked: all of them have to be shown and thrown anew",
    "claim_malformed": "this is not a claim of this game",
    "face_not_biddable": "this face cannot be named here",
    "count_out_of_range": "a quantity is between 1 and the number of dice, or of digits, in play",
    "claim_not_higher": "a claim has to beat the standing one",
    "cannot_prove": "these dice do not show it",
    "bad_target": "this names no seat that can be named here",
    "already_passed": "a seat may pass once a round",
    "buy_back_closed": "nobody can buy back now",
    "bill_used": "a number is played once only",
    "slip_finished": "every number of the slips has been played",
    # the lobby
    "too_few_players": "more seats have to be taken before the match can start",
    "too_many_players": "fewer seats are free than are asked for",
    "name_taken": "somebody at this table has this name, or one that looks the same",
    "not_over": "the match is not over yet",
    "never_played": "this table was closed before anybody played at it",
    "needs_invite": "this table is private: a seat at it takes the invitation of its host",
    "locked": "the table is locked: its host lets nobody else sit down",
    "already_started": "the match has started",
    "not_ready": "somebody at this table has not said yet to be there",
    "already_ready": "this seat is known to be there",
    "too_many_tables": "so many tables of this address wait for players that another has to wait",
    "too_many_bot_tables": "bots alone play at so many tables that another has to wait",
    "bad_options": "an option of the rules is not what it should be",
    # the deal
    "not_dealing": "no deal is waiting for this seat's seed",
    "wrong_deal": "this seed belongs to another deal",
    "seed_already_given": "this seat has already given it for this deal",
    "seed_mismatch": "this seed does not open the commitment the seat made",
    "server_custody": "the server draws the seeds of this seat",
    "already_continued": "this seat has asked for the next round already",
    "not_the_host": "only the host of the match may do this",
    # what a host does
    "not_paused": "the table is not paused",
    "not_away": "the seat has not kept the table waiting for long enough",
    "stood_in": "a house bot plays this seat for its player, who takes it back first",
    "not_stood_in": "no house bot stands in for this seat",
    "bad_time": "time is given in whole milliseconds, from 1,000 to 600,000 at once",
    "no_changes_left": "the table has been changed as often as its rules let",
    "no_asides_left": "as much was written beside the game as its rules let",
    "no_hold_left": "the host has held the table up for as long as its rules let",
    # seats with keys
    "needs_signature": "this seat signs what it asks for, and this is not signed",
    "no_key": "there is no key here",
    "bad_key": "this is no key that anybody could sign with",
    "key_taken": "somebody else here has this key, or is to have it",
    "bad_signature": "this is not signed as things stand",
    "has_key": "this seat signs what it asks for, and nobody else can do it in its place",
}

TOURNAMENT_CODES: Final[dict[str, str]] = {
    # in the order in which they win when several apply
    "tournament_over": "the tournament is over",
    "not_an_official": "only an official of the tournament may do this",
    "unknown_number": "no entrant has this number",
    "not_yours": "only this entrant, or an official, may do this",
    "entry_closed": "nobody can enter any more",
    "already_registered": "this has been done already",
    "tournament_full": "there is no place left in this tournament",
    "entry_conditions": "a condition of this tournament is not met",
    "not_checked_in": "this entrant never said to be there",
    "already_withdrawn": "this entrant has left the tournament",
    "disqualified": "this entrant is disqualified",
    "too_late": "it is too late for this",
    "round_open": "results of the round are missing",
    "already_paired": "the round is paired already",
    "not_paired": "there is no such round, or it is not paired yet",
    "unknown_table": "the round has no table of this number",
    "table_running": "this table has no result yet",
    "table_over": "a table of the round has a result already",
    "already_recorded": "the result of this table is on record",
    "wrong_match": "this is not the match that counts at this table",
    "own_table": "nobody rules on the own table",
    "own_ruling": "nobody decides on an own appeal, or against an own ruling, while another official can",
    "bad_ranking": "a ranking names everybody who was there once, and nobody else",
    "bad_points": "these are no points that can be given or taken here",
    "bad_tables": "these are no tables of the round",
    "forbidden_pair": "these two may not sit at one table",
    "cannot_pair": "nobody can be paired as things are: two may not meet, or too few are left for a table",
    "out_of_reach": "only somebody who stands a little above on the ladder can be challenged",
    "already_challenged": "one of the two waits for what becomes of a challenge",
    "no_challenge": "there is no such challenge, or it has been answered",
    "unknown_line": "the record has no such line, or none of this kind",
    "unknown_case": "no screening of this tournament has found such a case",
    "appeal_decided": "this appeal has been decided",
    "appeals_open": "appeals wait for a decision",
    "too_many_appeals": "so many appeals of this entrant are open that another has to wait",
    "reason_needed": "another reason takes a note",
    "too_many_words": "so much has been said in words here that there is room for no more",
    "no_trf": "the form TRF26 has no way to write this event",
}
"""What the rules of a tournament say no with, beside those of `CODES` that suit it."""

SEASON_CODES: Final[dict[str, str]] = {
    # in the order in which they win when several apply
    "season_over": "the season is over",
    "season_full": "so many tournaments are held for this season that another has to wait for the next",
    "season_running": "a tournament of the season is not over",
}
"""What the rules of a season say no with, beside those of the tables above that suit it."""

COMMENT_CODES: Final[dict[str, str]] = {
    # in the order in which they win when several apply
    "may_not_comment": "who may write about a match is said by its host",
    "unknown_comment": "nobody has said this about the match",
    "comment_erased": "the comment was withdrawn, or its words were erased",
    "not_the_author": "only who wrote a comment may change it",
    "bad_comment": "the comment cannot be taken as it is",
    "ahead_of_match": "the match has not come to the version that the comment is about",
    "too_many_comments": "so much has been said about the match that there is room for no more just now",
}
"""What is said no with to whoever writes about a match."""

_TITLES: Final = {**CODES, **TOURNAMENT_CODES, **SEASON_CODES, **COMMENT_CODES}
_PLACES: Final = {code: place for place, code in enumerate(CODES)}


def first_refusal(*codes: str | None) -> str | None:
    """Return the one of these codes that wins, the first of the table; None where none applies."""
    found = [code for code in codes if code is not None]
    return min(found, key=_PLACES.__getitem__) if found else None


class Refused(Exception):  # noqa: N818 - the field's word; an Error is somebody's fault
    """A rule says no.

    Attributes:
        code: One of the tables above, stable for ever.
        facts: What the player needs to know to do better, as JSON values. Never anything that depends on hidden dice.
    """

    def __init__(self, code: str, **facts: object) -> None:
        """Refuse with a code of the tables above and the facts of the case."""
        super().__init__(_TITLES[code])
        self.code = code
        self.facts = facts
