"""The reason that somebody gives for a decision."""

from __future__ import annotations

from typing import Final

LONGEST_REASON: Final = 4000
"""Characters; one limit wherever a reason is asked for, so that a page need not know which decision takes how many."""
