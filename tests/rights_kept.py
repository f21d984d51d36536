"""The deployment's rights and variables, kept on a stage: a function has those of its row and no others.

Emulated services grant everything, and a right that is missing shows in the cloud only. Here every call of the SDK is
held against :data:`infra.rights.FUNCTIONS` while a function's handler runs, in every test that has a stage, and the
environment has the function's own variables alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, Final

from contest import settings
from contest.adapters import aws, dynamo
from contest.wiring import Adapter, Wiring
from infra.rights import FUNCTIONS, FunctionRow, variables

_SERVICES: Final = ("dynamodb", "s3", "sqs", "secretsmanager", "events")
_READING: Final = frozenset({"GetItem", "BatchGetItem", "Query", "TransactGetItems"})
_TRANSACTED: Final = {"Get": "read", "ConditionCheck": "read", "Put": "append"}
_QUEUES: Final = {
    "scoring": "sends_scoring",
    "settlement": "sends_settlement",
    "rescorings": "sends_rescorings",
    "shadows": "sends_shadows",
    "audits": "sends_audits",
    "imports": "sends_imports",
    "submissions": "sends_submissions",
    "pushes": "sends_pushes",
}
"""By the end of a queue's address, the right to send to it."""

_SECRETS: Final = {"signing": "signs", "uploads": "signs_uploads", "downloads": "signs_downloads"}
"""By a secret's name, the right to read it."""


class Rights:
    """What each function was not granted and asked for all the same, each once."""

    def __init__(self, tables: dict[str, str]) -> None:
        self.missing: list[str] = []
        self._tables = {name: _title(variable) for variable, name in tables.items()}
        self._row: FunctionRow | None = None

    @contextmanager
    def of(self, handler: str) -> Iterator[None]:
        """Hold what is asked inside against the row of the function with this entry point."""
        before, self._row = self._row, next(row for row in FUNCTIONS if row.handler == handler)
        try:
            yield
        finally:
            self._row = before

    def note(self, params: dict[str, Any], model: Any, **_: Any) -> None:
        """Record a call of the SDK."""
        if self._row is None:
            return
        for wanted in self._wanted(model.service_model.service_name, model.name, params):
            if not _is_granted(self._row, *wanted):
                said = f"{self._row.name}: {' '.join(wanted)}"
                self.missing += [] if said in self.missing else [said]

    def _wanted(self, service: str, operation: str, params: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """Kinds of rights and what they are about."""
        if service == "dynamodb":
            for kind, table in _items(operation, params):
                yield kind, self._tables[table]
        elif service == "s3":
            yield operation, params.get("Key", params.get("Prefix", ""))
        elif service == "sqs":
            yield "send", params["QueueUrl"].rpartition("/")[2]
        elif service == "events":
            yield "announce", ""
        else:
            yield "sign", params["SecretId"]


def _title(variable: str) -> str:
    """Return the rows' name of the table that an environment's variable names."""
    names = {
        settings.EXCHANGE_TABLE: "Exchange",
        settings.SCORES_TABLE: "Scores",
        settings.CATALOGUE_TABLE: "Catalogue",
        settings.IDENTITY_TABLE: "Identity",
        settings.EXPERTS_TABLE: "Experts",
    }
    return names[variable]


def _items(operation: str, params: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if operation in ("TransactWriteItems", "TransactGetItems"):
        for each in params["TransactItems"]:
            for kind, what in each.items():
                yield _TRANSACTED.get(kind, "write"), what["TableName"]
    elif operation in ("BatchGetItem", "BatchWriteItem"):
        for table in params["RequestItems"]:
            yield "read" if operation == "BatchGetItem" else "write", table
    else:
        written = "append" if operation == "PutItem" else "write"
        yield "read" if operation in _READING else written, params["TableName"]


def _is_granted(row: FunctionRow, kind: str, what: str) -> bool:
    tables = {
        "read": (*row.reads, *row.writes, *row.appends),
        "append": (*row.writes, *row.appends),
        "write": row.writes,
    }
    if kind in tables:
        return what in tables[kind]
    if kind == "send":
        return bool(getattr(row, _QUEUES[what]))
    if kind == "announce":
        return row.announces
    if kind == "sign":
        return bool(getattr(row, _SECRETS[what])) or (row.shows_key and what == "signing")
    if kind.startswith("List"):
        return bool(row.reads_objects)
    prefixes = {"GetObject": row.reads_objects, "PutObject": row.writes_objects, "DeleteObject": row.deletes_objects}
    return any(fnmatchcase(what, f"{prefix}*") for prefix in prefixes[kind])


class _Read(Mapping[str, str]):
    """An environment that notes which of its variables are read."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def __getitem__(self, name: str) -> str:
        self.names.add(name)
        return os.environ[name]

    def __iter__(self) -> Iterator[str]:
        return iter(os.environ)

    def __len__(self) -> int:
        return len(os.environ)


@cache
def _named_by(port: str) -> frozenset[str]:
    """Return the variables that the adapter of a port cannot be made without."""
    read, adapter = _Read(), vars(Wiring)[port]
    try:
        adapter._make(settings.Settings(read))
    except settings.SettingsError:
        pass
    return frozenset(read.names) - _OPTIONAL


_OPTIONAL: Final = frozenset({settings.CLOCK_FILE, settings.BATCH_COPY_QUEUE, settings.BATCH_COPY_DEFINITION})


@cache
def _withheld(handler: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the variables that a function is not given, and the ports whose adapters it cannot make."""
    row = next(row for row in FUNCTIONS if row.handler == handler)
    names = {name for name in vars(settings).values() if isinstance(name, str) and name.startswith("HURDLE_")}
    withheld = frozenset(names - variables(row) - {settings.HOME, settings.CLOCK_FILE})
    ports = (name for name, port in vars(Wiring).items() if isinstance(port, Adapter))
    return withheld, frozenset(port for port in ports if _named_by(port) & withheld)


@contextmanager
def given(handler: str, platform: Wiring) -> Iterator[None]:
    """Take from this process the variables that the function is not given, and the adapters made with them."""
    names, ports = _withheld(handler)
    values = {name: os.environ.pop(name) for name in names if name in os.environ}
    made = vars(platform)
    adapters = {port: made.pop(port) for port in ports if port in made}
    dynamo.bind(platform.settings)
    try:
        yield
    finally:
        os.environ.update(values)
        dynamo.bind(platform.settings)
        for port in ports:
            made.pop(port, None)
        made.update(adapters)


@contextmanager
def watched(tables: dict[str, str]) -> Iterator[Rights]:
    """Watch all calls inside."""
    rights = Rights(tables)
    watching = {"handler": rights.note, "unique_id": f"rights {id(rights)}"}
    for each in _SERVICES:
        aws.client(each).meta.events.register("provide-client-params", **watching)
    try:
        yield rights
    finally:
        for each in _SERVICES:
            aws.client(each).meta.events.unregister("provide-client-params", **watching)


@contextmanager
def kept(tables: dict[str, str]) -> Iterator[Rights]:
    """Watch all calls inside; in the end nothing may have been asked that is not granted."""
    with watched(tables) as rights:
        yield rights
    assert not rights.missing, rights.missing
