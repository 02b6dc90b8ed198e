"""The bench of `truecup bench abuse`: what others wait for while one client does its worst.

In reading order: abuse (the command), measuring (one attack, from a quiet service to a quiet one), attempt (what an
attack is given), attacks (the table of them all), floods, sockets, reads, crowds, openers (what each of them does),
sessions (what they are aimed at), attacker (the program that carries one out), honest (the program of the others), laws
(what must hold meanwhile), results (what is printed).
"""
