"""The routes of the interface, a file a subject.

In reading order:

    matches       opening a match, and finding one
    match         one match: view, frames, record, audit
    seats         taking and giving up a seat, seating bots, starting
    rematch       the next table of the same people
    commands      what is asked of a running match
    streaming     a live match
    socket        a WebSocket for both
    odds          questions about odds
    statistics    all dice of the house
    publishing    the transparency log
    looking       who looks at what
    health        whether this program can work
"""
