"""Audits of whole records: the verdict of all layers, its findings in words, and the receipts people keep."""
