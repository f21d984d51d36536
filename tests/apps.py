"""The platform's HTTP applications, whose routes its document tells together."""

from __future__ import annotations

from typing import Any, Final

import annotate.api
import dispatch.api
import dispatch.public
import dispatch.sets
import organize.api
import organize.conduct
import organize.operate
import score.api
import submit.api
import submit.whole

APPS: Final[tuple[Any, ...]] = tuple(
    each.app
    for each in (
        dispatch.api,
        submit.api,
        submit.whole,
        score.api,
        organize.api,
        annotate.api,
        organize.operate,
        organize.conduct,
        dispatch.sets,
        dispatch.public,
    )
)
