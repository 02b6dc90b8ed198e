"""Live: what an analysis says of a match while it is played.

worths     what it is worth to each seat, as everybody may believe it, for whoever watches
hinting    what the seat in turn might do, by its own frames
hint_desk  where seats of practice tables ask for that
"""
