#!/bin/sh
# srsly: is a number the same when it was written as JSON and read again?
#
# Guess: yes, as with json: the shortest digits that give the same number.
# Seen: srsly.json_dumps, write_json and write_jsonl keep about ten digits: a third comes back as 0.3333333333, two scores
#    that differ in the twelfth digit become equal, and a p-value of 2e-11 becomes 0. json.dumps keeps them.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check srsly==2.5.6
cat > "$folder/look.py" <<'LOOK'
import json
import sys
from importlib.metadata import version
from pathlib import Path

import srsly

print("srsly", version("srsly"))
scores = [1 / 3, 0.712345678901, 0.712345678902, 2e-11]
assert json.loads(json.dumps(scores)) == scores
path = Path(sys.argv[1]) / "scores.json"
srsly.write_json(path, scores)
written = srsly.json_dumps(scores)
print(scores, written, sep="\n")
assert path.read_text().split() == srsly.json_dumps(scores, indent=2).split()
assert written == "[0.3333333333,0.7123456789,0.7123456789,0.0]", written
LOOK
"$folder/venv/bin/python" "$folder/look.py" "$folder"
