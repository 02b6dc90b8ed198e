"""Ways of commands to their decisions: those that wait for one tournament, what is due or hindered, and whole lists.

In reading order:

    queue       commands that wait for one tournament
    due         what is due, decided where it holds nobody up
    hindrances  what keeps the next round from being paired
    keys        what entrants have signed, verified
    lists       lists of people to enter, all or none
    texts       texts beside the lines, which may be erased
"""
