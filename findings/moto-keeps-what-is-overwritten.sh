#!/bin/sh
# moto: how much memory does an item take that is overwritten again and again?
#
# Guess: that of one item, since DynamoDB keeps the newest version alone; a message that was deleted takes none.
# Seen: that of all versions ever written. Each model's class lists its instances for a reset, and nothing leaves these
#    lists before: a process that serves for days grows by every write, though its tables and queues stay small.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'moto[dynamodb,sqs]==5.2.5' boto3==1.44.5
cat > "$folder/look.py" <<'LOOK'
import gc
import os
from importlib.metadata import version

import boto3
from moto import mock_aws
from moto.dynamodb.models.dynamo_type import Item
from moto.sqs.models import Message

os.environ |= {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x", "AWS_DEFAULT_REGION": "eu-central-1"}
print("moto", version("moto"))
WRITES = 50


def alive(kind):
    gc.collect()
    return sum(type(thing) is kind for thing in gc.get_objects())


with mock_aws():
    tables = boto3.client("dynamodb")
    tables.create_table(
        TableName="t",
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    for number in range(WRITES):
        tables.put_item(TableName="t", Item={"pk": {"S": "one"}, "text": {"S": f"{number}" * 1000}})
    stored, items = tables.scan(TableName="t")["Count"], alive(Item)

    queues = boto3.client("sqs")
    url = queues.create_queue(QueueName="q")["QueueUrl"]
    for number in range(WRITES):
        queues.send_message(QueueUrl=url, MessageBody=f"{number}")
        for message in queues.receive_message(QueueUrl=url)["Messages"]:
            queues.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    waiting, messages = queues.receive_message(QueueUrl=url).get("Messages", []), alive(Message)

print("items stored:", stored, "in memory:", items)
print("messages waiting:", len(waiting), "in memory:", messages)
assert stored == 1 and items >= WRITES, (stored, items)
assert not waiting and messages >= WRITES, (len(waiting), messages)
LOOK
"$folder/venv/bin/python" "$folder/look.py"
