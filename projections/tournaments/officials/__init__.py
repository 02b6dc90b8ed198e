"""Views for officials of a tournament, beyond what all see: `previews`, the next round as it would be paired now."""
