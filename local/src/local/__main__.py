"""The command ``hurdle`` and ``python -m local``: Ctrl-C while it loads shows no stack trace."""

from __future__ import annotations

import sys


def main() -> int | None:
    """Load the command, run it and return its exit code."""
    try:
        from local.cli import main as command

        code: int | None = command()
    except KeyboardInterrupt:
        return 130
    return code


if __name__ == "__main__":
    sys.exit(main())
