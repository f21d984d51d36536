"""Cache the SDK's descriptions of services and their endpoints, once for all processes of functions.

A process would spend a tenth of a second on these at its first request. They are read by path and depend on nothing of
a function's environment. Sessions fill defaults into the addresses of a region, each the same ones. A fork server
imports this module, so nothing here starts a thread or opens anything for long; in its forks the files read here are
cached, any other is read as usual. The folders of services are listed once, too: each client lists a thousand of them
for every kind of file.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from botocore.loaders import JSONFileLoader, Loader  # type: ignore[import-untyped]  # the SDK has no types

_OF_ALL: Final = ("endpoints", "partitions", "sdk-default-configuration")
_OF_A_SERVICE: Final = ("service-2", "endpoint-rule-set-1", "paginators-1")
_SERVICES: Final = ("dynamodb", "s3", "secretsmanager", "sqs")

_read: Final = JSONFileLoader.load_file


@cache
def _read_once(path: str) -> Any:
    return _read(JSONFileLoader(), path)


_list: Final = Loader.list_available_services


@cache
def _list_once(folders: tuple[str, ...], kind: str) -> tuple[str, ...]:
    """List the services that have a file of this kind in these folders."""
    return tuple(_list(Loader([*folders], include_default_search_paths=False), kind))


JSONFileLoader.load_file = lambda _, path: _read_once(path)
Loader.list_available_services = lambda loader, type_name: [*_list_once((*loader.search_paths,), type_name)]
_loader: Final = Loader()
for _name in _OF_ALL:
    _loader.load_data(_name)
for _name in _SERVICES:
    for _kind in _OF_A_SERVICE:
        _loader.load_service_model(_name, _kind)
