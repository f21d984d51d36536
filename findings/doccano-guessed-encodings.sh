#!/bin/sh
# doccano: how does an import read JSON Lines in UTF-8?
#
# Guess: as UTF-8, which JSON is written in.
# Seen: by default ("Auto") chardet guesses. A short file with an emoji is taken for Windows-1254 or TIS-620: the text is
#    imported as other letters, without an error and with places that fit nothing, or the import fails. Files with
#    escaped letters (ASCII) are read as they are.
# This script fails if that changes. doccano needs Python below 3.12.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check doccano==1.8.4 numpy==1.26.4 setuptools==80.10.2
cat > "$folder/look.py" <<'LOOK'
import importlib.util
import json
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(importlib.util.find_spec("backend").origin).parent))
from data_import.pipeline.parsers import JSONLParser

print("doccano", version("doccano"), "chardet", version("chardet"))
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "one.jsonl"
    for is_ascii, expected in ((False, "ĞšĞ¾Ñ‚ ğŸ˜€"), (True, "Кот 😀")):
        path.write_text(json.dumps({"text": "Кот 😀", "label": [[0, 3, "X"]]}, ensure_ascii=is_ascii), "utf-8")
        (row,) = JSONLParser().parse(str(path))
        print(row["text"])
        assert row["text"] == expected, row
LOOK
"$folder/venv/bin/python" "$folder/look.py"
