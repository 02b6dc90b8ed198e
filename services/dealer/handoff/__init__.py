"""Handing over: nodes that hold no key ask a dealer for what only a dealer may decide or show.

In reading order:

    envelopes            what every question and every reply has
    event_messages       questions and replies about tournaments, as they travel
    messages             those about matches, and how all are written
    event_desk           the side that has the dealer, for tournaments
    desk                 the side that has the dealer
    remote               the side that has none
    remote_tournaments   the same for tournaments
    starting             a side that hands over nothing but the start of a match
"""
