"""The reason that somebody gives for what they decide: of one form wherever it is asked for."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from contest.contracts.wire import NOT_BLANK
from contest.domain.reasons import LONGEST_REASON

Why = Annotated[
    str,
    Field(
        min_length=1,
        max_length=LONGEST_REASON,
        pattern=NOT_BLANK,
        description="Why; it is kept, and told where the decision is",
    ),
]
"""Not empty, and something else than blanks."""
