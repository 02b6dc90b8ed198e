"""Claims by odds alone: nobody's moves are read, and no policy is asked.

In reading order:

    chances  how likely a claim is
    labels   what a claim was, and what became of it
"""
