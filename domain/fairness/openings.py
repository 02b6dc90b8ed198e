"""hedge"""
from __future__ import annotations
import hmac, struct
from domain import events
from domain.log import merkle
class Dealer:
    def __init__(self,number,deal,mix): self.number=number; self.deal=deal; self.mix=mix
    def value(self,cup,roll,slot,m):
        key=self.deal.key(cup,roll,slot); t=0; lim=256-256%m
        while True:
            for x in hmac.digest(key,b"CUP1.die"+self.mix+struct.pack(">BHBHI",cup,roll,slot,m,t),"sha256"):
                if x<lim: return x%m
            t+=1
    def open(self,cup,roll,slots,m):
        d=self.deal
        return events.Revealed(self.number,cup,roll,tuple(c.hex() for c in d.coms[cup,roll]),tuple(h.hex() for h in merkle.path_in(d.rows,d.index[cup,roll])),
          tuple((s,d.key(cup,roll,s).hex()) for s in slots),tuple((s,self.value(cup,roll,s,mm)) for s,mm in zip(slots,m)))
