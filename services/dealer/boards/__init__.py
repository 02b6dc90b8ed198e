"""Duplicate boards, directed: one deal for all tables of a round, which keep step.

steps    what is done on a board, and told to its matches
"""
