"""Live: what an analysis says of a match while it is played.

worths     what it is worth to each seat, as everybody may believe it, for whoever watches
hinting    what the seat in turn might do, by its own frames
untold     how long that takes, told to nobody
hint_desk  where seats of practice tables ask for that
"""
