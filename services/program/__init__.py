"""The program: every part made and joined by hand, in one place.

In reading order:

    roles         what a process does, and may do
    sets          which processes a program is
    site          what the pages show
    seasons       seasons and players, and what their pages show
    aside         what a dealer does that nobody waits for
    member        one process to the others
    line          between a process and its supervisor
    grounds       servers, witnesses, beacon and bounds
    meters        what operators see
    dealer        what only a dealer has, joined
    app           the wiring
    processes     a set of them on one machine
"""
