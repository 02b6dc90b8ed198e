"""The house's bots: openly marked as such, and knowing no more than anybody in their seat.

In reading order:

    playing     by which level a seat of the house is played
    seeing      what their seats have seen of each match
    agenda      when to act
    ahead       a turn thought over in a process beside
    thinkers    those processes, and the line before them
    player      the program that plays
    demo        the table in the shop window
"""
