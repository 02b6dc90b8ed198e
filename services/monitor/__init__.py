"""A monitor: follows a log that somebody else keeps, and says what is wrong with it.

In reading order:

    monitor      what it does
    reading      the log, read
    comparing    streams held against it
    counting     the house's own statistics, held against it
    store        what it keeps
    notebooks    what another one has kept
    folders      what lies in folders of several, to be held against each other
"""
