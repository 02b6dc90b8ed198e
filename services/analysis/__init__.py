"""Analyses as jobs, and the page that is one file."""
