#!/bin/sh
# moto: does its DynamoDB refuse what the service's documentation refuses in expressions and values?
#
# Guess: all five are ValidationExceptions: a set with one member twice, a number of 39 digits, a value of an
#    expression that is not used, two conditions on the sort key, a filter on a key.
# Seen: all five are accepted, so that a test on moto passes and the first call of the service fails. Where an item
#    lacks the attribute, size() is an error of the whole scan, though the service only leaves the item out.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'moto[dynamodb]==5.2.5' boto3==1.44.5
cat > "$folder/look.py" <<'LOOK'
import os
from importlib.metadata import version

import boto3
from botocore.exceptions import ClientError
from moto import mock_aws

os.environ |= {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x", "AWS_DEFAULT_REGION": "eu-central-1"}
print("moto", version("moto"))
with mock_aws():
    client = boto3.client("dynamodb")
    client.create_table(
        TableName="t",
        KeySchema=[{"AttributeName": "p", "KeyType": "HASH"}, {"AttributeName": "k", "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in "pk"],
        BillingMode="PAY_PER_REQUEST",
    )
    key = {"p": {"S": "p"}, "k": {"S": "a"}}
    client.put_item(TableName="t", Item={**key, "s": {"SS": ["x", "x"]}})
    client.put_item(TableName="t", Item={**key, "n": {"N": "1" * 39}})
    values = {":p": {"S": "p"}, ":a": {"S": "a"}, ":z": {"S": "z"}}
    unused = client.query(TableName="t", KeyConditionExpression="p = :p", ExpressionAttributeValues=values)
    twice = client.query(
        TableName="t", KeyConditionExpression="p = :p AND k >= :a AND k < :z", ExpressionAttributeValues=values
    )
    filtered = client.query(
        TableName="t", KeyConditionExpression="p = :p", FilterExpression="k IN (:a, :z)", ExpressionAttributeValues=values
    )
    print(unused["Count"], twice["Count"], filtered["Count"])
    assert unused["Count"] == twice["Count"] == filtered["Count"] == 1

    client.put_item(TableName="t", Item={"p": {"S": "p"}, "k": {"S": "b"}, "text": {"S": "x"}})
    one = {"FilterExpression": "size(#t) = :n", "ExpressionAttributeNames": {"#t": "text"}}
    try:
        client.scan(TableName="t", ExpressionAttributeValues={":n": {"N": "1"}}, **one)
    except ClientError as error:
        print(error)
    else:
        raise AssertionError("size() of a missing attribute is read")
LOOK
"$folder/venv/bin/python" "$folder/look.py"
