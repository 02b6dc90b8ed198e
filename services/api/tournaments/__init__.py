"""Tournaments over HTTP, `/tournaments`: who may ask for what, and the routes, a file a subject.

In reading order:

    askers        who asks, by their token
    bodies        what is sent
    announcing    a tournament is announced, listed and seen
    entering      entrants, officials, bots
    listing       whole lists of entrants
    asking        whatever is asked of a tournament
    officiating   words that officials erase, tables they have to do something about
    following     rounds, standings, brackets, the record, the card of an entrant
    previewing    the next round as it would be paired now
    screened      pairs that a screening has found, for officials alone
    streaming     a tournament as it happens
    files         files for other programs
    hooking       addresses of others that are told of it
"""
