"""Analysis: what a finished match says about those who played it, as one canonical document.

In reading order:

    figures       numbers in millionths, with what vouches for them
"""
