"""Help for whoever plays, where the host of a table allows it.

In reading order:

    chances  odds at the table
    hinted   what an analysis would do, from the house
"""
