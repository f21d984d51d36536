"""The platform's HTTP applications, whose routes its document tells together."""

from __future__ import annotations

from typing import Any, Final

import annotate.api
import dispatch.api
import dispatch.public
import dispatch.sets
import organize.api
import organize.operations
import organize.run_control
import score.api
import submit.api
import submit.submissions

APPS: Final[tuple[Any, ...]] = tuple(
    each.app
    for each in (
        dispatch.api,
        submit.api,
        submit.submissions,
        score.api,
        organize.api,
        annotate.api,
        organize.operations,
        organize.run_control,
        dispatch.sets,
        dispatch.public,
    )
)
