"""The log everybody may check: canonical lines, Merkle trees, and the C2SP formats of transparency logs."""
