"""The deployment's rights and variables, kept on a stage: a function has those of its row and no others.

Emulated services grant everything, and a right that is missing shows in the cloud only. Here every call of the SDK is
held against :data:`infra.rights.FUNCTIONS` while a function's handler runs, in every test that has a stage, and the
environment has the function's own variables alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, MutableMapping
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, ClassVar, Final, NamedTuple

from contest import settings
from contest.adapters import aws
from contest.wiring import Adapter, Wiring
from infra.rights import FUNCTIONS, FunctionRow, variables

_SERVICES: Final = ("dynamodb", "s3", "sqs", "secretsmanager", "events", "application-autoscaling")
_READING: Final = frozenset({"GetItem", "BatchGetItem", "Query", "TransactGetItems"})
_TRANSACTED: Final = {"Get": "read", "ConditionCheck": "read", "Put": "append"}
_SECRETS: Final = {"signing": "signs", "uploads": "signs_uploads", "downloads": "signs_downloads"}
"""Right to read a secret, by the secret's name."""


class Rights:
    """Rights that functions used without having been granted them, each listed once."""

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
        for right in self._rights_needed(model.service_model.service_name, model.name, params):
            if not _is_granted(self._row, *right):
                missing = f"{self._row.name}: {' '.join(right)}"
                self.missing += [] if missing in self.missing else [missing]

    def _rights_needed(self, service: str, operation: str, params: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield the rights that a request needs: kind, and table or object."""
        if service == "dynamodb":
            for kind, table in _items(operation, params):
                yield kind, self._tables[table]
        elif service == "s3":
            yield operation, params.get("Key", params.get("Prefix", ""))
        elif operation.startswith("ChangeMessageVisibility"):
            return  # part of the right to work on a queue, which its trigger gives
        elif service == "sqs":
            yield "send", params["QueueUrl"].rpartition("/")[2]
        elif service == "events":
            yield "announce", ""
        elif service == "application-autoscaling":
            yield "read arming" if operation.startswith("Describe") else "arm", ""
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
        for part in params["TransactItems"]:
            for kind, what in part.items():
                yield _TRANSACTED.get(kind, "write"), what["TableName"]
    elif operation in ("BatchGetItem", "BatchWriteItem"):
        for table in params["RequestItems"]:
            yield "read" if operation == "BatchGetItem" else "write", table
    else:
        kind_written = "append" if operation == "PutItem" else "write"
        yield "read" if operation in _READING else kind_written, params["TableName"]


def _is_granted(row: FunctionRow, kind: str, what: str) -> bool:
    tables = {
        "read": (*row.reads, *row.writes, *row.appends),
        "append": (*row.writes, *row.appends),
        "write": row.writes,
    }
    if kind in tables:
        return what in tables[kind]
    if kind == "send":
        return what in row.sends  # by the end of a queue's address
    alone = {"read arming": row.arms or row.reads_arming, "arm": row.arms, "announce": row.announces}
    if kind in alone:
        return alone[kind]
    if kind == "sign":
        return bool(getattr(row, _SECRETS[what])) or (row.shows_key and what == "signing")
    if kind.startswith("List"):
        return bool(row.reads_objects)
    prefixes = {"GetObject": row.reads_objects, "PutObject": row.writes_objects, "DeleteObject": row.deletes_objects}
    return any(fnmatchcase(what, f"{prefix}*") for prefix in prefixes[kind])


class _Asked(settings.Settings):
    """Settings that note the fields that are read."""

    fields: ClassVar[set[str]] = set()

    def __getattribute__(self, name: str) -> Any:
        _Asked.fields.add(name)
        return super().__getattribute__(name)


@cache
def _fields_of(port: str) -> frozenset[str]:
    """Return the settings that the adapter of a port is made of."""
    _Asked.fields.clear()
    with suppress(settings.SettingsError):
        vars(Wiring)[port]._make(_Asked(os.environ))
    return frozenset(_Asked.fields)


class _Withheld(NamedTuple):
    """Settings that a function is not given, with what in this process is made of them."""

    fields: frozenset[str]
    variables: tuple[str, ...]
    ports: frozenset[str]
    tables: tuple[Any, ...]


@cache
def _withheld(handler: str) -> _Withheld:
    """Return the settings that a function is not given, and the ports whose adapters are made of them."""
    row = next(row for row in FUNCTIONS if row.handler == handler)
    given_to_it = {name.removeprefix("HURDLE_").lower() for name in variables(row)}
    fields = frozenset({*settings.Settings.__annotations__, "capacity"} - given_to_it - {"clock_file"})
    ports = (name for name, port in vars(Wiring).items() if isinstance(port, Adapter))
    return _Withheld(
        fields,
        tuple(f"HURDLE_{field.upper()}" for field in fields),
        frozenset(port for port in ports if _fields_of(port) & fields),
        tuple(item.Meta for item in aws.ITEMS if item.Meta.field in fields),
    )


@contextmanager
def without_ungranted(handler: str, platform: Wiring) -> Iterator[None]:
    """Take from this process the variables that the function is not given, and the adapters made of them.

    The function keeps the adapters that it makes of its own variables, as a warm process does.
    """
    withheld = _withheld(handler)
    with (
        _without(os.environ, withheld.variables),
        _without(vars(platform.settings), withheld.fields),
        _without(vars(platform), withheld.ports),
        _without_names(withheld.tables),
    ):
        own: dict[str, Any] = vars(platform).setdefault("adapters_by_handler", {}).setdefault(handler, {})
        vars(platform).update(own)
        try:
            yield
        finally:
            own.update({name: vars(platform).pop(name) for name in withheld.ports if name in vars(platform)})


@contextmanager
def _without(values: MutableMapping[str, Any], names: Iterable[str]) -> Iterator[None]:
    removed = {name: values.pop(name) for name in names if name in values}
    try:
        yield
    finally:
        values.update(removed)


@contextmanager
def _without_names(tables: Iterable[Any]) -> Iterator[None]:
    """Forget the names of tables, which are then asked of the settings again."""
    names = {table: table.table_name for table in tables if "table_name" in vars(table)}
    for table in names:
        del table.table_name
    try:
        yield
    finally:
        for table, name in names.items():
            table.table_name = name


@contextmanager
def watched(tables: dict[str, str]) -> Iterator[Rights]:
    """Watch all calls inside."""
    rights = Rights(tables)
    watching = {"handler": rights.note, "unique_id": f"rights {id(rights)}"}
    for service in _SERVICES:
        aws.client(service).meta.events.register("provide-client-params", **watching)
    try:
        yield rights
    finally:
        for service in _SERVICES:
            aws.client(service).meta.events.unregister("provide-client-params", **watching)


@contextmanager
def rights_checked(tables: dict[str, str]) -> Iterator[Rights]:
    """Watch all calls inside; in the end nothing may have been asked that is not granted."""
    with watched(tables) as rights:
        yield rights
    assert not rights.missing, rights.missing
