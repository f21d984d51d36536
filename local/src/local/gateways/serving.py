"""The event loop of a local cloud on a thread of its own: the front and the functions' runtime, served by uvicorn."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from local.gateways.sockets import FRAME_LIMIT, MESSAGE_LIMIT
from local.lambdas.runtime import STOPPED, InvocationResult, Runtime, to_json

if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping, Sequence

    from local.gateways.front import Front

# Requests larger than uvicorn's own limit for headers never reach the front, which answers over its smaller one.
_HEADER_BUFFER = 64 * 1024
_STOPPED = InvocationResult(to_json({"errorMessage": "the local cloud is stopping"}), STOPPED)


def _server(app: Any, keep_alive_s: int) -> uvicorn.Server:
    config = uvicorn.Config(
        app,
        http="h11",
        loop="asyncio",
        ws=WebSocketsSansIOProtocol,
        # uvicorn passes the limit on to websockets as it is, which takes one for messages and one for frames.
        ws_max_size=(MESSAGE_LIMIT, FRAME_LIMIT),  # type: ignore[arg-type]  # uvicorn knows of the first alone
        ws_ping_interval=None,
        ws_per_message_deflate=False,
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=keep_alive_s,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=_HEADER_BUFFER,
    )
    return uvicorn.Server(config)


class Serving:
    """Serves until `stop`. uvicorn leaves signals alone on a thread that is not the main one; `cli` has them."""

    def __init__(
        self, front: Front, front_socket: socket.socket, runtime: Runtime, runtime_socket: socket.socket
    ) -> None:
        self._runtime = runtime
        # Workers keep their connection while they work; closing it under them would cost an invocation.
        self._servers = ((_server(front, 75), front_socket), (_server(runtime, 3600), runtime_socket))
        self._loop: asyncio.AbstractEventLoop
        self._thread = threading.Thread(target=self._run, name="serving", daemon=True)

    def start(self) -> None:
        """Begin to serve; the sockets have accepted connections since they were made."""
        self._loop = asyncio.new_event_loop()
        self._thread.start()

    def invoke(self, function: str, payload: bytes) -> InvocationResult:
        """Run a function from any other thread (see `Runtime.invoke`)."""
        work = self._runtime.invoke(function, payload)
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop).result()
        except (RuntimeError, CancelledError):
            work.close()
            return _STOPPED

    def metered(self) -> Mapping[str, tuple[int, float]]:
        """Return how often each function ran, and for how many seconds together."""
        return dict(self._runtime.metered)

    def warm(self, functions: Sequence[str]) -> None:
        """Start a worker for each function; returns at once."""
        self._loop.call_soon_threadsafe(self._runtime.spawn, self._runtime.warm(functions))

    def stop(self) -> None:
        """End the workers and the servers; both ports are free afterwards."""
        if self._thread.is_alive():
            asyncio.run_coroutine_threadsafe(self._runtime.stop(), self._loop).result()
            for server, _ in self._servers:
                server.should_exit = True
            self._thread.join()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        await asyncio.gather(*(server.serve(sockets=[listener]) for server, listener in self._servers))
