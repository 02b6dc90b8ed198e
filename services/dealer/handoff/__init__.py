"""Handing over: nodes that hold no key ask a dealer for what only a dealer may decide or show.

In reading order:

    messages    questions and replies, as they travel
    desk        the side that has the dealer
    remote      the side that has none
    starting    a side that hands over nothing but the start of a match
"""
