"""The HTTP interface: commands in, views, frames and records out.

The law of the folder: nothing here knows a rule of a game or sees a die. A request becomes a command, whatever comes
back becomes a response, and every no becomes a problem document with a stable code.
"""
