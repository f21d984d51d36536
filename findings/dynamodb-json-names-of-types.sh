#!/bin/sh
# dynamodb-json: what becomes of a map that has an attribute named S or N?
#
# Guess: nothing: a type's name is one only where the stored form has a type.
# Seen: a map with an attribute S becomes that attribute's value, and the map's other attributes are gone, without a
#    word; at the top of an item, too. N alone is kept. Numbers of more than 17 digits come back as floats, sets as
#    lists (and are written as lists).
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check dynamodb-json==1.4.2
cat > "$folder/look.py" <<'LOOK'
from importlib.metadata import version

from dynamodb_json import json_util

print("dynamodb-json", version("dynamodb-json"))
stored = {"id": {"S": "7"}, "size": {"M": {"S": {"S": "small"}, "L": {"S": "large"}}}}
seen = json_util.loads(stored)
print(seen)
assert seen == {"id": "7", "size": "small"}, seen
assert json_util.loads({"S": {"S": "small"}, "id": {"S": "7"}}) == "small"
assert json_util.loads({"N": {"N": "1"}}) == {"N": 1}
number = json_util.loads({"count": {"N": "12345678901234567890.5"}})["count"]
print(repr(number))
assert isinstance(number, float)
written = json_util.dumps({"days": {1}})
print(written)
assert written == '{"days": {"L": [{"N": "1"}]}}', written
LOOK
"$folder/venv/bin/python" "$folder/look.py"
