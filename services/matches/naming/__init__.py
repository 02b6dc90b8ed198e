"""Names of people: which are lawful, and which look alike.

In reading order:

    law           which names may be had
    scripts       characters that are written together
    lookalikes    names that look the same
    bots          what the bots are called
    lawful        the law in this house
    told          names told with what the record commits to them by, and erased
"""
