"""Write a cycle's file, and the schema by which editors check one.

``python -m infra.cycle_files NAME --alarm-email ADDRESS`` writes ``cycles/NAME.yaml`` (``make cycle``);
``python -m infra.cycle_files --schema`` writes ``cycles/schema.json`` (``make template``).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import yaml  # type: ignore[import-untyped]  # ships no types

from infra.config import CYCLES, ConfigError, CycleConfig, read

SCHEMA: Final = "schema.json"
_HEAD: Final = """\
# yaml-language-server: $schema=schema.json
# How the cycle {name} is deployed: make deploy CYCLE={name}. What is not chosen here has its default
# (infra/config.py); schema.json lists every choice, and an editor that knows YAML schemas shows them.
"""


def schema() -> str:
    """Return the JSON schema of a cycle's file."""
    return json.dumps(CycleConfig.model_json_schema(), indent=1, ensure_ascii=False) + "\n"


def write(folder: Path, choices: dict[str, Any]) -> Path:
    """Write a new cycle's file into the folder and return its path; :class:`ConfigError`, and no file, if it is bad."""
    path = folder / f"{choices['cycle']}.yaml"
    try:
        file = path.open("x", encoding="utf-8")
    except FileExistsError:
        raise ConfigError(f"{path} is there already; change it in an editor") from None
    with file:
        file.write(_HEAD.format(name=choices["cycle"]))
        yaml.safe_dump(choices, file, sort_keys=False, allow_unicode=True)
    try:
        read(path)
    except ConfigError:
        path.unlink()
        raise
    return path


def main(words: Sequence[str], folder: Path = CYCLES) -> int:
    """Write what is asked for; exit code 2 where it cannot be deployed."""
    parser = argparse.ArgumentParser(prog="python -m infra.cycle_files", description=__doc__, add_help=True)
    parser.add_argument("cycle", nargs="?", metavar="NAME")
    parser.add_argument("--alarm-email", metavar="ADDRESS", help="where alarms are sent")
    parser.add_argument("--domain-name", metavar="HOST", help="the cycle's own host name")
    parser.add_argument("--certificate-arn", metavar="ARN", help="the host name's certificate in us-east-1")
    parser.add_argument("--programs", action="store_true", default=None, help="submitted programs are run")
    parser.add_argument("--measures", action="store_true", default=None, help="the contest has a measure of its own")
    parser.add_argument("--measure-image", metavar="NAME@sha256:DIGEST", help="the measure's container image")
    parser.add_argument("--schema", action="store_true", help=f"write {SCHEMA} instead")
    choices = vars(parser.parse_args(words))
    if choices.pop("schema"):
        (folder / SCHEMA).write_text(schema(), "utf-8")
        return 0
    if not choices["cycle"]:
        parser.error("name the cycle")
    try:
        path = write(folder, {name: choice for name, choice in choices.items() if choice is not None})
    except ConfigError as error:
        print(f"cycle: {error}", file=sys.stderr)
        return 2
    print(f"wrote {path}: check it in, then make preflight CYCLE={choices['cycle']}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
