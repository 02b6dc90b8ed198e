"""The key of a seat, and what it signs over, before there is a session: kept, held and asked for a seat with.

In reading order:

    seat_keys  the key of a seat, in a file of its owner's
    held       the record of a match, line by line, of which heads are computed
    joining    a seat that is asked for with a key
"""
