"""The command ``contest`` and ``python -m contest``: Ctrl-C while it loads shows no stack trace."""

from __future__ import annotations

import sys


def main() -> int | None:
    """Load the command, run it and return its exit code."""
    try:
        from contest.commands.main import main as command

        code: int | None = command()
    except KeyboardInterrupt:
        return 130
    return code


if __name__ == "__main__":
    sys.exit(main())
