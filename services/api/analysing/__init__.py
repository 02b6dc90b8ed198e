"""Addresses about strength and analyses.

In reading order:

    policies    policy files, by their hash
"""
