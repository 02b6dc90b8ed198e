"""The command `truecup`: one module a command, each loaded only when it is asked for."""
