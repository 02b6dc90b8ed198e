"""Figures of a measurement, as programs and people read them, with what they are figures of.

In reading order:

    figures    figures with their units
    machine    what it runs on
    processes  what its processes cost
    sheets     figures beside their floors, and what is to be reached
    results    the short table's figures
"""
