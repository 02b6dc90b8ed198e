"""A game as a value: rules, and the orders, claims, ladders and laws that they name.

In reading order:

    rules        the axes of the family, each a small struct
    orders       when one count outranks another
    claims       which counts may be claimed, and whether they hold
    ladders      hands, and how high each stands
    laws         how dice may be handled
    boards       which games can be played with the same dice at several tables
    schedules    who plays whom, two at a time
"""
