"""Evaluators: what rounds are worth, for programs in which somebody waits.

In reading order:

    batch_evaluator  many deals of a round folded back at once
"""
