#!/bin/sh
# dynalite: how large may an item with Cyrillic text be? (Node.js and npm)
#
# Guess: 400 KB of UTF-8, two bytes a letter, as in DynamoDB; a key 2048 bytes.
# Seen: letters are counted, not bytes: an item of 400 000 Cyrillic letters (800 KB) is stored, which DynamoDB
#    refuses; one of 420 000 Latin letters is refused as there. A key of 2 000 letters (4 000 bytes) passes, and
#    consumed capacity is half of what DynamoDB would count.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check boto3==1.44.5
(cd "$folder" && npm install --silent --no-fund --no-audit dynalite@4.0.0)
cat > "$folder/look.py" <<'LOOK'
import os
import signal
import subprocess
import sys
import time

import boto3
from botocore.exceptions import ClientError, EndpointConnectionError

folder, installed = sys.argv[1:]
server = subprocess.Popen(
    ["node", f"{folder}/node_modules/dynalite/cli.js", "--port", "18431", "--createTableMs", "1"],
    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
)
try:
    client = boto3.client(
        "dynamodb", endpoint_url="http://127.0.0.1:18431", region_name="eu-central-1",
        aws_access_key_id="nobody", aws_secret_access_key="nothing",
    )
    for _ in range(100):
        try:
            client.list_tables()
            break
        except EndpointConnectionError:
            time.sleep(0.1)
    client.create_table(
        TableName="texts", KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}], BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
    )
    client.get_waiter("table_exists").wait(TableName="texts", WaiterConfig={"Delay": 1})

    def put(text, ident="1"):
        item = {"id": {"S": ident}, "text": {"S": text}}
        try:
            answer = client.put_item(TableName="texts", Item=item, ReturnConsumedCapacity="TOTAL")
        except ClientError as error:
            return error.response["Error"]["Message"]
        return answer["ConsumedCapacity"]["CapacityUnits"]

    latin, cyrillic, key = put("x" * 420_000), put("\u044f" * 400_000), put("", "\u044f" * 2_000)
    units = put("x" * 2_000, "2"), put("\u044f" * 1_000, "3")
    print("dynalite", installed)
    print("420 000 Latin letters:", latin)
    print("400 000 Cyrillic letters, capacity:", cyrillic, "a key of 2 000:", key)
    print("2 000 bytes of Latin and of Cyrillic text, capacity:", units)
    assert latin == "Item size has exceeded the maximum allowed size", latin
    assert isinstance(cyrillic, (int, float)) and isinstance(key, (int, float))
    assert units == (2, 1), units
finally:
    os.killpg(server.pid, signal.SIGKILL)
LOOK
installed=$(node -p "require('$folder/node_modules/dynalite/package.json').version")
"$folder/venv/bin/python" "$folder/look.py" "$folder" "$installed"
