"""Duplicate boards over HTTP: dice that several tables share.

drawing  their records, and the seeds of those who draw for them
"""
