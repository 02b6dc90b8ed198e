"""A first bot: it opens a practice table and plays, again and again, until it has won."""

import asyncio
import sys
from math import comb

from truecup.client import HERE, Newcoming, Turn, Wanted, open_table

TABLE = Wanted(bots=1, options={"dice_per_player": 3}, practice=True)


def chance(turn: Turn, quantity: int, face: int, trust: int = 0) -> float:
    mine = trust + sum(die in {1, face} for die in turn.dice)  # ones are wild
    hidden: int = turn.view["dice_in_play"] - len(turn.dice) - trust
    each = (1 if face == 1 else 2) / 6
    counts = range(max(0, quantity - mine), hidden + 1)
    return sum(comb(hidden, count) * each**count * (1 - each) ** (hidden - count) for count in counts)


def choose(turn: Turn) -> dict[str, object]:
    bids = [bid for move in turn.moves if move["type"] == "bid" for bid in move["lowest"]]
    best = max(bids, key=lambda bid: chance(turn, *bid), default=None)
    last = turn.view["standing"]  # whoever bids a face has one, more often than not
    if best is None or (last and chance(turn, last["quantity"], last["face"], 1) + chance(turn, *best) < 1):
        return {"type": "challenge"}
    return {"type": "bid", "quantity": best[0], "face": best[1]}


async def main(house: str = HERE) -> None:
    won = False
    while not won:
        async with open_table(house, wanted=TABLE, player=Newcoming("First")) as seat:
            async for turn in seat.turns():
                await seat.play(choose(turn))
            won = seat.has_won
            print("won" if won else "lost", f"{house}/m/{seat.sitting.match}")


asyncio.run(main(*sys.argv[1:]))
