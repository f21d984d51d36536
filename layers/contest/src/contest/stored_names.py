"""Names of stored objects, each prefix in one place.

Standard library only: the infrastructure makes of the prefixes who may read, write and delete what, and what vanishes.
"""

from __future__ import annotations

from typing import Final

SETS: Final = "sets/"
ANSWERS: Final = "answers/"
LOGS: Final = "logs/"
REPORTS: Final = "reports/"
MARKUPS: Final = "markups/"
"""What experts save, every draft as it was sent."""
RUNS: Final = "runs/"
"""Plans and records of scheduled runs; a plan says which files come, so only who hands files out reads it."""


PUBLISHED: Final = "published/"
"""What everybody may read at the address of the same name: complete, compressed, never changed (records, charts)."""


SHADOWS: Final = f"{REPORTS}shadow/"
"""Results of the independent recomputation of finals, each named by the facts that it is about."""


RESCORED: Final = f"{REPORTS}rescored/"
"""What rescorings have made, each beside what was before."""


AUDITS: Final = "audits/"
"""What was audited under which facts, so that it is not audited again."""


def audited_name(session_id: str, facts_sha256: str) -> str:
    """Name of the note that a session was audited under these facts and nothing differed."""
    return f"{AUDITS}{session_id}/{facts_sha256}.json"


def published_name(run_id: str, what: str) -> str:
    """Name of something everybody may read of a run: ``record.json``, ``timeline.svg``."""
    return f"{PUBLISHED}runs/{run_id}/{what}"


def blob_names(cycle: str, kind: str, content_sha256: str) -> str:
    """Name of an object of a set: ``kind`` is ``manifests``, ``items`` or ``references``."""
    return f"{SETS}{cycle}/{kind}/{content_sha256}.json"


def run_plan_name(run_id: str, amendment: int = 0) -> str:
    """Name of the object with a run's first files (0), or with those that an amendment appends."""
    return f"{RUNS}{run_id}/plan-{amendment}.json"


def run_ratings_name(run_id: str, content_sha256: str) -> str:
    """Name of the object with experts' ratings of explanations, by which a run's answers are scored."""
    return f"{RUNS}{run_id}/ratings-{content_sha256}.json"


def run_keys_name(run_id: str) -> str:
    """Name of the object with the public keys of a run's receipts, for whoever checks them without the platform."""
    return f"{RUNS}{run_id}/keys.json"


def shadow_name(run_id: str, facts_sha256: str) -> str:
    """Name of the object with the result of recomputing a final under these facts."""
    return f"{SHADOWS}{run_id}/{facts_sha256}.json"


def shadow_part_name(run_id: str, facts_sha256: str, session_id: str) -> str:
    """Name of the object with one session's part of it."""
    return f"{SHADOWS}{run_id}/{facts_sha256}/{session_id}.json"


def answer_name(session_id: str, number: int, content_sha256: str) -> str:
    """Name of a stored answer."""
    return f"{ANSWERS}{session_id}/{number}/{content_sha256}.json"


def markup_name(assignment_id: str, content_sha256: str) -> str:
    """Name of a draft of an expert's markup."""
    return f"{MARKUPS}{assignment_id}/{content_sha256}.json"


def log_folder(session_id: str) -> str:
    """Before the names of a session's client logs."""
    return f"{LOGS}{session_id}/"


def report_name(session_id: str, parameters_version: int, rescored: str = "") -> str:
    """Name of a session's report; under an accepted rescoring it has one of its own."""
    return f"{REPORTS}{session_id}/{parameters_version}{'-' if rescored else ''}{rescored}.json"


def rescored_name(rescoring_id: str, session_id: str) -> str:
    """Name of the object with what a rescoring has made of a session, beside what was before."""
    return f"{RESCORED}{rescoring_id}/made/{session_id}.json"


def applied_name(rescoring_id: str, session_id: str) -> str:
    """Name of the note that a session goes by an accepted rescoring."""
    return f"{RESCORED}{rescoring_id}/applied/{session_id}.json"
