"""The policy files, by their hash: those that are shipped, and those of this machine.

In reading order:

    files   what is shipped, with the hash of each: level 1, round models, every duel of a die each, blueprints
    shelf   where they are found, and which is taken where nobody says
    usual   what a round is judged by where nobody names policies
"""
