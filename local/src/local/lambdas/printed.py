"""The lines that a process prints."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

_LINE_LIMIT = 256 * 1024


@asynccontextmanager
async def lines_of(descriptor: int) -> AsyncIterator[AsyncIterator[str]]:
    """The lines that come out of a pipe, which is closed afterwards."""
    stream = asyncio.StreamReader(_LINE_LIMIT)
    pipe = open(descriptor, "rb", buffering=0)  # noqa: SIM115 - the transport closes it
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(stream), pipe
    )
    try:
        yield _lines(stream)
    finally:
        transport.close()


async def _lines(stream: asyncio.StreamReader) -> AsyncIterator[str]:
    while True:
        try:
            line = await stream.readline()
        except ValueError:  # longer than the stream's buffer: the rest comes as further lines
            continue
        if not line:
            return
        for part in line.decode("utf-8", "replace").replace("\r", "\n").splitlines():
            yield part
