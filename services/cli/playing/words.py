"""A match in words: what each frame tells, for people who play, watch or replay it in a terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from projections.words import amount_words, claim_words
from services.cli.playing.names import PASSED_CUP, Json, Names, dice_drawn


def told(frame: Json) -> str | None:
    """Return what a frame tells, on one line; None for what only machines care about."""
    event = frame["event"]
    teller = _TELLERS.get(event["type"])
    return f"({event['type']})" if teller is None else teller(event, Names(frame["view"]))


def lines_of(item: Json) -> list[str]:
    """Return what an item of a stream tells: how the table stands, or what has just happened; nothing for the rest."""
    if "snapshot" in item:
        return scene(item["snapshot"])
    text = told(item) if "event" in item else None
    return [] if text is None else [text]


def scene(view: Json) -> list[str]:
    """Return how a table stands, on a few lines."""
    names = Names(view)
    lines = [f"{view['title']}, {_phase(view)}"]
    for seat in view["seats"]:
        mark = ">" if seat["seat"] == view["turn"] else " "
        dice = "out" if seat["out"] else dice_drawn(seat["dice"], names.tokens)
        bot = " (bot)" if seat["bot"] else ""
        lines.append(
            "  ".join(part for part in (f" {mark} {names.of(seat['seat'])}{bot}:", dice, _ledger(seat)) if part)
        )
    if view["cup"]:
        lines.append(f"   the cup: {dice_drawn(view['cup'], names.tokens)}")
    if view["standing"] is not None:
        claim = view["standing"]
        lines.append(f"   {names.of(claim['seat'])} has claimed {claim['words']}")
    return lines


def _ledger(seat: Json) -> str:
    """Return what a seat has and owes but for its dice, which lie there."""
    held = {unit: amount for unit, amount in seat["balances"].items() if amount and unit != "die"}
    return ", ".join(amount_words(amount, unit) for unit, amount in held.items())


def _phase(view: Json) -> str:
    if view["phase"] == "lobby":
        return "waiting for players"
    if view["phase"] == "finished":
        return "over"
    stakes = "" if view["stakes"] is None else f", played for {amount_words(view['stakes'][1], 'unit')}"
    return f"round {view['round']}, {amount_words(view['dice_in_play'], Names(view).token)} in play{stakes}"


# ---- dice -----------------------------------------------------------------------------------------


def _rolled(event: Json, names: Names) -> str:
    cup = event["cup"]
    count = sum(slot < names.sizes.get(cup, 0) for slot in event["slots"])
    if cup == 0:
        return "The table's cup is rolled for who begins."
    return "The cup is rolled." if cup == PASSED_CUP else f"{names.of(cup)} rolls {amount_words(count, names.token)}."


def _revealed(event: Json, names: Names) -> str:
    # Behind the dice of a cup lie those that tell how they fell, and the blind one of a choice.
    dice = names.sizes.get(event["cup"], 0)
    faces = [value + names.tokens.first for slot, value in event["values"] if slot < dice]
    if event["cup"] == 0:
        # The table's cup has a die for every seat that draws.
        return f"The table's cup shows {', '.join(str(value + 1) for _, value in event['values'])}."
    whose = "The cup" if event["cup"] == PASSED_CUP else names.of(event["cup"])
    return f"{whose} shows {names.drawn(faces)}."


def _arranged(event: Json, names: Names) -> str:
    done = [
        (len(event["outside"]), "shows"),
        (len(event["taken"]), "takes up"),
        (event["roll_inside"], "rolls under the cup"),
        (event["roll_outside"], "rolls in the open"),
    ]
    parts = [f"{verb} {amount_words(count, 'die')}" for count, verb in done if count]
    return f"{names.of(event['seat'])} {' and '.join(parts) or 'leaves the dice as they are'}."


def _choices(event: Json, names: Names) -> str | None:
    rolled = [sorted((*choice["roll_inside"], *choice["roll_outside"])) for choice in event["choices"]]
    told = ", then ".join(" and ".join(str(position + 1) for position in one) for one in rolled)
    return f"Rolled anew under {names.cup(event['cup'])}: {told}, counted from the left." if told else None


# ---- claims and verdicts --------------------------------------------------------------------------


def _claimed(event: Json, names: Names) -> str:
    return f"{names.of(event['seat'])} claims {claim_words(names.claim(event), names.tokens)}."


def _declared(event: Json, names: Names) -> str:
    to = "" if event["to"] is None else f" on {names.of(event['to'])}"
    return f"{names.of(event['seat'])} declares {event['special']}{to}."


def _cocked(event: Json, names: Names) -> str:
    words = claim_words(names.claim(event), names.tokens)
    return f"{names.of(event['seat'])} calls {words} with a die lying cocked; the hand is lost."


def _judged(event: Json, names: Names) -> str:
    found = "" if event["count"] is None else f"There are {event['count']}. "
    verdict = {None: "It is settled", True: "It was true", False: "It was not so"}[event["holds"]]
    if event["kind"] == "spot_on":
        verdict = "Spot on" if event["holds"] else "Not spot on"
    losers = event["losers"]
    return f"{found}{verdict}{f': {names.all(losers)} lost the round' if losers else ''}."


def _posted(event: Json, names: Names) -> str:
    unit, amount = event["unit"], event["amount"]
    what = amount_words(amount, unit)
    if event["from"] == "bar":
        return f"{names.of(event['to'])} takes {what}."
    if event["to"] == "box":
        return f"{names.of(event['from'])} loses {what}."
    if event["from"] == "box":
        return f"{names.of(event['to'])} gets {what}{' back' if unit == 'die' else ''}."
    return f"{names.of(event['from'])} gives {names.of(event['to'])} {what}."


# ---- rounds ---------------------------------------------------------------------------------------


def _slips(event: Json, names: Names) -> str:
    odd = names.all(event["odd"])
    rest = "the slips are played out" if event["position"] is None else f"number {event['position']} is next"
    return f"An odd last digit: {odd}; {rest}."


def _round_closed(event: Json, names: Names) -> str | None:
    if event["next_starter"] is None:
        return None
    flags = f" It is {' and '.join(event['flags'])}." if event["flags"] else ""
    return f"{names.of(event['next_starter'])} opens the next round.{flags}"


def _plain(text: str) -> Callable[[Json, Names], str]:
    """Return a teller that says this text; `{who}` is the seat, other fields are the event's own."""
    return lambda event, names: text.format(who=names.of(event.get("seat")), **event)


