#!/bin/sh
# sacrebleu: is a system that is compared with itself different from itself?
#
# Guess: the difference is 0, every resample and every exchange has a difference of 0, and all of them are at least as
#    far from 0 as that: p = 1 by the paired bootstrap and by approximate randomization.
# Seen: p is the least possible, 1 / (samples + 1), by both: samples are counted that are farther from 0 than the
#    difference, not those that are as far. Two programs with the same answers are "significantly" different (0.002 of
#    500 samples, 0.001 of the default 1 000).
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sacrebleu==2.6.0
cat > "$folder/look.py" <<'LOOK'
from importlib.metadata import version

from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest

print("sacrebleu", version("sacrebleu"))
answers = ["the cat sat on the mat today", "a dog ran over the green field", "we went home late at night"] * 4
references = ["the cat sat on a mat today", "the dog ran over a green field", "we went home late last night"] * 4
for kind in ("bs", "ar"):
    systems = [("one", answers), ("the same", list(answers))]
    metrics = {"BLEU": BLEU(references=[references])}
    _, scores = PairedTest(systems, metrics, references=None, test_type=kind, n_samples=500)()
    first, second = scores["BLEU"]
    print(kind, first.score, second.score, second.p_value)
    assert first.score == second.score
    assert second.p_value == 1 / 501, second.p_value
LOOK
"$folder/venv/bin/python" "$folder/look.py"
