"""Secrets: tokens of people, the keys of the house, the vault of deals.

In reading order:

    tokens
    keys
    vault
"""
