"""Policies solved or learnt offline; what proves them is `domain.strategy`.

In reading order:

    effort         how large a duel is, and how long it takes
    sequence_form  a duel as a linear program over its public tree, and both seats' plans
    rounding       plans as tables of whole weights
    solving        a duel to the bytes of a policy, proved
    beside         the same in a process of its own, which can be left at any time
    contexts       what a blueprint remembers of a duel, and where its moves lead
    walking        how likely each context is, and what its moves are worth
    regrets        both seats learning from what they would rather have done
    blueprint      what they did on average, as the bytes of a policy
    local_reply    what a blueprint gives away at least
    fitting        the round model anew, from level 1 playing itself
"""
