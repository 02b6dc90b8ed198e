"""The rig: a house to measure, and the floors it is measured against.

In reading order:

    rig     a house to measure
    bare    the floor of a route, a program
    floors  the floors of a commit and of a hop
    raw     the floor of fan-out
    stock   copies of a match, by the ten thousand
"""
