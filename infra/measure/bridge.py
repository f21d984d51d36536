"""Pass each request of AWS Lambda to a new process of the measure's program, and return the line it writes.

It runs beside the program in the organizers' image (Dockerfile), with the standard library alone. A request is
``{"line", "memory", "wall"}``: what the program reads, its bound of memory in bytes, its time in seconds. The answer is
the program's line, or ``{"died": code}``: ``measure_time``, ``measure_memory``, ``measure_died``.
"""

from __future__ import annotations

import http.client
import json
import os
import resource
import signal
import subprocess
import sys
from typing import Any, Final

_NEXT: Final = "/2018-06-01/runtime/invocation"
_OUTPUT: Final = 1024 * 1024
_PROCESSES: Final = 64
_ENVIRONMENT: Final = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp"}  # noqa: S108
"""Variables of the program: none of the function's, which name it and its credentials."""


def answered(program: str, request: dict[str, Any]) -> bytes:
    """Run the program once and return its output, cut one byte past the limit so that excess shows."""

    def bound() -> None:
        memory = request["memory"]
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
        resource.setrlimit(resource.RLIMIT_NPROC, (_PROCESSES, _PROCESSES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    with subprocess.Popen(  # noqa: S603 -- the image's own program
        [program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_ENVIRONMENT,
        cwd="/tmp",  # noqa: S108
        start_new_session=True,
        preexec_fn=bound,  # noqa: PLW1509 -- this process has one thread
    ) as process:
        try:
            line, _ = process.communicate(request["line"].encode(), request["wall"])
        except subprocess.TimeoutExpired:
            end(process.pid)
            return died("measure_time")
    end(process.pid)
    if process.returncode == 0:
        return line[: _OUTPUT + 1]
    return died("measure_memory" if process.returncode == -signal.SIGKILL else "measure_died")


def end(group: int) -> None:
    """Kill the process group of a program, with the processes that it started."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return


def died(code: str) -> bytes:
    """Return the answer for a program that ended without one: the code of its end."""
    return json.dumps({"died": code}).encode()


def main(program: str) -> None:
    """Serve Lambda's requests one after the other until the process is ended."""
    while True:
        connection = http.client.HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])
        connection.request("GET", f"{_NEXT}/next")
        response = connection.getresponse()
        request, place = json.load(response), f"{_NEXT}/{response.headers['Lambda-Runtime-Aws-Request-Id']}"
        try:
            connection.request("POST", f"{place}/response", answered(program, request))
        except OSError as error:
            failure = json.dumps({"errorMessage": str(error), "errorType": type(error).__name__})
            connection.request("POST", f"{place}/error", failure)
        connection.getresponse().read()
        connection.close()


if __name__ == "__main__":
    main(sys.argv[1])
