"""Grades: what is made of figures once they are printed. No dice are known here, and no rules.

In reading order:

    decisions  what a move lost, and what that is called
    accuracy   how near to the best decisions were
    moments    which events somebody would want to be shown
"""
