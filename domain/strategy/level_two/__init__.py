"""Level 2: it reads the others as level 1, and looks one move ahead.

In reading order:

    outlook         what it goes by: its sight, and what is believed of the rest
    ahead           the seats that answer next, and how likely they are to doubt
    prospects       what bids are worth with the answer in mind
    counts          moves where claims count
    call_prospects  what calls are worth with the answer in mind
    handlings       what ways to handle dice are worth before a call
    hands           moves where claims name hands
    follower        beliefs kept from event to event
    thinking        all rows together: the worth of each move, and which are near the best
"""
