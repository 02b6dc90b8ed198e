"""Addresses about strength and analyses.

In reading order:

    policies    policy files, by their hash
    analyses    what was played, judged: made beside the program, and kept
    levels      how strong the levels of the house are, and how its bots have chosen
"""
