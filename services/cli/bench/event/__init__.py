"""Tournaments measured: their laws on one core, and a house that holds one.

In reading order:

    event      the command
    madeup     a tournament at whose tables nothing is played
    laws       pairing, standings and audits
    house      people, officials and bots, over HTTP
    evening    check-ins, readers, a round that is opened, results that are watched
"""
