"""Details of problems, beyond the title of the code: what this request met, as far as its facts tell, or what to do.

It is said to programs and whoever writes them, in English as the rest of the interface. Pages and terminals say the
catalogue's sentence for the code. It is made of the facts that stand in the problem anyway, so it tells nothing more.
"""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter
from typing import Any, Final

_AGAIN: Final = "a command that is repeated under the same idempotency key is not done twice"
_READ: Final = "read the match again: its view says how far it has come"
_MOVES: Final = "the `moves` of the seat's view say what may be done, and with which values"
_EARNED: Final = "opening a match or taking a seat answers with one; send it as `Authorization: Bearer TOKEN`"

DETAILS: Final[dict[str, tuple[str, ...]]] = {
    # the table
    "game_over": ("nothing more is done at it; its replay, record and audit can still be read",),
    "unknown_player": ("it was given up or taken away, or nobody has taken it yet",),
    "eliminated": ("it takes no more part, and can watch to the end",),
    "not_allowed": ("the rules in the view say which commands there are",),
    "paused": (
        "it goes on by itself at {until}, in Unix milliseconds, or when its host says so",
        "the view says until when; its host may let it go on before",
    ),
    "wrong_phase": (
        "this is due at {due_at}, in Unix milliseconds, and not before",
        "the match is coming to its end already: {ending}",
        "the phase is `{phase}`; the `moves` of a seat's view say what may be done now",
        _READ,
    ),
    "not_your_turn": ("it is the turn of seat {turn}; wait until the view has this seat as its `turn`", _READ),
    "no_standing_claim": ("the first claim of a round has to be made before it can be doubted",),
    "own_claim": ("wait for what the others do about it",),
    "must_claim": (_MOVES,),
    "must_challenge": ("send a challenge in place of a claim",),
    "bad_dice": ("name each die once, by its place from 0, hidden dice first",),
    "no_rerolls_left": ("claim or doubt with the dice as they lie",),
    "roll_must_be_outside": ("name the dice in `roll_outside`",),
    "roll_must_be_inside": ("name the dice in `roll_inside`",),
    "already_shown": ("the next one may be shown in another turn",),
    "nothing_to_show": ("go on with a claim or a doubt",),
    "must_show_die": ("show one, then send the claim again",),
    "must_check_dice": ("look at your dice, then send this again",),
    "cocked_dice": ("show the dice, and wait for the new throw",),
    "claim_malformed": (_MOVES,),
    "face_not_biddable": (_MOVES,),
    "count_out_of_range": ("at most {quantity_max} can be claimed now", _MOVES),
    "claim_not_higher": ("`minimum_raises` or `minimum` says how high the next claim has to be at least",),
    "cannot_prove": ("choose a claim that these dice prove",),
    "bad_target": (_MOVES,),
    "already_passed": ("claim or doubt in this round",),
    "buy_back_closed": ("a seat buys back only while the table waits for it",),
    "bill_used": ("another deal begins, with other numbers",),
    "slip_finished": ("the match goes on without them to its end",),
    # the lobby
    "too_few_players": (
        "this game takes at least {seats} seats; let somebody join, or add bots",
        "let somebody join, or add bots",
    ),
    "too_many_players": (
        "seats that are free at this table: {free} of {seats}",
        "there are {seats} seats at this table, and all are taken",
        "look for another table, or open one",
    ),
    "name_taken": ("seat {seat} is called that; choose another name", "choose another name"),
    "not_over": ("a rematch is opened behind the end of a match",),
    "never_played": ("open a new table in place of a rematch",),
    "needs_invite": ("send what stands behind `invite=` in the link that the host has",),
    "locked": ("the host can unlock it; other tables may have seats",),
    "already_started": ("nobody sits down or gets up in this way any more; it can be watched",),
    "not_ready": ("seats {seats} have still to send `ready`", "whoever is there sends `ready`"),
    "already_ready": ("the match starts once all others have said so too",),
    "too_many_tables": (
        "{waiting} tables that were opened from there wait, of {most}; start one or close one",
        "start one of them or close one",
    ),
    "too_many_bot_tables": (
        "{started} of them were started from this address; wait until one is over, or end it",
        "{playing} of them are played at this house; wait until one is over",
        "wait until one of them is over",
    ),
    "bad_options": ("{option}: {why}", "`option` says which one, and `GET /api/v1/games` what each of them takes"),
    # the deal
    "not_dealing": ("the deal is at its stage `{stage}`", _READ),
    "wrong_deal": ("the deal under way is number {deal}", "the view says which deal is under way"),
    "seed_already_given": ("deal {deal} has it; there is nothing more to send", "there is nothing more to send"),
    "seed_mismatch": (
        "for deal {deal} the commitment is {commit}; send the seed it was made from",
        "send the seed that the commitment was made from",
    ),
    "server_custody": ("no seed is expected from its player; own seeds are chosen when the seat is taken",),
    "already_continued": ("the round begins when the others have asked for it, or when the pause is over",),
    "not_the_host": ("send the token of the host, or ask the host to do it",),
    # what a host does
    "not_paused": ("there is nothing to resume",),
    "not_away": ("a bot may play for it once it has",),
    "stood_in": ("send `take_back`, then this again",),
    "not_stood_in": ("its player has it; there is nothing to give back",),
    "bad_time": ("here from {least} to {most} milliseconds may be given", "ask for a time in between"),
    "no_changes_left": ("the host can change nothing more of this kind at this match",),
    "no_asides_left": ("keys, pauses and looks at dice one knows have a limit at this match",),
    "no_hold_left": (
        "{left_ms} milliseconds of it are left",
        "neither a pause nor time can be given in this match any more",
    ),
    # seats with keys
    "needs_signature": ("send it with `signed`: the number, the version and the signature over its public form",),
    "no_key": (
        "entrant {number} has registered none",
        "send it without `signed`: a seat gets its key when somebody sits down, and none later",
    ),
    "bad_key": ("a key is a point of Ed25519 as 64 hex digits, strictly spelled, and none of small order",),
    "key_taken": (
        "entrant {number} has it, or is to have it: make a fresh key",
        "make a fresh key: one holds one seat of a match",
    ),
    "bad_signature": (
        "look at `{why}`: sign the next number, over the last line as it is, and what the command says",
        "read the record again, and sign what it says then",
    ),
    "has_key": ("only what its clock does stands unsigned for it",),
    # the interface: what the request is
    "malformed": (
        "{faults[0][where]}: {faults[0][why]}",
        "`/openapi.json` has the schema and an example of what each address takes",
    ),
    "bad_idempotency_key": ("make one up for each request, such as a UUID, or leave the header out",),
    "weak_idempotency_key": (
        "the key earns a token: let it be a UUID or 128 random bits, or leave it out and one is made up",
    ),
    "bad_host": ("send one Host header, with a name or an address and at most a port",),
    "bad_if_match": ("send the `ETag` of the last answer as it came",),
    "not_understood": ("send the command as JSON, by its `type`",),
    "bad_token": ("send the token as it was given, as `Authorization: Bearer TOKEN`",),
    "no_token": (_EARNED,),
    "foreign_token": ("a token is good for the match that gave it alone",),
    "not_a_seat": ("taking a seat answers with such a token; that of the host is none",),
    "no_hints": ("`why` says what is the matter with this one",),
    "no_phrases": ("the match is played without them; nothing was said",),
    "spectators_only": ("open the match in a window of its own to play",),
    "cross_site": ("ask from the house's own pages, or from a program that is no browser",),
    "not_found": ("`/openapi.json` lists all addresses there are",),
    "unknown_match": ("`GET /api/v1/matches` lists those that are public",),
    "unknown_seat": ("`seats` lists those that somebody has",),
    "unknown_question": ("`known` lists the questions there are",),
    "unknown_policy": ("`GET /api/v1/policies` lists those there are",),
    "analysis_waits": ("the {waits_for} has to be over first", "ask again once the match is over"),
    "nothing_to_decide": ("ask again when it is the turn of this seat",),
    "unknown_analysis": ("`POST /api/v1/analyses` makes one of a record",),
    "record_faulty": ("`fault` is its code, and `line` where it is; `truecup audit` says the same",),
    "cannot_analyse": ("a record of a match can be, of which at least one round is over",),
    "no_checkpoint": ("there is one soon after the first event of the house",),
    "no_tile": ("the checkpoint says how large the log is",),
    "bad_method": ("the `Allow` header lists those it takes",),
    "not_acceptable": ("`known` lists those there are, where there is a choice; ask for one of them",),
    "too_slow": ("send it again, all at once",),
    "version_in_the_future": ("the match is at version {version}", "ask for a version that the match has had"),
    "version_passed": (
        "the match is at version {version}; read it again, and decide again",
        "read the match again, and decide again",
    ),
    "too_large": ("send less in one request",),
    "address_too_long": ("the request line and the headers have 16 KiB together",),
    "bad_media_type": ("send it with `Content-Type: application/json`",),
    "misdirected": ("ask under one of these names, or have the one in the Host header added to them",),
    "bad_name": ("choose another name",),
    "bad_question": ("`GET /api/v1/odds` says what each question takes",),
    "upgrade_required": ("send the handshake of RFC 6455, or take the stream over HTTP",),
    "key_reused": ("make up a key of its own for each request, and keep it for repeats of that one alone",),
    "too_many_requests": (
        "the limit is `{ratelimit[key]}`; ask again in {ratelimit[seconds]} s",
        "the `Retry-After` header says when to ask again",
    ),
    "head_too_large": ("send fewer headers, or shorter ones",),
    # the interface: what the house is
    "broken": (f"whether something was done is not known; {_AGAIN}",),
    "unknown_method": ("`/openapi.json` lists the methods of each address",),
    "unavailable": (f"`Retry-After` says when to ask again; {_AGAIN}",),
    "unreadable": ("no event of it is lost; ask another node, or the operator of the house",),
    "too_many_connections": ("close one, or ask again as `Retry-After` says",),
    "too_many_streams": ("close one, or ask again as `Retry-After` says",),
    "closing": (f"another node may answer now; {_AGAIN}",),
    # tournaments
    "tournament_over": ("its standings, matches and record can still be read",),
    "not_an_official": ("the token of an entrant asks for what concerns that entrant",),
    "unknown_number": ("`GET .../entrants` has the numbers",),
    "not_yours": ("leave `number` out to ask for the own one",),
    "entry_closed": ("an official may enter somebody until the check-in begins",),
    "already_registered": ("read the tournament: nothing has to be done",),
    "tournament_full": ("at most {max} may enter", "somebody has to withdraw first"),
    "entry_conditions": ("the condition is `{condition}`", "the rules say what it takes"),
    "not_checked_in": ("whoever was not there when lots were drawn is not in it",),
    "already_withdrawn": ("`return` takes an entrant in again, where that can be done",),
    "disqualified": ("the penalty can be lifted by its line",),
    "too_late": ("this can be asked from round {round} on", "read the tournament: it has come further"),
    "round_open": ("results are missing at the tables {tables}", "wait for the tables without a result"),
    "already_paired": ("unpair round {round} first", "unpair the round first"),
    "not_paired": ("the tournament's view says which round it has come to",),
    "unknown_table": ("`GET .../rounds/STAGE/ROUND` lists the tables",),
    "table_running": ("table {table} is played still", "a table is played still"),
    "table_over": ("rule on it, or have it replayed",),
    "already_recorded": ("an official may rule on the table",),
    "wrong_match": ("attempt {attempt} counts, which is the match {match}", "another match counts at this table"),
    "own_table": ("another official has to do this",),
    "bad_ranking": ("these sit there: {seats}", "name everybody of the table once"),
    "bad_points": ("points are texts such as `7`, `-1/2` or `13/3`",),
    "bad_tables": ("name everybody once who plays in the round",),
    "forbidden_pair": ("the two are {numbers}", "somebody has forbidden it, which can be taken back"),
    "cannot_pair": (
        "tables seat {sizes}, and {entrants} alone are left: let somebody come back, or fix a smaller table by hand",
        "these stand in the way: {pairs}",
        "allow a pair, or fix tables by hand",
    ),
    "out_of_reach": ("one may challenge up to {reach} places above", "the rules say how many places above"),
    "already_challenged": (
        "number {number} waits for an answer or a table",
        "whoever has one that is open waits for it first",
    ),
    "no_challenge": ("there is none open of number {challenge}", "`GET .../me` has the one that is open"),
    "unknown_line": ("lines are counted from 0",),
    "unknown_case": ("`GET .../cases` lists those there are",),
    "appeal_decided": ("it was `{outcome}`", "file another one"),
    "appeals_open": ("decide these first: {appeals}", "decide them first"),
    "too_many_appeals": ("an entrant has at most {max} open ones", "wait until one is decided"),
    "reason_needed": ("say why in `text`",),
    "too_many_words": ("ask without `text`, or have an official erase texts",),
    "unknown_tournament": ("`GET /api/v1/tournaments` lists those there are",),
    "not_a_drawer": ("`GET .../me` says whether the token's entrant draws, and in which seat",),
    "not_an_entrant": ("entering answers with such a token",),
    "bad_list": ("`rows` says of the first 100 rows that are wrong what it is",),
    "bad_url": ("an address begins with `https://` and is one of the public network",),
    "unknown_webhook": ("`GET .../webhooks` lists those there are",),
    "too_many_webhooks": ("remove one of the {most}", "remove one"),
    "own_ruling": ("line {line} is a ruling of whoever asks", "another official has to do this"),
    "no_trf": ("take the record, or the spreadsheets",),
    # seasons and players
    "season_over": ("its table, ratings and record can still be read",),
    "season_full": ("at most {max} are held for one", "begin another season"),
    "season_running": ("these are not over: {tournaments}", "wait for its tournaments, or cancel them"),
    "unknown_board": ("`rules.board` of a match names the one whose dice it has",),
    "unknown_season": ("`rules.season` of a tournament names the one it is held for",),
    "unknown_person": ("`GET .../entrants` of a tournament has the ids of players",),
    # what people say
    "may_not_comment": ("`PUT /api/v1/matches/ID/comments/writers` says who may, for the host",),
    "unknown_comment": ("`GET /api/v1/matches/ID/comments` has those that may be read by now",),
    "comment_erased": ("it cannot be brought back; write another one",),
    "not_the_author": ("its author has another token; the host may withdraw it",),
    "bad_comment": ("`field` says which member of it",),
    "ahead_of_match": ("whoever writes is shown {version} versions of it", "wait until it is shown so far"),
    "too_many_comments": (
        "there is room again at {again_at}, in Unix milliseconds; at most {most} in a minute",
        "at most {most} of one author about one match",
        "wait a minute before more is said",
    ),
}
"""By code, the sentences that may be said; the first that has all its facts is, and the last needs none."""


def detail_of(code: str, facts: Mapping[str, Any]) -> str:
    """Return one sentence more about a no: a `why` of its facts, or what they come to, or what to do next."""
    sentences = DETAILS[code]
    if isinstance(why := facts.get("why"), str) and not any("{why}" in sentence for sentence in sentences):
        return why
    told = {name for name, fact in facts.items() if fact not in (None, [])}
    return next(one.format_map(facts) for one in sentences if _facts_in(one) <= told)


def _facts_in(sentence: str) -> set[str]:
    return {name.partition("[")[0] for _, name, _, _ in Formatter().parse(sentence) if name}
