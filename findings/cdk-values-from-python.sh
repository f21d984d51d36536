#!/bin/sh
# aws-cdk-lib in Python: which values come through jsii into the template unchanged?
#
# Guess: None in a list is null or an error; a whole number is exact, as Python's are; keys keep their order; equal
#    durations are equal.
# Seen: None in a list is left out, so that everything after it moves by one place; 2**53 + 1 becomes 2**53 in
#    silence; keys that look like numbers come first; Duration.seconds(60) is not equal to Duration.seconds(60).
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check aws-cdk-lib==2.275.0 constructs==10.8.1 jsii==1.142.0
cat > "$folder/look.py" <<'LOOK'
from importlib.metadata import version

import aws_cdk as cdk
from aws_cdk.assertions import Template

print({name: version(name) for name in ("aws-cdk-lib", "jsii")})
stack = cdk.Stack(cdk.App(), "S")
given = {"list": ["a", None, "b"], "number": 2**53 + 1, "keys": {"b": 1, "10": 2, "9": 3}}
cdk.CfnResource(stack, "R", type="A::B::C", properties=given)
seen = Template.from_stack(stack).to_json()["Resources"]["R"]["Properties"]
print(seen, [*seen["keys"]])
assert seen["list"] == ["a", "b"], seen
assert seen["number"] == 2**53, seen
assert [*seen["keys"]] == ["9", "10", "b"], seen
assert cdk.Duration.seconds(60) != cdk.Duration.seconds(60)
LOOK
"$folder/venv/bin/python" "$folder/look.py"
