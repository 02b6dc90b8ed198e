"""Policies solved offline; what proves them is `domain.strategy`.

In reading order:

    effort         how large a duel is, and how long it takes
    sequence_form  a duel as a linear program over its public tree, and both seats' plans
    rounding       plans as tables of whole weights
    solving        a duel to the bytes of a policy, proved
    beside         the same in a process of its own, which can be left at any time
    fitting        the round model anew, from level 1 playing itself
"""
