"""Analyses as jobs.

In reading order:

    making    a record audited and followed, the policies that judge it, the analysis of it
    beside    rounds told in other processes
    desk      where analyses are asked for: each is made once, and kept
    jobs      what a process beside the program does for it
"""
