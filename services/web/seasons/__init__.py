"""Pages of seasons and players.

In reading order:

    sites     what they need to know
    wording   rules of a league, and ratings, in words
    pages     the pages
"""
