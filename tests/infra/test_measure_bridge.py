"""The bridge in a measure's image passes Lambda's requests to the program; Lambda is simulated."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from tests.tracks.samples import PROGRAM
from tracks.custom import running
from tracks.custom.declaration import read_program
from tracks.custom.running import ChildRunner, InFunction, judged_counts, request_of, results_of

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES, BRIDGE = ROOT / "docs/examples", ROOT / "infra/measure/bridge.py"
IMAGE = f"registry.example/entities:1.0@sha256:{'5b' * 32}"
LIMITS = {"seconds": 1, "memory": 256 * 1024 * 1024, "wall": 20}
MEASURE = """#!{python}
import sys
sys.path[:0] = ["{examples}/entities"]
exec(open("{examples}/entities_image/measure").read())
"""


class Lambda:
    """AWS Lambda's interface of runtimes, and of callers."""

    def __init__(self) -> None:
        self.asked, self.answered = Queue[bytes](), Queue[tuple[str, bytes]]()
        lambda_ = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                assert self.path == "/2018-06-01/runtime/invocation/next"
                payload = lambda_.asked.get()
                self.send_response(200)
                self.send_header("Lambda-Runtime-Aws-Request-Id", "17")
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(202)
                self.send_header("Content-Length", "0")
                self.end_headers()
                lambda_.answered.put((self.path, content))

            def log_message(self, *_: Any) -> None:
                """Write nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def invoke(self, *, FunctionName: str, Payload: bytes) -> dict[str, Any]:  # noqa: N803 -- the SDK's names
        assert FunctionName == "hurdle-c-measure-image"
        self.asked.put(Payload)
        path, content = self.answered.get(timeout=20)
        assert path.endswith("/17/response")
        return {"Payload": io.BytesIO(content)}


@pytest.fixture
def called(tmp_path: Path) -> Iterator[Lambda]:
    program, service = tmp_path / "measure", Lambda()
    program.write_text(MEASURE.format(python=sys.executable, examples=EXAMPLES), "utf-8")
    program.chmod(0o755)
    variables = {
        **os.environ,
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{service.server.server_port}",
    }
    command = [sys.executable, "-I", "-S", "-B", str(BRIDGE), str(program)]
    with ThreadPoolExecutor(1) as serving, subprocess.Popen(command, env=variables) as process:
        serving.submit(service.server.serve_forever)
        yield service
        process.kill()
        service.server.shutdown()
    service.server.server_close()


def outcomes(service: Lambda, calls: list[Any], **limits: int) -> list[Any]:
    program, _ = read_program(IMAGE, b"")
    assert program is not None
    place = InFunction(lambda: service, "hurdle-c-measure", "5b" * 16)
    return results_of(place, request_of(program, {**LIMITS, **limits}, calls), judged_counts)


def test_a_measure_has_the_same_counts_in_a_function_of_its_image_as_in_a_file(called: Lambda) -> None:
    entity = {"start": 0, "end": 3, "label": "PER"}
    calls = [
        {"op": "score", "answer": answer, "references": [[entity], []]} for answer in ([entity], None, [], "no list")
    ]
    program, _ = read_program("entities.py", PROGRAM)
    assert program is not None
    of_file = results_of(ChildRunner(), request_of(program, LIMITS, calls), judged_counts)
    of_image = outcomes(called, calls)
    assert of_image[:3] == of_file[:3]
    assert (of_image[3].code, of_file[3].code) == ("measure_raised", "measure_raised")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("import time; time.sleep(60)", "measure_time"),
        ("import os; os.kill(os.getpid(), 9)", "measure_memory"),
        ("bytearray(2**29)", "measure_died"),
        ("import os; print(dict(os.environ))", "measure_shape"),
    ],
)
def test_a_program_that_fails_in_its_function_fails_by_name(
    called: Lambda, tmp_path: Path, body: str, code: str
) -> None:
    (tmp_path / "measure").write_text(f"#!{sys.executable} -S\n{body}\n", "utf-8")
    (failure,) = outcomes(called, [{"op": "samples"}], wall=1 if code == "measure_time" else 20)
    assert failure.code == code


def test_a_program_learns_nothing_of_the_function(called: Lambda, tmp_path: Path) -> None:
    program = "import json, os; print(json.dumps({'answers': [{'failed': ' '.join(sorted(os.environ))}]}))"
    (tmp_path / "measure").write_text(f"#!{sys.executable} -S\n{program}\n", "utf-8")
    (failure,) = outcomes(called, [{"op": "samples"}])
    assert failure.account == "HOME LC_CTYPE PATH"


def test_a_deployment_that_has_not_this_image_says_what_to_write() -> None:
    program, _ = read_program(IMAGE, b"")
    assert program is not None
    for place, code in (
        (InFunction(Lambda, "m", "5c" * 16), "measure_image_not_deployed"),
        (InFunction(Lambda, ""), "measure_not_deployed"),
    ):
        with pytest.raises(running.NoPlaceError) as refused:
            place.run(request_of(program, LIMITS, [{"op": "samples"}]))
        assert refused.value.code == code
        assert "cycles/" in refused.value.remedy.ru
