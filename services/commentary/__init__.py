"""Commentary: words of people about a match, in a stream of its own, chained like any and erasable.

In reading order:

    requests    what is asked, what a command came to
    writers     who may write about a match
    reads       comments as they may be read, by match
    handler     the command handler
"""
