"""Laws and lots in the record of a tournament: what it shows of them, beyond that it keeps them.

In reading order:

    lots               rolls that drew several rounds, or one that was taken back
    sentences          what is said of them, and of lines that follow laws as they were
"""
