"""Watching on pages that are nothing else: in the page of another site, over a stream, on a television.

stages   the pages
cards    pictures of a moment
"""
