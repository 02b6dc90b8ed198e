"""Views for those who watch a tournament.

In reading order:

    moved          the tables and rows of standings that a line moves
    luck           how dice fell out, beside the standings
    still_in       who is still in where losers go out, and whom they meet next
"""
