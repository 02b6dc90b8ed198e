"""Tables that are not opened one by one: those that follow on others, those of tournaments, those of a list.

And what is brought to a table by others than those who sit there.

In reading order:

    rematches       the next table of the same people
    event_tables    tables of tournaments, opened by their director
    taking_keys     seats given out without a key, taken again with one
    bulk            many tables at once, with those who are to play at them
    handed_in       signed commands that others hand in
"""
