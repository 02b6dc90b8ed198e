"""Reading: what others are likely to hold, by what they have done.

In reading order:

    doubts         how far a seat is trusted to play as its dice say
    beliefs        the chance of each hand, and how many dice are likely to count
    asking         what a seat asked for, told from an event
    reader         what is believed, event by event
    learning       what a round in which dice were shown says of those who held them
    thoughts       what level 1 makes of one position hand by hand, handlings among it
    cups           the chance of each hand of a place that is handled
    cup_reader     what is believed of all cups where dice are handled or passed on, event by event
    solved_reader  what is believed in a solved duel
    serials        hands too many to be gone through, of which some are drawn
"""
