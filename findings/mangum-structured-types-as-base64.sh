#!/bin/sh
# Mangum: are problems and lines of JSON that an application answers in UTF-8 sent as text?
#
# Guess: all types of JSON are: application/problem+json (RFC 9457) and application/x-ndjson as application/json is.
# Seen: only types of a list, by their beginning: "application/json" also covers "application/jsonl". Problems,
#    x-ndjson and SVG go as base64; a gateway that is not told to decode them hands out the base64.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mangum==0.22.0
cat > "$folder/look.py" <<'LOOK'
from importlib.metadata import version

from mangum import Mangum

EVENT = {
    "version": "2.0", "rawPath": "/", "rawQueryString": "", "isBase64Encoded": False,
    "headers": {"host": "example.org"},
    "requestContext": {"http": {"method": "GET", "path": "/", "sourceIp": "192.0.2.1"}, "stage": "$default"},
}


def is_base64(content_type):
    async def application(scope, receive, send):
        headers = [(b"content-type", content_type.encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b'{"title": "late"}'})

    return Mangum(application, lifespan="off")(EVENT, None)["isBase64Encoded"]


print("mangum", version("mangum"))
types = ("application/json", "application/jsonl", "application/problem+json", "application/x-ndjson", "image/svg+xml")
seen = [is_base64(each) for each in types]
print(dict(zip(types, seen, strict=True)))
assert seen == [False, False, True, True, True], seen
LOOK
"$folder/venv/bin/python" "$folder/look.py"
