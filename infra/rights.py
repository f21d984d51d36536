"""What runs, and what each function may touch: the whole of the deployment's rights as data.

The constructs turn these rows into policies and the tests compare the policies with them.
A function that is not granted something here cannot do it, whatever its code says (platform §1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from contest import settings

Table = Literal["Exchange", "Scores", "Catalogue", "Identity"]

MANIFESTS: Final = f"{settings.SETS_PREFIX}*/manifests/"
ITEMS: Final = f"{settings.SETS_PREFIX}*/items/"
REFERENCES: Final = f"{settings.SETS_PREFIX}*/references/"
"""The experts' markups: what nobody but the scorer and the makers of results may open (platform §1)."""


@dataclass(frozen=True, slots=True)
class FunctionRow:
    """One function: its entry point and its rights. Object rights are key prefixes inside the cycle's bucket."""

    name: str
    handler: str
    reads: tuple[Table, ...] = ()
    writes: tuple[Table, ...] = ()
    reads_objects: tuple[str, ...] = ()
    writes_objects: tuple[str, ...] = ()
    deletes_objects: tuple[str, ...] = ()
    signs: bool = False
    """May read the secret from which the key of receipts, commitments and records is derived."""
    sends_scoring: bool = False
    sends_pushes: bool = False
    posts: bool = False
    """May write to and close the event channel's connections."""
    serves_http: bool = False
    """Has routes of the HTTP interface, or guards them."""
    prompt: bool = False
    """Somebody waits for it: started from a snapshot (or kept running) and reached through an alias, so that nobody
    waits for imports."""


_FILES: Final = (MANIFESTS, ITEMS, settings.RUNS_PREFIX)
"""What it takes to know a session's files: in a scheduled run they are the run's."""
_EVERYTHING: Final = (MANIFESTS, ITEMS, REFERENCES, settings.ANSWERS_PREFIX, settings.REPORTS_PREFIX)

FUNCTIONS: Final = (
    FunctionRow("Authorize", "authorize.api.handler", reads=("Identity",), serves_http=True, prompt=True),
    FunctionRow(
        "Dispatch",
        "dispatch.api.handler",
        reads=("Catalogue",),
        writes=("Exchange",),
        reads_objects=_FILES,
        signs=True,
        serves_http=True,
        prompt=True,
    ),
    FunctionRow(
        "Submit",
        "submit.api.handler",
        reads=("Catalogue",),
        writes=("Exchange",),
        reads_objects=(*_FILES, settings.LOGS_PREFIX),
        writes_objects=(settings.ANSWERS_PREFIX, settings.LOGS_PREFIX),
        deletes_objects=(settings.LOGS_PREFIX,),
        signs=True,
        serves_http=True,
        prompt=True,
    ),
    FunctionRow(
        "Results",
        "score.api.handler",
        reads=("Catalogue", "Identity"),
        writes=("Exchange", "Scores"),
        reads_objects=(*_EVERYTHING, settings.RUNS_PREFIX),
        writes_objects=(settings.REPORTS_PREFIX,),
        serves_http=True,
        prompt=True,
    ),
    FunctionRow(
        "Socket",
        "dispatch.socket.handler",
        reads=("Catalogue", "Identity"),
        writes=("Exchange",),
        reads_objects=(*_FILES, settings.LOGS_PREFIX),
        writes_objects=(settings.ANSWERS_PREFIX, settings.LOGS_PREFIX),
        deletes_objects=(settings.LOGS_PREFIX,),
        signs=True,
        sends_pushes=True,
        posts=True,
        prompt=True,
    ),
    FunctionRow(
        "Push",
        "dispatch.push.handler",
        reads=("Catalogue", "Identity"),
        writes=("Exchange",),
        reads_objects=_FILES,
        sends_pushes=True,
        posts=True,
        prompt=True,
    ),
    FunctionRow(
        "Minute",
        "dispatch.minute.handler",
        reads=("Catalogue",),
        writes=("Exchange", "Scores"),
        reads_objects=(*_FILES, settings.REPORTS_PREFIX),
        writes_objects=(settings.REPORTS_PREFIX, settings.RUNS_PREFIX),
        signs=True,
        sends_scoring=True,
        sends_pushes=True,
        posts=True,
    ),
    FunctionRow(
        "Technical",
        "dispatch.technical.handler",
        reads=("Catalogue",),
        writes=("Exchange",),
        reads_objects=_FILES,
        writes_objects=(settings.RUNS_PREFIX,),
        signs=True,
    ),
    FunctionRow("Relay", "score.relay.handler", sends_scoring=True),
    FunctionRow(
        "Score",
        "score.worker.handler",
        reads=("Catalogue",),
        writes=("Exchange", "Scores"),
        reads_objects=(*_FILES, REFERENCES, settings.ANSWERS_PREFIX),
    ),
    FunctionRow(
        "Audit",
        "score.audit.handler",
        reads=("Exchange", "Scores", "Catalogue"),
        reads_objects=(*_EVERYTHING, settings.RUNS_PREFIX),
    ),
)
"""docs/decisions/0001 §5 gives the reasons, row by row."""
