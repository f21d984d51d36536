#!/bin/sh
# aws-lambda-powertools: what is the value of ?text=one%2C%20two behind an HTTP API?
#
# Guess: one text; a list only where the name stands in the query twice.
# Seen: the resolved parameters split it at the comma, so that a text with a comma is two values; the raw query says
#    that it was one.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check aws-lambda-powertools==3.37.0
cat > "$folder/look.py" <<'LOOK'
from importlib.metadata import version

from aws_lambda_powertools.utilities.data_classes import APIGatewayProxyEventV2

print("aws-lambda-powertools", version("aws-lambda-powertools"))
event = APIGatewayProxyEventV2({"rawQueryString": "text=one%2C%20two", "queryStringParameters": {"text": "one, two"}})
print(event.resolved_query_string_parameters, event.query_string_parameters)
assert event.query_string_parameters == {"text": "one, two"}
assert event.resolved_query_string_parameters == {"text": ["one", " two"]}
LOOK
"$folder/venv/bin/python" "$folder/look.py"
