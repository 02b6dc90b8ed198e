"""Lines typed before their time: while the cups are dealt a table waits for seeds and for the log, and not for them."""

from __future__ import annotations

from typing import Final

from services.cli.playing.names import Json
from services.cli.playing.phrases import phrase
from services.client.house import CannotDo
from services.words.catalogue import join_names

TOO_EARLY: Final = "wrong_phase"


def early_line(trouble: CannotDo, view: Json | None) -> str | None:
    """Return what the table waits for instead, where something was refused because the cups are being dealt."""
    if trouble.code != TOO_EARLY or view is None or view["phase"] != "dealing" or view["deal"] is None:
        return None
    awaited = {*view["deal"]["waiting_for"]}
    names = [str(one["name"]) for one in view["seats"] if one["seat"] in awaited and one["custody"] == "client"]
    return phrase("early", names=join_names(names) if names else "", awaited=str(len(names)))