ENDINGS: Final = {
    "host": "The host ends the match: it is over as soon as no round is under way.",
    "expired": "Nobody came or went for so long that this table closes.",
    "unattended": "Bots play here for nobody: the match is over as soon as no round is under way.",
}
"""Why a match ends, by `why`."""


def _absent(event: Json, names: Names) -> str:
    turns = "this turn" if event["turns"] == 1 else f"{event['turns']} turns in a row"
    return f"{names.of(event['seat'])} is marked absent: the table has played {turns}."


def _forfeited(event: Json, names: Names) -> str:
    why = "stayed away and is" if event["reason"] == "absent" else "is"
    return f"{names.of(event['seat'])} {why} out of the match."


def _voided(event: Json, names: Names) -> str:
    return f"{names.all(event['seats'])} withheld a seed" if event["seats"] else "it was too late for its beacon"


def _published(event: Json) -> str:
    kept = "what was not shown of it stays secret"
    return kept if event["secret"] is None else "its secret is public, so that anybody can check it"


_TELLERS: Final[dict[str, Callable[[Json, Names], str | None]]] = {
    "match.created": lambda _event, names: f"A table is open: {names.title}.",
    "seat.joined": _plain("{who} sits down."),
    "seat.left": _plain("Seat {seat} is given up ({reason})."),
    "game.seed_custody": _plain("The server draws the seeds of {who}."),
    "game.started": lambda event, names: f"The match begins: {names.all(event['seats'])}.",
    "deal.committed": lambda event, _: f"Deal {event['deal']}: the server fixes every die ({event['root'][:12]}...).",
    "seed.committed": _plain("{who} fixes a seed."),
    "deal.sealed": _plain("All seeds are fixed."),
    "deal.logged": _plain("The transparency log has it, as entry {index}."),
    "seed.opened": _plain("{who} shows the seed."),
    "deal.fixed": _plain("All seeds are open, and the log has it, as entry {index}; the beacon has not spoken yet."),
    "deal.ready": _plain("Every die is determined, and nobody chose it."),
    "deal.voided": lambda event, names: f"The deal is void: {_voided(event, names)}.",
    "deal.closed": lambda event, _: f"Deal {event['deal']} is closed; {_published(event)}.",
    "cup.rolled": _rolled,
    "cup.revealed": _revealed,
    "game.first_drawn": _plain("{who} is drawn to open the first round."),
    "game.first_chosen": lambda event, names: f"{names.of(event['seat'])} says who opens: {names.of(event['who'])}.",
    "game.bout_set": lambda event, names: f"{names.all(event['seats'])} play each other.",
    "game.round_opened": lambda event, names: f"--- Round {event['round']}: {names.of(event['starter'])} opens. ---",
    "game.bid": _claimed,
    "game.called": _claimed,
    "game.accepted": _plain("{who} believes it and takes the cup."),
    "game.declared": _declared,
    "game.direction_turned": _plain("Play turns round."),
    "game.caught": _plain("{who} says that the claim is too low."),
    "game.challenged": _plain("{who} doubts it."),
    "game.surrounded": _plain("Everybody doubts {who}, who may raise or have it counted."),
    "game.count_asked": _plain("{who} has it counted."),
    "game.counted": lambda event, names: f"{names.of(event['seat'])} has {event['count']}.",
    "game.bills_demanded": _plain("{who} asks to see every number."),
    "game.spot_on_called": _plain("{who} calls spot on."),
    "game.passed": _plain("{who} passes: all my dice differ."),
    "game.arranged": _arranged,
    "game.choices_revealed": _choices,
    "game.chase_begun": _plain("{who} has five aces; the other one may throw on."),
    "game.chase_stopped": _plain("{who} gives up."),
    "game.looked": _plain("{who} looks at the dice."),
    "game.cocked_called": _cocked,
    "game.cocked_shown": _plain("{who} shows a cocked die and throws all anew."),
    "game.timed_out": _plain("{who} ran out of time; the table acts."),
    "game.absent": _absent,
    "game.returned": _plain("{who} is back."),
    "game.forfeited": _forfeited,
    "game.end_asked": lambda event, _: ENDINGS[event["why"]],
    "game.judged": _judged,
    "game.posted": _posted,
    "game.buying_opened": _plain("{who} may buy back in."),
    "game.bought_back": _plain("{who} buys back in."),
    "game.dropped_out": _plain("{who} drops out."),
    "game.eliminated": _plain("{who} is out."),
    "game.slips_dealt": _plain("Everybody has a new slip."),
    "game.slip_advanced": _slips,
    "game.stake_set": lambda event, _: f"The next round is played for {amount_words(event['effective'], 'unit')}.",
    "game.round_closed": _round_closed,
    "game.won": _plain("{who} wins the match."),
    "game.lost": _plain("{who} loses the match."),
    "game.session_closed": _plain("The match ends here, and nobody has won it."),
    "game.clock_set": lambda _event, _names: None,
    "match.ended": _plain("The match is over."),
}
