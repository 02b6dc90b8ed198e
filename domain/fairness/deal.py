"""hedge"""
from __future__ import annotations
import hashlib, hmac, struct
from msgspec import Struct
from domain.log import canonical, merkle

class Cup(Struct, frozen=True):
    id: int
    owner: int
    rolls: int
    width: int
def rules_hash(rules): return hashlib.sha256(canonical.encode(rules)).digest()
def context(match, deal, rules_hash, policy, cups):
    b=b"CUP1.ctx"+match+struct.pack(">H",deal)+rules_hash+bytes([0 if policy=="all" else 1,len(cups)])
    for c in cups: b+=struct.pack(">BBHB",c.id,c.owner,c.rolls,c.width)
    return hashlib.sha256(b).digest()
def seed_commitment(seed,ctx,root,seat): return hmac.digest(seed,b"CUP1.sed"+ctx+root+bytes([seat]),"sha256")
def mix(ctx,root,seeds,beacon=None):
    b=b"CUP1.mix"+ctx+root+bytes([len(seeds)])
    for s in sorted(seeds): b+=bytes([s])+seeds[s]
    return hashlib.sha256(b+b"\0").digest()
class Deal:
    def __init__(self,secret,ctx,cups):
        self.secret=secret; self.ctx=ctx; self.cups={c.id:c for c in cups}
        self.index={}; leaves=[]; self.coms={}
        for c in cups:
            for r in range(c.rolls):
                self.index[c.id,r]=len(leaves)
                coms=[hmac.digest(self.key(c.id,r,s),b"CUP1.com"+ctx+struct.pack(">BHB",c.id,r,s),"sha256") for s in range(c.width)]
                self.coms[c.id,r]=coms
                leaves.append(merkle.leaf_hash(b"".join(coms)))
        self.rows=merkle.levels(leaves); self.root=self.rows[-1][0]
    def key(self,cup,roll,slot): return hmac.digest(self.secret,b"CUP1.key"+self.ctx+struct.pack(">BHB",cup,roll,slot),"sha256")
