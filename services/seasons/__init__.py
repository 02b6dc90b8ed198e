"""Seasons: what counts beyond one tournament.

ratings    how strong somebody is, from who came before whom
"""
