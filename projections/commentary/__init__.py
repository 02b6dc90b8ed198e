"""Comments as people see them.

comments    comments as they may be read by now, and their lines with the words beside them
"""
