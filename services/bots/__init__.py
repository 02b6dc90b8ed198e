"""The house's bots: openly marked as such, and knowing no more than anybody in their seat.

In reading order:

    playing     by which level a seat of the house is played
    seeing      what their seats have seen of each match
    agenda      when to act
    player      the program that plays
    demo        the table in the shop window
"""
