#!/bin/sh
# label-studio-sdk: what is lost where labels overlap, or two stand on one span, in CoNLL 2003?
#
# Guess: an error or a warning, since the format has no place for them.
# Seen: the first of the spans is written and everything else is dropped in silence; a span that ends inside a token
#    takes the whole of it.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check label-studio-sdk==2.1.2
cat > "$folder/look.py" <<'LOOK'
import json
import tempfile
import warnings
from importlib.metadata import version
from pathlib import Path

from label_studio_sdk.converter import Converter

print("label-studio-sdk", version("label-studio-sdk"))
CONFIG = (
    '<View><Labels name="l" toName="t"><Label value="A"/><Label value="B"/></Labels><Text name="t" value="$text"/></View>'
)


def tags(text, *spans):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        results = [
            {"from_name": "l", "to_name": "t", "type": "labels", "value": {"start": start, "end": end, "labels": labels}}
            for start, end, labels in spans
        ]
        (folder / "in").mkdir()
        task = {"id": 1, "data": {"text": text}, "annotations": [{"id": 1, "result": results}]}
        (folder / "in" / "1.json").write_text(json.dumps([task]), "utf-8")
        Converter(CONFIG, name).convert(str(folder / "in"), str(folder / "out"), "CONLL2003", is_dir=True)
        lines = (folder / "out" / "result.conll").read_text("utf-8").splitlines()[1:]
    return [(line.split()[0], line.split()[-1]) for line in lines if line]


with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    overlapping = tags("A cat sat", (2, 9, ["A"]), (6, 9, ["B"]))
    doubled = tags("A cat", (2, 5, ["A", "B"]))
    half = tags("Two cats", (4, 7, ["A"]))
print(overlapping, doubled, half, sep="\n")
assert overlapping == [("A", "O"), ("cat", "B-A"), ("sat", "I-A")], overlapping
assert doubled == [("A", "O"), ("cat", "B-A")], doubled
assert half == [("Two", "O"), ("cats", "B-A")], half
assert not [warning for warning in heard if "label" in str(warning.message).lower()], heard
LOOK
"$folder/venv/bin/python" "$folder/look.py"
