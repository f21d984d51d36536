#!/bin/sh
# nltk.metrics.agreement: what do a repeated row and an item with one label do to its coefficients?
#
# Guess: a repeated row (coder, item, label) changes nothing, as in simpledorff; an item that one coder alone labelled
#    is left out of kappa, as alpha leaves it out.
# Seen: alpha counts the repeated row as one more coder's label (0.5333 becomes 0.6); kappa and average observed
#    agreement end with "generator raised StopIteration".
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check nltk==3.10.4 simpledorff==0.0.2 numpy==2.2.6 pandas==2.3.3
cat > "$folder/look.py" <<'LOOK'
from importlib.metadata import version

import pandas as pd
from nltk.metrics.agreement import AnnotationTask
from simpledorff import calculate_krippendorffs_alpha_for_df

print({name: version(name) for name in ("nltk", "simpledorff")})
rows = [(coder, str(item), label) for coder, labels in (("p", "aabb"), ("q", "abbb")) for item, label in enumerate(labels)]


def of_simpledorff(rows):
    frame = pd.DataFrame(rows, columns=["coder", "item", "label"])
    return round(float(calculate_krippendorffs_alpha_for_df(frame, "item", "coder", "label")), 4)


def of_nltk(rows):
    return round(AnnotationTask(data=rows).alpha(), 4)


repeated, single = [*rows, ("p", "0", "a")], [*rows, ("p", "9", "a")]
print("alpha of nltk:", of_nltk(rows), "repeated:", of_nltk(repeated), "single:", of_nltk(single))
assert (of_nltk(rows), of_nltk(repeated), of_nltk(single)) == (0.5333, 0.6, 0.5333)
assert of_simpledorff(rows) == of_simpledorff(repeated) == of_simpledorff(single) == 0.5333
for name in ("kappa", "avg_Ao"):
    try:
        value = getattr(AnnotationTask(data=single), name)()
    except RuntimeError as error:
        value = str(error)
    print(name, "with a single label:", value)
    assert value == "generator raised StopIteration", value
LOOK
"$folder/venv/bin/python" "$folder/look.py"
