#!/bin/sh
# spacy-alignments: which tokens of two tokenizations are aligned if letters differ?
#
# Guess: only equal characters are aligned: "мой" and "мои", "A" and "a" have two letters of three, and none, in
#    common.
# Seen: both sides are normalized and folded first: й is и, ё is е, é is e, A is a, a ligature is its letters. Tokens
#    that differ in them alone are aligned as if equal.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check spacy-alignments==0.9.3
cat > "$folder/look.py" <<'LOOK'
from importlib.metadata import version

from spacy_alignments import get_alignments

print("spacy-alignments", version("spacy-alignments"))
for first, second in (("мой", "мои"), ("ёж", "еж"), ("é", "e"), ("A", "a"), ("ﬁn", "fin")):
    seen = get_alignments([first, "."], [second, "."])
    print(first, second, seen)
    assert seen == ([[0], [1]], [[0], [1]]), (first, second, seen)
assert get_alignments(["x", "."], ["y", "."]) == ([[], [1]], [[], [1]])
LOOK
"$folder/venv/bin/python" "$folder/look.py"
