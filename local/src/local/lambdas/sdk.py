"""The SDK in processes of functions: it reads its files once for all of them, and sends small requests without HTTP.

A process would spend a tenth of a second on the descriptions of services and their endpoints at its first request. They
are read by path and depend on nothing of a function's environment. Sessions fill defaults into the addresses of a
region, each the same ones. The folders of services are listed once, too: each client lists a thousand of them for every
kind of file. A fork server imports this module, so nothing here starts a thread or opens anything for long; in its
forks the files read here are cached, any other is read as usual.

The SDK spends nine tenths of a small request on addresses, signatures, headers and two parsers, which nothing on this
machine needs. Operations on items and objects, and messages that are sent, go to the emulator on its line
(`local.aws.emulator`), with the process's key, by which rights are looked at. Answered there is a success, and that an
object is there already, or is not. Whatever else the emulator refuses, throttles or does not know is asked again the
long way by the SDK itself, with its retries and its errors; so is what the SDK refuses before it sends anything. What
was refused has stored nothing.
"""

from __future__ import annotations

import base64
from collections import defaultdict, deque
from functools import cache
from io import BytesIO
from typing import Any, Final
from urllib.parse import urlsplit

from botocore.client import BaseClient  # type: ignore[import-untyped]  # the SDK has no types
from botocore.loaders import JSONFileLoader, Loader  # type: ignore[import-untyped]  # the SDK has no types
from botocore.response import StreamingBody  # type: ignore[import-untyped]
from botocore.validate import ParamValidationDecorator, ParamValidator  # type: ignore[import-untyped]

from local.aws.emulator import OBJECT_PARAMETERS, OPERATIONS, REFUSED, Line, read_items, read_json, write_json
from local.environment import HOST

_OF_ALL: Final = ("endpoints", "partitions", "sdk-default-configuration")
_OF_A_SERVICE: Final = ("service-2", "endpoint-rule-set-1", "paginators-1")
_SERVICES: Final = (
    *("dynamodb", "s3", "secretsmanager", "sqs"),
    *("apigatewaymanagementapi", "application-autoscaling", "events"),
)

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


_METADATA: Final = {"HTTPStatusCode": 200, "HTTPHeaders": {}, "RetryAttempts": 0}
_idle: Final[defaultdict[int, deque[Line]]] = defaultdict(deque)
"""Lines that wait for a request, by the emulator's port."""
_long_way: Final = BaseClient._make_api_call


def _make_api_call(client: BaseClient, operation: str, params: dict[str, Any]) -> Any:
    """Return the answer to an operation, as the SDK does."""
    port = _port_of(client.meta.endpoint_url)
    is_checked = isinstance(client._serializer, ParamValidationDecorator)  # clients may be told not to
    if (
        operation not in OPERATIONS.get(client.meta.service_model.service_name, ())
        or port is None
        or not params.keys() <= OBJECT_PARAMETERS.get(operation, params.keys())
        or (operation in OBJECT_PARAMETERS and not isinstance(params.get("Body", b""), bytes))
        or (
            is_checked
            and ParamValidator()
            .validate(params, client.meta.service_model.operation_model(operation).input_shape)
            .has_errors()
        )
    ):
        return _long_way(client, operation, params)
    try:
        line = _idle[port].pop() if _idle[port] else Line(port, client.meta.config.read_timeout)
        key = client._request_signer._credentials.access_key
        content = line.ask(key, operation, write_json(params))
    except OSError:  # the SDK knows what to do about it
        return _long_way(client, operation, params)
    _idle[port].append(line)
    if content is None:
        return _long_way(client, operation, params)
    if operation in OBJECT_PARAMETERS:
        return _object_answer(client, operation, read_json(content))
    answer = read_items(content)
    return {**answer, "ResponseMetadata": {**_METADATA}}


@cache
def _port_of(address: str) -> int | None:
    """Return the port of an address on this machine, None of any other."""
    place = urlsplit(address)
    return place.port if place.hostname == HOST else None


def _object_answer(client: BaseClient, operation: str, answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer about an object. Raises the SDK's error for a refusal."""
    if REFUSED in answer:
        status = answer.pop("status")
        error = client.exceptions.from_code(answer[REFUSED]["Code"])
        raise error({**answer, "ResponseMetadata": {**_METADATA, "HTTPStatusCode": status}}, operation)
    if "Body" in answer:
        answer["Body"] = StreamingBody(BytesIO(base64.b64decode(answer["Body"])), answer["ContentLength"])
    return {**answer, "ResponseMetadata": {**_METADATA}}


BaseClient._make_api_call = _make_api_call
