"""The transparency log's formats, as others already use them (C2SP) and nothing of ours: lines, trees, notes, policies."""
