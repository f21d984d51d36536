#!/bin/sh
# seqeval: what becomes of a column of plain labels, without B- and I-?
#
# Guess: an error, or every run of one label is an entity of that name.
# Seen: a label is split at its first letter whatever it is: "Energy" is the end of an entity "nergy", "Subject" a
#    single one "ubject", "Other" is outside, B and B- are both of the type "_". There is a warning for each of the
#    three words, none for B and B-, and no error.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check seqeval==1.2.2 numpy==2.2.6 scikit-learn==1.9.1 setuptools==80.10.2
cat > "$folder/look.py" <<'LOOK'
import warnings
from importlib.metadata import version

from seqeval.metrics.sequence_labeling import get_entities

print("seqeval", version("seqeval"))
with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    seen = get_entities(["Energy", "Subject", "Other", "B", "O", "B-", "O"])
print(seen)
print([str(warning.message) for warning in heard])
assert seen == [("nergy", 0, 0), ("ubject", 1, 1), ("_", 3, 3), ("_", 5, 5)], seen
LOOK
"$folder/venv/bin/python" "$folder/look.py"
