"""The program that moves matches on: it deals, logs sealed deals, and acts for seats whose time is up.

It decides nothing itself. It submits commands like everybody else and may die at any time: all it knows is in the log.
"""
