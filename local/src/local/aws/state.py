"""A local cloud's lasting state as one file: tables' items, buckets' objects, secrets, accounts and variables.

The file is a zip of JSON documents and of the objects' bytes, the same bytes for the same state. Queues
and streams are not part of it: drain them first, as `LocalCloud.export_state` does. Reading it emits no
stream records.
"""

from __future__ import annotations

import json
import zipfile
from base64 import b64decode, b64encode
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from local.texts import tr

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from local.aws.emulator import Emulator

_FORMAT = "hurdle-local-state"
_VERSION = 1
_VARIABLES = "variables.json"
_BATCH_BYTES = 8 * 1024 * 1024
"""Objects are many and small: a request for each took most of a cloud's start. So many bytes go in one."""
_EPOCH = (1980, 1, 1, 0, 0, 0)

_KINDS = {"table": tr("tables"), "bucket": tr("buckets"), "secret": tr("secrets")}


class StateError(Exception):
    """The file is no state of a local cloud, or does not fit this one; nothing was changed."""


def define(emulator: Emulator, variables: Mapping[str, str]) -> None:
    """Record the present resources as the template's: a state contains these alone, since a later cloud has no others.

    ``variables`` are told to the functions instead of the template's; a state is read under the same ones.
    """
    emulator.call("define", **_there(emulator), variables=variables)


def export_state(emulator: Emulator, path: Path) -> tuple[str, ...]:
    """Write the state to `path`, replacing the file as a whole; tables are read at one instant.

    Return the names of tables, buckets and secrets that somebody added to the template's: they are left out, for no
    cloud could take them in.
    """
    defined, there = emulator.call("defined"), _there(emulator)
    fresh = path.with_name(path.name + ".new")
    entries = []
    with zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as archive:
        tables = emulator.call("dump")
        _write(archive, "tables.json", {name: tables[name] for name in tables if name in defined["table"]})
        for number, stored in enumerate(objects(emulator, defined["bucket"])):
            _write(archive, f"objects/{number}", b64decode(stored.pop("content")))
            entries.append({**stored, "file": f"objects/{number}"})
        _write(archive, "objects.json", entries)
        client = emulator.client("secretsmanager")
        secrets = {name: client.get_secret_value(SecretId=name)["SecretString"] for name in _secret_names(emulator)}
        _write(archive, "secrets.json", {name: secrets[name] for name in secrets if name in defined["secret"]})
        _write(archive, "accounts.json", emulator.call("accounts"))
        _write(archive, _VARIABLES, defined["variables"])
        _write(archive, "format.json", {"format": _FORMAT, "version": _VERSION})
    fresh.replace(path)
    return tuple(name for kind, names in there.items() for name in names if name not in defined[kind])


def import_state(emulator: Emulator, path: Path) -> None:
    """Replace the tables' items, objects and secrets by those of `path`.

    StateError when the file is no such state, names a table, bucket or secret that does not exist here, or is of a
    cloud with other variables.
    """
    with _opened(path) as archive:
        tables, entries, secrets = (
            json.loads(archive.read(name)) for name in ("tables.json", "objects.json", "secrets.json")
        )
        # Files from before there were accounts have none.
        accounts = json.loads(archive.read("accounts.json")) if "accounts.json" in archive.namelist() else {}
        contents = {entry["file"]: archive.read(entry["file"]) for entry in entries}
    _refuse_other_variables(emulator, variables_of(path))
    _check(emulator, tables, {entry["bucket"] for entry in entries}, secrets)
    emulator.call("empty")
    for batch in _batches(entries, contents):
        emulator.call("put", objects=batch)
    for name, value in secrets.items():
        emulator.client("secretsmanager").put_secret_value(SecretId=name, SecretString=value)
    emulator.call("load_accounts", **accounts)
    emulator.call("load", **tables)


def variables_of(path: Path) -> dict[str, str]:
    """Return the variables of the cloud that wrote a state; none of files from before they were kept. StateError."""
    with _opened(path) as archive:
        if _VARIABLES not in archive.namelist():
            return {}
        variables: dict[str, str] = json.loads(archive.read(_VARIABLES))
        return variables


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open a state; a part that cannot be read while it is open raises StateError."""
    try:
        with zipfile.ZipFile(path) as archive:
            if json.loads(archive.read("format.json")) != {"format": _FORMAT, "version": _VERSION}:
                raise StateError(tr("{path} was written by another version of the local cloud", path=path))
            yield archive
    except (OSError, zipfile.BadZipFile, KeyError, ValueError) as error:
        raise StateError(tr("{path} is not a local cloud's state: {error}", path=path, error=error)) from error


def _refuse_other_variables(emulator: Emulator, variables: Mapping[str, str]) -> None:
    """Refuse a state under whose variables this cloud does not run: its functions would look past what it holds."""
    running = emulator.call("defined")["variables"]
    for name, value in variables.items():
        if name in running and running[name] != value:
            raise StateError(
                tr(
                    "the state is of a cloud with {name}={value}, this one has {running}; a cloud that is "
                    "started from it takes its name: hurdle up --state FILE, without --cycle",
                    name=name,
                    value=value,
                    running=running[name],
                )
            )


def _check(emulator: Emulator, tables: dict[str, Any], buckets: set[str], secrets: dict[str, str]) -> None:
    defined = emulator.call("defined")
    for kind, names in (("table", set(tables)), ("bucket", buckets), ("secret", set(secrets))):
        if unknown := sorted(names - set(defined[kind])):
            raise StateError(
                tr(
                    "the state has {kind} that the template does not define: {unknown}",
                    kind=_KINDS[kind],
                    unknown=", ".join(unknown),
                )
            )


def _there(emulator: Emulator) -> dict[str, list[str]]:
    """List the tables, buckets and secrets that there are."""
    tables = sorted(emulator.call("depths")["streams"])
    buckets = sorted(bucket["Name"] for bucket in emulator.client("s3").list_buckets()["Buckets"])
    return {"table": tables, "bucket": buckets, "secret": _secret_names(emulator)}


def objects(emulator: Emulator, buckets: list[str], prefix: str = "") -> Iterator[dict[str, Any]]:
    """Yield every object of these buckets whose key begins so, by bucket and key, its content in base 64."""
    after: list[str] = ["", ""]
    ask = {"buckets": buckets, "prefix": prefix, "limit": _BATCH_BYTES}
    while batch := emulator.call("objects", after=after, **ask)["objects"]:
        after = [batch[-1]["bucket"], batch[-1]["key"]]
        yield from batch


def _batches(entries: list[dict[str, Any]], contents: Mapping[str, bytes]) -> Iterator[list[dict[str, Any]]]:
    """Yield a state's objects with their contents, so many at once as fit a request."""
    batch: list[dict[str, Any]] = []
    size = 0
    for entry in entries:
        content = contents[entry["file"]]
        if batch and size + len(content) > _BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append({**entry, "content": b64encode(content).decode()})
        size += len(content)
    if batch:
        yield batch


def _secret_names(emulator: Emulator) -> list[str]:
    pages = emulator.client("secretsmanager").get_paginator("list_secrets").paginate()
    return sorted(secret["Name"] for page in pages for secret in page["SecretList"])


def _write(archive: zipfile.ZipFile, name: str, content: Any) -> None:
    data = content if isinstance(content, bytes) else json.dumps(content, ensure_ascii=False, sort_keys=True).encode()
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)
