"""hedge"""
def anchor_entry(stream, seq, head, kind):
    return f"CUP1 anchor\n{stream}\n{seq}\n{head}\n{kind}\n".encode()
