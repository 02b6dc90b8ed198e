"""Readings of tournaments that follow from the records of their matches.

luck    how far everybody's dice were above or below their mean
"""
