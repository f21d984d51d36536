#!/bin/sh
# pynamodb: what do a truth value in a NumberAttribute and a key named like a method do?
#
# Guess: True is stored as the number 1, as Python counts it; the key "get" of a MapAttribute is read by ["get"] and
#    leaves the method alone.
# Seen: True is sent as the number "true", which the table refuses; the key "get" takes the method's place, so that
#    .get(...) of this one item is a number that cannot be called.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pynamodb==6.1.0 'moto[dynamodb]==5.2.5' boto3==1.44.5
cat > "$folder/look.py" <<'LOOK'
import os
from importlib.metadata import version

from moto import mock_aws
from pynamodb.attributes import MapAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import PutError
from pynamodb.models import Model

os.environ |= {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x"}
print({name: version(name) for name in ("pynamodb", "moto")})


class Row(Model):
    class Meta:
        table_name = "rows"
        region = "eu-central-1"

    key = UnicodeAttribute(hash_key=True)
    number = NumberAttribute(null=True)
    values = MapAttribute(null=True)


with mock_aws():
    Row.create_table(billing_mode="PAY_PER_REQUEST", wait=True)
    sent = Row("a", number=True).serialize()["number"]
    print("sent:", sent)
    assert sent == {"N": "true"}, sent
    try:
        Row("a", number=True).save()
    except PutError as error:
        print(error)
    else:
        raise AssertionError("it is stored")
    Row("b", values={"get": 2}).save()
    read = Row.get("b").values
    print("get:", read.get, "keys:", read["get"])
    assert read.get == read["get"] == 2
    assert not callable(read.get)
LOOK
"$folder/venv/bin/python" "$folder/look.py"
