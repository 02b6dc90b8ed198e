"""CUP/1: dice that nobody chose, and the audit that proves it of a record."""
