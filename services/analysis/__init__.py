"""Analyses as jobs, and the page that is one file.

In reading order:

    making    a record audited and followed, and the policies that judge it
"""
