"""Watching on pages that are nothing else: in the page of another site, over a stream, on a television.

stages   the pages
plates   what a picture of a moment shows, and where
painting the picture as PNG
cards    where both kinds of it are had
"""
