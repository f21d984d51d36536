"""Say how many examples properties have, at the gate and where more are made."""

from __future__ import annotations

import os
from typing import Final

PROFILE: Final = os.environ.get("HYPOTHESIS_PROFILE", "default")
"""The gate makes few examples of each property; ``make properties`` twenty times as many."""
OF_THE_GATE: Final = 13
_TIMES: Final = {"default": 1, "proofs": 20, "mutants": 6}


def examples(of_the_gate: int) -> int:
    """Return the number of examples where the gate makes so many."""
    return of_the_gate * _TIMES[PROFILE]
