"""``python -m pku.pilot IN OUT``: mark one essay, file to file. A team's own program may start as a copy of this."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from markup_core.command.inputs import NOTATION, UnreadableError, read_markup
from markup_core.notation import render
from markup_core.reading.validation import InvalidMarkup, load
from pku.pilot import mark


def main(arguments: list[str] | None = None) -> int:
    """Mark the essay and write the markup; 0 when it is written, 1 with the reason on standard error when not."""
    parser = argparse.ArgumentParser(prog="python -m pku.pilot", description="Mark an essay by the pilot's rules.")
    parser.add_argument("source", metavar="IN", type=Path, help="the essay: .json, or .txt in the inline notation")
    parser.add_argument("target", metavar="OUT", type=Path, help="where the markup goes: .json or .txt")
    chosen = parser.parse_args(arguments)
    try:
        write(chosen.target, mark(read(chosen.source)))
    except InvalidMarkup as error:
        print(f"{chosen.source}: {error}", file=sys.stderr)
    except UnreadableError as error:
        print(error, file=sys.stderr)
    except OSError as error:
        print(f"{chosen.target}: {error.strerror or error}; choose another place to write to", file=sys.stderr)
    else:
        return 0
    return 1


def read(path: Path) -> dict[str, Any]:
    """Read the essay of a file. Raises ``UnreadableError`` or, for what is no markup, ``InvalidMarkup``."""
    content = read_markup(path)
    load(content)
    essay: dict[str, Any] = content
    return essay


def write(path: Path, content: dict[str, Any]) -> None:
    """Write a markup in the format that the file's suffix names; line ends stay as they are. Raises ``OSError``."""
    if path.suffix.lower() == NOTATION:
        text = render(load(content))
    else:
        text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
    path.write_bytes(text.encode("utf-8"))


if __name__ == "__main__":
    sys.exit(main())
