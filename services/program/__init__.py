"""The program: every part made and joined by hand, in one place.

In reading order:

    roles    what a process does, and may do
    site     what the pages show
    app      the wiring
"""
