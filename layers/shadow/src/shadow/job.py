"""The function ``Shadow``: takes sessions of finals and submissions from its queue and computes them anew, in a process
of its own."""

from __future__ import annotations

import json
import os
from functools import cache
from typing import Any, Final

from shadow import private_test
from shadow.recomputing import recompute
from shadow.storage import CloudSource

_TABLES: Final = {
    "Exchange": "HURDLE_EXCHANGE_TABLE",
    "Scores": "HURDLE_SCORES_TABLE",
    "Catalogue": "HURDLE_CATALOGUE_TABLE",
}
"""Variables that name the tables; the deployment tells every function the same."""
_BUCKET: Final = "HURDLE_BUCKET"


@cache
def source() -> CloudSource:
    """The deployment's storage."""
    tables = {name: os.environ[variable] for name, variable in _TABLES.items()}
    return CloudSource(tables, os.environ[_BUCKET])


def handler(event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """Do what the messages ask for; what raises comes again and ends in the dead-letter queue."""
    for record in event["Records"]:
        asked = json.loads(record["body"])
        if asked.get("submission_id"):
            private_test.recompute(source(), asked["submission_id"], again=asked["again"])
        else:
            recompute(source(), asked["run_id"], asked["session_id"], again=asked["again"])
    return {"batchItemFailures": []}
