"""The function ``Shadow``: takes sessions of finals and submissions from its queue and computes them anew, in a process
of its own."""

from __future__ import annotations

import json
import os
from functools import cache
from typing import Any, Final

from shadow import private_test
from shadow.final import Tracks
from shadow.recomputing import recompute
from shadow.source import CloudSource, client
from tracks import registry

_TABLES: Final = {
    "Exchange": "HURDLE_EXCHANGE_TABLE",
    "Scores": "HURDLE_SCORES_TABLE",
    "Catalogue": "HURDLE_CATALOGUE_TABLE",
}
"""Variables that name the tables; the deployment tells every function the same."""
_BUCKET: Final = "HURDLE_BUCKET"
_MEASURES: Final = "HURDLE_MEASURES"
_MEASURE_IMAGE: Final = "HURDLE_MEASURE_IMAGE"
_HERE: Final = "here"
"""The local cloud runs programs of measures in the function's own child processes."""


@cache
def source() -> CloudSource:
    """Return the deployment's storage."""
    tables = {name: os.environ[variable] for name, variable in _TABLES.items()}
    return CloudSource(tables, os.environ[_BUCKET])


@cache
def tracks() -> Tracks:
    """Return the contests by name; programs of measures run in the deployment's function for them."""
    function = os.environ.get(_MEASURES, "")
    if function == _HERE:
        return registry.get
    from tracks.custom.running import InFunction  # most deployments have no measure
    from tracks.custom.track import CustomTrack

    custom = CustomTrack(InFunction(lambda: client("lambda"), function, os.environ.get(_MEASURE_IMAGE, "")))
    return lambda name: custom if name == custom.name else registry.get(name)


def handler(event: dict[str, Any], _context: Any) -> dict[str, Any]:
    """Recompute what the messages name; a message that raises is repeated and ends in the dead-letter queue."""
    for record in event["Records"]:
        message = json.loads(record["body"])
        source().forget()
        if message.get("submission_id"):
            private_test.recompute(source(), message["submission_id"], again=message["again"], tracks=tracks())
        else:
            recompute(source(), message["run_id"], message["session_id"], again=message["again"], tracks=tracks())
    return {"batchItemFailures": []}
