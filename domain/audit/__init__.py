"""The audit of the rules: a record replayed, and who was served which dice."""
