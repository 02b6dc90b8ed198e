"""Examples in `/openapi.json`: bodies as they may be sent, and answers as a house has given them.

`answers.json` has an answer to each operation, by its name, as a house gave it in a match of one die a seat; tokens are
made up, long lists cut short. A text is what stands at the beginning of a longer one.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any, Final

import msgspec

Json = dict[str, Any]

BODIES: Final[dict[str, dict[str, Json]]] = {
    "open_match": {
        "usual": {"rules": {"game": "common_hand"}},
        "for friends": {"rules": {"game": "mexican", "seats": 4}, "name": "Friday night", "private": True},
        "to practise": {
            "rules": {"game": "common_hand", "seats": 2, "pause_ms": 0},
            "choices": {"bots": "instant", "hints": True},
        },
    },
    "join_match": {"usual": {"name": "Ada"}, "with own seeds": {"name": "Ada", "custody": "client"}},
    "ask_for_rematch": {"first": {"sits": False}, "with own seeds": {"custody": "client"}},
    "take_key": {
        "with own seeds": {
            "left_at": 1795599545035,
            "custody": "client",
            "key": "d04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737",
            "signed": {"n": 0, "version": 4, "sig": "5ab2" * 32},
        }
    },
    "name_key": {"another": {"key": "d04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737"}},
    "seat_bots": {"two": {"count": 2}, "two of level 1": {"count": 2, "level": "L1"}},
    "say_phrase": {"usual": {"phrase": "nice"}},
    "play": {
        "in words": {"type": "say", "text": "5x3"},
        "a bid": {"type": "bid", "quantity": 5, "face": 3},
        "a hand": {"type": "call", "shape": "two_pair", "faces": [13, 10]},
        "a doubt": {"type": "challenge"},
    },
    "announce_tournament": {
        "usual": {"preset": "pods", "title": "Club night"},
        "three rounds of duels": {
            "preset": "duel_swiss",
            "rules": {"stages": [{"format": "swiss", "rounds": 3, "sizes": {"preferred": 2, "min": 2, "max": 2}}]},
        },
    },
    "enter_tournament": {
        "usual": {"name": "Ada"},
        "for a club": {"name": "Ada", "club": "Dice Club"},
        "with own seeds": {"name": "Ada", "custody": "client"},
        "seeded by hand": {"name": "Ada", "seed": 3},
        "as a player": {"player": "truecup_player_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
    },
    "give_seed_to_board": {
        "fix it": {"type": "commit_seed", "deal": 0, "commit": "5ab2" * 16},
        "open it": {"type": "open_seed", "deal": 0, "seed": "7f3e" * 16},
    },
    "begin_season": {
        "ratings only": {"game": "common_hand"},
        "a league": {
            "game": "common_hand",
            "rules": {"league": {"places": ["10", "6", "4", "3", "2", "1"], "best": 5, "up": 2, "down": 2}},
            "title": "Autumn league",
        },
    },
    "say_comment": {
        "usual": {"version": 42, "text": "Seat 2 has to doubt this.", "lang": "en"},
        "of a round, as a seat sees it": {"version": 42, "until": 57, "seat": 2, "text": "Gut gelesen.", "lang": "de"},
    },
    "replace_comment": {"usual": {"text": "Seat 2 may doubt this."}},
    "let_write": {"a caster": {"casters": ["u0f3a5c7e9b1d2f4a6c8e0b2d"], "everybody": True}},
    "make_player": {"usual": {"name": "Ada"}},
    "enter_bots": {"eight": {"count": 8}},
    "sit_at_own_table": {
        "with the registered key": {
            "custody": "client",
            "key": "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "signed": {"n": 0, "version": 3, "sig": "5ab2" * 32},
        },
        "without a key": {},
    },
    "appoint_official": {"usual": {"role": "arbiter"}},
    "ask_of_tournament": {
        "check in": {"type": "check_in", "draws": True},
        "let people enter": {"type": "open_entry"},
        "a ruling": {
            "type": "rule",
            "stage": 1,
            "round": 1,
            "table": 2,
            "ranking": [[3], [1, 4]],
            "absent": [2],
            "reason": "agreement",
            "text": "said so to both arbiters",
        },
        "an appeal": {"type": "appeal", "line": 41},
        "a key": {
            "type": "take_key",
            "key": "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "signed": {
                "key": "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
                "n": 0,
                "version": 12,
                "sig": "5ab2" * 32,
            },
        },
    },
    "make_webhook": {
        "rounds": {"url": "https://hooks.club.org/truecup", "events": ["round.paired", "round.closed"]},
        "a chat": {"url": "https://discord.com/api/webhooks/1/token", "kind": "discord", "language": "de"},
    },
}
"""Bodies as they may be sent, by operation."""

_RECORD: Final = (
    '{"at":1764100000000,"data":{"match":"01964b1e-7d2c-7c3a-9d3e-2f6a8b0c4d5e","policy":"all","rules":'
    '{"game":"common_hand"}},"prev":"' + "0" * 64 + '","seq":0,'
    '"stream":"match/01964b1e-7d2c-7c3a-9d3e-2f6a8b0c4d5e","type":"match.created","v":1}\n'
)
LISTS: Final = {
    "analyse_record": {"application/x-cup": _RECORD},
    "enter_list": {
        "text/csv": "name,club\r\nAda,Dice Club\r\nBen,\r\n",
        "application/x-ndjson": '{"name":"Ada","club":"Dice Club"}\n{"name":"Ben"}\n',
    },
    "open_matches": {
        "text/csv": "game,starts_at,seat 1,seat 2\r\ncommon_hand,2026-11-27T19:00+01:00,Ada,Ben\r\n",
        "application/x-ndjson": (
            '{"rules":{"game":"common_hand"},"names":["Ada","Ben"],"starts_at":1795802400000}\n'
            '{"rules":{"game":"mexican","seats":4},"name":"Table 2"}\n'
        ),
    },
}
"""Bodies that are no JSON, by operation and media type."""

PARAMETERS: Final = {
    "odds": {"question": "bid_holds"},
    "policy_file": {"digest": "c59c5e77a85350394d59b3e6682de49aaf8368596fda5d802e67e99901f8e51d"},
    "analysis_by_name": {"name": "3b1f" * 16},
    "log_tile": {"path": "0/000.p/25"},
    "bundle_tournament": {"tournament_id": "17120767-db54-404a-9af1-d7ef2bee98b2"},
}
"""Values of parameters that nobody could guess, by operation."""

TEXTS: Final = {
    "view_standings": {
        "text/csv": (
            "place,number,name,score,numerator,denominator,status,DE,BH-C1,BH,SB,WIN,bot\r\n"
            "1,1,Bot 0,2,2,1,here,,,,,,yes\r\n2,4,Bot 3,1,1,1,here,,,,,,yes\r\n"
        )
    }
}
"""Answers as texts, where there are such as well, by operation and media type."""


@cache
def answers() -> dict[str, Any]:
    """Return an answer to each operation that answers with text or JSON."""
    file = resources.files("services").joinpath("api", "reference", "answers.json")
    found: dict[str, Any] = msgspec.json.decode(file.read_bytes())
    return found
