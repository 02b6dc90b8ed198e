"""The house's bots: openly marked as such, and knowing no more than anybody in their seat.

In reading order:

    manner      how a bot plays
    sight       what it sees, and what it may do
    odds        how likely a count is
    counting    claims that count
    reach       hands that can be thrown
    hands       claims that name hands
    throwing    dice to be handled
    handling    ways to handle them
    choosing    one of all options
    agenda      when to act
    player      the program that plays
    demo        the table in the shop window
"""
