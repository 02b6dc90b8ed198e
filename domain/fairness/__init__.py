"""CUP/1: hidden dice that nobody chose, checked by anyone. Start with `deal.py`; `audit.py` is the other side."""
