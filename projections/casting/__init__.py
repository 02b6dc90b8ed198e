"""Casting: what may be said of a match to whoever watches it, while it is played and afterwards.

In reading order:

    public_odds   what a table looks like to everybody, by odds alone
    reads         how likely claims are by what moves say, where a host has opened that
    sentences     automatic words, as keys and pointers
    caster        frames of both, of published lines alone
"""
