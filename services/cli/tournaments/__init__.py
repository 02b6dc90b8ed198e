"""Tournaments from the command line.

commands    what `truecup tournament` has
simulate    a whole tournament of house bots, in memory
rehearsal   the tournament: its stream, its lots, its director
tables      a match of it, played by house bots
standings   what is printed of rounds and places
"""
