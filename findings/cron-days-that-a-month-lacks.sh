#!/bin/sh
# pyawscron and aws-cron-parser: when does cron(0 9 31 * ? *) come after November 30? (Node.js and npm)
#
# Guess: December 31 by both: a month without such a day is skipped.
# Seen: pyawscron raises ValueError (day is out of range for month) when the month that is asked about lacks the day;
#    from December on it answers. aws-cron-parser says December 1, a day that the expression does not name, as the
#    month's 31st; February 29 comes on March 1 of 2027.
# This script fails if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pyawscron==1.0.7
(cd "$folder" && npm install --silent --no-fund --no-audit aws-cron-parser@1.1.12)
cat > "$folder/look.py" <<'LOOK'
import subprocess
import sys
from datetime import datetime, timezone
from importlib.metadata import version

from pyawscron import AWSCron

folder, installed = sys.argv[1:]


def by_python(expression, moment):
    try:
        return AWSCron(expression).occurrence(moment).next().isoformat()
    except ValueError as error:
        return repr(error)


november, december = datetime(2026, 11, 30, 12, tzinfo=timezone.utc), datetime(2026, 12, 1, tzinfo=timezone.utc)
python = [by_python("0 9 31 * ? *", november), by_python("0 9 31 * ? *", december), by_python("0 9 29 2 ? *", november)]
print("pyawscron", version("pyawscron"), python)
program = """
const cron = require("aws-cron-parser");
const moment = new Date("2026-11-30T12:00:00Z");
for (const each of ["0 9 31 * ? *", "0 9 29 2 ? *"]) console.log(cron.next(cron.parse(each), moment).toISOString());
"""
node = subprocess.run(["node", "-e", program], cwd=folder, check=True, capture_output=True, text=True).stdout.split()
print("aws-cron-parser", installed, node)
lacks = "ValueError('day is out of range for month')"
assert python == [lacks, "2026-12-31T09:00:00+00:00", lacks], python
assert node == ["2026-12-01T09:00:00.000Z", "2027-03-01T09:00:00.000Z"], node
LOOK
installed=$(node -p "require('$folder/node_modules/aws-cron-parser/package.json').version")
"$folder/venv/bin/python" "$folder/look.py" "$folder" "$installed"
