"""Formats as people see them, as far as they have something of their own to show.

cross       what everybody came to against everybody else
ladders     where one stands on a ladder, whom one may challenge, and what waits for an answer
"""
