"""Addresses about strength and analyses.

In reading order:

    policies    policy files, by their hash
    analyses    what was played, judged: made beside the program, and kept
    hints       what the seat in turn of a practice table might do
    levels      how strong the levels of the house are, and how its bots have chosen
"""
