"""Tournaments from the command line.

commands    what `truecup tournament` has
simulate    a whole tournament of house bots, in memory
rehearsal   the tournament: its stream, its lots, its director
simulated   the same, stopped and told
challengers what bots ask for on a ladder
tables      a match of it, played by house bots
boards      tables that have the same dice, played in step
standings   what is printed of rounds and places
looking     a tournament looked at, by its record or by its id
hosting     a tournament of a service, held and followed from here
manual      the help of what looks at it
records     its record, judged and folded
under_way   the same as a house has it by now, with names
explaining  standings and reasons in words
"""
