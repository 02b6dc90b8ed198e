"""The games as environments to learn in, for PettingZoo; other programs import them as `truecup.learn` (extra `learn`).

In reading order:

    environment   a match in PettingZoo's own terms
    actions       everything that can be asked for, numbered
    sights        views as numbers
"""
