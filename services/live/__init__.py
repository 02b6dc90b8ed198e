"""Live: what an analysis says of a match while it is played.

worths  what it is worth to each seat, as everybody may believe it, for whoever watches
"""
