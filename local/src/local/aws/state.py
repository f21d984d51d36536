"""A local cloud's lasting state as one file: tables' items, buckets' objects, secrets, accounts and variables.

The file is a zip of JSON documents and of the objects' bytes, the same bytes for the same state. Queues
and streams are not part of it: drain them first, as `LocalCloud.export_state` does. Reading it emits no
stream records.
"""

from __future__ import annotations

import json
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from markup_core.said import Said

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from local.aws.emulator import Emulator

_FORMAT = "hurdle-local-state"
_VERSION = 1
_VARIABLES = "variables.json"
_HEADERS = ("ContentType", "ContentEncoding", "CacheControl", "ContentDisposition", "Metadata")
_AT_ONCE = 4
"""Objects are many and small: reading one waits for the server as long as it works."""
_EPOCH = (1980, 1, 1, 0, 0, 0)

_KINDS_RU = {"table": "таблицы", "bucket": "бакеты", "secret": "секреты"}


class StateError(Exception):
    """The file is no state of a local cloud, or does not fit this one; nothing was changed."""


def define(emulator: Emulator, variables: Mapping[str, str]) -> None:
    """Note what there is as the template's: a state has this and nothing else, for a later cloud has nothing else.

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
    objects = []
    store = emulator.client("s3")

    def read(place: tuple[str, str]) -> tuple[dict[str, str], bytes]:
        found = store.get_object(Bucket=place[0], Key=place[1])
        return {name: found[name] for name in _HEADERS if found.get(name)}, found["Body"].read()

    with zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as archive, ThreadPoolExecutor(_AT_ONCE) as pool:
        tables = emulator.call("dump")
        _write(archive, "tables.json", {name: tables[name] for name in tables if name in defined["table"]})
        keys = [each for each in _object_keys(emulator) if each[0] in defined["bucket"]]
        for number, ((bucket, key), (headers, content)) in enumerate(zip(keys, pool.map(read, keys), strict=True)):
            objects.append({"bucket": bucket, "key": key, "headers": headers, "file": f"objects/{number}"})
            _write(archive, f"objects/{number}", content)
        _write(archive, "objects.json", objects)
        secrets = _secrets(emulator)
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
        tables, objects, secrets = (
            json.loads(archive.read(name)) for name in ("tables.json", "objects.json", "secrets.json")
        )
        # Files from before there were accounts have none.
        accounts = json.loads(archive.read("accounts.json")) if "accounts.json" in archive.namelist() else {}
        contents = {entry["file"]: archive.read(entry["file"]) for entry in objects}
    _refuse_other_variables(emulator, variables_of(path))
    _check(emulator, tables, {entry["bucket"] for entry in objects}, secrets)
    store = emulator.client("s3")
    for bucket, key in list(_object_keys(emulator)):
        store.delete_object(Bucket=bucket, Key=key)
    for entry in objects:
        body = contents[entry["file"]]
        store.put_object(Bucket=entry["bucket"], Key=entry["key"], Body=body, **entry["headers"])
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
    """Open a state; what cannot be read of it while it is open is a StateError."""
    try:
        with zipfile.ZipFile(path) as archive:
            if json.loads(archive.read("format.json")) != {"format": _FORMAT, "version": _VERSION}:
                raise StateError(
                    Said(
                        f"{path} was written by another version of the local cloud",
                        f"{path}: файл записан другой версией локального облака",
                    )
                )
            yield archive
    except (OSError, zipfile.BadZipFile, KeyError, ValueError) as error:
        raise StateError(
            Said(
                f"{path} is not a local cloud's state: {error}", f"{path}: это не состояние локального облака: {error}"
            )
        ) from error


def _refuse_other_variables(emulator: Emulator, variables: Mapping[str, str]) -> None:
    """Refuse a state under whose variables this cloud does not run: its functions would look past what it holds."""
    running = emulator.call("defined")["variables"]
    for name, value in variables.items():
        if name in running and running[name] != value:
            raise StateError(
                Said(
                    f"the state is of a cloud with {name}={value}, this one has {running[name]}; a cloud that is"
                    " started from it takes its name: hurdle up --state FILE, without --cycle",
                    f"состояние записано облаком, где {name}={value}, а здесь {running[name]}; облако, которое"
                    " начинает с этого файла, называется как в нём: hurdle up --state ФАЙЛ, без --cycle",
                )
            )


def _check(emulator: Emulator, tables: dict[str, Any], buckets: set[str], secrets: dict[str, str]) -> None:
    defined = emulator.call("defined")
    for kind, names in (("table", set(tables)), ("bucket", buckets), ("secret", set(secrets))):
        if unknown := sorted(names - set(defined[kind])):
            raise StateError(
                Said(
                    f"the state has {kind}s that the template does not define: {', '.join(unknown)}",
                    f"в состоянии есть {_KINDS_RU[kind]}, которых нет в шаблоне: {', '.join(unknown)}",
                )
            )


def _there(emulator: Emulator) -> dict[str, list[str]]:
    """List the tables, buckets and secrets that there are."""
    tables = sorted(emulator.call("depths")["streams"])
    return {"table": tables, "bucket": sorted(_buckets(emulator)), "secret": sorted(_secrets(emulator))}


def _buckets(emulator: Emulator) -> list[str]:
    return [bucket["Name"] for bucket in emulator.client("s3").list_buckets()["Buckets"]]


def _object_keys(emulator: Emulator) -> list[tuple[str, str]]:
    pages = emulator.client("s3").get_paginator("list_objects_v2")
    return [
        (bucket, entry["Key"])
        for bucket in _buckets(emulator)
        for page in pages.paginate(Bucket=bucket)
        for entry in page.get("Contents", [])
    ]


def _secrets(emulator: Emulator) -> dict[str, str]:
    client = emulator.client("secretsmanager")
    names = [
        secret["Name"] for page in client.get_paginator("list_secrets").paginate() for secret in page["SecretList"]
    ]
    return {name: client.get_secret_value(SecretId=name)["SecretString"] for name in sorted(names)}


def _write(archive: zipfile.ZipFile, name: str, content: Any) -> None:
    data = content if isinstance(content, bytes) else json.dumps(content, ensure_ascii=False, sort_keys=True).encode()
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)
