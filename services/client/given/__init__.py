"""Seats that the house gives out, and the keys that their players bring along.

`sitting_again` takes a seat at the next table of those who have played, and `given_out` one that its player was given
as the table was opened.
"""
