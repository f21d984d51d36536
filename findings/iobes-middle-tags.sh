#!/bin/sh
# iobes: does the reader of the scheme with M and W work?
#
# Guess: parse_spans_bmewo(["B-A", "M-A", "E-A", "W-A"]) gives two spans, as the readers of the other schemes do.
# Seen: a NameError: the function calls a name that is misspelt.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check iobes==1.5.1
cat > "$folder/look.py" <<'LOOK'
from importlib.metadata import version

import iobes

print("iobes", version("iobes"))
spans = [(span.type, span.start, span.end) for span in iobes.parse_spans_iobes(["B-A", "I-A", "E-A", "S-A"])]
assert spans == [("A", 0, 3), ("A", 3, 4)], spans
try:
    iobes.parse_spans_bmewo(["B-A", "M-A", "E-A", "W-A"])
except NameError as error:
    print(error)
else:
    raise AssertionError("the reader works")
LOOK
"$folder/venv/bin/python" "$folder/look.py"
