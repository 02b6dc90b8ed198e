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
    app           the wiring
    joining       a process of a set at its work
    process       the same as its supervisor sees it
    supervisor    all of them
"""
