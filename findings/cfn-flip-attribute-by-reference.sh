#!/bin/sh
# cfn-flip: how does GetAtt with an attribute that a Ref names look in YAML?
#
# Guess: as the list "!GetAtt [Queue, !Ref Which]", as CloudFormation has it; the long form at least.
# Seen: TypeError in the short form, which is the default: the two parts are joined as texts. With long_form it is
#    written, and YAML to JSON reads it.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check cfn-flip==1.3.0
cat > "$folder/look.py" <<'LOOK'
import json
from importlib.metadata import version

from cfn_flip import to_json, to_yaml

print("cfn-flip", version("cfn-flip"))
value = {"Value": {"Fn::GetAtt": ["Queue", {"Ref": "Which"}]}}
assert json.loads(to_json("Value:\n  Fn::GetAtt:\n    - Queue\n    - Ref: Which\n")) == value
print(to_yaml(json.dumps({"Value": {"Fn::GetAtt": ["Queue", "Arn"]}})).strip())
assert json.loads(to_json(to_yaml(json.dumps(value), long_form=True))) == value
try:
    seen = to_yaml(json.dumps(value))
except TypeError as error:
    seen = repr(error)
print(seen)
assert seen.startswith("TypeError("), seen
LOOK
"$folder/venv/bin/python" "$folder/look.py"
