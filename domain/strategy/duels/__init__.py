"""Duels: rounds of two seats small enough to be solved, and what is proved of their tables.

In reading order:

    duel        what may be claimed, and which claims hold
    solved      how often each move is played, as records of a file
    blueprint   the same by the last three claims alone
    best_reply  what a table guarantees, whatever the other one does
    tablebase   the blind cup of two seats, position by position
    blind_cup   how it is played by that
"""
