"""Files of this machine.

whole    written as a whole or not at all
limit    how many may be open, sockets among them
"""
