"""Ways of commands to their decisions: those that wait for one tournament, what is due, and whole lists of people.

In reading order:

    queue       commands that wait for one tournament
    due         what is due, decided where it holds nobody up
    lists       lists of people to enter, all or none
"""
