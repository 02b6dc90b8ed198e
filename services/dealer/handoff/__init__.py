"""Handing over: nodes that hold no key ask a dealer for what only a dealer may decide or show.

In reading order:

    envelopes            what every question and every reply has
    event_messages       questions and replies about tournaments, as they travel
    season_messages      those about seasons and players
    commentary           both, about what people say
    messages             those about matches, and how all are written
    season_desk          the side that has the dealer, for seasons and players
    event_desk           the same for tournaments
    desk                 the side that has the dealer
    remote               the side that has none
    shown                the tokens that it was shown
    remote_seasons       the same for seasons and players
    remote_tournaments   the same for tournaments
    starting             a side that hands over nothing but the start of a match
"""
