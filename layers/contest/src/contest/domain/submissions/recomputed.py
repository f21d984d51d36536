"""The independent recomputation of submissions, as the platform asks for it and goes by it (T13, platform §4).

What recomputes imports nothing of this package. Both agree on two things alone: what a result is about, by whose digest
it is named, and what a job says.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from contest.domain.canonical import canonical, sha256_hex
from contest.domain.submissions.submission import Submission

_ABOUT: Final = ("submission_id", "of", "team_id", "cycle", "track", "order", "parameters_version", "completed_at")
_OUTCOME: Final = ("day", "attempt", "state", "cause", "value")


@dataclass(frozen=True, slots=True)
class Recomputed:
    """How far a cycle's scored submissions are recomputed: of ``submissions`` ``made``; ``result`` when all are."""

    submissions: int
    made: int
    result: Mapping[str, Any] | None

    @property
    def is_clean(self) -> bool:
        """Whether everything was recomputed and nothing differs."""
        return self.result is not None and not self.result["total"]


def facts_of(found: Submission, report: bytes | None) -> str:
    """Digest of what the result for a submission is about: another report, value or set calls for another result."""
    body = json.loads(json.dumps(asdict(found)))
    said = {name: body[name] for name in (*_ABOUT, *_OUTCOME)}
    return sha256_hex(canonical({**said, "report": None if report is None else sha256_hex(report)}))


def facts_of_all(known: Iterable[Submission], parts: Mapping[str, str]) -> str:
    """Digest of what the result for all of a cycle's submissions is about. ``parts``: the names of the results for
    those that are scored."""
    known = list(known)
    chosen = sorted([each.submission_id, each.named_at] for each in known if each.named_at is not None)
    runs = sorted([each.submission_id, each.state.value] for each in known if each.of)
    return sha256_hex(canonical({"parts": dict(parts), "chosen": chosen, "runs": runs}))
