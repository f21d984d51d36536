#!/bin/sh
# ndjson, jsonlines and srsly: is a text with U+2028 or U+0085 the same when it comes from JSON Lines?
#
# Guess: yes, or an error: a record ends with a line feed, and both characters may stand in a string unescaped.
# Seen: jsonlines, srsly and ndjson's own reader return the text as it is. ndjson.load and ndjson.loads, which read the
#    same file, put a comma in the place of the character, and say nothing. Two texts that differ become equal.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check ndjson==0.3.1 jsonlines==4.0.0 srsly==2.5.6
cat > "$folder/look.py" <<'LOOK'
import io
import sys
from importlib.metadata import version
from pathlib import Path

import jsonlines
import ndjson
import srsly

print({name: version(name) for name in ("ndjson", "jsonlines", "srsly")})
texts = ["one\u2028two", "one\u0085two", "one,two"]
lines = "".join(f'{{"text": "{text}"}}\n' for text in texts)
path = Path(sys.argv[1]) / "texts.jsonl"
path.write_bytes(lines.encode())
read = {
    "jsonlines": jsonlines.Reader(io.StringIO(lines)),
    "srsly": srsly.read_jsonl(path),
    "ndjson.reader": ndjson.reader(io.StringIO(lines)),
    "ndjson.load": ndjson.load(io.StringIO(lines)),
    "ndjson.loads": ndjson.loads(lines),
}
read = {name: [record["text"] for record in records] for name, records in read.items()}
for name, values in read.items():
    print(name, values)
    assert values == (["one,two"] * 3 if name in {"ndjson.load", "ndjson.loads"} else texts), name
LOOK
"$folder/venv/bin/python" "$folder/look.py" "$folder"
