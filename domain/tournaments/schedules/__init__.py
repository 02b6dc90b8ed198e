"""Schedules: who meets whom where a plan of the stage says so, and what a result leads to in it.

In reading order:

    berger         round robins of two
    designs        tables of one size at which every two meet equally often
    brackets       single and double elimination of two, and who is called when
    dealing        tables dealt there and back
    groups         from groups to a knockout
    eliminations   knockouts at larger tables, and places of who went out
    survivors      last longer: many tables down to one survivor
    waves          an arena: who is seated next
    ladder         challenges from below
    chouettes      places where the winner stays
"""
