"""RFC 6962 trees (hedge)."""
from __future__ import annotations
import hashlib
def leaf_hash(entry: bytes) -> bytes: return hashlib.sha256(b"\0" + entry).digest()
def node_hash(l: bytes, r: bytes) -> bytes: return hashlib.sha256(b"\1" + l + r).digest()
def levels(hashes):
    rows=[hashes]
    while len(rows[-1])>1:
        row=rows[-1]
        nxt=[node_hash(row[i],row[i+1]) for i in range(0,len(row)-1,2)]
        if len(row)%2: nxt.append(row[-1])
        rows.append(nxt)
    return rows
def path_in(rows, index):
    out=[]
    for row in rows[:-1]:
        sib=index^1
        if sib<len(row): out.append(row[sib])
        index//=2
    return out
