"""Commands for whoever plays, watches or replays a match.

In reading order:

    play         `truecup play`
    prompts      what it asks
    evidence     receipts and openings, checked
    watch        `truecup watch`
    replay       `truecup replay`
    following    a live match
    sending      commands
    socket       both, over one WebSocket
    words        events and views in words
    names        names of hands and faces
"""
