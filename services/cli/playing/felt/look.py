"""The look of the table: its styles, its keys, and the sizes at which it is laid out otherwise."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding, BindingType

NARROW: Final = 80
"""Columns below which the story stands under the felt."""
LOW: Final = 22
"""Lines below which one's own dice are drawn small, and fewer offers are seen at once."""
STYLES: Final = """
Screen { layout: vertical; }
#title { height: 1; background: $primary-darken-2; color: $text; padding: 0 1; text-wrap: nowrap; }
#title.yours { text-style: bold reverse; }
#body { height: 1fr; layout: horizontal; }
#felt, #own { background: #12382a; color: #f4f4f4; }
#felt { width: 1fr; padding: 0 1; }
#middle { height: 3; padding: 0 0 0 1; }
#seats { text-wrap: nowrap; text-overflow: ellipsis; }
#side { width: 40%; max-width: 56; border-left: solid $primary; padding: 0 1; }
.narrow #body { layout: vertical; }
.narrow #felt { width: 100%; height: 1fr; }
.narrow #side { width: 100%; max-width: 100%; height: 4; border-left: none; border-top: solid $primary; }
#own { height: 4; padding: 0 1; }
#status { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
#status.alarm { height: auto; text-style: bold reverse; text-wrap: wrap; }
#offers { height: 7; border: none; border-top: solid $primary; padding: 0 1; }
#offers:focus { border: none; border-top: heavy $accent; }
#typed { height: 1; border: none; padding: 0 1; }
.low #offers { height: 4; }
.low #own { height: 2; }
.low #middle { height: 2; }
.low.narrow #side { height: 2; }
"""
KEYS: Final[list[BindingType]] = [
    Binding("ctrl+c,ctrl+q", "leave", show=False, priority=True),
    Binding("escape", "all_offers", show=False),
    Binding("slash", "type", show=False),
    Binding("question_mark", "tell('help')", show=False),
    Binding("o", "odds", show=False),
    Binding("l", "doubt", show=False),
    Binding("r", "rematch", show=False),
]
