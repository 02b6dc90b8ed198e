"""A seat at a match as a program has it: how it is taken, followed and asked for, and what is checked of it.

The law of the room: nothing here knows a terminal; what is to be said goes to whoever called. In reading order:

    house        what a house says over HTTP, and what cannot be done
    keys         the key with which a seat signs, and the lines it signs over
    seating      a table is opened, a seat is taken
    given        a seat that the house gives out: at the next table, or as a table is opened
    session      a seat at work, which joins all of these:
    following    a live match, item by item
    sending      commands
    socket       both, over one WebSocket
    evidence     receipts, and the policy they are judged by
    records      the record, read by somebody who believes none of it
    seeds        seeds of one's own
    signing      what a seat asks for, signed, and what stands of it
    proving      one's own dice, held against what was fixed before
    tables       all of it as programs of others have it: `truecup.client`, which is in `published`
"""
