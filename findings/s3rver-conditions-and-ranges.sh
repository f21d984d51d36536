#!/bin/sh
# s3rver: does a write with If-None-Match: * keep what is there, and what are the last two bytes? (Node.js and npm)
#
# Guess: 412 for the second write, as S3 since 2024 (an error at least where it is not known); "89" of "0123456789".
# Seen: the second write replaces the first, and If-Match with a foreign ETag is taken, too. The range bytes=-2 gives
#    the FIRST three bytes.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check boto3==1.44.5
(cd "$folder" && npm install --silent --no-fund --no-audit s3rver@3.7.1)
cat > "$folder/look.py" <<'LOOK'
import os
import signal
import subprocess
import sys
import time

import boto3
from botocore.exceptions import EndpointConnectionError

folder, installed = sys.argv[1:]
server = subprocess.Popen(
    ["node", f"{folder}/node_modules/s3rver/bin/s3rver.js", "-p", "18432", "-d", f"{folder}/objects",
     "--configure-bucket", "texts"],
    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
)
try:
    client = boto3.client(
        "s3", endpoint_url="http://127.0.0.1:18432", region_name="us-east-1",
        aws_access_key_id="S3RVER", aws_secret_access_key="S3RVER",
    )
    for _ in range(100):
        try:
            client.list_buckets()
            break
        except EndpointConnectionError:
            time.sleep(0.1)

    def put(body, **conditions):
        answer = client.put_object(Bucket="texts", Key="one", Body=body, **conditions)
        return answer["ResponseMetadata"]["HTTPStatusCode"]

    def get(**what):
        return client.get_object(Bucket="texts", Key="one", **what)["Body"].read()

    first, second = put(b"first", IfNoneMatch="*"), put(b"second", IfNoneMatch="*")
    left = get()
    foreign = put(b"0123456789", IfMatch='"00000000000000000000000000000000"')
    tail, middle = get(Range="bytes=-2"), get(Range="bytes=3-5")
    print("s3rver", installed)
    print("If-None-Match: *, twice:", first, second, left, "| If-Match, foreign:", foreign)
    print("bytes=-2:", tail, "| bytes=3-5:", middle)
    assert (first, second, left, foreign) == (200, 200, b"second", 200)
    assert (tail, middle) == (b"012", b"345")
finally:
    os.killpg(server.pid, signal.SIGKILL)
LOOK
installed=$(node -p "require('$folder/node_modules/s3rver/package.json').version")
"$folder/venv/bin/python" "$folder/look.py" "$folder" "$installed"
