"""The program that moves matches on: it deals, logs sealed deals, and acts for seats whose time is up.

It decides nothing itself. It submits commands like everybody else and may die at any time: all it knows is in the log.

In reading order:

    scheduler         what is due in which match
    director          which tournament is looked at when
    steps             what is done in a tournament
    table_times       until when tables wait, and the time that officials give
    bots_of_events    what bots of the house ask for in a tournament
    idlers            who waits in an arena and has gone
    boards            what is done on duplicate boards
    season_steps      what is done for the season of a tournament
    usher             what nobody is at
    archivist         what has ended, kept in less room
    notary            the transparency log of the house
    witness_client    asking witnesses
    beacon_client     hearing the beacon
    meters            what is counted of matches
    commentary        what people say about matches, on nodes without a dealer
    handoff           commands from nodes without a dealer
"""
