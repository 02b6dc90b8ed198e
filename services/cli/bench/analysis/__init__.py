"""Analyses measured: moves of the levels, records told, and the memory of a job.

In reading order:

    analysis    the command
    played      matches that level 1 plays
    asked       what deals were folded back, to be asked again
    decisions   a move of each level beside what it cannot do without
    records     odds of a record, whole analyses, what is said live, the memory of a job
"""
