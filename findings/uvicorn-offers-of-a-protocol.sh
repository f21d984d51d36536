#!/bin/sh
# uvicorn: what becomes of the body of a request that offers another protocol (Upgrade: h2c, as Java's client sends)?
#
# Guess: it is read with both parsers; a server that does not speak h2c passes the offer over (RFC 9110, 7.8).
# Seen: h11 reads it. With httptools the application gets an empty body; a body that comes later breaks the connection.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check uvicorn==0.54.0 httptools==0.9.0 h11==0.16.0
cat > "$folder/look.py" <<'LOOK'
import asyncio
import socket
from importlib.metadata import version

import uvicorn

print({name: version(name) for name in ("uvicorn", "httptools", "h11")})
HEAD = b"PUT / HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: h2c\r\ncontent-length: 3\r\n\r\n"


async def echo(_scope, receive, send):
    body = (await receive())["body"]
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})


async def body_by(parser):
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(echo, http=parser, lifespan="off", log_level="critical"))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    reader, writer = await asyncio.open_connection(*listener.getsockname())
    writer.write(HEAD + b"one")
    head = await reader.readuntil(b"\r\n\r\n")
    body = await reader.read(3) if b"content-length: 3" in head else b""
    writer.close()
    server.should_exit = True
    await serving
    return body


seen = {parser: asyncio.run(body_by(parser)) for parser in ("h11", "httptools")}
print(seen)
assert seen == {"h11": b"one", "httptools": b""}, seen
LOOK
"$folder/venv/bin/python" "$folder/look.py"
