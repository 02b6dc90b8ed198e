"""The next table of those who have played, as one of them comes to it.

`sitting_again` opens it or finds it, and takes the seat there.
"""
