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
    """Return the deployment's storage."""
    tables = {name: os.environ[variable] for name, variable in _TABLES.items()}
    return CloudSource(tables, os.environ[_BUCKET])


def handler(event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """Recompute what the messages name; a message that raises is repeated and ends in the dead-letter queue."""
    for record in event["Records"]:
        message = json.loads(record["body"])
        source().forget()
        if message.get("submission_id"):
            private_test.recompute(source(), message["submission_id"], again=message["again"])
        else:
            recompute(source(), message["run_id"], message["session_id"], again=message["again"])
    return {"batchItemFailures": []}
