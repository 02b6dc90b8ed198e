"""Secrets: tokens of people, the keys of the house, the vault of deals."""
