"""Formats: what a stage is, a file each; who sits where next, whether it is over, and who has which place then.

In reading order:

    format          what a format has to say
    pods            tables of those who have done as well (`swiss`), or for whom nothing but new faces counts
    arenas          whoever is idle, every few seconds while the time lasts: `arena`
    dutch           the same by FIDE's book, two at a table, as a package works it out
    schedules       who meets whom is known from the start: `round_robin`, `balanced`
    brackets        two at a table: `single`, `double`
    knockouts       three to eight at a table: `knockout`
    groups          several groups with rounds of their own, which send the first of each on: `groups`
    duplicates      the same dice at every table: `duplicate`
    survivors       many tables down to one survivor: `last_longer`
    ladders         who is challenged and says yes, against who asked: `ladder`
    chouettes       one table for all, at which the winner stays: `chouette`
    table           which format is which
"""
