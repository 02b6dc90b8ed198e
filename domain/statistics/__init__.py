"""Odds of claims, tallies of all opened dice, and whether they came evenly."""
