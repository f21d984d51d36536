#!/bin/sh
# pandas: is a table with a carriage return in a cell the same when it was written and read?
#
# Guess: to_csv quotes each cell that read_csv would read otherwise.
# Seen: a carriage return alone is not quoted, since lines end with a line feed; read_csv takes it for a line end, so
#    that one row becomes two, the second with cells moved to the left and without an error. Python's own csv.writer does
#    the same with lineterminator="\n".
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pandas==3.1.1
cat > "$folder/look.py" <<'LOOK'
import csv
import io
from importlib.metadata import version

import pandas as pd

print("pandas", version("pandas"))
written = pd.DataFrame({"text": ["a\rb"], "number": [1]}).to_csv(index=False)
read = pd.read_csv(io.StringIO(written))
print(repr(written), read["text"].tolist())
assert written == "text,number\na\rb,1\n", written
assert read["text"].tolist() == ["a", "b"], read

file = io.StringIO(newline="")
csv.writer(file, lineterminator="\n").writerow(["a\rb", 1])
print(repr(file.getvalue()))
assert file.getvalue() == "a\rb,1\n"
file = io.StringIO(newline="")
csv.writer(file).writerow(["a\rb", 1])
assert file.getvalue() == '"a\rb",1\r\n'
LOOK
"$folder/venv/bin/python" "$folder/look.py"
