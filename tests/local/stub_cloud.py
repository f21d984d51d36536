"""A local cloud of a template, whose functions do what an event says."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from io import StringIO
from pathlib import Path
from typing import Any

from local.clock import Clock
from local.cloud import LocalCloud
from local.lambdas.runtime import Logs
from tests.local.local_toys import NOON_MS

TEMPLATE = Path(__file__).parents[2] / "local" / "src" / "local" / "template.json"
STUB = '''
"""Does what an event says."""
import json
import time
from pathlib import Path


def handler(event, context):
    text = json.dumps(event)
    if "planted-crash" in text:
        raise RuntimeError("planted")
    if "meet" in event:
        here = Path(event["meet"])
        (here / context.aws_request_id).touch()
        while len(list(here.iterdir())) < event["until"]:
            time.sleep(0.005)
    if "Records" in event:
        return {"batchItemFailures": []}
    return {"statusCode": 200, "isAuthorized": True, "context": {}}
'''


@contextmanager
def stub_cloud(template: dict[str, Any], folder: Path, workers_of: Mapping[str, int]) -> Iterator[LocalCloud]:
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::Lambda::Function":
            module = resource["Properties"]["Handler"].rpartition(".")[0]
            resource["Properties"]["Handler"] = f"{module}.handler"
            stub = folder / "functions" / f"{module.replace('.', '/')}.py"
            stub.parent.mkdir(parents=True, exist_ok=True)
            stub.write_text(STUB, "utf-8")
    planted = folder / "template.json"
    planted.write_text(json.dumps(template), "utf-8")
    logs, functions = Logs(screen=StringIO()), folder / "functions"
    with LocalCloud(planted, functions, clock=Clock(NOON_MS), logs=logs, workers_of=workers_of, retry_s=0) as ready:
        yield ready


def crash(name: str, cloud: LocalCloud) -> None:
    with suppress(Exception):
        cloud.invoke(f"Functions{name}", {"planted-crash": True})
