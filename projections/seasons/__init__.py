"""Seasons and players, as people see them.

In reading order:

    table      a season: the table of its league, and how strong everybody is
    players    a player: ratings, and tournaments entered
"""
