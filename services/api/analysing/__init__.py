"""Addresses about strength and analyses.

In reading order:

    policies    policy files, by their hash
    analyses    what was played, judged: made beside the program, and kept
"""
