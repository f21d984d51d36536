#!/bin/sh
# moto: does a FIFO queue still know a deduplication id once its message was deleted?
#
# Guess: yes, for five minutes, as SQS's documentation says: an answer that was lost and sent again after the work was
#    done is not worked on twice.
# Seen: no: while the message waits, the repetition is dropped; as soon as it is deleted, the same id is delivered
#    again.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'moto[sqs]==5.2.5' boto3==1.44.5
cat > "$folder/look.py" <<'LOOK'
import os
from importlib.metadata import version

import boto3
from moto import mock_aws

os.environ |= {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x", "AWS_DEFAULT_REGION": "eu-central-1"}
print("moto", version("moto"))
with mock_aws():
    client = boto3.client("sqs")
    queue = client.create_queue(QueueName="q.fifo", Attributes={"FifoQueue": "true"})["QueueUrl"]

    def send():
        client.send_message(QueueUrl=queue, MessageBody="x", MessageGroupId="g", MessageDeduplicationId="d")

    def receive():
        return client.receive_message(QueueUrl=queue, MaxNumberOfMessages=10).get("Messages", [])

    send()
    send()
    first = receive()
    client.delete_message(QueueUrl=queue, ReceiptHandle=first[0]["ReceiptHandle"])
    send()
    again = receive()
    print("delivered:", len(first), "after the deletion:", len(again))
    assert (len(first), len(again)) == (1, 1)
LOOK
"$folder/venv/bin/python" "$folder/look.py"
