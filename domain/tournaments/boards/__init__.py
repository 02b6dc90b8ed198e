"""Duplicate boards: one deal for all tables of a round, in a stream of its own, and rounds that wait for each other.

In reading order:

    rules     what is frozen when a board is opened, and who draws
    events    its lines
    board     what is remembered of it
    decide    what is asked of it, decided
    due       what its director does next
    record    a board as lines, and back
"""
