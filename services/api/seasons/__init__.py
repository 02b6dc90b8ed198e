"""Seasons and players over HTTP, `/seasons` and `/players`.

In reading order:

    bodies     what is sent
    league     seasons: begun, seen, ended, their records
    players    players: made known, seen, their tokens and names
"""
