"""A witness: one small process that signs the heads of logs, and never two that contradict each other."""
