"""Secrets: tokens of people, the keys of the house, the vault of deals.

In reading order:

    tokens
    keys
    vault
    signatures     what seats with keys have signed of their commands
    repeats        signed commands that come again, or are refused
    turn_chance    chance of a bot's turn, from the secret of its deal
"""
