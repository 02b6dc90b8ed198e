"""The keys of the published log and its witnesses, whose seeds are published too."""

from __future__ import annotations

import json
from pathlib import Path

from infra.keys import Ed25519Signer

VECTORS = Path(__file__).parent.parent / "fairness/vectors"
LOG = json.loads((VECTORS / "log.json").read_text(encoding="utf-8"))
POLICY = (VECTORS / "policy.txt").read_text(encoding="utf-8")
ORIGIN = LOG["origin"]
SIGNER = Ed25519Signer(bytes.fromhex(LOG["log_seed"]))
WITNESSES = {name: Ed25519Signer(bytes.fromhex(seed)) for name, seed in LOG["witness_seeds"]}
