"""Modules that a function loads when it starts, and errors that stop it from starting."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from contest import routes, settings
from contest.adapters import aws
from contest.edge import web
from contest.routes import ROUTES, Function, Right, Route
from infra.rights import FUNCTIONS as ROWS
from infra.rights import variables
from tests.rights_kept import watched
from tests.stage import Stage, staged
from tests.stage_services import BUCKET, TABLES

FUNCTIONS = Path(__file__).resolve().parents[2] / "functions"
HEAVY = {
    "numpy",
    "boto3",
    "pynamodb",
    "pydantic",
    "aws_lambda_powertools",
    "cryptography",
    "scipy",
    "markup_core.matching.match",
}


def printed(program: str, **environment: str) -> list[str]:
    """Run a program in a fresh process among the functions; return the words that it prints."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=FUNCTIONS,
        env={"PATH": "", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def loaded(module: str, **environment: str) -> set[str]:
    """Return the heavy modules in a process that has imported a function."""
    return set(printed(f"import sys, {module}; print(*({HEAVY!r} & set(sys.modules)))", **environment))


@pytest.mark.parametrize(
    ("module", "needed"),
    [
        ("authorize.api", set()),
        ("score.relay", set()),
        ("dispatch.api", {"pydantic", "aws_lambda_powertools"}),
        *(
            pytest.param(module, {"pydantic", "aws_lambda_powertools"}, marks=pytest.mark.long)
            for module in ("dispatch.public", "submit.api", "score.api", "annotate.api")
        ),
    ],
)
def test_a_function_starts_with_what_it_needs_and_no_more(module: str, needed: set[str]) -> None:
    assert loaded(module) == needed


KEPT_RUNNING = {
    "AWS_LAMBDA_INITIALIZATION_TYPE": "provisioned-concurrency",
    "AWS_DEFAULT_REGION": "eu-central-1",
    settings.TIMEOUT_S: "29",
    **dict.fromkeys(settings.OF_COMMAND, "https://there"),
}
FIRST_USED = ("contest.session.store", "contest.channel.store", "tracks.essay.track", "pynamodb.models")


@pytest.mark.parametrize(
    ("module", "first_used", "clients"),
    [
        ("authorize.api", ("contest.people.store", "pynamodb.models"), 1),
        ("dispatch.api", FIRST_USED, 5),
        *(
            pytest.param(module, FIRST_USED, 5, marks=pytest.mark.long)
            for module in ("submit.api", "dispatch.socket", "dispatch.push", "dispatch.public")
        ),
    ],
)
def test_a_kept_process_has_loaded_everything(module: str, first_used: tuple[str, ...], clients: int) -> None:
    """Otherwise the first request of every armed execution waits a second, at the first opening."""
    program = f"""
import sys, {module}
print(*({set(first_used)!r} - set(sys.modules)))
from contest.adapters import aws
print(aws.client.cache_info().currsize)
"""
    assert printed(program, **KEPT_RUNNING) == [str(clients)]


MOST_MODULES: Mapping[str, int] = {
    "Authorize": 218,
    "Dispatch": 649,
    "Submit": 688,
    "Results": 687,
    "Administration": 854,
    "RunControl": 755,
    "Annotate": 676,
    "Operations": 724,
    "Submissions": 732,
    "Sets": 684,
    "Public": 831,
    "Socket": 557,
    "LegacyClients": 689,
    "Push": 508,
    "MinuteTimer": 196,
    "ChannelTimer": 158,
    "Relay": 62,
    "Score": 131,
    "Settle": 180,
    "Rescore": 190,
    "Shadow": 177,
    "SubmissionWorker": 188,
    "DeadLetters": 115,
    "Import": 224,
    "Audit": 159,
    "Verify": 187,
}
"""Maximum number of modules, ours and libraries', that a function loads before its first request: unused ones cost each
start. Modules of the standard library are not counted, for they differ between versions of Python."""


def imported_by(module: str, name: str) -> list[str]:
    """Return the imports of a handler itself, of a module that several functions share."""
    file = FUNCTIONS / f"{module.replace('.', '/')}.py"
    statements = ast.parse(file.read_text("utf-8")).body if file.is_file() else []
    handlers = [
        statement for statement in statements if isinstance(statement, ast.FunctionDef) and statement.name == name
    ]
    return [ast.unparse(inner) for handler in handlers for inner in handler.body if isinstance(inner, ast.ImportFrom)]


@cache
def started(function: str) -> tuple[int, frozenset[str]]:
    """Start a function of the deployment in a fresh process; return how many clients of AWS it has made and which
    modules, beside the standard library's, it has loaded before its first request."""
    row = next(row for row in ROWS if row.name == function)
    environment = {**dict.fromkeys(variables(row), "given"), "AWS_DEFAULT_REGION": "eu-central-1"}
    module, _, name = row.handler.rpartition(".")
    imports = "; ".join(["import sys; first = set(sys.modules)", f"import {module}", *imported_by(module, name)])
    program = f"""{imports}; loaded = set(sys.modules) - first
aws = sys.modules.get("contest.adapters.aws")
print(aws.client.cache_info().currsize if aws else 0, *loaded)
"""
    clients, *loaded = printed(
        program, **environment, **({"AWS_LAMBDA_INITIALIZATION_TYPE": "snap-start"} if row.prompt else {})
    )
    return int(clients), frozenset(name for name in loaded if name.partition(".")[0] not in sys.stdlib_module_names)


WAITED_FOR = {"Authorize", "Dispatch", "Submit", "Public", "Score"}
"""Functions whose starts people and programs wait for most often: the gate looks at these."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "function",
    [row.name if row.name in WAITED_FOR else pytest.param(row.name, marks=pytest.mark.long) for row in ROWS],
)
def test_a_function_loads_no_more_modules_than_it_uses(function: str) -> None:
    _, modules = started(function)
    most = MOST_MODULES[function]
    assert len(modules) <= most, f"{len(modules)} modules; what is new among them: {sorted(modules)}"


def test_a_snapshot_has_what_a_request_needs_and_no_clients() -> None:
    clients, modules = started("Submit")
    assert clients == 0
    assert {"pynamodb", "cryptography"} <= modules
    assert not {"boto3", "scipy"} & modules


def answering(rows: Iterable[Route]) -> APIGatewayHttpResolver:
    """Return a function with a handler for each of these rows."""
    app = web.resolver()
    for row in rows:
        web.handles(app, row, model="application/json")(lambda: web.answer("{}"))
    return app


@pytest.fixture(autouse=True)
def described(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what handlers planted here say of their answers from the interface's document."""
    monkeypatch.setattr(web, "DESCRIBED", dict(web.DESCRIBED))


OF_SUBMIT = [route for route in ROUTES if route.function is Function.SUBMIT]


def test_a_function_that_answers_its_rows_of_the_table_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    monkeypatch.setattr(web, "preload", lambda: started.append("preloaded"))
    web.make_handler(answering(OF_SUBMIT), Function.SUBMIT)
    assert started == ["preloaded"]


@pytest.mark.clause("platform §1 rights")
@pytest.mark.filterwarnings("ignore:A route like this")
def test_a_route_that_the_table_lacks_or_has_elsewhere_or_that_nobody_answers_does_not_start() -> None:
    stray = Route("GET", "/v1/unlisted", Function.SUBMIT, Right.EXCHANGE)
    with pytest.raises(web.RouteTableError, match=r"not in its rows .*\['GET /v1/unlisted'\]; no handler: \[\]"):
        web.make_handler(answering([*OF_SUBMIT, stray]), Function.SUBMIT)
    app = answering(OF_SUBMIT)
    app.get("/v1/unlisted")(lambda: web.answer("{}"))
    with pytest.raises(web.RouteTableError, match="GET /v1/unlisted"):
        web.make_handler(app, Function.SUBMIT)
    with pytest.raises(web.RouteTableError, match=rf"rows .*: \[\]; no handler: \['{re.escape(OF_SUBMIT[0].key)}'\]"):
        web.make_handler(answering(OF_SUBMIT[1:]), Function.SUBMIT)
    for extra in (routes.KEYS, OF_SUBMIT[0]):
        with pytest.raises(web.RouteTableError, match=re.escape(extra.key)):
            web.make_handler(answering([*OF_SUBMIT, extra]), Function.SUBMIT)


KEY = {"pk": {"S": "a"}, "sk": {"S": "b"}}
QUEUE = "https://sqs.eu-central-1.amazonaws.com/123456789012/scoring"


def stored(name: str) -> Callable[[], Any]:
    return lambda: aws.client("s3").put_object(Bucket=BUCKET, Key=name, Body=b"{}")


def written(table: str) -> Callable[[], Any]:
    return lambda: aws.client("dynamodb").put_item(TableName=table, Item=KEY)


def deleted(table: str) -> Callable[[], Any]:
    return lambda: aws.client("dynamodb").delete_item(TableName=table, Key=KEY)


def in_transaction(table: str, kind: str = "Put") -> Callable[[], Any]:
    items = [{kind: {"TableName": table, "Item" if kind == "Put" else "Key": KEY}}]
    return lambda: aws.client("dynamodb").transact_write_items(TransactItems=items)


def read(table: str) -> Callable[[], Any]:
    return lambda: aws.client("dynamodb").batch_get_item(RequestItems={table: {"Keys": [KEY]}})


def sent() -> Any:
    return aws.client("sqs").send_message(QueueUrl=QUEUE, MessageBody="{}")


def signed() -> Any:
    return aws.client("secretsmanager").get_secret_value(SecretId="signing")


@pytest.fixture(name="deployed")
def _deployed(tmp_path: Path) -> Iterator[Stage]:
    with staged(tmp_path) as ready:
        yield ready


@pytest.mark.usefixtures("deployed")
@pytest.mark.parametrize(
    ("handler", "call", "missing"),
    [
        ("submit.api.handler", stored("answers/s/1/a.json"), []),
        ("submit.api.handler", stored("reports/s/1.json"), ["Submit: PutObject reports/s/1.json"]),
        ("dispatch.public.handler", stored("runs/r/plan-0.json"), ["Public: PutObject runs/r/plan-0.json"]),
        ("submit.api.handler", written("exchange"), []),
        ("submit.api.handler", written("catalogue"), ["Submit: append Catalogue"]),
        ("submit.api.handler", in_transaction("scores"), ["Submit: append Scores"]),
        ("organize.api.handler", written("catalogue"), []),
        ("organize.api.handler", deleted("catalogue"), ["Administration: write Catalogue"]),
        ("organize.api.handler", in_transaction("catalogue", "Delete"), ["Administration: write Catalogue"]),
        ("submit.api.handler", read("catalogue"), []),
        ("submit.api.handler", read("identity"), ["Submit: read Identity"]),
        ("score.relay.handler", sent, []),
        ("submit.api.handler", sent, ["Submit: send scoring"]),
        ("submit.api.handler", signed, []),
        ("score.worker.handler", signed, ["Score: sign signing"]),
    ],
)
def test_what_a_function_was_not_granted_is_noticed(handler: str, call: Callable[[], Any], missing: list[str]) -> None:
    with watched(TABLES) as rights:
        call()  # by nobody's function
        with rights.of(handler):
            call()
    assert rights.missing == missing
