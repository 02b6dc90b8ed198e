"""Members described: what a docstring says below `Attributes:` is said of each member of its schema.

msgspec puts the whole docstring of a struct into the description of its schema, where no program that reads schemas, an
editor or a generator of clients, looks for what a single member means.
"""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import Any, Final

Json = dict[str, Any]

SHARED: Final = {
    "absent": "The numbers of those who did not come.",
    "after": "The last version seen, behind which frames begin; behind the snapshot, if nothing is said.",
    "anchored": "Whether the transparency log vouches for it.",
    "appeal": "The number of the appeal, from 1.",
    "args": "Where in the frame each argument stands, as a JSON pointer.",
    "at": "When it happened, in Unix milliseconds.",
    "attempt": "Which match at this table it is, from 1; the newest counts.",
    "awaits": "What of the seed the deal of lots waits for.",
    "beacon": "What the deal gets of a public beacon; null where it needs none.",
    "beat": "True.",
    "before": "Where the page before ended, as its `Link` says.",
    "bot": "Whether the house plays this seat.",
    "bound": "What no grouping of the round costs less than.",
    "bye": "The last version that was told of.",
    "byes": "The numbers of those who rest because tables were full.",
    "board": "The id of the board.",
    "board_id": "The id of the board: `rules.board` of a match that has its dice names it.",
    "case": "The name of the case, as the line has it that opened it.",
    "chain": "The hash of the beacon's chain, in hex.",
    "chance": "How likely it is.",
    "channel": "Where a sentence is said.",
    "check_in_until": "Until when people say that they are there, in Unix milliseconds.",
    "checkpoint": "The log's signed note of its size and root.",
    "choices": "The choices, by the roll they led to.",
    "claim": "The claim, as the log has it.",
    "closed_at": "When its last result was in, in Unix milliseconds; null before.",
    "club": "The opaque id of the club, or null.",
    "code": "What kind of problem it is; programs decide by it.",
    "comment": "The id of the comment.",
    "com": "The commitments of the cup's slots in this roll, in hex (CUP/1 section 4.6).",
    "commit": "The commitment to the seat's seed, in hex (CUP/1 section 4.1).",
    "cost": "What it costs.",
    "count": "How many.",
    "counts": "How many entrants there are.",
    "cup": "The number of the cup in its deal.",
    "deal": "The number of the deal in its match, from 0.",
    "decimal": "The number with decimals.",
    "detail": "One sentence more: what this request met, or what to do next.",
    "dice": "The dice.",
    "digest": "The SHA-256 of the file, in hex.",
    "disputable": "Lines about the entrant that may be appealed against, the latest first.",
    "do": "What the client asks for.",
    "draws": "Whether a seed is offered to the lots.",
    "ended": "The last version of the match.",
    "entrant": "The entrant.",
    "entrants": "How many have entered and not left.",
    "entry_open": "Whether anybody may enter now.",
    "event": "What happened: its `type` and its data.",
    "explained": "Whether each tie-break says what it is made of.",
    "face": "The face: pips 1 to 6, digits 0 to 9, poker dice 9 to 14.",
    "faces": "The faces that the shape names, highest group first.",
    "figures": "The figures, in reading order.",
    "format": "The format of the first stage.",
    "fraction": "The number as a fraction.",
    "frame": "The frame.",
    "frames": "The frames, in order.",
    "game": "The name of the game, as `GET /api/v1/games` has it.",
    "glance": "Whether this is but a glance, which is not counted among those who watch.",
    "group": "The number of the group, from 1; the whole stage, if nothing is said.",
    "hash": "The SHA-256 of the standings object, in hex.",
    "head": "The hash of the last line, in hex.",
    "host": "The token of the host, for whoever asked first.",
    "hook": "The id of the webhook.",
    "id": "What the client called its message.",
    "index": "The number of the line in the transparency log, from 0.",
    "inside": "The positions of dice that stay or come under the cup.",
    "invite": "What takes a seat at a private table.",
    "key": "Which sentence it is.",
    "keys": "The keys of the dice as (slot, key), in hex.",
    "kind": "Which kind of it.",
    "lang": "The language to answer in; what `Accept-Language` wants, if nothing is said.",
    "late": "What is said of a round as it closes.",
    "limit": "How many at most.",
    "line": "What it is, in one line for people.",
    "lines": "The lines of the record that say what was done, counted from 0.",
    "looks": "Whether it shows the dice, or else has to be followed by a roll.",
    "lots": "How lots come about.",
    "lowest": "The faces of the lowest of them that stands high enough.",
    "luck": "How far the dice were above or below their mean, in standard deviations.",
    "match": "The id of the match.",
    "match_id": "The id of the match.",
    "mates": "Who else sits at the table.",
    "meetings": "The tables at which the two have played together before, in order.",
    "minimum": "The next hand on the ladder.",
    "ms": "How many milliseconds.",
    "name": "The name.",
    "named": "How many faces it names.",
    "next_starter": "The seat that opens the next round, where it is known.",
    "note": "The SHA-256 of salt and text, in hex, as a line has it.",
    "number": "The number of the entrant, from 1.",
    "numbers": "The numbers of both.",
    "odds": "What is likely while a round is played.",
    "of": "Which of several it is.",
    "official": "The id of the official, as lines have it.",
    "opens": "Whether the own seat opens the match.",
    "opponents": "Who else sits there.",
    "others": "Who else sits there.",
    "outcome": "What becomes of it.",
    "outside": "The positions of dice that everybody sees, or shall see.",
    "over": "How many have a result.",
    "own": "How many draw a seed of their own.",
    "parameters": "The JSON Schema of what it takes.",
    "path": "The hashes that lead to the deal's root, in hex.",
    "paused": "Whether it stands still until an official says so.",
    "penalties": "The penalties, by their lines.",
    "phase": "What the match waits for.",
    "phrase": "Which of the quick phrases it is.",
    "phrases": "Whether what seats say is told as well: to readers of server-sent events if nothing is said.",
    "place": "The place, from 1; null for who has none.",
    "places": "How many may enter.",
    "planned": "How many rounds the stage has, where that is known.",
    "player": "The id of the player.",
    "points": "Points, as texts of whole numbers or fractions in lowest terms.",
    "pot": "The chips in the pot.",
    "price": "How many chips it costs.",
    "prize": "What is won, once it is said.",
    "prizes": "Who wins what, once it is said.",
    "quantity": "How many tokens.",
    "question": "The name of the question.",
    "randomness": "What the beacon said, in hex.",
    "ranking": "Who has which place, best first; those who share one stand together.",
    "reads": "What everybody's moves say while a round is played.",
    "reason": "Why: one of a few words, for the log keeps nobody's own.",
    "reasons": "What is amiss, by the name of what is missing.",
    "receipt": "The log's signed note of the line that the command became: keep it.",
    "repeat": "What it costs that the two have met before.",
    "restricted": "Whether only officials read the text.",
    "role": "What the token lets somebody do.",
    "roll": "The number of the roll of its cup, from 0.",
    "roll_inside": "The positions of dice that are rolled under the cup.",
    "roll_outside": "The positions of dice that are rolled for everybody to see.",
    "root": "The root over all dice of the deal, in hex.",
    "round": "The number, from 1; 0 before the first.",
    "row": "The row of the standings.",
    "rows": "The rows, by place.",
    "rules": "The rules object, with every option spelled out.",
    "salt": "The 16 bytes that were hashed before the text, in hex.",
    "samples": "How many profiles an estimate is made from.",
    "score": "Points and penalties.",
    "seat": "The number of the seat, from 1.",
    "signed": "The signature of a seat with a key over the command in its public form (CUP/1 section 4.14).",
    "seats": "The seats.",
    "seats_max": "How many may sit down.",
    "seed": "The seed, in hex.",
    "shape": "The name of the shape, as the game's ladder has it.",
    "shapes": "The shapes that may be called, lowest first.",
    "share": "The share, exactly.",
    "season": "The id of the season, or null.",
    "season_id": "The id of the season.",
    "shared": "Whether somebody has the same place.",
    "shown": "The number as people read it.",
    "signature": "What proves that the beacon said it, in hex.",
    "small": "What sitting at small tables costs.",
    "snapshot": "The match as the viewer sees it now.",
    "special": "What the throw is to do instead of counting.",
    "specials": "What a throw may do instead of counting.",
    "stage": "The number of the stage, from 1; the newest, if nothing is said.",
    "stages": "The stages, begun or to come.",
    "started_at": "When its matches were open, in Unix milliseconds; null before.",
    "state": "Which of them.",
    "status": "How it went; where a number, a status as HTTP has it.",
    "step": "What it is.",
    "table": "The number of the table, from 1 at the top.",
    "tables": "The tables.",
    "targets": "The seats that `impose` may name.",
    "terms": "What each pair at the table costs.",
    "text": "The words, as people type them.",
    "theirs": "The other's place there, from 1.",
    "ties": "The tie-breaks that were looked at, by their codes.",
    "times": "How often it was before.",
    "title": "What it is called for people.",
    "to": "The seat that is named.",
    "token": "The token, which is shown only here.",
    "tournament": "The id of the tournament.",
    "tournament_id": "The id of the tournament.",
    "type": "Which of several kinds it is.",
    "unit": "What it is paid in.",
    "until": "Until when it lasts, in Unix milliseconds.",
    "value": "The number, exactly.",
    "values": "The values of the dice as (slot, value); a face is its value and the first face of its kind.",
    "version": "How many events of the match there are.",
    "view": "The match as the viewer sees it then.",
    "watch": "The `id` of the message with which the client began to follow.",
    "who": "The seat that is named.",
    "whole": "What is paid, in whole units.",
    "winner": "The seat that has won, null while nobody has.",
    "with": "The number of another entrant; everybody else, if nothing is said.",
}
"""What members mean that are called so wherever their struct says nothing else of them."""
_SECTION: Final = "Attributes:"
_MEMBER: Final = re.compile(r"^    (\w+): ")


def describe_members(components: Json) -> Json:
    """Return schemas by name in which each member says what its struct's docstring says of it."""
    return {name: _described(schema) for name, schema in components.items()}


def _described(schema: Json) -> Json:
    if "properties" not in schema:
        return schema
    # From 3.13 on Python itself takes the indentation of a docstring away.
    about, _, members = cleandoc(schema.get("description", "")).partition(_SECTION)
    said = {**SHARED, **_texts_of(members)}
    properties = {
        name: {**member, "description": said[name]} if name in said else member
        for name, member in schema["properties"].items()
    }
    return {**schema, "description": about.strip(), "properties": properties}


def _texts_of(section: str) -> dict[str, str]:
    """Return what a section says of each member; lines that are indented further go on with the one before."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in section.splitlines():
        if begun := _MEMBER.match(line):
            lines = found[begun[1]] = [line[begun.end() :]]
        elif line.strip():
            lines.append(line.strip())
    return {name: " ".join(those) for name, those in found.items()}
