"""Whether a job has failed for good: whoever waits for it is told so at once, by its dead letter (platform §4)."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from contest.domain.moments import Millis
from contest.domain.operations.dead_letters import letter_id
from contest.services.platform import Platform
from contest.stored_names import LetterQueue


def letter_of(queue: LetterQueue, job: Any) -> str:
    """The name of a job's dead letter, whether or not there is one."""
    return letter_id(queue, json.dumps(asdict(job)))


def failed_at(platform: Platform, queue: LetterQueue, job: Any) -> Millis | None:
    """When a job failed for good; None where it has not, or was sent again or dropped since.

    Clause: platform §4 failed
    """
    found = platform.dead_letters.get(letter_of(queue, job))
    return found.last_at if found is not None and found.is_open else None
