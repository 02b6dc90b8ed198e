"""A set of processes on one machine, and the supervisor that starts them again.

In reading order:

    joining       a process of a set at its work
    process       the same as its supervisor sees it
    supervisor    all of them
"""
