#!/bin/sh
# nervaluate: are two spans that touch, and share no character, a partial match? Does the order of predictions count?
#
# Guess: ends are behind the last character, so that [0, 5) and [5, 10) have nothing in common: one missed, one
#    spurious. An exact match is found before a partial one, so that the order of predictions changes nothing.
# Seen: they are a partial match, and a correct one by type: both ends are taken as inside. Predictions are taken as
#    they come, each by the first reference that it meets: an exact match is lost to an earlier prediction that only
#    touches its reference.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check nervaluate==1.2.1 numpy==2.2.6 pandas==2.3.3
cat > "$folder/look.py" <<'LOOK'
from importlib.metadata import version

from nervaluate import Evaluator

print("nervaluate", version("nervaluate"))


def counts(references, predictions):
    spans = [[{"label": "E", "start": start, "end": end} for start, end in side] for side in (references, predictions)]
    overall = Evaluator([spans[0]], [spans[1]], tags=["E"]).evaluate()["overall"]
    names = ("correct", "incorrect", "partial", "missed", "spurious")
    return {way: tuple(getattr(result, name) for name in names) for way, result in overall.items()}


touching = counts([(0, 5)], [(5, 10)])
print("touching:", touching)
assert touching["partial"] == (0, 0, 1, 0, 0), touching
assert touching["ent_type"] == (1, 0, 0, 0, 0), touching

# The second prediction is the first reference, to the character.
crossed = counts([(0, 10), (8, 20)], [(9, 20), (0, 10)])
print("crossed:", crossed)
assert crossed["exact"] == (0, 2, 0, 0, 0), crossed
longer_first, exact_first = counts([(0, 10)], [(0, 4), (0, 10)]), counts([(0, 10)], [(0, 10), (0, 4)])
print("orders:", longer_first["exact"], exact_first["exact"])
assert (longer_first["exact"], exact_first["exact"]) == ((0, 1, 0, 0, 1), (1, 0, 0, 0, 1))
LOOK
"$folder/venv/bin/python" "$folder/look.py"
