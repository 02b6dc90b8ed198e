"""A record as an analysis reads it: what happened, round by round, and who could know which dice at every event.

Nothing is judged here. In reading order:

    dice        dice of a record, as far as it opens them
    viewpoints  what everybody knows of them at an event
    following   a record, split into rounds, with what everybody knew
"""
