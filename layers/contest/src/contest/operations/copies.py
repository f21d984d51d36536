"""Locked copies of the tables: weekly exports that DynamoDB makes and S3 replicates where nobody can delete them."""

from __future__ import annotations

import re
from typing import Final

from contest.figures import Figure
from contest.platform import Platform
from contest.stored_names import EXPORTED, EXPORTS
from contest.values import DAY

_COMPLETE: Final = re.compile(rf"{EXPORTS}(\w+)/AWSDynamoDB/(\d{{13,14}})-\w+/manifest-summary\.json")
"""Name of the file that an export writes at its end; its folder begins with the time of its beginning, in milliseconds
(Amazon DynamoDB developer guide, "DynamoDB table export output format")."""


def note_copies(platform: Platform) -> None:
    """Count the tables without a complete export of the last day among the locked copies; nothing without copies."""
    if platform.copies is None:
        return
    exports = map(_COMPLETE.fullmatch, platform.copies.names(EXPORTS))
    since = platform.clock.now() - DAY
    copied = {export[1] for export in exports if export and int(export[2]) >= since}
    platform.figures.note({Figure.TABLES_UNCOPIED: len(EXPORTED - copied)})
