"""Seasons and players of a service, from a terminal.

commands    what `truecup season` and `truecup player` have
holding     a season: begun, shown, ended, its record saved
people      a player: made known, shown, another token, a name erased
telling     both in words
manual      the help of all of these
"""
