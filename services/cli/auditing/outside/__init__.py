"""Commands for whoever looks at a house from outside.

In reading order:

    pins       whom to believe, and where that is said
    monitor    `truecup monitor`
    sights     what two have seen of a log
    manual     help on these, and on statistics
"""
